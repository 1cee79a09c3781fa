"""SyncGroup over the wire: assignments of everybody in every version, and who gets none."""

import asyncio

import pytest
from tests.broker.classic_requests import MAY_NOT_READ, classic_broker, join, join_request, sync_request
from tests.broker.raw_client import all_versions

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.sync_group import SyncGroupRequest


@pytest.fixture
async def broker(tmp_path):
    async with classic_broker(tmp_path) as running:
        yield running


async def test_the_leader_assigns_and_everybody_gets_their_own(tmp_path):
    async with classic_broker(tmp_path, group_initial_rebalance_delay_ms="100") as broker:
        for version in all_versions(SyncGroupRequest):
            group = f"group {version}"
            joined = await asyncio.gather(*(broker.ask(join_request(3, group), 3) for _ in range(3)))
            requests = [sync_request(version, member, group) for member in joined]
            answers = await asyncio.gather(*(broker.ask(request, version) for request in requests))
            assert [answer.error_code for answer in answers] == [0, 0, 0], version
            assert [answer.assignment.decode() for answer in answers] == [row.member_id for row in joined]
            protocol = ("consumer", "range") if version >= 5 else (None, None)
            assert {(answer.protocol_type, answer.protocol_name) for answer in answers} == {protocol}


async def test_the_protocol_must_be_named_from_version_5_on(broker):
    joined = await join(broker, 9)
    for missing in ({"protocol_type": None}, {"protocol_name": None}):
        # It comes before the question who asks.
        answer = await broker.ask(sync_request(5, joined, **missing), denied=(MAY_NOT_READ,))
        assert answer.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    answer = await broker.ask(sync_request(5, joined, protocol_name="sticky"))
    assert answer.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert (await broker.ask(sync_request(4, joined), 4)).error_code == ErrorCode.NONE


async def test_who_gets_nothing(broker):
    joined = await join(broker, 9)
    for version in all_versions(SyncGroupRequest):
        for what, error in (
            ({"group": ""}, ErrorCode.INVALID_GROUP_ID),
            ({"group": "unknown"}, ErrorCode.UNKNOWN_MEMBER_ID),
            ({"member_id": "nobody"}, ErrorCode.UNKNOWN_MEMBER_ID),
            ({"generation_id": 2}, ErrorCode.ILLEGAL_GENERATION),
        ):
            answer = await broker.ask(sync_request(version, joined, **what), version)
            assert (answer.error_code, answer.assignment) == (error, b""), version
        denied = await broker.ask(sync_request(version, joined), version, denied=(MAY_NOT_READ,))
        assert denied.error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
