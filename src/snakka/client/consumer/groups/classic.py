"""A member of a classic group: it joins, one of the members assigns, and heartbeats tell when that begins again.

Rule: one task joins and changes partitions, another one sends heartbeats all the while; what an answer means is in the
tables of `answers`. An answer to somebody we are not any more is not listened to.
"""

import asyncio
import logging

from snakka.client.consumer.groups import answers
from snakka.client.consumer.groups.answers import Outcome, failure
from snakka.client.consumer.groups.assignors import ASSIGNORS
from snakka.client.consumer.groups.embedded_protocol import (
    PROTOCOL_TYPE,
    read_assignment,
    write_assignment,
    write_subscription,
)
from snakka.client.consumer.groups.leading import Leading
from snakka.client.consumer.groups.member import Ground, Running
from snakka.client.consumer.groups.rebalancing import ApplicationTooSlowError
from snakka.client.consumer.offsets import NO_GENERATION, Identity
from snakka.client.errors import ClientError
from snakka.client.retry_policy import is_retriable
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from snakka.protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from snakka.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from snakka.protocol.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)

_log = logging.getLogger(__name__)
# A broker waits for all members of a rebalance; its answer may take a little longer than that.
_JOIN_GRACE_SECONDS = 5.0
_LEAVE_SECONDS = 5.0


