"""What an answer to a fetch has of one partition, as it came: it is decoded when the application asks for it."""

from collections.abc import Sequence
from struct import Struct

from snakka.client.consumer.positions import AssignedPartition
from snakka.protocol.fetched_batches import FetchedBatches
from snakka.protocol.record_batch import HEADER_SIZE, MAGIC, SIZE_PREFIX, read_header

_read_length = Struct(">8xi").unpack_from


class Answer:
    """The memory of one answer, which is held until all its parts are used."""

    __slots__ = ("parts", "size")

    def __init__(self) -> None:
        self.parts = 0
        self.size = 0


class FetchedPart:
    """Batches of one partition. `position` is where the application goes on in them."""

    __slots__ = ("aborted", "answer", "assigned", "check_crc", "epoch", "position", "reading", "records")

    def __init__(
        self,
        assigned: AssignedPartition,
        records: memoryview,
        position: int,
        epoch: int,
        aborted: Sequence[tuple[int, int]],
        check_crc: bool,
        answer: Answer,
    ) -> None:
        self.assigned = assigned
        self.records = records
        self.position = position
        self.epoch = epoch  # of its last batch; none in it is of a later one
        self.aborted = aborted
        self.check_crc = check_crc
        self.answer = answer
        self.reading: FetchedBatches | None = None

    @property
    def batches(self) -> FetchedBatches:
        """The batches from the position on, as far as they were not taken from here yet."""
        if self.reading is None:
            self.reading = FetchedBatches(
                self.records,
                from_offset=self.position,
                up_to=self.assigned.stop_offset,
                aborted=self.aborted,
                check_crc=self.check_crc,
            )
        return self.reading

    def rewind(self, position: int) -> None:
        """Read again from here."""
        self.position = position
        self.reading = None


def end_of_batches(records: memoryview) -> tuple[int, int] | None:
    """The offset after the last whole batch, and that batch's leader epoch; None if there is no whole batch.

    Only lengths are looked at on the way: the next fetch should be on its way before anything is decoded.
    """
    position, last, size = 0, -1, len(records)
    while size - position >= HEADER_SIZE:
        end = position + SIZE_PREFIX + _read_length(records, position)[0]
        if end > size or end - position < HEADER_SIZE:
            break
        last, position = position, end
    if last < 0:
        return None
    header = read_header(records, last)
    return (header.next_offset, header.leader_epoch) if header.magic == MAGIC else None
