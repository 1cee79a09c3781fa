"""The files in which a log directory remembers its partitions' offsets, and whether the broker stopped cleanly.

Rule: they are hints. A lost or torn one costs a longer start, never a record: a missing recovery point means that the log
is checked from its beginning. Everything here blocks and belongs in a thread.
"""

from __future__ import annotations

import enum
import json
import logging
import os
from collections.abc import Mapping

from snakka.storage.checkpoint_file import BadCheckpoint, TopicPartition, read_offsets, write_offsets
from snakka.storage.files import Files

log = logging.getLogger(__name__)

CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
NO_BROKER_EPOCH = -1


class Checkpoint(enum.Enum):
    """Kafka's file names."""

    RECOVERY_POINT = "recovery-point-offset-checkpoint"
    LOG_START = "log-start-offset-checkpoint"
    HIGH_WATERMARK = "replication-offset-checkpoint"
    CLEANER = "cleaner-offset-checkpoint"


def read_directory_checkpoint(files: Files, directory: str, which: Checkpoint) -> dict[TopicPartition, int]:
    """The offsets; none if the file is missing, or damaged, which is logged."""
    try:
        return read_offsets(files, os.path.join(directory, which.value))
    except BadCheckpoint as error:
        log.warning("%s in %s is damaged and is not used: %s", which.value, directory, error)
        return {}


def write_directory_checkpoint(
    files: Files, directory: str, which: Checkpoint, offsets: Mapping[TopicPartition, int]
) -> None:
    """On the disk when it returns; StorageFailure leaves the old file as it was."""
    write_offsets(files, os.path.join(directory, which.value), offsets)


def take_clean_marker(files: Files, directory: str) -> int | None:
    """Remove the mark of a clean stop; the broker epoch in it (-1 if it has none), or None if there was no mark.

    It is gone from the disk before this returns: a crash while logs are loaded must not look like a clean stop.
    """
    path = os.path.join(directory, CLEAN_SHUTDOWN)
    try:
        content = files.read(path)
    except FileNotFoundError:
        return None
    files.remove(path)
    files.sync_directory(directory)
    try:
        return int(json.loads(content)["brokerEpoch"])
    except (ValueError, KeyError, TypeError):
        return NO_BROKER_EPOCH


def write_clean_marker(files: Files, directory: str, broker_epoch: int) -> None:
    """The last thing that a broker writes: all else in `directory` is on the disk."""
    content = json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":"))
    files.replace(os.path.join(directory, CLEAN_SHUTDOWN), content.encode())
