"""What a cleaning knows of transactions while it goes through a log.

Rule: the records of an aborted transaction go at once, its marker only after them: a cleaning that still met records
of the transaction keeps the marker and its entry in the transaction index, and a later one, which meets none, may let
both go. No record is taken for aborted that the index does not name: a marker that cannot be read ends its transaction
all the same.
"""

from collections.abc import Iterable
from heapq import heapify, heappop

from snakka.protocol.batch_reader import read_records
from snakka.protocol.control_records import ControlType, read_control_key
from snakka.protocol.record_batch import BatchHeader, Bytes
from snakka.storage.transaction_index import AbortedTransaction


class CleanedTransactions:
    """Told every batch in the order of the log, it says what may be discarded.

    `retained` collects the entries that the cleaned segment's transaction index needs; the caller takes them.
    """

    def __init__(self, aborted: Iterable[AbortedTransaction]) -> None:
        self._to_come = [(entry.first_offset, entry) for entry in aborted]
        heapify(self._to_come)
        self._aborted: dict[int, AbortedTransaction] = {}
        self._aborted_with_records: set[int] = set()
        self._committed: set[int] = set()
        self.retained: list[AbortedTransaction] = []

    def on_data(self, header: BatchHeader) -> bool:
        """True if the batch belongs to an aborted transaction."""
        self._begin_up_to(header.last_offset)
        if not header.is_transactional:
            return False
        entry = self._aborted.get(header.producer_id)
        if entry is not None and header.base_offset <= entry.last_offset:
            self._aborted_with_records.add(header.producer_id)
            return True
        self._committed.add(header.producer_id)
        return False

    def on_control(self, header: BatchHeader, batch: Bytes) -> bool:
        """True if the marker ends a transaction that has no records left. ProtocolError if it cannot be read."""
        self._begin_up_to(header.last_offset)
        record = next(read_records(batch), None)
        if record is None:
            return True  # emptied by an earlier cleaning
        kind = read_control_key(record.key)
        producer_id = header.producer_id
        if kind == ControlType.ABORT:
            entry = self._aborted.pop(producer_id, None)
            if entry is not None and producer_id in self._aborted_with_records:
                self._aborted_with_records.discard(producer_id)
                self.retained.append(entry)
                return False
            return True
        if kind == ControlType.COMMIT:
            if producer_id in self._committed:
                self._committed.discard(producer_id)
                return False
            return True
        return False

    def _begin_up_to(self, offset: int) -> None:
        while self._to_come and self._to_come[0][0] <= offset:
            entry = heappop(self._to_come)[1]
            known = self._aborted.get(entry.producer_id)
            if known is None or known.last_offset < entry.first_offset:
                self._aborted[entry.producer_id] = entry
                self._aborted_with_records.discard(entry.producer_id)
