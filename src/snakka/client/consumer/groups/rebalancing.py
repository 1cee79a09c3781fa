"""What happens to a consumer when its group gives or takes partitions, whatever the protocol.

Rule: the application is between two messages then. What it has processed is committed before anything is given away, and
its listener hears of every partition exactly once for each way.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress

from snakka.client.consumer.auto_commit import AutoCommit
from snakka.client.consumer.groups.listener import RebalanceListener, finished
from snakka.client.consumer.groups.poll_timer import PollTimer
from snakka.client.consumer.reading import Reading
from snakka.client.topic_partition import TopicPartition
from snakka.network.answer_times import AnswerTimes
from snakka.runtime.clock import Clock

_COMMIT_SECONDS = 10.0

Call = Callable[[Collection[TopicPartition]], "Awaitable[None] | None"]


class ApplicationTooSlowError(Exception):
    """The application has not come for messages within max.poll.interval.ms: the group goes on without it."""


class RebalanceTimes(AnswerTimes):
    """How long rebalances take, from when we ask for one until we know what is ours."""

    __slots__ = ("_began", "_clock", "total_seconds")

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.total_seconds = 0.0  # of all, since the beginning
        self._clock = clock
        self._began: float | None = None

    def begin(self) -> None:
        """It may have begun before, and have been in vain."""
        if self._began is None:
            self._began = self._clock.monotonic()

    def end(self) -> None:
        if self._began is not None:
            seconds = self._clock.monotonic() - self._began
            self._began = None
            self.total_seconds += seconds
            self.note(seconds)


class Rebalancing:
    """Gives partitions to a consumer and takes them away."""

    def __init__(
        self, reading: Reading, clock: Clock, poll_timer: PollTimer, auto_commit: AutoCommit | None
    ) -> None:
        self.listener = RebalanceListener()
        self.times = RebalanceTimes(clock)
        self._reading = reading
        self._clock = clock
        self._poll_timer = poll_timer
        self.auto_commit = auto_commit

    @property
    def owned(self) -> tuple[TopicPartition, ...]:
        return tuple(self._reading.assignment)

    async def revoke(self, partitions: Collection[TopicPartition]) -> None:
        """They go to somebody else: wait for the application, commit, tell the listener, stop reading."""
        if not partitions:
            return
        async with self._between_messages():
            for each in partitions:
                self._reading.assignment[each].is_revoking = True
            if self.auto_commit is not None:
                await self.auto_commit.commit(self._clock.monotonic() + _COMMIT_SECONDS)
            await self._tell(self.listener.on_partitions_revoked, partitions)
            self._reading.remove(partitions)

    async def lose(self, partitions: Collection[TopicPartition]) -> None:
        """They may be somebody else's already: stop reading at once."""
        if not partitions:
            return
        self._reading.remove(partitions)
        with suppress(ApplicationTooSlowError):
            async with self._between_messages():
                await self._tell(self.listener.on_partitions_lost, partitions)

    async def give_back(self, *, is_lost: bool) -> None:
        """All that we have, since we leave; without waiting any longer for an application that does not come."""
        if not is_lost:
            with suppress(ApplicationTooSlowError):
                await self.revoke(self.owned)
        await self.lose(self.owned)

    def freeze(self) -> None:
        """Hand out nothing more of what we have: it will be lost."""
        for assigned in self._reading.assignment.values():
            assigned.is_revoking = True
        self._reading.delivery.interrupt()

    async def assign(self, partitions: Collection[TopicPartition]) -> None:
        """They are ours."""
        async with self._between_messages():
            self._reading.add(partitions)
            await self._tell(self.listener.on_partitions_assigned, partitions)

    @asynccontextmanager
    async def _between_messages(self) -> AsyncIterator[None]:
        delivery = self._reading.delivery
        try:
            if not await delivery.hold(self._poll_timer.remaining_seconds()):
                raise ApplicationTooSlowError
            yield
        finally:
            delivery.release()

    async def _tell(self, call: Call, partitions: Collection[TopicPartition]) -> None:
        """What a listener fails with is for the application to hear; the group goes on."""
        try:
            await finished(call(frozenset(partitions)))
        except Exception as error:
            self._reading.delivery.fail(error)
