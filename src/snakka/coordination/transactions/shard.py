"""The state of one partition of `__transaction_state`: its transactional ids, and what each is doing."""

from collections.abc import Callable, Hashable
from typing import Any

from snakka.coordination.deadlines import Deadlines
from snakka.coordination.decision import Decision, Moment, Producer
from snakka.coordination.transactions.settings import TransactionSettings
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import KeyedRecord


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

    def replay(self, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
        """Take over the state of a transactional id."""

    def replay_marker(self, producer_id: int, producer_epoch: int, committed: bool) -> None:
        """Nobody writes to this topic within a transaction."""

    def loaded(self, now: Moment) -> Decision[Any]:
        """Transactions that were about to end are ended now."""
        return Decision()

    def expire(self, key: Hashable, now: Moment) -> Decision[Any]:
        """A transaction ran out of time."""
        return Decision()
