"""How far each compacted log was cleaned: Kafka's `cleaner-offset-checkpoint`, one file in each log directory.

Rule: it is a hint. Without it a log is cleaned from its beginning once more. Changes are made in memory and written by the
one task that cleans, so that no two writers meet.
"""

from snakka.storage.checkpoint_file import TopicPartition
from snakka.storage.directory_checkpoints import (
    Checkpoint,
    read_directory_checkpoint,
    write_directory_checkpoint,
)
from snakka.storage.files import Files


class CleanerCheckpoints:
    """The first dirty offset of each log that was ever cleaned, by log directory."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._offsets: dict[str, dict[TopicPartition, int]] = {}
        self._changed: dict[str, None] = {}

    def load(self, directory: str) -> None:
        """Read the file of a log directory. Blocks."""
        self._offsets[directory] = read_directory_checkpoint(self._files, directory, Checkpoint.CLEANER)

    def offset(self, directory: str, partition: TopicPartition) -> int | None:
        return self._offsets.get(directory, {}).get(partition)

    def record(self, directory: str, partition: TopicPartition, offset: int) -> None:
        """The log is clean below `offset`."""
        offsets = self._offsets.setdefault(directory, {})
        if offsets.get(partition) != offset:
            offsets[partition] = offset
            self._changed[directory] = None

    def lower(self, directory: str, partition: TopicPartition, offset: int) -> None:
        """The log was truncated to `offset`: what comes after it will be dirty."""
        known = self.offset(directory, partition)
        if known is not None and known > offset:
            self.record(directory, partition, offset)

    def forget(self, directory: str, partition: TopicPartition) -> None:
        """The log is deleted, or has gone to another directory."""
        if self._offsets.get(directory, {}).pop(partition, None) is not None:
            self._changed[directory] = None

    def take_changes(self) -> dict[str, dict[TopicPartition, int]]:
        """What `write` has to write, by directory."""
        changes = {directory: dict(self._offsets[directory]) for directory in self._changed}
        self._changed.clear()
        return changes

    def write(self, directory: str, offsets: dict[TopicPartition, int]) -> None:
        """Blocks until it is on the disk; for a thread. StorageFailure if it fails."""
        write_directory_checkpoint(self._files, directory, Checkpoint.CLEANER, offsets)
