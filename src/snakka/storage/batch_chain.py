"""Whether the batches of a segment follow each other as they were written.

A batch's offset, length and leader epoch lie before the bytes that its checksum covers, so no reader can tell that one of
them was damaged on the disk: records would come with other records' offsets, or be passed over in silence. What gives such
damage away is the neighbours. Rule: what this process has not written or verified itself is walked once before it is served.
"""

from snakka.protocol.record_batch import BatchHeader
from snakka.storage.batch_scan import scan_headers
from snakka.storage.files import File


class Proof:
    """What is known of a segment that was found on the disk: its first `unproven_bytes`, but for one stretch, nothing."""

    __slots__ = ("_from", "_until", "unproven_bytes")

    def __init__(self, unproven_bytes: int) -> None:
        self.unproven_bytes = unproven_bytes
        self._from = self._until = 0

    def break_in(self, log: File, start: int, end: int, base_offset: int, end_offset: int) -> str | None:
        """As `first_break`, but what is known already is not walked again."""
        if start >= self.unproven_bytes:
            return None
        follows_proven = self._from <= start <= self._until
        if follows_proven and start < end <= self._until:
            return None
        why = first_break(log, start, end, base_offset, end_offset)
        if why is None:
            if not follows_proven:
                self._from = self._until = start
            self._until = max(self._until, end)
        return why

    def truncated_to(self, size: int) -> None:
        self.unproven_bytes = min(self.unproven_bytes, size)
        self._until = min(self._until, size)


def first_break(log: File, start: int, end: int, base_offset: int, end_offset: int) -> str | None:
    """Why the batches in [start, end) can't be right; None if they and the one after them follow each other.

    At least one batch is looked at. All must lie within [base_offset, end_offset). Offsets may be missing between them:
    compaction does that.
    """
    position = start
    previous: BatchHeader | None = None
    for batch in scan_headers(log, start, log.size):
        header = batch.header
        if header.base_offset < base_offset or header.last_offset >= end_offset:
            return f"at {batch.position} are offsets {header.base_offset} to {header.last_offset}"
        if previous is not None and not follows(previous, header):
            return f"the batch at {batch.position} does not follow the one before it"
        if previous is not None and batch.position >= end:
            return None if batch.position == end or end == start else f"no batch begins at {end}"
        previous = header
        position = batch.end
    return None if position == log.size else f"there is no batch at {position}"


def follows(previous: BatchHeader, header: BatchHeader) -> bool:
    """Neither offsets nor leader epochs go back."""
    return header.base_offset >= previous.next_offset and header.leader_epoch >= previous.leader_epoch
