"""What a topic's configs say to its logs: every Kafka 4.3 topic config as a typed attribute.

Rule: a log never looks at config names or texts. It holds one frozen LogConfig, which is replaced whole when a topic's
or the broker's configs change. The defaults here are Kafka 4.3's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from snakka.options.kinds import Value
from snakka.options.option import Option, OptionError, declare
from snakka.options.precedence import resolve
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.storage.options import TOPIC_OPTIONS

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

    compact: bool = (
        False  # cleanup.policy; both may be true, and both false means that nothing is ever removed
    )
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

    @classmethod
    def from_overrides(
        cls, broker_values: Mapping[str, str], topic_overrides: Mapping[str, str]
    ) -> LogConfig:
        """What holds for a topic: its overrides, else what the broker's options say, else Kafka's defaults.

        `broker_values` are the texts that are set on the broker, by the broker's names (OptionSet.texts).
        """
        return cls.from_broker(broker_values).with_overrides(topic_overrides)

    @classmethod
    def from_broker(cls, broker_values: Mapping[str, str]) -> LogConfig:
        """What holds for every topic without overrides. Build it once: topics share it."""
        fields: dict[str, Any] = {}
        for option in topic_options().values():
            if any(name in broker_values for name, _ in option.synonyms):
                fields.update(_fields(option.name, resolve(option, {}, broker_values)))
        return replace(_DEFAULTS, **fields) if fields else _DEFAULTS

    def with_overrides(self, topic_overrides: Mapping[str, str]) -> LogConfig:
        """This with a topic's own configs; itself if there are none. Names that are no topic configs are passed over.

        Values are only read, not judged: what was accepted once stays in effect when bounds become narrower.
        """
        fields: dict[str, Any] = {}
        declared = topic_options()
        for name, text in topic_overrides.items():
            if name in declared:
                fields.update(_fields(name, declared[name].convert(text)))
        if (
            "internal_segment_bytes" in fields
        ):  # has precedence over segment.bytes, and no attribute of its own
            fields["segment_bytes"] = fields.pop("internal_segment_bytes")
        return replace(self, **fields) if fields else self


_DEFAULTS = LogConfig()


@cache
def topic_options() -> Mapping[str, Option]:
    """Every topic config of Kafka 4.3 by name."""
    return declare(TOPIC_OPTIONS)


def validate_topic_configs(overrides: Mapping[str, str | None], defaults: LogConfig = _DEFAULTS) -> None:
    """Refuse, with ApiError(INVALID_CONFIG), what Kafka refuses in CreateTopics and in changes of a topic's configs.

    `defaults` are what holds without the overrides, since some configs must agree with each other.
    """
    declared = topic_options()
    nulls = [name for name, text in overrides.items() if text is None]
    if nulls:
        raise ApiError(
            ErrorCode.INVALID_CONFIG, f"Null value not supported for topic configs: {','.join(nulls)}"
        )
    texts = {name: text for name, text in overrides.items() if text is not None}
    for name in texts:
        if name not in declared:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"Unknown topic config name: {name}")
    try:
        for name, text in texts.items():
            declared[name].parse(text)
    except OptionError as error:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(error)) from None
    config = defaults.with_overrides(texts)
    if config.min_compaction_lag_ms > config.max_compaction_lag_ms:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"conflict topic config setting min.compaction.lag.ms ({config.min_compaction_lag_ms}) > "
            f"max.compaction.lag.ms ({config.max_compaction_lag_ms})",
        )
    if config.remote_storage_enable:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            "remote.storage.enable=true is refused: tiered storage is disabled in this broker",
        )


def _fields(name: str, value: Value) -> dict[str, Value]:
    """The attributes that a topic config sets."""
    if name == "cleanup.policy":
        assert isinstance(value, tuple)
        return {"compact": "compact" in value, "delete": "delete" in value}
    if name == "message.timestamp.type":
        return {"log_append_time": value == "LogAppendTime"}
    return {name.replace(".", "_"): value}
