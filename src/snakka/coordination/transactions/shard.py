"""The state of one partition of `__transaction_state`: its transactional ids, and what each is doing."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from snakka.coordination.deadlines import Deadlines
from snakka.coordination.decision import Decision, Marker, Moment, Producer
from snakka.coordination.transactions.settings import TransactionSettings
from snakka.coordination.transactions.transaction import (
    PREPARED,
    TopicPartition,
    Transaction,
    TransactionState,
    read_transaction,
    record_of,
)
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.record_batch import NO_PRODUCER_EPOCH
from snakka.protocol.record_types.transaction_coordinator.transaction_log_key import TransactionLogKey
from snakka.protocol.record_types.transaction_coordinator.transaction_log_value import TransactionLogValue
from snakka.raft.features import TRANSACTION_VERSION

# If a decided transaction is not complete by then, its markers are asked for again: whoever sends them gave up, or the
# decision's commit took too long for anybody to be told of it.
MARKERS_MS = 15_000


class SendMarkers(NamedTuple):
    """An effect: write the outcome of a transaction to all its partitions, then let the coordinator complete it."""

    transactional_id: str
    marker: Marker
    partitions: tuple[TopicPartition, ...]


class TransactionShard:
    """Transactional ids of one partition. `coordinator_epoch` is the leader epoch of the partition."""

    def __init__(
        self,
        coordinator_epoch: int,
        settings: Callable[[], TransactionSettings],
        image: Callable[[], ClusterImage],
    ) -> None:
        self.coordinator_epoch = coordinator_epoch
        self._settings = settings
        self._image = image
        self.deadlines = Deadlines()
        self.transactions: dict[str, Transaction] = {}
        # Those that are Ongoing, so that finding what timed out is not a walk over all that ever were.
        self.ongoing: dict[str, Transaction] = {}
        # The epoch before the last bump, if the producer that asked for the bump may ask again. No record has it.
        self.last_epochs: dict[str, int] = {}

    @property
    def settings(self) -> TransactionSettings:
        return self._settings()

    @property
    def transaction_version(self) -> int:
        """As the cluster has finalized it."""
        return self._image().features.level(TRANSACTION_VERSION)

    # -- deciding -------------------------------------------------------------------------------------------------

    def write(
        self, transaction: Transaction, response: Any, *, last_epoch: int | None = None
    ) -> Decision[Any]:
        """Let `transaction` be the state; `last_epoch` as `last_epochs` has it, None leaves it as it is."""
        transactional_id = transaction.transactional_id
        before = self.last_epochs.get(transactional_id, NO_PRODUCER_EPOCH)
        if last_epoch is not None:
            self.remember_last_epoch(transactional_id, last_epoch)

        def refused(_: Any) -> tuple[()]:
            self.remember_last_epoch(transactional_id, before)
            return ()

        record = record_of(transaction, self.transaction_version)
        return Decision(records=(record,), response=response, refused=refused)

    def remember_last_epoch(self, transactional_id: str, epoch: int) -> None:
        if epoch == NO_PRODUCER_EPOCH:
            self.last_epochs.pop(transactional_id, None)
        else:
            self.last_epochs[transactional_id] = epoch

    def markers_of(self, prepared: Transaction, now: Moment) -> SendMarkers:
        """The effect of a decision for `prepared`; asked for again if that leads to nothing."""
        self.deadlines.set(prepared.transactional_id, now.steady_ms + MARKERS_MS)
        marker = Marker(
            prepared.producer_id,
            prepared.producer_epoch,
            prepared.state is TransactionState.PREPARE_COMMIT,
            self.coordinator_epoch,
            prepared.client_version,
        )
        return SendMarkers(prepared.transactional_id, marker, tuple(sorted(prepared.partitions)))

    # -- what the runtime asks ------------------------------------------------------------------------------------

    def replay(self, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
        """Take over the state of a transactional id."""
        if not isinstance(record.key, TransactionLogKey):
            return
        transactional_id = record.key.transactional_id
        if record.value is None:
            self.transactions.pop(transactional_id, None)
            self.ongoing.pop(transactional_id, None)
            self.last_epochs.pop(transactional_id, None)
            self.deadlines.cancel(transactional_id)
        elif isinstance(record.value, TransactionLogValue):
            transaction = read_transaction(transactional_id, record.value)
            if transaction is not None:
                self._become(transaction)

    def _become(self, transaction: Transaction) -> None:
        transactional_id = transaction.transactional_id
        self.transactions[transactional_id] = transaction
        if transaction.state is TransactionState.ONGOING:
            self.ongoing[transactional_id] = transaction
        else:
            self.ongoing.pop(transactional_id, None)
            if transaction.state not in PREPARED:
                self.deadlines.cancel(transactional_id)

    def replay_marker(self, producer_id: int, producer_epoch: int, committed: bool) -> None:
        """Nobody writes to this topic within a transaction."""

    def loaded(self, now: Moment) -> Decision[Any]:
        """Transactions that were about to end are ended now."""
        unfinished = [one for one in self.transactions.values() if one.state in PREPARED]
        return Decision(effects=[self.markers_of(one, now) for one in unfinished])

    def expire(self, key: Hashable, now: Moment) -> Decision[Any]:
        """A decided transaction should have been complete by now."""
        transaction = self.transactions.get(key) if isinstance(key, str) else None
        if transaction is None or transaction.state not in PREPARED:
            return Decision()
        return Decision(effects=[self.markers_of(transaction, now)])
