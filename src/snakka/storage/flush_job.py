"""What has to be synced so that a log is durable up to an offset, as a parcel for a thread.

Rule: `run` touches no state of the log, `done` touches nothing but it. After a failed `run` there is no second try:
the kernel may have dropped what it could not write, and a later success would be a lie.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from snakka.storage.partition_metadata import partition_metadata_path
from snakka.storage.segment import Segment
from snakka.storage.segment_files import LEADER_EPOCHS, OFFSET_INDEX, TIME_INDEX, TRANSACTION_INDEX

if TYPE_CHECKING:
    from snakka.storage.partition_log import PartitionLog

_INDEXES = (OFFSET_INDEX, TIME_INDEX, TRANSACTION_INDEX)


class FlushJob:
    """Made and finished on the event loop, run anywhere. `offset` falls if the log is truncated meanwhile."""

    __slots__ = ("_finish", "_steps", "offset")

    def __init__(
        self, offset: int, steps: Sequence[Callable[[], None]], finish: Callable[[FlushJob], None]
    ) -> None:
        self.offset = offset
        self._steps = steps
        self._finish = finish

    def run(self) -> None:
        """Blocks; StorageFailure if anything could not be synced."""
        for step in self._steps:
            step()

    def done(self) -> None:
        """`run` came back: everything below `offset` is on the disk."""
        self._finish(self)


class Unsynced:
    """What of a log is not on the disk yet, beside the end of its active segment."""

    __slots__ = ("directory_changed", "epochs_written", "is_new", "running", "segments", "was_truncated")

    def __init__(self, segments: list[Segment], *, epochs_written: int, after_clean_stop: bool) -> None:
        # Rolled, or made anew by recovery.
        self.segments = segments
        # After anything but a clean stop the partition's directory itself, and what is in it, may not be on the disk:
        # whoever made it may have been killed, or have had nothing to flush. So the first flush makes sure.
        self.directory_changed = self.is_new = not after_clean_stop
        # The version of the leader epochs that their file has.
        self.epochs_written = epochs_written
        self.running: FlushJob | None = None
        # Until it is synced, a crash could bring back what was cut.
        self.was_truncated = False

    @property
    def has_news(self) -> bool:
        """Whether there is something to sync even if no record is."""
        return bool(self.segments) or self.is_new or self.directory_changed or self.was_truncated

    def forget(self, gone: Iterable[Segment]) -> None:
        """These segments are deleted."""
        removed = set(gone)
        self.segments = [segment for segment in self.segments if segment not in removed]
        self.directory_changed = True

    def truncated_to(self, offset: int) -> None:
        """What is being synced above `offset` is not part of the log any more."""
        self.directory_changed = True
        self.was_truncated = True
        if self.running is not None:
            self.running.offset = min(self.running.offset, offset)

    def steps(self, log: PartitionLog) -> list[Callable[[], None]]:
        """All that is to be synced, which then counts as begun.

        The active segment's indexes are among it only at a clean stop: after any other end recovery makes them anew.
        """
        files = log.files
        steps: list[Callable[[], None]] = []
        if self.epochs_written != log.epochs.version:
            path = os.path.join(log.directory, LEADER_EPOCHS)
            steps.append(partial(files.replace, path, log.epochs.format()))
            self.epochs_written = log.epochs.version
        steps += [partial(files.sync_file, path) for path in log.snapshots.unsynced()]
        for segment in self.segments:
            if segment is not log.active:
                steps.append(segment.log.prepare_sync())
            steps += [partial(files.sync_file, segment.path(kind)) for kind in _INDEXES]
        steps.append(log.active.log.prepare_sync())
        if self.is_new:
            steps.append(partial(files.sync_file, partition_metadata_path(log.directory)))
            steps.append(partial(files.sync_directory, os.path.dirname(log.directory)))
        if self.directory_changed:
            steps.append(partial(files.sync_directory, log.directory))
        self.segments = []
        self.is_new = self.directory_changed = self.was_truncated = False
        return steps
