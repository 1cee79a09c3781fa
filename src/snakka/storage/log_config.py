"""What a topic's configs say to its logs: every Kafka 4.3 topic config as a typed attribute.

Rule: a log never looks at config names or texts. It holds one frozen LogConfig, which is replaced whole when a topic's or the
broker's configs change. The defaults here are Kafka 4.3's.
"""

from __future__ import annotations

from dataclasses import dataclass

_DAY_MS = 24 * 60 * 60 * 1000
_WEEK_MS = 7 * _DAY_MS
_NEVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class LogConfig:
    """One topic's configs, resolved: topic override, else the broker's option, else Kafka's default."""

    segment_bytes: int = 1 << 30
    segment_ms: int = _WEEK_MS
    segment_jitter_ms: int = 0
    segment_index_bytes: int = 10 << 20
    index_interval_bytes: int = 4096
    preallocate: bool = False

    retention_ms: int = _WEEK_MS  # -1: no limit
    retention_bytes: int = -1  # -1: no limit
    file_delete_delay_ms: int = 60_000

    compact: bool = False  # cleanup.policy; both may be true, and both false means that nothing is ever removed
    delete: bool = True
    min_cleanable_dirty_ratio: float = 0.5
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = _NEVER
    delete_retention_ms: int = _DAY_MS

    flush_messages: int = _NEVER
    flush_ms: int = _NEVER

    max_message_bytes: int = 1_048_588
    log_append_time: bool = False  # message.timestamp.type=LogAppendTime
    message_timestamp_before_max_ms: int = _NEVER
    message_timestamp_after_max_ms: int = 3_600_000
    compression_type: str = "producer"
    compression_gzip_level: int = -1
    compression_lz4_level: int = 9
    compression_zstd_level: int = 3

    min_insync_replicas: int = 1
    unclean_leader_election_enable: bool = False
    leader_replication_throttled_replicas: tuple[str, ...] = ()  # "partition:broker" pairs, or one "*"
    follower_replication_throttled_replicas: tuple[str, ...] = ()

    remote_storage_enable: bool = False
    remote_log_copy_disable: bool = False
    remote_log_delete_on_disable: bool = False
    local_retention_ms: int = -2  # -2: as retention_ms
    local_retention_bytes: int = -2
