"""JoinGroup over the wire: what each version is told, who may not, and what a broker does with those who wait."""

import asyncio
from uuid import UUID

import pytest
from tests.broker.broker_in_process import until
from tests.broker.classic_requests import MAY_NOT_READ, SESSION_MS, classic_broker, join, join_request, settle
from tests.broker.raw_client import RawClient, all_versions

from snakka.coordination.groups.classic.group import ClassicGroup
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.heartbeat import HeartbeatRequest
from snakka.protocol.messages.join_group import JoinGroupRequest


@pytest.fixture
async def broker(tmp_path):
    async with classic_broker(tmp_path) as running:
        yield running


def group_of(broker, group_id: str) -> ClassicGroup:
    coordinator = broker.services.groups
    group = coordinator.host(coordinator.partition_of(group_id)).shard.groups[group_id]
    assert isinstance(group, ClassicGroup)
    return group


async def test_a_member_joins_alone_and_leads(broker):
    for version in all_versions(JoinGroupRequest):
        group_id = f"group {version}"
        answer = await join(broker, version, group_id)
        assert (answer.error_code, answer.generation_id, answer.protocol_name) == (0, 1, "range"), version
        assert answer.leader == answer.member_id
        assert [row.member_id for row in answer.members] == [answer.member_id]
        assert answer.protocol_type == ("consumer" if version >= 7 else None), version
        client, _, unique = answer.member_id.partition("-")
        assert client == "tester"
        assert UUID(unique).version == 4
        member = group_of(broker, group_id).members[answer.member_id]
        assert (member.client_id, member.client_host) == ("tester", "/127.0.0.1")
        assert member.rebalance_timeout_ms == (60_000 if version else SESSION_MS), version


async def test_a_static_member_is_named_after_its_instance(broker):
    for version in range(5, 10):
        request = join_request(version, f"group {version}", group_instance_id="one")
        answer = await broker.ask(request, version)
        assert answer.member_id.startswith("one-"), version
        assert answer.members[0].group_instance_id == "one"


async def test_an_error_has_the_form_of_its_version(broker):
    for version in all_versions(JoinGroupRequest):
        no_name = None if version >= 7 else ""
        answer = await broker.ask(join_request(version, member_id="nobody"), version)
        assert answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID, version
        assert (answer.member_id, answer.generation_id, answer.leader) == ("nobody", -1, "")
        assert answer.protocol_name == no_name, version
        denied = await broker.ask(join_request(version, member_id="A"), version, denied=(MAY_NOT_READ,))
        assert (denied.error_code, denied.member_id) == (ErrorCode.GROUP_AUTHORIZATION_FAILED, "")
        assert denied.protocol_name == no_name, version


async def test_what_is_refused_before_a_group_is_asked(broker):
    nameless = await broker.ask(join_request(9, "", member_id="A"))
    assert (nameless.error_code, nameless.member_id) == (ErrorCode.INVALID_GROUP_ID, "A")
    for session_ms, error in (
        (5_999, ErrorCode.INVALID_SESSION_TIMEOUT),
        (6_000, ErrorCode.MEMBER_ID_REQUIRED),
        (1_800_000, ErrorCode.MEMBER_ID_REQUIRED),
        (1_800_001, ErrorCode.INVALID_SESSION_TIMEOUT),
    ):
        answer = await broker.ask(join_request(9, session_timeout_ms=session_ms))
        assert answer.error_code == error


async def test_the_bounds_of_sessions_and_groups_are_options(tmp_path):
    options = {
        "group_min_session_timeout_ms": "100",
        "group_max_session_timeout_ms": "200",
        "group_max_size": "1",
    }
    async with classic_broker(tmp_path, **options) as broker:
        answer = await broker.ask(join_request(9, session_timeout_ms=201))
        assert answer.error_code == ErrorCode.INVALID_SESSION_TIMEOUT
        # Both come before the first rebalance begins, so that no session ends meanwhile.
        first, second = await asyncio.gather(
            *(broker.ask(join_request(3, session_timeout_ms=200), 3) for _ in range(2))
        )
        assert sorted([first.error_code, second.error_code]) == [0, ErrorCode.GROUP_MAX_SIZE_REACHED]


async def test_members_that_come_together_share_the_first_generation(tmp_path):
    async with classic_broker(tmp_path, group_initial_rebalance_delay_ms="300") as broker:
        answers = await asyncio.gather(*(join(broker, 9) for _ in range(5)))
    assert {answer.generation_id for answer in answers} == {1}
    leaders = [answer for answer in answers if answer.leader == answer.member_id]
    assert len(leaders) == 1
    assert {row.member_id for row in leaders[0].members} == {answer.member_id for answer in answers}


async def test_who_waits_does_not_hold_up_others(broker):
    first = await settle(broker)
    waiting = asyncio.create_task(join(broker, 9))
    group = group_of(broker, "g")
    await until(lambda: bool(group.joining))
    beat = HeartbeatRequest(group_id="g", generation_id=1, member_id=first.member_id)
    assert (await broker.ask(beat)).error_code == ErrorCode.REBALANCE_IN_PROGRESS
    # The member that waits has not been answered: the first one has not joined again yet.
    again = await join(broker, 9, member_id=first.member_id)
    assert (await waiting).generation_id == again.generation_id == 2


async def test_a_member_that_waits_learns_that_the_coordinator_is_gone(broker):
    first = await settle(broker)
    waiting = asyncio.create_task(join(broker, 3))
    group = group_of(broker, "g")
    await until(lambda: bool(group.joining))
    broker.services.groups.close()
    answer = await waiting
    assert (answer.error_code, answer.member_id) == (ErrorCode.NOT_COORDINATOR, "")
    beat = HeartbeatRequest(group_id="g", generation_id=1, member_id=first.member_id)
    assert (await broker.ask(beat)).error_code == ErrorCode.NOT_COORDINATOR


async def test_two_requests_of_a_member_on_one_connection_are_both_answered(tmp_path):
    async with classic_broker(tmp_path, group_initial_rebalance_delay_ms="200") as broker:
        member_id = (await broker.ask(join_request(9))).member_id
        address = ("127.0.0.1", broker._ports["PLAINTEXT"])
        async with await RawClient.open(address) as client:
            request = join_request(9, member_id=member_id)
            numbers = [client.send(request) for _ in range(2)]
            answers = [await client.receive(request, correlation_id=number) for number in numbers]
    assert [answer.error_code for answer in answers] == [ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.NONE]
