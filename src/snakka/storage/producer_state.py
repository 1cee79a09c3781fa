"""What a partition remembers of its idempotent and transactional producers.

Rule: checks come before the append and change nothing; updates come after it and cannot fail. So the state always says what
the log says, and replaying the log gives the same state.

A producer's last five batches are remembered: as many as a client may have under way. A batch that is one of them is a
duplicate, and is answered with the offsets it got the first time.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from snakka.protocol.control_records import EndTransaction
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import (
    NO_PRODUCER_EPOCH,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    BatchHeader,
    decrement_sequence,
    increment_sequence,
)

BATCHES_REMEMBERED = 5
NO_OFFSET = -1
# From this transaction.version on each transaction has an epoch of its own (KIP-890).
EPOCH_BUMP_SINCE = 2
# Nobody writes in the last epoch: it is there to fence.
LAST_EPOCH = 32_767


class AppendedBatch(NamedTuple):
    """A batch of a producer that is in the log."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_sequence(self) -> int:
        return decrement_sequence(self.last_sequence, self.offset_delta)

    @property
    def first_offset(self) -> int:
        return self.last_offset - self.offset_delta


class CompletedTransaction(NamedTuple):
    """A transaction whose marker was appended at `last_offset`."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class ProducerEntry:
    """One producer id in one partition."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "epoch",
        "last_timestamp",
        "producer_id",
        "transaction_start",
    )

    def __init__(
        self,
        producer_id: int,
        epoch: int = NO_PRODUCER_EPOCH,
        coordinator_epoch: int = -1,
        last_timestamp: int = NO_TIMESTAMP,
        transaction_start: int = NO_OFFSET,
    ) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.coordinator_epoch = coordinator_epoch
        self.last_timestamp = last_timestamp
        self.transaction_start = transaction_start
        self.batches: list[AppendedBatch] = []

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    def duplicate_of(self, base_sequence: int, last_sequence: int) -> AppendedBatch | None:
        for batch in self.batches:
            if batch.last_sequence == last_sequence and batch.first_sequence == base_sequence:
                return batch
        return None


class Verification:
    """A producer that asks its coordinator whether it may begin a transaction here; no record describes it.

    It is the same object for as long as no record and no marker of the producer comes in between: an answer that comes
    later than that is about another transaction.
    """

    __slots__ = ("adds", "epoch", "lowest_sequence", "started_ms")

    def __init__(self, epoch: int, sequence: int, adds: bool, started_ms: int) -> None:
        self.epoch = epoch
        # While the first batch is being asked for, those after it must not get ahead of it.
        self.lowest_sequence = sequence
        # The client is of transaction.version 2.
        self.adds = adds
        self.started_ms = started_ms

    def also(self, epoch: int, sequence: int) -> None:
        """Another batch asks: an earlier one, or one of the next epoch, in which sequences begin anew."""
        if epoch > self.epoch or (epoch == self.epoch and sequence < self.lowest_sequence):
            self.epoch = epoch
            self.lowest_sequence = sequence


