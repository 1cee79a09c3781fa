"""The next block of producer ids that nobody has been given."""

from collections.abc import Iterator
from dataclasses import dataclass

from snakka.metadata.image.errors import InconsistentRecord
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.producer_ids_record import ProducerIdsRecord


@dataclass(slots=True)
class ProducerIdsImage:
    # -1: no block was ever given, so the first begins at 0.
    next_producer_id: int = -1

    def replay_producer_ids(self, record: ProducerIdsRecord) -> None:
        if record.next_producer_id <= self.next_producer_id:
            raise InconsistentRecord(
                f"producer ids from {record.next_producer_id} were given already, up to {self.next_producer_id}"
            )
        self.next_producer_id = record.next_producer_id

    def snapshot(self) -> Iterator[Message]:
        if self.next_producer_id >= 0:
            yield ProducerIdsRecord(broker_id=-1, broker_epoch=-1, next_producer_id=self.next_producer_id)

    def copy(self) -> "ProducerIdsImage":
        return ProducerIdsImage(self.next_producer_id)
