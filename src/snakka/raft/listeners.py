"""Those who follow the metadata log: what they are told, and how far each has come.

A listener first gets the newest snapshot, then every committed batch after it, in order and once. It hears that this node
leads only when it has been given everything that was committed before, so that it can decide at once.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from snakka.protocol.batch_reader import read_records
from snakka.protocol.errors import ProtocolError
from snakka.protocol.message import Message
from snakka.protocol.metadata_framing import decode_record
from snakka.raft.metadata_log import LoggedBatch, MetadataLog
from snakka.raft.snapshot_files import SnapshotId
from snakka.storage.meta_properties import DataDirectoryError


class CommittedBatch(NamedTuple):
    """Records that are committed together. The quorum's own control records count, but are not shown.

    The messages may be those that were appended: whoever gets them must not change them.
    """

    base_offset: int
    last_offset: int
    epoch: int
    timestamp_ms: int
    records: Sequence[Message]
    size: int  # bytes in the log


class RaftListener(Protocol):
    """All calls come on the event loop. An exception out of one ends the node: its state is not known any more."""

    def handle_snapshot(self, snapshot: SnapshotId, records: Iterator[Message]) -> None:
        """Forget everything, then take these records: the state before `snapshot.end_offset`."""

    def handle_commit(self, batch: CommittedBatch) -> None: ...

    def handle_leader_change(self, leader_id: int | None, epoch: int) -> None: ...


class ListenerFeed:
    """One listener and the offset that it needs next; None before it got its snapshot."""

    __slots__ = ("_leader", "listener", "next_offset")

    def __init__(self, listener: RaftListener) -> None:
        self.listener = listener
        self.next_offset: int | None = None
        self._leader: tuple[int | None, int] | None = None

    def catch_up(self, log: MetadataLog, high_watermark: int) -> None:
        """Give it what is committed, from the files. Blocks: this is for the start."""
        if self.next_offset is None or self.next_offset < log.start_offset:
            self.next_offset = 0
            snapshot = log.newest_snapshot
            if snapshot is not None:
                self.listener.handle_snapshot(snapshot, log.snapshot_reader(snapshot).records())
                self.next_offset = snapshot.end_offset
        for batch in log.read(self.next_offset, high_watermark):
            self.commit(decode_batch(batch))

    def commit(self, batch: CommittedBatch) -> None:
        self.listener.handle_commit(batch)
        self.next_offset = batch.last_offset + 1

    def leader_is(self, leader_id: int | None, epoch: int) -> None:
        """Tell it of a leader, once."""
        if self._leader != (leader_id, epoch):
            self._leader = (leader_id, epoch)
            self.listener.handle_leader_change(leader_id, epoch)


def decode_batch(batch: LoggedBatch) -> CommittedBatch:
    """A batch of the log as listeners get it; DataDirectoryError if this version cannot read a record in it."""
    header = batch.header
    records: list[Message] = []
    if not header.is_control:
        try:
            records = [decode_record(record.value or b"") for record in read_records(batch.data)]
        except ProtocolError as error:
            raise DataDirectoryError(
                f"the metadata log has a record that cannot be read, at offset {header.base_offset} or after: {error}"
            ) from error
    return CommittedBatch(
        header.base_offset,
        header.last_offset,
        header.leader_epoch,
        header.max_timestamp,
        records,
        header.size,
    )
