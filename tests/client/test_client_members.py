"""Members of groups whose coordinator says what a test wants: every error that a coordinator may answer with."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.scripted_broker import ScriptedBroker, Unreadable
from tests.client.scripted_log import TOPIC, TOPIC_ID, ScriptedLog
from tests.client.waiting import until

from snakka.client.consumer import Consumer, OffsetAndMetadata, RebalanceListener, TopicPartition
from snakka.client.consumer.auto_commit import AutoCommit
from snakka.client.consumer.groups.embedded_protocol import read_subscription, write_assignment
from snakka.client.consumer.groups.modern_state import ModernState, Standing, Wish
from snakka.client.errors import (
    CommitFailedError,
    MemberFencedError,
    RequestTimedOutError,
    TopicRecreatedError,
)
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)
from snakka.protocol.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from snakka.protocol.messages.heartbeat import HeartbeatResponse
from snakka.protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from snakka.protocol.messages.leave_group import LeaveGroupResponse
from snakka.protocol.messages.offset_commit import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from snakka.protocol.messages.sync_group import SyncGroupResponse

PARTITION = TopicPartition(TOPIC, 0)
SECONDS = 20


class ScriptedCoordinator:
    """A broker with one partition and a group of one member. `refusals` has errors to answer with first, by API."""

    def __init__(self, broker: ScriptedBroker) -> None:
        self.broker = broker
        self.log = ScriptedLog(broker)
        self.coordinator = broker
        self.refusals: dict[ApiKey, deque[ErrorCode]] = {}
        self.generation = 0
        self.epoch = 0
        self.target: list[int] | None = [0]  # what the modern protocol's broker assigns
        broker.add_topic(TOPIC, TOPIC_ID, [(1, 0)])
        broker.answers |= {
            ApiKey.FIND_COORDINATOR: self._find,
            ApiKey.JOIN_GROUP: self._join,
            ApiKey.SYNC_GROUP: lambda request: SyncGroupResponse(
                error_code=self._refusal(ApiKey.SYNC_GROUP), assignment=write_assignment([PARTITION])
            ),
            ApiKey.HEARTBEAT: lambda request: HeartbeatResponse(error_code=self._refusal(ApiKey.HEARTBEAT)),
            ApiKey.LEAVE_GROUP: lambda request: LeaveGroupResponse(),
            ApiKey.CONSUMER_GROUP_HEARTBEAT: self._modern,
            ApiKey.OFFSET_COMMIT: self._commit,
            ApiKey.OFFSET_FETCH: self._fetch,
        }

    def refuse(self, key: ApiKey, *codes: ErrorCode) -> None:
        self.refusals[key] = deque(codes)

    def asked(self, key: ApiKey) -> list[Any]:
        return self.broker.asked(key)

    def _refusal(self, key: ApiKey) -> int:
        waiting = self.refusals.get(key)
        return int(waiting.popleft()) if waiting else 0

    def _find(self, request: Any) -> FindCoordinatorResponse:
        row = Coordinator(
            key=request.coordinator_keys[0],
            node_id=self.coordinator.node_id,
            host="127.0.0.1",
            port=self.coordinator.port,
        )
        return FindCoordinatorResponse(coordinators=[row])

    def _join(self, request: Any) -> JoinGroupResponse:
        code = self._refusal(ApiKey.JOIN_GROUP)
        if not request.member_id and not code:
            code = ErrorCode.MEMBER_ID_REQUIRED
        member = request.member_id or f"member-{len(self.asked(ApiKey.JOIN_GROUP))}"
        if code:
            return JoinGroupResponse(error_code=code, member_id=member)
        self.generation += 1
        protocol = request.protocols[0]
        return JoinGroupResponse(
            generation_id=self.generation,
            protocol_type="consumer",
            protocol_name=protocol.name,
            leader=member,
            member_id=member,
            members=[JoinGroupResponseMember(member_id=member, metadata=protocol.metadata)],
        )

    def _modern(self, request: Any) -> ConsumerGroupHeartbeatResponse:
        code = self._refusal(ApiKey.CONSUMER_GROUP_HEARTBEAT)
        if code:
            return ConsumerGroupHeartbeatResponse(error_code=code, error_message="scripted")
        if request.member_epoch == 0:
            self.epoch += 1
        target = self.target
        return ConsumerGroupHeartbeatResponse(
            member_id=request.member_id,
            member_epoch=request.member_epoch if request.member_epoch < 0 else self.epoch,
            heartbeat_interval_ms=30,
            assignment=None
            if target is None
            else Assignment(
                topic_partitions=[
                    ConsumerGroupHeartbeatResponseTopicPartitions(topic_id=TOPIC_ID, partitions=target)
                ]
            ),
        )

    def _commit(self, request: Any) -> OffsetCommitResponse:
        code = self._refusal(ApiKey.OFFSET_COMMIT)
        return OffsetCommitResponse(
            topics=[
                OffsetCommitResponseTopic(
                    topic_id=topic.topic_id,
                    partitions=[
                        OffsetCommitResponsePartition(partition_index=row.partition_index, error_code=code)
                        for row in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )

    def _fetch(self, request: Any) -> OffsetFetchResponse:
        rows = [OffsetFetchResponsePartitions(partition_index=0, committed_offset=0)]
        group = OffsetFetchResponseGroup(
            group_id=request.groups[0].group_id,
            error_code=self._refusal(ApiKey.OFFSET_FETCH),
            topics=[OffsetFetchResponseTopics(topic_id=TOPIC_ID, partitions=rows)],
        )
        return OffsetFetchResponse(groups=[group])


class Listener(RebalanceListener):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def on_partitions_assigned(self, partitions: Collection[TopicPartition]) -> None:
        self.heard.append("assigned" if partitions else "")

    def on_partitions_revoked(self, partitions: Collection[TopicPartition]) -> None:
        self.heard.append("revoked")

    def on_partitions_lost(self, partitions: Collection[TopicPartition]) -> None:
        self.heard.append("lost")


@asynccontextmanager
async def member(
    protocol: str = "range", **settings: Any
) -> AsyncIterator[tuple[ScriptedCoordinator, Consumer, Listener]]:
    """A member that has its partition, and somebody who reads with it."""
    common: dict[str, Any] = {
        "group_id": "g",
        "auto_offset_reset": "earliest",
        "retry_backoff_ms": 5,
        "retry_backoff_max_ms": 20,
        "enable_auto_commit": False,
    }
    if protocol == "consumer":
        common["group_protocol"] = "consumer"
    else:
        common |= {"partition_assignment_strategy": [protocol], "heartbeat_interval_ms": 30}
    async with ScriptedBroker(1) as broker:
        coordinator, listener = ScriptedCoordinator(broker), Listener()
        async with Consumer(bootstrap_servers=broker.address, **{**common, **settings}) as consumer:
            consumer.subscribe([TOPIC], listener=listener)
            yield coordinator, consumer, listener


# -- the classic protocol --------------------------------------------------------------------------------------------


async def test_what_a_member_says_of_itself() -> None:
    async with member("cooperative-sticky", client_rack="north") as (coordinator, consumer, listener):
        await until(consumer.assignment)
        first, second = coordinator.asked(ApiKey.JOIN_GROUP)
        assert (first.member_id, second.member_id) == ("", "member-1")
        assert (second.group_id, second.protocol_type, second.session_timeout_ms) == ("g", "consumer", 45_000)
        assert second.rebalance_timeout_ms == 300_000
        (protocol,) = second.protocols
        assert protocol.name == "cooperative-sticky"
        told = read_subscription(protocol.metadata)
        assert (told.topics, told.rack, told.owned, told.generation) == ({TOPIC}, "north", (), -1)
        (sync,) = coordinator.asked(ApiKey.SYNC_GROUP)
        assert (sync.generation_id, sync.member_id) == (1, "member-1")
        assert [row.member_id for row in sync.assignments] == ["member-1"]
        await until(lambda: len(coordinator.asked(ApiKey.HEARTBEAT)) > 2)
        assert coordinator.asked(ApiKey.HEARTBEAT)[0].generation_id == 1
        # It joins again with what it has.
        coordinator.refuse(ApiKey.HEARTBEAT, ErrorCode.REBALANCE_IN_PROGRESS)
        await until(lambda: len(coordinator.asked(ApiKey.SYNC_GROUP)) == 2)
        told = read_subscription(coordinator.asked(ApiKey.JOIN_GROUP)[-1].protocols[0].metadata)
        assert (told.owned, told.generation) == ((PARTITION,), 1)
    (leave,) = coordinator.asked(ApiKey.LEAVE_GROUP)
    assert [row.member_id for row in leave.members] == ["member-1"]
    assert [each for each in listener.heard if each] == ["assigned", "revoked"]


@pytest.mark.parametrize(
    ("key", "code"),
    [
        (ApiKey.JOIN_GROUP, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        (ApiKey.JOIN_GROUP, ErrorCode.NOT_COORDINATOR),
        (ApiKey.JOIN_GROUP, ErrorCode.UNKNOWN_MEMBER_ID),
        (ApiKey.JOIN_GROUP, ErrorCode.REBALANCE_IN_PROGRESS),
        (ApiKey.SYNC_GROUP, ErrorCode.REBALANCE_IN_PROGRESS),
        (ApiKey.SYNC_GROUP, ErrorCode.ILLEGAL_GENERATION),
        (ApiKey.SYNC_GROUP, ErrorCode.UNKNOWN_MEMBER_ID),
        (ApiKey.SYNC_GROUP, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ApiKey.OFFSET_FETCH, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        (ApiKey.OFFSET_FETCH, ErrorCode.UNSTABLE_OFFSET_COMMIT),
    ],
)
async def test_joining_goes_on_after(key: ApiKey, code: ErrorCode) -> None:
    async with member() as (coordinator, consumer, _):
        coordinator.refuse(key, code, code)
        coordinator.log.count = 1
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value == b"0"


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION])
async def test_a_member_that_the_group_does_not_know_any_more_loses_what_it_had(code: ErrorCode) -> None:
    async with member() as (coordinator, consumer, listener):
        await until(consumer.assignment)
        joins = len(coordinator.asked(ApiKey.JOIN_GROUP))
        coordinator.refuse(ApiKey.HEARTBEAT, code)
        await until(lambda: listener.heard == ["assigned", "lost", "assigned"])
        again = coordinator.asked(ApiKey.JOIN_GROUP)[joins]
        # An old generation is no reason for another name.
        assert again.member_id == ("" if code is ErrorCode.UNKNOWN_MEMBER_ID else "member-1")
        assert consumer.assignment() == {PARTITION}


async def test_a_rebalance_that_waits_for_the_application_is_joined_once() -> None:
    async with member() as (coordinator, consumer, listener):
        coordinator.log.count = 1
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value == b"0"
        joins, beats = len(coordinator.asked(ApiKey.JOIN_GROUP)), len(coordinator.asked(ApiKey.HEARTBEAT))
        coordinator.refuse(ApiKey.HEARTBEAT, *[ErrorCode.REBALANCE_IN_PROGRESS] * 1000)
        await until(lambda: len(coordinator.asked(ApiKey.HEARTBEAT)) > beats + 3)
        coordinator.log.count = 2
        reading = asyncio.ensure_future(consumer.getone())
        await until(lambda: len(coordinator.asked(ApiKey.JOIN_GROUP)) > joins)
        coordinator.refuse(ApiKey.HEARTBEAT)
        assert (await asyncio.wait_for(reading, SECONDS)).value in (b"0", b"1")
        beats = len(coordinator.asked(ApiKey.HEARTBEAT))
        await until(lambda: len(coordinator.asked(ApiKey.HEARTBEAT)) > beats + 3)
        assert len(coordinator.asked(ApiKey.JOIN_GROUP)) == joins + 1
        assert listener.heard == ["assigned", "revoked", "assigned"]


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID])
async def test_a_member_that_is_put_out_while_the_application_is_waited_for(code: ErrorCode) -> None:
    name = "one" if code is ErrorCode.FENCED_INSTANCE_ID else None
    async with member(group_instance_id=name) as (coordinator, consumer, listener):
        coordinator.log.count = 2
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value == b"0"
        joins, beats = len(coordinator.asked(ApiKey.JOIN_GROUP)), len(coordinator.asked(ApiKey.HEARTBEAT))
        coordinator.refuse(ApiKey.HEARTBEAT, ErrorCode.REBALANCE_IN_PROGRESS, code)
        await until(lambda: len(coordinator.asked(ApiKey.HEARTBEAT)) > beats + 1)
        if name is None:
            assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value in (b"0", b"1")
            assert listener.heard[-1] == "assigned"
        else:
            with pytest.raises(MemberFencedError):
                await asyncio.wait_for(consumer.getone(), SECONDS)
            assert len(coordinator.asked(ApiKey.JOIN_GROUP)) == joins


async def test_another_coordinator_is_found() -> None:
    async with member() as (coordinator, consumer, listener), ScriptedBroker(2) as second:
        await until(consumer.assignment)
        moved = ScriptedCoordinator(second)
        moved.generation = coordinator.generation
        coordinator.broker.brokers.append(second)
        coordinator.coordinator = moved.coordinator = second
        coordinator.refuse(ApiKey.HEARTBEAT, *[ErrorCode.NOT_COORDINATOR] * 5)
        await until(lambda: second.asked(ApiKey.HEARTBEAT))
        await consumer.commit({PARTITION: 3})
        assert second.asked(ApiKey.OFFSET_COMMIT)
        assert listener.heard == ["assigned"]


async def test_a_static_member_whose_name_was_taken_does_not_take_it_back() -> None:
    async with member(group_instance_id="one") as (coordinator, consumer, listener):
        await until(consumer.assignment)
        coordinator.refuse(ApiKey.HEARTBEAT, ErrorCode.FENCED_INSTANCE_ID)
        joins = len(coordinator.asked(ApiKey.JOIN_GROUP))
        for _ in range(2):
            with pytest.raises(MemberFencedError, match="has taken this one's place"):
                await asyncio.wait_for(consumer.getone(), SECONDS)
        assert listener.heard == ["assigned", "lost"]
        assert len(coordinator.asked(ApiKey.JOIN_GROUP)) == joins
    assert not coordinator.asked(ApiKey.LEAVE_GROUP)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (ErrorCode.GROUP_AUTHORIZATION_FAILED, "needs an ACL"),
        (ErrorCode.GROUP_MAX_SIZE_REACHED, "the group is full"),
        (ErrorCode.INVALID_SESSION_TIMEOUT, r"session\.timeout\.ms"),
    ],
)
async def test_what_somebody_must_change_is_told_and_tried_again_when_asked(
    code: ErrorCode, advice: str
) -> None:
    async with member() as (coordinator, consumer, _):
        coordinator.refuse(ApiKey.JOIN_GROUP, code)
        coordinator.log.count = 1
        with pytest.raises(ApiError, match=advice) as told:
            await asyncio.wait_for(consumer.getone(), SECONDS)
        assert told.value.code is code
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value == b"0"


# -- commits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.REBALANCE_IN_PROGRESS,
    ],
)
async def test_a_commit_is_tried_again(code: ErrorCode) -> None:
    async with member() as (coordinator, consumer, _):
        await until(consumer.assignment)
        coordinator.refuse(ApiKey.OFFSET_COMMIT, code)
        await consumer.commit({PARTITION: 3})
        first, second = coordinator.asked(ApiKey.OFFSET_COMMIT)
        assert first == second
        assert (second.generation_id_or_member_epoch, second.member_id) == (1, "member-1")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (ErrorCode.ILLEGAL_GENERATION, CommitFailedError),
        (ErrorCode.UNKNOWN_MEMBER_ID, CommitFailedError),
        (ErrorCode.FENCED_INSTANCE_ID, MemberFencedError),
        (ErrorCode.OFFSET_METADATA_TOO_LARGE, ApiError),
        (ErrorCode.GROUP_AUTHORIZATION_FAILED, ApiError),
    ],
)
async def test_a_commit_that_can_t_succeed_fails(code: ErrorCode, error: type[Exception]) -> None:
    async with member() as (coordinator, consumer, _):
        await until(consumer.assignment)
        coordinator.refuse(ApiKey.OFFSET_COMMIT, code)
        with pytest.raises(error):
            await consumer.commit({PARTITION: 3})
        task = consumer.commit_async({PARTITION: 4})
        await asyncio.wait_for(task, SECONDS)


async def test_an_offset_of_a_topic_that_is_gone_is_not_committed_for_its_successor() -> None:
    async with member(metadata_max_age_ms=50) as (coordinator, consumer, _):
        await until(consumer.assignment)
        await consumer.position(PARTITION)
        await until(lambda: coordinator.log.fetches)
        consumer.pause(PARTITION)
        coordinator.refuse(ApiKey.OFFSET_COMMIT, *[ErrorCode.UNKNOWN_TOPIC_ID] * 1000)
        committing = asyncio.ensure_future(consumer.commit({PARTITION: 3}))
        await until(lambda: coordinator.asked(ApiKey.OFFSET_COMMIT))
        coordinator.broker.add_topic(TOPIC, b"x" * 16, [(1, 0)])
        with pytest.raises(TopicRecreatedError, match="an offset of the old one is not committed"):
            await asyncio.wait_for(committing, SECONDS)


def committed_at(coordinator: ScriptedCoordinator) -> list[int]:
    """The offsets that were sent, in order."""
    return [row.topics[0].partitions[0].committed_offset for row in coordinator.asked(ApiKey.OFFSET_COMMIT)]


async def test_commits_go_out_one_after_the_other() -> None:
    async with member() as (coordinator, consumer, _):
        await until(consumer.assignment)
        coordinator.refuse(ApiKey.OFFSET_COMMIT, *[ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 3)
        commits = [consumer.commit({PARTITION: number}) for number in range(3)]
        await asyncio.wait_for(asyncio.gather(*commits), SECONDS)
        assert committed_at(coordinator) == [0, 0, 0, 0, 1, 2]


async def test_commits_that_nobody_waits_for_become_one_while_another_is_under_way() -> None:
    async with member() as (coordinator, consumer, _):
        await until(consumer.assignment)
        coordinator.refuse(ApiKey.OFFSET_COMMIT, *[ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 3)
        first = consumer.commit_async({PARTITION: 1})
        await until(lambda: coordinator.asked(ApiKey.OFFSET_COMMIT))
        tasks = len(asyncio.all_tasks())
        later = {consumer.commit_async({PARTITION: number}) for number in range(2, 1000)}
        assert len(asyncio.all_tasks()) == tasks + 1
        await asyncio.wait_for(asyncio.gather(first, *later), SECONDS)
        assert committed_at(coordinator) == [1, 1, 1, 1, 999]


async def test_a_commit_never_overtakes_another() -> None:
    async with member() as (coordinator, consumer, _):
        await until(consumer.assignment)
        later = [consumer.commit_async({PARTITION: 1})]
        waited_for = asyncio.ensure_future(consumer.commit({PARTITION: 2}))
        await asyncio.sleep(0)
        later += [consumer.commit_async({PARTITION: number}) for number in (3, 4)]
        await asyncio.wait_for(asyncio.gather(*later, waited_for), SECONDS)
        assert committed_at(coordinator) == [1, 2, 4]
        given_up = asyncio.ensure_future(consumer.commit({PARTITION: 5}))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.wait_for(consumer.commit({PARTITION: 6}), SECONDS)
        assert committed_at(coordinator)[-1] == 6


async def test_committing_as_often_as_possible_leaves_time_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = 0
    commit = AutoCommit.commit

    async def counted(self: AutoCommit, deadline: float, *, with_what_is_in_hands: bool = False) -> None:
        nonlocal turns
        turns += 1
        await commit(self, deadline, with_what_is_in_hands=with_what_is_in_hands)

    monkeypatch.setattr(AutoCommit, "commit", counted)
    async with member(enable_auto_commit=True, auto_commit_interval_ms=0) as (coordinator, consumer, _):
        coordinator.log.count = 5
        async with asyncio.timeout(SECONDS):
            assert [(await consumer.getone()).value for _ in range(3)] == [b"0", b"1", b"2"]
            await until(lambda: 2 in committed_at(coordinator))
        turns = 0
        await asyncio.sleep(0.3)
        assert turns < 10


async def test_committing_by_itself_does_not_take_back_what_the_application_has_committed() -> None:
    async with member(enable_auto_commit=True, auto_commit_interval_ms=0) as (coordinator, consumer, _):
        coordinator.log.count = 5
        async with asyncio.timeout(SECONDS):
            assert [(await consumer.getone()).value for _ in range(3)] == [b"0", b"1", b"2"]
            await consumer.commit()
            told = len(committed_at(coordinator))
            await asyncio.sleep(0.2)
            assert committed_at(coordinator)[told - 1 :] == [3]
            assert (await consumer.getone()).value == b"3"
            consumer.seek(PARTITION, 1)
            assert (await consumer.getone()).value == b"1"
            await until(lambda: committed_at(coordinator)[-1] == 1)


async def test_committing_by_itself_waits_for_what_the_application_commits() -> None:
    async with member(enable_auto_commit=True, auto_commit_interval_ms=0) as (coordinator, consumer, _):
        coordinator.log.count = 5
        async with asyncio.timeout(SECONDS):
            assert [(await consumer.getone()).value for _ in range(3)] == [b"0", b"1", b"2"]
            await until(lambda: 2 in committed_at(coordinator))
            assert (await consumer.getone()).value == b"3"
            coordinator.refuse(ApiKey.OFFSET_COMMIT, *[ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 10)
            await consumer.commit()
            told = len(committed_at(coordinator))
            await asyncio.sleep(0.2)
            assert committed_at(coordinator)[told - 1 :] == [4]


async def test_a_commit_that_is_stuck_delays_others_only_until_their_deadline() -> None:
    async with member(default_api_timeout_ms=60_000) as (coordinator, consumer, _):
        await until(consumer.assignment)
        coordinator.refuse(ApiKey.OFFSET_COMMIT, *[ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 100_000)
        stuck = consumer.commit_async({PARTITION: 1})
        await until(lambda: coordinator.asked(ApiKey.OFFSET_COMMIT))
        offsets = consumer._needed_group().offsets
        soon = consumer._cluster.clock.monotonic() + 0.1
        with pytest.raises(RequestTimedOutError, match="still under way"):
            await asyncio.wait_for(offsets.commit({PARTITION: OffsetAndMetadata(2)}, soon), SECONDS)
        last = consumer.commit_async({PARTITION: 3})
        coordinator.refuse(ApiKey.OFFSET_COMMIT)
        await asyncio.wait_for(asyncio.gather(stuck, last), SECONDS)
        assert committed_at(coordinator)[-2:] == [1, 3]


async def test_a_partition_that_was_lost_does_not_keep_others_from_being_committed() -> None:
    async with member() as (coordinator, consumer, _):
        await until(consumer.assignment)
        commit = consumer.commit_async({PARTITION: 1, TopicPartition(TOPIC, 7): 1})
        with pytest.raises(CommitFailedError, match="orders-7 is not assigned to this consumer any more"):
            await asyncio.wait_for(commit, SECONDS)
        assert committed_at(coordinator) == [1]


# -- the modern protocol ---------------------------------------------------------------------------------------------


async def test_what_a_modern_member_says_of_itself() -> None:
    settings = {"client_rack": "north", "group_remote_assignor": "uniform", "group_instance_id": "one"}
    async with member("consumer", **settings) as (coordinator, consumer, listener):
        await until(consumer.assignment)
        heartbeats = lambda: coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)  # noqa: E731
        await until(lambda: len(heartbeats()) > 3)
        first, second, third = heartbeats()[:3]
        assert (first.member_epoch, first.rack_id, first.instance_id) == (0, "north", "one")
        assert (first.subscribed_topic_names, first.server_assignor) == ([TOPIC], "uniform")
        assert (first.topic_partitions, first.rebalance_timeout_ms) == ([], 300_000)
        assert len(first.member_id) == 22
        # What it has got is told at once; then nothing that the broker knows already.
        assert [(row.topic_id, row.partitions) for row in second.topic_partitions] == [(TOPIC_ID, [0])]
        assert (second.member_epoch, second.subscribed_topic_names, second.rebalance_timeout_ms) == (
            1,
            None,
            -1,
        )
        assert (third.topic_partitions, third.subscribed_topic_names) == (None, None)
        assert {each.member_id for each in heartbeats()} == {first.member_id}
    assert heartbeats()[-1].member_epoch == -2  # it will be back
    assert listener.heard == ["assigned", "revoked"]


async def test_the_broker_takes_and_gives() -> None:
    async with member("consumer") as (coordinator, consumer, listener):
        coordinator.broker.add_topic(TOPIC, TOPIC_ID, [(1, 0), (1, 0)])
        await until(consumer.assignment)
        coordinator.target = []
        await until(lambda: not consumer.assignment())
        assert coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)[-1].member_epoch == 1
        coordinator.target = [1]
        await until(lambda: consumer.assignment() == {TopicPartition(TOPIC, 1)})
        assert listener.heard == ["assigned", "revoked", "assigned"]
    assert coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)[-1].member_epoch == -1


@pytest.mark.parametrize("code", [ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID])
async def test_a_modern_member_that_is_fenced_joins_again_under_its_name(code: ErrorCode) -> None:
    async with member("consumer") as (coordinator, consumer, listener):
        await until(consumer.assignment)
        coordinator.refuse(ApiKey.CONSUMER_GROUP_HEARTBEAT, code)
        await until(lambda: listener.heard == ["assigned", "lost", "assigned"])
        heartbeats = coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)
        joins = [each for each in heartbeats if each.member_epoch == 0]
        assert len(joins) == 2
        assert joins[0].member_id == joins[1].member_id
        assert joins[1].topic_partitions == []


@pytest.mark.parametrize("code", [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NOT_COORDINATOR])
async def test_a_heartbeat_that_failed_says_everything_again(code: ErrorCode) -> None:
    async with member("consumer") as (coordinator, consumer, listener):
        await until(consumer.assignment)
        await until(lambda: len(coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)) > 3)
        coordinator.refuse(ApiKey.CONSUMER_GROUP_HEARTBEAT, code)
        asked = len(coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT))
        await until(lambda: len(coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)) > asked + 2)
        again = [
            each
            for each in coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)[asked:]
            if each.subscribed_topic_names is not None
        ]
        assert [(each.member_epoch, len(each.topic_partitions)) for each in again] == [(1, 1)]
        assert listener.heard == ["assigned"]


@pytest.mark.timeout(30)  # of a signal: an event loop that stands still notices no other
async def test_a_member_whose_coordinator_is_gone_while_nobody_asks_for_messages_rests() -> None:
    settings = {"max_poll_interval_ms": 200, "request_timeout_ms": 200}
    async with member("consumer", **settings) as (coordinator, consumer, listener):
        coordinator.log.count = 2
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value == b"0"
        answer = coordinator.broker.answers[ApiKey.CONSUMER_GROUP_HEARTBEAT]
        coordinator.broker.answers[ApiKey.CONSUMER_GROUP_HEARTBEAT] = lambda request: None
        heartbeats = lambda: coordinator.asked(ApiKey.CONSUMER_GROUP_HEARTBEAT)  # noqa: E731
        await until(lambda: heartbeats()[-1].member_epoch == -1)
        left = len(heartbeats())
        busy = time.process_time()
        await asyncio.sleep(0.3)
        assert time.process_time() - busy < 0.2
        assert len(heartbeats()) == left
        coordinator.broker.answers[ApiKey.CONSUMER_GROUP_HEARTBEAT] = answer
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value in (b"0", b"1")
        assert listener.heard == ["assigned", "lost", "assigned"]


@pytest.mark.parametrize(
    ("protocol", "key"),
    [("range", ApiKey.HEARTBEAT), ("consumer", ApiKey.CONSUMER_GROUP_HEARTBEAT)],
)
async def test_heartbeats_go_on_after_an_answer_that_can_t_be_read(protocol: str, key: ApiKey) -> None:
    async with member(protocol) as (coordinator, consumer, listener):
        await until(consumer.assignment)
        answer = coordinator.broker.answers[key]
        coordinator.broker.answers[key] = lambda request: Unreadable()
        asked = len(coordinator.asked(key))
        await until(lambda: len(coordinator.asked(key)) > asked + 1)
        coordinator.broker.answers[key] = answer
        asked = len(coordinator.asked(key))
        await until(lambda: len(coordinator.asked(key)) > asked + 2)
        assert listener.heard == ["assigned"]


async def test_a_commit_with_an_old_epoch_is_tried_again_with_the_new_one() -> None:
    async with member("consumer") as (coordinator, consumer, _):
        await until(consumer.assignment)

        def commit(request: Any) -> OffsetCommitResponse:
            coordinator.epoch = 5  # the next heartbeat tells it
            if request.generation_id_or_member_epoch < 5:
                coordinator.refuse(ApiKey.OFFSET_COMMIT, ErrorCode.STALE_MEMBER_EPOCH)
            return coordinator._commit(request)

        coordinator.broker.answers[ApiKey.OFFSET_COMMIT] = commit
        await consumer.commit({PARTITION: 3})
        epochs = [each.generation_id_or_member_epoch for each in coordinator.asked(ApiKey.OFFSET_COMMIT)]
        assert set(epochs[:-1]) == {1}
        assert epochs[-1] == 5


async def test_an_assignment_of_a_topic_that_is_not_known_yet_waits_for_it() -> None:
    async with member("consumer") as (coordinator, consumer, _):
        coordinator.broker.topics = []
        await asyncio.sleep(0.3)
        assert consumer.assignment() == frozenset()
        assert len(coordinator.asked(ApiKey.METADATA)) < 100  # it is asked for with pauses
        coordinator.broker.add_topic(TOPIC, TOPIC_ID, [(1, 0)])
        await until(consumer.assignment)


# -- the modern member by itself -------------------------------------------------------------------------------------


def state(**changes: Any) -> ModernState:
    return ModernState(
        "g", "m", **{"instance_id": None, "rack": None, "rebalance_timeout_ms": 1000, **changes}
    )


def answer(epoch: int, target: dict[bytes, list[int]] | None = None) -> ConsumerGroupHeartbeatResponse:
    rows = [
        ConsumerGroupHeartbeatResponseTopicPartitions(topic_id=topic_id, partitions=indexes)
        for topic_id, indexes in (target or {}).items()
    ]
    return ConsumerGroupHeartbeatResponse(
        member_id="m",
        member_epoch=epoch,
        assignment=None if target is None else Assignment(topic_partitions=rows),
    )


def test_a_pattern_is_taken_back_with_an_empty_one() -> None:
    member = state()
    member.join()
    assert member.heartbeat(Wish(frozenset(), "a.*", None)).subscribed_topic_regex == "a.*"
    member.answered(answer(1))
    changed = member.heartbeat(Wish(frozenset({"t"}), None, None))
    assert (changed.subscribed_topic_regex, changed.subscribed_topic_names) == ("", ["t"])
    # Brokers without patterns never hear of one.
    other = state()
    other.join()
    assert other.heartbeat(Wish(frozenset({"t"}), None, None)).subscribed_topic_regex is None


def test_a_member_says_again_that_it_has_nothing_when_nothing_is_what_it_shall_have() -> None:
    """Its topic was deleted, and it has let go of it before the broker asked for that."""
    member, wish, topic_id = state(), Wish(frozenset({"t"}), None, None), b"a" * 16
    member.join()
    member.heartbeat(wish)
    member.answered(answer(1, {topic_id: [0]}))
    member.owned = {topic_id: frozenset({0})}
    member.heartbeat(wish)
    member.answered(answer(1))
    member.owned = {}
    assert member.heartbeat(wish).topic_partitions == []
    member.answered(answer(1))
    assert member.heartbeat(wish).topic_partitions is None
    member.answered(answer(1, {}))
    assert member.heartbeat(wish).topic_partitions == []
    member.answered(answer(2))
    assert member.heartbeat(wish).topic_partitions is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("own", "wish", "answer", "lose", "fence")),
            st.dictionaries(
                st.sampled_from((b"a" * 16, b"b" * 16)), st.frozensets(st.integers(0, 3), min_size=1)
            ),
        ),
        max_size=15,
    )
)
def test_a_broker_always_knows_what_a_member_has_and_wants(steps: list[tuple[str, Any]]) -> None:
    """Whatever was lost on the way: after an answered heartbeat both know the same."""
    member = state()
    member.join()
    wish = Wish(frozenset({"t"}), None, None)
    told: dict[str, Any] = {}
    for what, argument in [*steps, ("answer", {})]:
        if what == "own":
            member.owned = argument
        elif what == "wish":
            wish = Wish(frozenset(map(str, argument)), None, None)
        elif what == "fence":
            member.fenced()
            told = {}
        else:
            request = member.heartbeat(wish)
            assert request.member_epoch == (0 if member.standing is Standing.JOINING else 1)
            if what == "lose":
                member.forget_told()
                continue
            if request.subscribed_topic_names is not None:
                told["wish"] = frozenset(request.subscribed_topic_names)
            if request.topic_partitions is not None:
                told["owned"] = {row.topic_id: frozenset(row.partitions) for row in request.topic_partitions}
            target = {topic_id: sorted(indexes) for topic_id, indexes in argument.items()}
            before = member.target
            assert member.answered(answer(1, target)) == (argument != before)
            assert member.target == argument
            assert told == {"wish": wish.topics, "owned": member.owned}
            # A new target is acknowledged by saying what we have, though that may be what it was.
            assert member.has_news(wish) == (argument != before)
