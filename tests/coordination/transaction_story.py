"""Stories of transactions: feeds decisions to a shard, moves its time, and lets it crash.

After every step another shard is built from the bytes of all records, and must say the same: every story is a crash test.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from snakka.coordination.decision import Decision, Moment, Producer
from snakka.coordination.transactions.adding import Addition, add_partitions, verify_partitions
from snakka.coordination.transactions.ending import (
    Ending,
    NeedsProducerId,
    abort_overdue,
    complete,
    end_transaction,
    overdue,
)
from snakka.coordination.transactions.forgetting import forget_unused
from snakka.coordination.transactions.initializing import Initialization, init_producer_id
from snakka.coordination.transactions.settings import TransactionSettings
from snakka.coordination.transactions.shard import SendMarkers, TransactionShard
from snakka.coordination.transactions.transaction import Transaction, TransactionState
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import TRANSACTION_RECORDS, decoder, encode_key, encode_value
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.raft.features import TRANSACTION_VERSION

PAYMENTS = "payments"
A, B, C = ("orders", 0), ("orders", 1), ("shipments", 0)
# The last epoch that a client ever gets.
LAST = 32_766


class TransactionStory:
    """A coordinator of transactions and whoever talks to it. `version` is the finalized transaction.version."""

    def __init__(self, version: int = 2, **settings: int) -> None:
        self.image = ClusterImage()
        self.version = version
        self.settings = TransactionSettings(**settings)
        self.now = Moment(wall_ms=1_700_000_000_000, steady_ms=5_000)
        self.log: list[tuple[bytes, bytes | None]] = []
        # Markers that are on their way.
        self.markers: list[SendMarkers] = []
        self.refuses_appends = False
        self._next_producer_id = 1000
        self._epoch = 0
        self.shard = self._new_shard()

    # -- the world ------------------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        return self.image.features.level(TRANSACTION_VERSION)

    @version.setter
    def version(self, level: int) -> None:
        self.image.features.levels[TRANSACTION_VERSION] = level

    def _new_shard(self) -> TransactionShard:
        return TransactionShard(self._epoch, lambda: self.settings, lambda: self.image)

    def pass_ms(self, milliseconds: int) -> None:
        """Time goes by; what is due happens."""
        self.now = Moment(self.now.wall_ms + milliseconds, self.now.steady_ms + milliseconds)
        while (key := self.shard.deadlines.take_due(self.now.steady_ms)) is not None:
            self._apply(self.shard.expire(key, self.now))

    def crash(self) -> None:
        """Another leader builds the state from the log. Markers on their way are lost."""
        self._epoch += 1
        self.shard = self._rebuilt()
        self.markers = []
        self._apply(self.shard.loaded(self.now))

    def _rebuilt(self) -> TransactionShard:
        shard = self._new_shard()
        decode = decoder(TRANSACTION_RECORDS)
        for offset, (key, value) in enumerate(self.log):
            record = decode(key, value)
            assert record is not None
            shard.replay(record, offset, None)
        return shard

    def _apply(self, decision: Decision[Any]) -> Any:
        if decision.records and self.refuses_appends:
            assert decision.refused is not None
            decision.refused(ErrorCode.COORDINATOR_NOT_AVAILABLE)
            raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        for record in decision.records:
            self.shard.replay(record, len(self.log), None)
            self.log.append((encode_key(record), encode_value(record)))
        again = self._rebuilt()
        assert again.transactions == self.shard.transactions
        assert again.ongoing == self.shard.ongoing
        self.markers += decision.effects
        if isinstance(decision.response, ApiError):
            raise decision.response
        return decision.response

    def _apply_with_id(self, decide: Any) -> Any:
        """As the handler does: if a new producer id is needed, it decides again with one."""
        response = self._apply(decide(None))
        if response is NeedsProducerId.NEEDED:
            self._next_producer_id += 1
            response = self._apply(decide(self._next_producer_id))
        return response

    # -- what clients do ------------------------------------------------------------------------------------------

    def init(
        self, transactional_id: str = PAYMENTS, *, timeout_ms: int = 60_000, expected: Producer | None = None
    ) -> Producer:
        request = Initialization(transactional_id, timeout_ms, expected)
        return self._apply_with_id(lambda new: init_producer_id(self.shard, request, new, self.now))

    def add(
        self,
        producer: Producer,
        *partitions: tuple[str, int],
        transactional_id: str = PAYMENTS,
        client_version: int = 2,
    ) -> None:
        request = Addition(transactional_id, producer, partitions, client_version)
        assert self._apply(add_partitions(self.shard, request, self.now)) is True

    def verify(self, producer: Producer, *partitions: tuple[str, int]) -> list[str]:
        request = Addition(PAYMENTS, producer, partitions)
        return [code.name for code in verify_partitions(self.shard, request).values()]

    def commit(
        self, producer: Producer, *, transactional_id: str = PAYMENTS, client_version: int = 2
    ) -> Producer:
        return self._end(producer, True, transactional_id, client_version)

    def abort(
        self, producer: Producer, *, transactional_id: str = PAYMENTS, client_version: int = 2
    ) -> Producer:
        return self._end(producer, False, transactional_id, client_version)

    def _end(self, producer: Producer, commit: bool, transactional_id: str, client_version: int) -> Producer:
        request = Ending(transactional_id, producer, commit, client_version)
        return self._apply_with_id(lambda new: end_transaction(self.shard, request, new, self.now))

    # -- what the broker does -------------------------------------------------------------------------------------

    def write_markers(self) -> None:
        """Everything on its way reaches its partitions, and the coordinator hears of it."""
        sent, self.markers = self.markers, []
        for one in sent:
            self._apply(complete(self.shard, one, self.now))

    def hear_of(self, sent: SendMarkers) -> bool:
        """The coordinator is told that these markers are written."""
        return self._apply(complete(self.shard, sent, self.now))

    def reap(self) -> list[str]:
        """Abort what timed out."""
        found = overdue(self.shard, self.now)
        for transactional_id in found:
            assert self._apply(abort_overdue(self.shard, transactional_id, self.now)) is True
        return found

    def forget(self) -> None:
        self._apply(forget_unused(self.shard, self.now))

    # -- what there is to see -------------------------------------------------------------------------------------

    def state(self, transactional_id: str = PAYMENTS) -> str:
        return self.transaction(transactional_id).state.label

    def transaction(self, transactional_id: str = PAYMENTS) -> Transaction:
        return self.shard.transactions[transactional_id]

    def with_epoch(self, epoch: int, state: TransactionState = TransactionState.EMPTY) -> Producer:
        """A transactional id that has used this many epochs of its producer id."""
        producer = self.init()
        value = self.transaction().becomes(state, self.now.wall_ms, producer_epoch=epoch)
        self._apply(self.shard.write(value, True))
        return Producer(producer.producer_id, epoch)


@contextmanager
def refused(code: str) -> Iterator[None]:
    """The coordinator answers with that error."""
    with pytest.raises(ApiError) as caught:
        yield
    assert caught.value.code.name == code
