"""Heartbeat over the wire: every version, every error, and a session that really ends."""

import asyncio

import pytest
from tests.broker.broker_in_process import until
from tests.broker.classic_requests import MAY_NOT_READ, classic_broker, settle
from tests.broker.raw_client import all_versions

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.heartbeat import HeartbeatRequest


@pytest.fixture
async def broker(tmp_path):
    async with classic_broker(tmp_path) as running:
        yield running


def beat(member_id: str, group: str = "g", generation: int = 1, **what) -> HeartbeatRequest:
    return HeartbeatRequest(group_id=group, generation_id=generation, member_id=member_id, **what)


async def test_members_are_heard_and_others_are_told_why_not(broker):
    member_id = (await settle(broker)).member_id
    for version in all_versions(HeartbeatRequest):
        for request, error in (
            (beat(member_id), ErrorCode.NONE),
            (beat(member_id, generation=2), ErrorCode.ILLEGAL_GENERATION),
            (beat("nobody"), ErrorCode.UNKNOWN_MEMBER_ID),
            (beat(member_id, group="unknown"), ErrorCode.UNKNOWN_MEMBER_ID),
            (beat(member_id, group=""), ErrorCode.INVALID_GROUP_ID),
        ):
            assert (await broker.ask(request, version)).error_code == error, version
        denied = await broker.ask(beat(member_id), version, denied=(MAY_NOT_READ,))
        assert denied.error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED


async def test_an_instance_that_was_taken_over_is_fenced(broker):
    old = await settle(broker, group_instance_id="one")
    new = await settle(broker, group_instance_id="one")
    assert new.generation_id == old.generation_id
    for version in (3, 4):
        answer = await broker.ask(beat(old.member_id, group_instance_id="one"), version)
        assert answer.error_code == ErrorCode.FENCED_INSTANCE_ID
        answer = await broker.ask(beat(new.member_id, group_instance_id="one"), version)
        assert answer.error_code == ErrorCode.NONE


async def test_while_a_group_is_loaded_every_heartbeat_is_welcome(broker):
    member_id = (await settle(broker)).member_id
    coordinator = broker.services.groups
    index = coordinator.partition_of("g")
    coordinator.resign(index)
    answer = await broker.ask(beat(member_id))
    assert answer.error_code == ErrorCode.NOT_COORDINATOR
    coordinator._loading[index] = asyncio.get_running_loop().create_future()
    answer = await broker.ask(beat(member_id))
    assert answer.error_code == ErrorCode.NONE


async def test_without_heartbeats_a_session_ends(tmp_path):
    async with classic_broker(tmp_path, group_min_session_timeout_ms="100") as broker:
        member_id = (await settle(broker, session_timeout_ms=2_000)).member_id
        coordinator = broker.services.groups
        group = coordinator.host(coordinator.partition_of("g")).shard.groups["g"]
        await until(lambda: group.is_empty)
        assert (await broker.ask(beat(member_id))).error_code == ErrorCode.UNKNOWN_MEMBER_ID


async def test_a_group_survives_a_restart_and_its_members_go_on(tmp_path):
    async with classic_broker(tmp_path) as broker:
        member_id = (await settle(broker)).member_id
    async with classic_broker(tmp_path) as broker:
        await until(lambda: not broker.services.groups.is_loading)
        assert (await broker.ask(beat(member_id))).error_code == ErrorCode.NONE
