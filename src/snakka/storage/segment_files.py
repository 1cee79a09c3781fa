"""How Kafka names the files of a partition: the base offset in twenty digits, the kind, and what is being done to them."""

import os
import re
from typing import Final

LOG: Final = ".log"
OFFSET_INDEX: Final = ".index"
TIME_INDEX: Final = ".timeindex"
TRANSACTION_INDEX: Final = ".txnindex"
PRODUCER_SNAPSHOT: Final = ".snapshot"
SEGMENT_KINDS: Final = (LOG, OFFSET_INDEX, TIME_INDEX, TRANSACTION_INDEX)

DELETED: Final = ".deleted"  # goes after file.delete.delay.ms
CLEANED: Final = ".cleaned"  # written by the cleaner, not valid yet
SWAP: Final = ".swap"  # valid, and about to take its place

LEADER_EPOCHS: Final = "leader-epoch-checkpoint"
PARTITION_METADATA: Final = "partition.metadata"

_NAME = re.compile(r"(\d{20})(\.log|\.index|\.timeindex|\.txnindex|\.snapshot)(\.deleted|\.cleaned|\.swap)?")


def file_path(directory: str, base_offset: int, kind: str, suffix: str = "") -> str:
    return os.path.join(directory, f"{base_offset:020d}{kind}{suffix}")


def parse_name(name: str) -> tuple[int, str, str] | None:
    """(base offset, kind, suffix) of a file that belongs to a segment; None for any other."""
    match = _NAME.fullmatch(name)
    return (int(match[1]), match[2], match[3] or "") if match else None