class ProducerState:
    """All producers of one partition, and the transactions that are under way."""

    __slots__ = (
        "_completed",
        "_ongoing",
        "end_offset",
        "entries",
        "first_unstable_offset",
        "verifications",
    )

    def __init__(self, end_offset: int = 0) -> None:
        self.entries: dict[int, ProducerEntry] = {}
        self.verifications: dict[int, Verification] = {}
        # First offset -> producer. They begin in the order of the log, so the first key is the smallest.
        self._ongoing: dict[int, int] = {}
        # First offset -> marker's offset, of those whose marker is not below the high watermark yet.
        self._completed: dict[int, int] = {}
        self.first_unstable_offset: int | None = None
        # The log offset up to which all batches are in this state.
        self.end_offset = end_offset

    # Checks, before the append.

    def check_client_batch(self, header: BatchHeader) -> AppendedBatch | None:
        """The batch that this one repeats, if it does; ApiError if it may not be appended."""
        entry = self.entries.get(header.producer_id)
        if entry is None:
            # Its records may have been deleted, so any sequence is accepted.
            if self.verifications:
                self._check_first_sequence(header, is_known=False)
            return None
        sequence = header.base_sequence
        if header.producer_epoch == entry.epoch:
            expected = increment_sequence(entry.last_sequence, 1) if entry.batches else 0
            if sequence != expected:
                duplicate = entry.duplicate_of(sequence, header.last_sequence)
                if duplicate is None:
                    raise ApiError(
                        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                        f"producer {entry.producer_id} sent sequence {sequence}, {expected} was expected",
                    )
                return duplicate
        else:
            self._check_epoch(entry, header.producer_epoch)
            if sequence != 0 and entry.epoch != NO_PRODUCER_EPOCH:
                raise ApiError(
                    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"producer {entry.producer_id} began epoch {header.producer_epoch} with sequence {sequence}",
                )
        if self.verifications:
            self._check_first_sequence(header, is_known=True)
        self._check_transaction(entry, header)
        return None

    def _check_first_sequence(self, header: BatchHeader, is_known: bool) -> None:
        """Of the batch with which a transaction begins here."""
        verification = self.verifications.get(header.producer_id)
        if verification is None:
            return
        sequence, lowest = header.base_sequence, verification.lowest_sequence
        if verification.adds and not is_known:
            # In version 2 the sequences begin with the transaction, so there can't be anything that was deleted.
            lowest = 0
        if sequence > lowest:
            raise ApiError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {header.producer_id} begins with sequence {sequence}, {lowest} has to come first",
            )

    def has_transaction(self, producer_id: int, epoch: int) -> bool:
        entry = self.entries.get(producer_id)
        return entry is not None and entry.transaction_start != NO_OFFSET and entry.epoch == epoch

    def verify(
        self, producer_id: int, epoch: int, sequence: int, *, adds: bool, now_ms: int
    ) -> Verification | None:
        """Begin to ask whether the producer may write here; None if its transaction is under way already."""
        entry = self.entries.get(producer_id)
        if entry is not None:
            self._check_epoch(entry, epoch)
            if entry.transaction_start != NO_OFFSET and entry.epoch == epoch:
                return None
        verification = self.verifications.get(producer_id)
        if verification is None:
            verification = self.verifications[producer_id] = Verification(epoch, sequence, adds, now_ms)
        else:
            verification.also(epoch, sequence)
        return verification

    def check_marker(self, producer_id: int, epoch: int, transaction_version: int) -> None:
        """Before a marker is written: one of version 2 has the epoch of the next transaction (KIP-1228).

        If that one has begun here, the marker comes too late. If not, it may come twice: who sends it can't know whether
        it came through.
        """
        entry = self.entries.get(producer_id)
        if transaction_version < EPOCH_BUMP_SINCE or entry is None or epoch > entry.epoch:
            return
        is_harmless = entry.transaction_start == NO_OFFSET or epoch == LAST_EPOCH
        if epoch < entry.epoch or not is_harmless:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"a marker of epoch {epoch} comes too late: producer {producer_id} is in epoch {entry.epoch}",
            )

    def check_coordinator_batch(self, header: BatchHeader, marker: EndTransaction | None) -> None:
        """Of a coordinator, which sends no sequences: ApiError if producer or coordinator are of an old epoch."""
        entry = self.entries.get(header.producer_id)
        if entry is None:
            return
        self._check_epoch(entry, header.producer_epoch)
        if marker is None:
            self._check_transaction(entry, header)
        elif entry.coordinator_epoch > marker.coordinator_epoch:
            raise ApiError(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"coordinator epoch {marker.coordinator_epoch} is older than {entry.coordinator_epoch}",
            )

    @staticmethod
    def _check_epoch(entry: ProducerEntry, epoch: int) -> None:
        if epoch < entry.epoch:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"epoch {epoch} of producer {entry.producer_id} is older than {entry.epoch}",
            )

    @staticmethod
    def _check_transaction(entry: ProducerEntry, header: BatchHeader) -> None:
        if entry.transaction_start != NO_OFFSET and not header.is_transactional:
            raise ApiError(
                ErrorCode.INVALID_TXN_STATE,
                f"producer {entry.producer_id} has a transaction under way and wrote outside of it",
            )

    # Updates, after the append.

    def append_data(self, header: BatchHeader, first_offset: int, timestamp: int) -> None:
        """A batch with records is now in the log at `first_offset`."""
        entry = self._entry_for(header)
        delta = header.last_offset_delta
        entry.batches.append(AppendedBatch(header.last_sequence, first_offset + delta, delta, timestamp))
        if len(entry.batches) > BATCHES_REMEMBERED:
            del entry.batches[0]
        entry.last_timestamp = timestamp
        if header.is_transactional:
            if self.verifications:
                self.verifications.pop(header.producer_id, None)
            if entry.transaction_start == NO_OFFSET:
                entry.transaction_start = first_offset
                self._ongoing[first_offset] = header.producer_id
                self._find_first_unstable()

    def append_marker(
        self, header: BatchHeader, marker: EndTransaction, offset: int, timestamp: int
    ) -> CompletedTransaction | None:
        """A transaction's marker is now in the log; None if it ends no transaction that has records here."""
        entry = self._entry_for(header)
        first_offset = entry.transaction_start
        entry.transaction_start = NO_OFFSET
        entry.coordinator_epoch = marker.coordinator_epoch
        entry.last_timestamp = timestamp
        verification = self.verifications.get(header.producer_id)
        # A producer of version 2 may ask for its next transaction before the last one's marker has come.
        if verification is not None and not (
            verification.adds and verification.epoch == header.producer_epoch
        ):
            del self.verifications[header.producer_id]
        if first_offset == NO_OFFSET:
            return None
        return CompletedTransaction(header.producer_id, first_offset, offset, not marker.committed)

    def _entry_for(self, header: BatchHeader) -> ProducerEntry:
        entry = self.entries.get(header.producer_id)
        if entry is None:
            entry = self.entries[header.producer_id] = ProducerEntry(header.producer_id)
        if entry.epoch != header.producer_epoch:
            entry.epoch = header.producer_epoch
            entry.batches.clear()
        return entry

    def stable_offset_after(self, completed: CompletedTransaction) -> int:
        """The last stable offset once `completed` counts: where the next transaction that is under way begins."""
        for first_offset, producer_id in self._ongoing.items():
            if producer_id != completed.producer_id:
                return first_offset
        return completed.last_offset + 1

    def complete(self, completed: CompletedTransaction) -> None:
        """Readers see its outcome when the high watermark passes the marker."""
        self._ongoing.pop(completed.first_offset, None)
        self._completed[completed.first_offset] = completed.last_offset
        self._find_first_unstable()

    def high_watermark_moved(self, offset: int) -> None:
        if self._completed:
            self._completed = {first: last for first, last in self._completed.items() if last >= offset}
            self._find_first_unstable()

    def _find_first_unstable(self) -> None:
        candidates = [next(iter(self._ongoing))] if self._ongoing else []
        candidates += self._completed
        self.first_unstable_offset = min(candidates, default=None)

    # Loading, expiry, answers.

    def load(self, entries: Iterable[ProducerEntry], end_offset: int) -> None:
        """Begin again from a snapshot taken at `end_offset`."""
        self.entries = {entry.producer_id: entry for entry in entries}
        starts = sorted(
            (entry.transaction_start, entry.producer_id)
            for entry in self.entries.values()
            if entry.transaction_start != NO_OFFSET
        )
        self._ongoing = dict(starts)
        self._completed = {}
        self.end_offset = end_offset
        self._find_first_unstable()

    def remove_expired(self, now_ms: int, expiration_ms: int) -> None:
        """Forget producers without a transaction that were silent for `producer.id.expiration.ms`."""
        expired = [
            producer_id
            for producer_id, entry in self.entries.items()
            if entry.transaction_start == NO_OFFSET and now_ms - entry.last_timestamp >= expiration_ms
        ]
        for producer_id in expired:
            del self.entries[producer_id]
        self.verifications = {
            producer_id: verification
            for producer_id, verification in self.verifications.items()
            if now_ms - verification.started_ms < expiration_ms
        }

    def describe(self) -> Iterator[ProducerEntry]:
        """For DescribeProducers."""
        return iter(self.entries.values())
