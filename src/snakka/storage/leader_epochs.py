"""Which leader wrote which part of the log: each epoch with the offset of its first record.

Rule: epochs and offsets both grow. The file is written when the log is flushed or closed; whatever came later is in the
batches themselves, and recovery reads it back from there.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from snakka.storage.checkpoint_file import BadCheckpoint, format_lines, parse_lines

NO_EPOCH = -1
NO_OFFSET = -1


class EpochStart(NamedTuple):
    """`epoch` begins with the record at `start_offset`."""

    epoch: int
    start_offset: int


class LeaderEpochs:
    """The epochs of one log, oldest first. `version` counts the changes, so that a writer knows if its copy is stale."""

    __slots__ = ("entries", "latest", "version")

    def __init__(self, entries: Iterable[EpochStart] = ()) -> None:
        self.entries: list[EpochStart] = []
        self.latest = NO_EPOCH
        self.version = 0
        for entry in entries:
            self.assign(*entry)
        self.version = 0

    @classmethod
    def parse(cls, data: bytes) -> "LeaderEpochs":
        try:
            entries = [EpochStart(*map(int, line.split())) for line in parse_lines(data)]
        except (TypeError, ValueError) as error:
            raise BadCheckpoint(str(error)) from error
        return cls(entries)

    def format(self) -> bytes:
        return format_lines([f"{entry.epoch} {entry.start_offset}" for entry in self.entries])

    def assign(self, epoch: int, start_offset: int) -> None:
        """`epoch` begins at `start_offset` unless that is known. Later entries that contradict it are wrong, and go."""
        if epoch < 0:
            return
        if self.entries and epoch == self.latest and start_offset >= self.entries[-1].start_offset:
            return
        while self.entries and (
            self.entries[-1].epoch >= epoch or self.entries[-1].start_offset >= start_offset
        ):
            self.entries.pop()
        self.entries.append(EpochStart(epoch, start_offset))
        self._changed()

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """(epoch, end offset) of the largest epoch not above `epoch`; (-1, -1) if that is not known."""
        if epoch == NO_EPOCH or not self.entries:
            return NO_EPOCH, NO_OFFSET
        if epoch == self.latest:
            return epoch, log_end_offset
        higher = bisect_right(self.entries, epoch, key=lambda entry: entry.epoch)
        if higher == len(self.entries):
            return NO_EPOCH, NO_OFFSET
        # Below the first known epoch the log is gone; the follower may go on from where ours begins.
        found = self.entries[higher - 1].epoch if higher else epoch
        return found, self.entries[higher].start_offset

    def epoch_for(self, offset: int) -> int:
        """The epoch that the record at `offset` was written in; -1 if not known."""
        higher = bisect_right(self.entries, offset, key=lambda entry: entry.start_offset)
        return self.entries[higher - 1].epoch if higher else NO_EPOCH

    def truncate_from_end(self, end_offset: int) -> None:
        """The log ends at `end_offset` now."""
        if self.entries and self.entries[-1].start_offset >= end_offset:
            self.entries = [entry for entry in self.entries if entry.start_offset < end_offset]
            self._changed()

    def truncate_from_start(self, start_offset: int) -> None:
        """The log begins at `start_offset` now; so does the epoch that it lies in."""
        gone = bisect_right(self.entries, start_offset, key=lambda entry: entry.start_offset)
        if gone > 1 or (gone and self.entries[0].start_offset != start_offset):
            self.entries[:gone] = [EpochStart(self.entries[gone - 1].epoch, start_offset)]
            self._changed()

    def clear(self) -> None:
        self.entries = []
        self._changed()

    def _changed(self) -> None:
        self.latest = self.entries[-1].epoch if self.entries else NO_EPOCH
        self.version += 1
