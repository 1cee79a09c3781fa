"""A member of a group by KIP-848: the broker assigns, and heartbeats carry everything.

Rule: one task sends heartbeats, another one brings what we have to what the broker wants, step by step: first what goes,
then what comes; each step is told to the broker.
"""

import asyncio
import logging
import random

from snakka.client.consumer.groups import answers
from snakka.client.consumer.groups.answers import Outcome, failure
from snakka.client.consumer.groups.member import Ground, Running
from snakka.client.consumer.groups.modern_state import ModernState, Standing, TopicIds, Wish
from snakka.client.consumer.groups.rebalancing import ApplicationTooSlowError
from snakka.client.consumer.offsets import Identity
from snakka.client.consumer.subscription import Kind
from snakka.client.errors import ClientError
from snakka.client.retry_policy import is_retriable
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from snakka.protocol.uuids import Uuid, random_uuid, uuid_text

_log = logging.getLogger(__name__)
_LEAVE_SECONDS = 5.0
_FIRST_INTERVAL_SECONDS = 5.0


class ModernMember:
    """One member."""

    def __init__(self, ground: Ground) -> None:
        settings = ground.settings
        self._ground = ground
        self._rebalancing = ground.rebalancing
        self._state = ModernState(
            ground.group_id,
            uuid_text(random_uuid(random.SystemRandom())),
            instance_id=settings.group_instance_id,
            rack=settings.client_rack or None,
            rebalance_timeout_ms=settings.max_poll_interval_ms,
        )
        self._interval_seconds = _FIRST_INTERVAL_SECONDS
        self._has_lost = False
        self._is_too_slow = False
        self._unknown_times = 0  # how often a topic of the assignment was asked for in vain
        self._ask_not_before = 0.0
        self._is_due = asyncio.Event()  # a heartbeat, before its time
        self._must_reconcile = asyncio.Event()
        self._running = Running(ground)

    @property
    def identity(self) -> Identity:
        state = self._state
        return Identity(state.member_id, state.epoch, state.instance_id, uses_epochs=True)

    def start(self) -> None:
        self._state.standing = Standing.OUT
        self._is_due.clear()
        self._must_reconcile.clear()
        self._running.start("heartbeats", self._beat())
        self._running.start("group", self._reconcile())

    def changed(self) -> None:
        if not self._ground.subscription.uses_group:
            return
        if self._state.standing is Standing.OUT and not self._is_too_slow:
            self._state.join()
        if self._state.has_news(self._wish):
            self._is_due.set()
        self._must_reconcile.set()  # a topic that was not known may be known now

    async def close(self) -> None:
        await self._running.stop()
        await self._rebalancing.give_back(is_lost=self._has_lost)
        self._has_lost = False
        await self._leave()

    @property
    def _wish(self) -> Wish:
        subscription = self._ground.subscription
        pattern = subscription.brokers_pattern if subscription.kind is Kind.BROKERS_PATTERN else None
        return Wish(subscription.topics, pattern, self._ground.settings.group_remote_assignor)

    # -- heartbeats -----------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        failures = 0
        while True:
            if not failures:
                await self._until_due()
            self._is_due.clear()
            if self._state.standing is Standing.OUT:
                failures = 0  # nothing is due before we join again, however the last heartbeat went
                continue
            if self._ground.poll_timer.is_over:
                await self._leave_the_slow()
                continue
            try:
                outcome = await self._heartbeat()
            except (ApiError, ClientError) as error:
                outcome = Outcome.AGAIN
                self._state.forget_told()
                if not is_retriable(error):
                    await self._ground.delivery.told(error)
            failures = failures + 1 if outcome in (Outcome.AGAIN, Outcome.FIND_COORDINATOR) else 0
            await asyncio.sleep(self._ground.cluster.backoff.seconds(failures))

    async def _until_due(self) -> None:
        if self._state.standing is Standing.OUT:
            await self._is_due.wait()
            return
        try:
            async with asyncio.timeout(self._interval_seconds):
                await self._is_due.wait()
        except TimeoutError:
            return

    async def _heartbeat(self) -> Outcome:
        request = self._state.heartbeat(self._wish)
        response = await self._ground.ask(request, ConsumerGroupHeartbeatResponse)
        if self._state.standing is Standing.OUT:
            return Outcome.GO_ON  # we have left meanwhile
        code = ErrorCode(response.error_code)
        outcome = answers.MODERN_HEARTBEAT.get(code, Outcome.FAIL)
        if outcome is Outcome.GO_ON:
            self._interval_seconds = response.heartbeat_interval_ms / 1000
            if self._state.answered(response):
                self._must_reconcile.set()
            return outcome
        self._state.forget_told()
        if outcome is Outcome.FIND_COORDINATOR:
            self._ground.forget_coordinator()
        elif outcome is Outcome.BEGIN_ANEW:
            self._begin_anew()
        elif outcome is Outcome.FAIL:
            await self._failed(code, failure(code, self._ground.group_id, response.error_message))
        return outcome

    async def _failed(self, code: ErrorCode, error: Exception) -> None:
        """Somebody must change something."""
        if code is ErrorCode.TOPIC_AUTHORIZATION_FAILED:
            self._ground.delivery.fail(error)  # we stay in the group, with what we may read
            return
        self._begin_anew()
        await self._ground.delivery.told(error)
        while code is ErrorCode.FENCED_INSTANCE_ID:  # to join again would take the place of another one
            await self._ground.delivery.told(error)

    def _begin_anew(self) -> None:
        """The broker does not know us any more, or not with this epoch."""
        self._rebalancing.freeze()
        self._has_lost = True
        self._state.fenced()
        self._must_reconcile.set()
        self._is_due.set()

    # -- what we have ---------------------------------------------------------------------------------------------

    async def _reconcile(self) -> None:
        """Bring what we have to what the broker wants."""
        while True:
            await self._must_reconcile.wait()
            self._must_reconcile.clear()
            if self._is_too_slow:
                await self._ground.delivery.called()
            if self._has_lost:
                self._has_lost = False
                await self._rebalancing.lose(self._rebalancing.owned)
            if self._is_too_slow:
                self._is_too_slow = False
                self.changed()
                continue
            try:
                await self._step()
            except ApplicationTooSlowError:
                await self._leave_the_slow()
            except (ApiError, ClientError) as error:
                if not is_retriable(error):
                    self._ground.delivery.fail(error)
                await asyncio.sleep(self._ground.cluster.backoff.seconds(1))
                self._must_reconcile.set()

    async def _step(self) -> None:
        state = self._state
        target = state.target
        if state.standing is not Standing.IN:
            return
        names = await self._names(target)
        wanted = {
            TopicPartition(names[topic_id], index)
            for topic_id, indexes in target.items()
            if topic_id in names
            for index in indexes
        }
        owned = self._rebalancing.owned
        if wanted != set(owned):
            self._rebalancing.times.begin()
        await self._rebalancing.revoke([each for each in owned if each not in wanted])
        if self._has_lost or state.target != target:
            return  # it is another one already
        added = [each for each in sorted(wanted) if each not in owned]
        if added:
            self._ground.poll_timer.restart()
            await self._rebalancing.assign(added)
        if self._has_lost:
            return
        self._rebalancing.times.end()
        state.owned = {topic_id: indexes for topic_id, indexes in target.items() if topic_id in names}
        if state.has_news(self._wish):
            self._is_due.set()

    async def _names(self, target: TopicIds) -> dict[Uuid, str]:
        """The topics of an assignment. What is not known yet is asked for, and again later, ever more seldom."""
        cluster = self._ground.cluster
        now = cluster.clock.monotonic()
        missing = [topic_id for topic_id in target if cluster.known_topic_by_id(topic_id) is None]
        if missing and now >= self._ask_not_before:
            await cluster.topics_by_id(missing, now + self._ground.settings.request_seconds)
            self._unknown_times += 1
            pause = cluster.backoff.seconds(self._unknown_times)
            self._ask_not_before = cluster.clock.monotonic() + pause
            asyncio.get_running_loop().call_later(pause, self._must_reconcile.set)
        found = {topic_id: cluster.known_topic_by_id(topic_id) for topic_id in target}
        names = {topic_id: topic.name for topic_id, topic in found.items() if topic is not None}
        if len(names) == len(target):
            self._unknown_times, self._ask_not_before = 0, 0.0
        return names

    # -- leaving --------------------------------------------------------------------------------------------------

    async def _leave_the_slow(self) -> None:
        if self._is_too_slow:
            return
        self._has_lost = self._is_too_slow = True
        _log.warning(
            "group %s: no message was asked for in %g s, so others get the partitions; raise max.poll.interval.ms"
            " or take fewer messages at once",
            self._ground.group_id,
            self._ground.poll_timer.interval_seconds,
        )
        self._rebalancing.freeze()
        await self._leave()
        self._must_reconcile.set()

    async def _leave(self) -> None:
        if self._state.standing is Standing.OUT:
            return
        request = ConsumerGroupHeartbeatRequest(
            group_id=self._ground.group_id,
            member_id=self._state.member_id,
            member_epoch=self._state.leave(),
            instance_id=self._state.instance_id,
        )
        try:
            await self._ground.ask(request, ConsumerGroupHeartbeatResponse, _LEAVE_SECONDS)
        except (ApiError, ClientError) as error:
            _log.info(
                "group %s: leaving failed, the session will end by itself: %s", self._ground.group_id, error
            )