class ClassicMember:
    """One member. Its assignors decide whether partitions are kept while the group assigns anew."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._settings = ground.settings
        self._rebalancing = ground.rebalancing
        self._assignors = [ASSIGNORS[name] for name in self._settings.partition_assignment_strategy]
        self._is_cooperative = all(each.is_cooperative for each in self._assignors)
        self._leading = Leading(ground.cluster)
        self._member_id = ""
        self._generation = NO_GENERATION
        self._reason = ""
        self._is_heard = False  # the group knows us: heartbeats are due
        self._has_lost = False  # what we have may be somebody else's already
        self._is_too_slow = False  # the application must come back before we join again
        self._is_fenced = False  # another one has our instance id: to join again would take it back
        self._last: tuple[tuple[TopicPartition, ...], int] = ((), NO_GENERATION)
        self._joined_topics: frozenset[str] = frozenset()
        self._must_join = asyncio.Event()
        self._running = Running(ground)

    @property
    def identity(self) -> Identity:
        return Identity(self._member_id, self._generation, self._settings.group_instance_id)

    def start(self) -> None:
        self._joined_topics = frozenset()
        self._must_join.clear()
        self._running.start("group", self._run())
        self._running.start("heartbeats", self._beat())

    def changed(self) -> None:
        subscription = self._ground.subscription
        if not subscription.uses_group:
            return
        if subscription.topics != self._joined_topics:
            self._rejoin("the subscription has changed")
        elif self._leading.has_changed():
            self._rejoin("topics of the group have changed")

    async def close(self) -> None:
        await self._running.stop()
        await self._give_back()

    # -- joining --------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        failures = 0
        while True:
            await self._must_join.wait()
            self._must_join.clear()
            if self._is_fenced:
                await self._prepare()
            while self._is_fenced:
                await self._ground.delivery.told(failure(ErrorCode.FENCED_INSTANCE_ID, self._ground.group_id))
            if self._is_too_slow:
                await self._ground.delivery.called()
                self._is_too_slow = False
            try:
                await self._prepare()
                if self._has_lost or self._is_too_slow:
                    continue  # meanwhile we are nobody in the group: another round begins as such
                outcome = await self._join()
            except ApplicationTooSlowError:
                outcome = Outcome.GO_ON
                await self._leave_the_slow()
            except (ApiError, ClientError, ProtocolError) as error:
                outcome = Outcome.AGAIN
                if isinstance(error, ProtocolError) or not is_retriable(error):
                    await self._ground.delivery.told(error)
            failures = failures + 1 if outcome in (Outcome.AGAIN, Outcome.FIND_COORDINATOR) else 0
            if outcome is not Outcome.GO_ON:
                self._must_join.set()
                await asyncio.sleep(self._ground.cluster.backoff.seconds(failures))

    def _rejoin(self, reason: str) -> None:
        self._reason = reason
        self._must_join.set()

    async def _prepare(self) -> None:
        """Give up what we can't keep while the group assigns."""
        owned = self._rebalancing.owned
        if self._has_lost:
            self._has_lost = False
            await self._rebalancing.lose(owned)
        elif self._is_cooperative:
            topics = self._ground.subscription.topics
            await self._rebalancing.revoke([each for each in owned if each.topic not in topics])
        else:
            await self._rebalancing.revoke(owned)

    async def _join(self) -> Outcome:
        settings = self._settings
        # What heartbeats have asked for while the application was waited for, this does.
        self._must_join.clear()
        self._rebalancing.times.begin()
        self._joined_topics = topics = self._ground.subscription.topics
        request = JoinGroupRequest(
            group_id=self._ground.group_id,
            session_timeout_ms=settings.session_timeout_ms,
            rebalance_timeout_ms=settings.max_poll_interval_ms,
            member_id=self._member_id,
            group_instance_id=settings.group_instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocols=self._protocols(topics),
            reason=self._reason,
        )
        seconds = max(settings.request_seconds, settings.max_poll_interval_ms / 1000 + _JOIN_GRACE_SECONDS)
        self._is_heard = False
        response = await self._ground.ask(request, JoinGroupResponse, seconds)
        code = ErrorCode(response.error_code)
        outcome = answers.JOIN.get(code, Outcome.FAIL)
        if outcome is Outcome.NAMED:
            self._member_id = response.member_id
        if outcome is not Outcome.GO_ON:
            return await self._refused(outcome, code)
        self._member_id, self._generation = response.member_id, response.generation_id
        self._is_heard = True
        return await self._sync(response)

    def _protocols(self, topics: frozenset[str]) -> list[JoinGroupRequestProtocol]:
        return [
            JoinGroupRequestProtocol(
                name=assignor.name,
                metadata=write_subscription(
                    topics,
                    self._rebalancing.owned,
                    user_data=assignor.user_data(*self._last),
                    generation=self._generation,
                    rack=self._settings.client_rack,
                ),
            )
            for assignor in self._assignors
        ]

    async def _sync(self, joined: JoinGroupResponse) -> Outcome:
        request = SyncGroupRequest(
            group_id=self._ground.group_id,
            generation_id=self._generation,
            member_id=self._member_id,
            group_instance_id=self._settings.group_instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=joined.protocol_name,
            assignments=await self._assignments(joined),
        )
        response = await self._ground.ask(request, SyncGroupResponse)
        code = ErrorCode(response.error_code)
        outcome = answers.SYNC.get(code, Outcome.FAIL)
        if outcome is not Outcome.GO_ON:
            return await self._refused(outcome, code)
        self._rebalancing.times.end()
        await self._take(read_assignment(response.assignment))
        return Outcome.GO_ON

    async def _assignments(self, joined: JoinGroupResponse) -> list[SyncGroupRequestAssignment]:
        """What we assign to everybody if the broker has chosen us for that."""
        self._leading.resign()
        if joined.leader != joined.member_id:
            return []
        deadline = self._ground.cluster.clock.monotonic() + self._settings.request_seconds
        assignor = ASSIGNORS[joined.protocol_name or ""]
        assignment = await self._leading.assign(assignor, joined.members, deadline)
        if joined.skip_assignment:  # a static member that is back: the group goes on with what it has
            return []
        return [
            SyncGroupRequestAssignment(member_id=member, assignment=write_assignment(partitions))
            for member, partitions in assignment.items()
        ]

    async def _take(self, assigned: tuple[TopicPartition, ...]) -> None:
        self._ground.poll_timer.restart()
        self._last = assigned, self._generation
        owned = self._rebalancing.owned
        revoked = [each for each in owned if each not in assigned]
        if revoked:
            await self._rebalancing.revoke(revoked)
            self._rejoin("partitions were given up for others")
        await self._rebalancing.assign([each for each in assigned if each not in owned])
        self.changed()  # perhaps more than when we joined

    async def _refused(self, outcome: Outcome, code: ErrorCode) -> Outcome:
        if outcome is Outcome.FIND_COORDINATOR:
            self._ground.forget_coordinator()
        elif outcome is Outcome.BEGIN_ANEW:
            self._become_nobody(code)
        elif outcome is Outcome.FAIL:
            self._become_nobody(code)
            if not self._is_fenced:
                await self._ground.delivery.told(failure(code, self._ground.group_id))
        return outcome

    def _become_nobody(self, code: ErrorCode) -> None:
        """The group does not know us any more; an old generation keeps its member id."""
        if code is not ErrorCode.ILLEGAL_GENERATION:
            self._member_id = ""
        self._is_fenced = code is ErrorCode.FENCED_INSTANCE_ID
        self._generation = NO_GENERATION
        self._is_heard = False
        self._has_lost = True
        self._rebalancing.freeze()

    # -- heartbeats -----------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        pause = interval = self._settings.heartbeat_interval_ms / 1000
        failures = 0
        while True:
            await asyncio.sleep(pause)
            pause = interval
            if not self._is_heard:
                continue
            if self._ground.poll_timer.is_over:
                await self._leave_the_slow()
                continue
            try:
                outcome = await self._heartbeat()
            except (ApiError, ClientError) as error:
                outcome = Outcome.AGAIN
                if not is_retriable(error):
                    self._ground.delivery.fail(error)
            failures = failures + 1 if outcome in (Outcome.AGAIN, Outcome.FIND_COORDINATOR) else 0
            if failures:
                pause = min(self._ground.cluster.backoff.seconds(failures), interval)

    async def _heartbeat(self) -> Outcome:
        who = self.identity
        request = HeartbeatRequest(
            group_id=self._ground.group_id,
            generation_id=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
        )
        response = await self._ground.ask(request, HeartbeatResponse)
        if self.identity != who or not self._is_heard:
            return Outcome.GO_ON
        code = ErrorCode(response.error_code)
        outcome = answers.HEARTBEAT.get(code, Outcome.FAIL)
        if outcome is Outcome.REJOIN:
            self._rejoin("the group assigns anew")
        elif outcome in (Outcome.BEGIN_ANEW, Outcome.FAIL):
            self._become_nobody(code)
            if outcome is Outcome.FAIL and not self._is_fenced:
                await self._ground.delivery.told(failure(code, self._ground.group_id))
            self._rejoin(f"a heartbeat was refused: {code.name}")
        elif outcome is Outcome.FIND_COORDINATOR:
            self._ground.forget_coordinator()
        return outcome

    async def _leave_the_slow(self) -> None:
        if self._is_too_slow:
            return
        self._is_too_slow = True
        _log.warning(
            "group %s: no message was asked for in %g s, so others get the partitions; raise max.poll.interval.ms"
            " or take fewer messages at once",
            self._ground.group_id,
            self._ground.poll_timer.interval_seconds,
        )
        self._rebalancing.freeze()
        await self._leave("the application is too slow: max.poll.interval.ms is over")
        self._rejoin("the application is back")

    # -- leaving --------------------------------------------------------------------------------------------------

    async def _give_back(self) -> None:
        await self._rebalancing.give_back(is_lost=self._has_lost)
        await self._leave("the consumer has closed or unsubscribed")
        self._has_lost = False

    async def _leave(self, reason: str) -> None:
        """Static members stay in the group until their session ends: they may be back before that."""
        member_id, self._member_id = self._member_id, ""
        self._generation = NO_GENERATION
        self._is_heard = False
        self._has_lost = True
        self._leading.resign()
        if not member_id or self._settings.group_instance_id is not None:
            return
        request = LeaveGroupRequest(
            group_id=self._ground.group_id,
            members=[MemberIdentity(member_id=member_id, reason=reason)],
        )
        try:
            await self._ground.ask(request, LeaveGroupResponse, _LEAVE_SECONDS)
        except (ApiError, ClientError) as error:
            _log.info(
                "group %s: leaving failed, the session will end by itself: %s", self._ground.group_id, error
            )
