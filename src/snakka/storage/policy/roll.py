"""When a log begins a new segment: by size, by age, or because its indexes or offsets are exhausted.

Rule: facts in, a yes or no out. Age is counted between the first batch's timestamp and the new one's, as Kafka counts it, so
that a replay of old records rolls as the original did; where records have no timestamp, the clock counts.
"""

import zlib

from snakka.storage.log_config import LogConfig

# Offsets are kept relative to the segment's base in 32 bits.
MAX_RELATIVE_OFFSET = 0x7FFFFFFF


def must_roll_by_age(
    config: LogConfig, jitter_ms: int, first_timestamp: int, created_ms: int, timestamp: int, now_ms: int
) -> bool:
    """Whether `segment.ms` has passed when a batch of this `timestamp` comes."""
    waited = timestamp - first_timestamp if first_timestamp >= 0 else now_ms - created_ms
    return waited > config.segment_ms - jitter_ms


def must_roll_by_size(config: LogConfig, held_bytes: int, new_bytes: int) -> bool:
    return held_bytes + new_bytes > config.segment_bytes


def roll_jitter(config: LogConfig, topic: str, partition: int, base_offset: int) -> int:
    """Spreads the rolls of partitions that began together; the same for a segment whenever it is asked."""
    if not config.segment_jitter_ms:
        return 0
    seed = zlib.crc32(f"{topic}-{partition}-{base_offset}".encode())
    return seed % min(config.segment_jitter_ms, config.segment_ms)
