"""A producer's transactions: what users call, carried out by the state machine, the coordinator's calls and the sender.

Rule: the coordinator hears of an end only when every batch of the transaction is settled.
"""

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from snakka.client.cluster_view import ClusterView
from snakka.client.errors import (
    ClientError,
    ProducerFencedError,
    RequestTimedOutError,
    TransactionAbortedError,
)
from snakka.client.group_metadata import GroupMetadata
from snakka.client.open_transaction import OpenTransaction
from snakka.client.producer.batches import PartitionQueue
from snakka.client.producer.sequences import Identity
from snakka.client.producer.transaction_calls import Offset, TransactionCalls
from snakka.client.producer.transactions import (
    IMPLICIT_VERSION,
    WRITING,
    Phase,
    TransactionState,
    reason_to_abort,
)
from snakka.client.settings import ProducerSettings
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ApiError

if TYPE_CHECKING:
    from snakka.client.producer.accumulator import Accumulator
    from snakka.client.producer.sender import Sender

# Whoever speaks a later version adds partitions by writing to them.
_LAST_EXPLICIT_PRODUCE = 11


class Transactions:
    """The transactions of one producer."""

    def __init__(self, settings: ProducerSettings, cluster: ClusterView, accumulator: "Accumulator") -> None:
        assert settings.transactional_id is not None
        self.transactional_id = settings.transactional_id
        self.state = TransactionState()
        self._settings = settings
        self._cluster = cluster
        self._accumulator = accumulator
        self._calls = TransactionCalls(cluster, settings, self.transactional_id)
        self._sender: Sender
        self._is_adding = False

    # -- what users do --------------------------------------------------------------------------------------------

    async def start(self, sender: "Sender", deadline: float) -> None:
        """Fence all producers before this one, and end what they have left."""
        self._sender = sender
        version = await self._calls.version(deadline)
        identity = await self._calls.init(None, deadline)
        self.state.initialised(identity, IMPLICIT_VERSION if version >= IMPLICIT_VERSION else 1)

    async def commit(self) -> None:
        """Everything counts, or it is raised why nothing does."""
        deadline = self._deadline()
        self.state.commit()
        await self._settled(deadline, "commit")
        if self.state.phase is Phase.DOOMED:
            raise self.state.refusal
        try:
            await self._end(True, deadline)
        except TransactionAbortedError as error:
            self._doom(error)
            raise

    async def abort(self, deadline_seconds: float | None = None) -> None:
        """Nothing counts. ProducerFencedError if another producer has taken over."""
        deadline = self._deadline(deadline_seconds)
        self.state.abort()
        self._sender.outcomes.fail_unsent(TransactionAbortedError("the transaction was aborted"))
        await self._settled(deadline, "abort")
        if any(
            queue.line.is_broken for topic in self._accumulator.all_topics() for queue in topic.partitions
        ):
            self.state.must_bump = self.state.version < IMPLICIT_VERSION
        await self._end(False, deadline)

    async def detach(self) -> OpenTransaction:
        """Leave it open, whole, for somebody else to end."""
        deadline = self._deadline()
        self.state.detach()
        await self._settled(deadline, "detach the transaction")
        return OpenTransaction(self.transactional_id, *self.state.detached())

    async def send_offsets(self, offsets: Mapping[Any, Any], group: GroupMetadata | str) -> None:
        """Offsets that a consumer goes on at if the transaction is committed."""
        state = self.state
        state.check_open("send offsets")
        identity = state.identity
        assert identity is not None
        deadline = self._deadline()
        metadata = GroupMetadata(group) if isinstance(group, str) else group
        try:
            if state.version < IMPLICIT_VERSION:
                await self._calls.add_group(identity, metadata.group_id, deadline)
            state.has_begun = True
            rows = {TopicPartition(*partition): _offset(value) for partition, value in offsets.items()}
            await self._calls.commit_offsets(identity, state.version, rows, metadata, deadline)
        except TransactionAbortedError as error:
            self._doom(error)
            raise
        except ProducerFencedError as error:
            await self._fenced(error, deadline)
            raise self.state.refusal from None
        except ApiError as error:
            self._die(error)
            raise
        except ClientError as error:
            self._doom(reason_to_abort(error))  # whether the offsets are a part of it is not known
            raise

    async def leave(self, deadline_seconds: float | None) -> None:
        """Abort what is open, as far as that is possible: nobody will."""
        if self.state.phase in (Phase.OPEN, Phase.DETACHING, Phase.DOOMED, Phase.ABORTING):
            try:
                await self.abort(deadline_seconds)
            except (ClientError, ApiError):
                return  # the coordinator ends it after transaction.timeout.ms

    # -- what the sender asks -------------------------------------------------------------------------------------

    @property
    def highest_produce_version(self) -> int | None:
        return None if self.state.version >= IMPLICIT_VERSION else _LAST_EXPLICIT_PRODUCE

    def admits(self, queue: PartitionQueue) -> bool:
        """Whether the queue's batches may be sent; if not, the sender hears when they may."""
        state = self.state
        if state.phase not in WRITING:
            return False
        line = queue.line
        if line.identity != state.identity:
            if line.unsettled:
                return False  # of the transaction before: its answer is awaited
            assert state.identity is not None
            line.identify(state.identity)
        if state.includes(TopicPartition(queue.topic.name, queue.index)):
            return True
        if not self._is_adding:
            self._is_adding = True
            self._cluster.pool.tasks.spawn("adding partitions to a transaction", self._add_wanted())
        return False

    def failed(self, error: Exception) -> Exception:
        """A batch of the transaction was not written: what its records are told."""
        reason = reason_to_abort(error)
        self._doom(reason)
        return reason

    def refusal(self) -> Exception | None:
        """Why a batch of the transaction is not sent again."""
        if self.state.phase in WRITING:
            return None
        return self.state.refusal

    async def _add_wanted(self) -> None:
        """All partitions that were written to since the last time."""
        state = self.state
        deadline = self._deadline()
        try:
            while state.wanted and state.phase in WRITING:
                partitions = list(state.wanted)
                assert state.identity is not None
                await self._calls.add_partitions(state.identity, partitions, deadline)
                state.joined(partitions)
        except ProducerFencedError as error:
            try:
                await self._fenced(error, deadline)
            except ClientError:
                return  # whoever commits hears of it
        except (ClientError, ApiError) as error:
            if isinstance(error, ApiError):
                self._die(error)
            else:
                self._doom(error)
        finally:
            self._is_adding = False
        self._sender.relist()

    # -- ends -----------------------------------------------------------------------------------------------------

    async def _end(self, is_committed: bool, deadline: float) -> None:
        state = self.state
        identity = state.identity
        assert identity is not None
        following: Identity | None = None
        try:
            if state.has_begun:
                following = await self._calls.end(identity, state.version, is_committed, deadline)
            if state.must_bump:
                following = await self._calls.init(identity, deadline)
        except TransactionAbortedError:
            if is_committed:
                raise
            # What can't be aborted has ended, or will: the coordinator sees to it when it gives the next epoch.
            following = await self._renewed(identity, deadline)
        except ProducerFencedError as error:
            raise self._replaced(error) from None
        except ApiError as error:
            self._die(error)
            raise
        state.ended(following)

    async def _fenced(self, error: ProducerFencedError, deadline: float) -> None:
        """By another producer, which is the end; or by the coordinator, since the transaction took too long.

        Who asks for the next epoch to find out, as KIP-588 has it, aborts what the other producer has open. Since
        transaction.version 2 an abort tells it too, and can't harm: it is heard only of who has the last epoch, or had it
        until the coordinator aborted by itself.
        """
        state = self.state
        if state.version < IMPLICIT_VERSION:
            raise self._replaced(error)
        assert state.identity is not None
        try:
            identity = await self._calls.end(state.identity, state.version, False, deadline)
        except (ProducerFencedError, TransactionAbortedError):
            raise self._replaced(error) from None
        except ApiError as fatal:
            self._die(fatal)
            raise
        reason = TransactionAbortedError(
            f"the transaction took longer than transaction.timeout.ms={self._settings.transaction_timeout_ms} and"
            " was aborted by its coordinator; try it again as a whole"
        )
        self._sender.outcomes.fail_unsent(reason)
        state.timed_out(identity or state.identity, reason)

    def _replaced(self, error: ProducerFencedError) -> ProducerFencedError:
        """It can't go on: the error to say so with."""
        if self.state.version < IMPLICIT_VERSION:
            error = ProducerFencedError(
                f"{error}. Before transaction.version 2 brokers say the same of a transaction that took longer than"
                f" transaction.timeout.ms={self._settings.transaction_timeout_ms}: then start the producer anew"
            )
        self._die(error)
        return error

    async def _renewed(self, identity: Identity, deadline: float) -> Identity:
        try:
            return await self._calls.init(identity, deadline)
        except (ProducerFencedError, TransactionAbortedError, ApiError) as error:
            self._die(error)
            raise

    def _doom(self, error: Exception) -> None:
        if self.state.doom(error):
            self._sender.outcomes.fail_unsent(self.state.refusal)

    def _die(self, error: Exception) -> None:
        self.state.die(error)
        self._sender.fail(error)

    async def _settled(self, deadline: float, what: str) -> None:
        """Until no batch of the transaction is on its way."""
        self._accumulator.close_all()
        remaining = deadline - self._cluster.clock.monotonic()
        if await self._accumulator.settled(max(remaining, 0.0)):
            raise RequestTimedOutError(
                f"could not {what} within max.block.ms={self._settings.max_block_ms}: not all records are"
                f" acknowledged yet; {what} again to wait longer"
            )

    def _deadline(self, seconds: float | None = None) -> float:
        allowed = self._settings.max_block_ms / 1000
        return self._cluster.clock.monotonic() + (allowed if seconds is None else min(seconds, allowed))


class TransactionScope:
    """`async with producer.transaction():` commits at its end, and aborts if something was raised in it."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def __aenter__(self) -> Self:
        self._transactions.state.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        transactions = self._transactions
        if error is None:
            try:
                await transactions.commit()
            except BaseException:
                if transactions.state.phase is Phase.DOOMED:
                    await transactions.abort()
                raise
        elif transactions.state.phase in (Phase.OPEN, Phase.DOOMED, Phase.ABORTING):
            await transactions.abort()


def _offset(value: Any) -> Offset:
    """From a number, or from an offset with what is said of it, and with its epoch if that is known."""
    if isinstance(value, int):
        return value, "", -1
    offset, text, *epoch = value
    return offset, text, epoch[0] if epoch else -1
