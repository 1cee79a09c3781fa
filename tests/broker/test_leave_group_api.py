"""LeaveGroup over the wire: one member in old versions, many in new ones."""

import pytest
from tests.broker.classic_requests import MAY_NOT_READ, classic_broker, settle
from tests.broker.raw_client import all_versions

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity

FIRST_WITH_SEVERAL = 3


@pytest.fixture
async def broker(tmp_path):
    async with classic_broker(tmp_path) as running:
        yield running


def leave_request(version: int, member_id: str, group: str = "g") -> LeaveGroupRequest:
    if version < FIRST_WITH_SEVERAL:
        return LeaveGroupRequest(group_id=group, member_id=member_id)
    return LeaveGroupRequest(group_id=group, members=[MemberIdentity(member_id=member_id)])


async def test_a_member_leaves_and_is_gone(broker):
    for version in all_versions(LeaveGroupRequest):
        await leaves_and_is_gone(broker, version)


async def leaves_and_is_gone(broker, version: int) -> None:
    member_id = (await settle(broker)).member_id

    async def codes(request, **how) -> tuple[int, list[int]]:
        answer = await broker.ask(request, version, **how)
        return answer.error_code, [row.error_code for row in answer.members]

    def of_member(error: ErrorCode) -> tuple[int, list[int]]:
        return (error, []) if version < FIRST_WITH_SEVERAL else (ErrorCode.NONE, [error])

    ours = leave_request(version, member_id)
    assert await codes(ours, denied=(MAY_NOT_READ,)) == (ErrorCode.GROUP_AUTHORIZATION_FAILED, [])
    assert await codes(leave_request(version, member_id, "")) == (ErrorCode.INVALID_GROUP_ID, [])
    unknown = of_member(ErrorCode.UNKNOWN_MEMBER_ID)
    assert await codes(leave_request(version, member_id, "unknown")) == unknown
    assert await codes(leave_request(version, "nobody")) == unknown
    assert await codes(ours) == of_member(ErrorCode.NONE)
    assert await codes(ours) == unknown


async def test_several_leave_by_their_instances(broker):
    first = await settle(broker, "a", group_instance_id="one")
    rows = [
        MemberIdentity(group_instance_id="one"),
        MemberIdentity(member_id=first.member_id, group_instance_id="one", reason="it was told to"),
        MemberIdentity(member_id="x", group_instance_id=None),
    ]
    answer = await broker.ask(LeaveGroupRequest(group_id="a", members=rows))
    assert [(row.member_id, row.group_instance_id, row.error_code) for row in answer.members] == [
        ("", "one", ErrorCode.NONE),
        (first.member_id, "one", ErrorCode.UNKNOWN_MEMBER_ID),
        ("x", None, ErrorCode.UNKNOWN_MEMBER_ID),
    ]


async def test_a_coordinator_that_is_gone_says_so(broker):
    member_id = (await settle(broker)).member_id
    broker.services.groups.close()
    for version in all_versions(LeaveGroupRequest):
        answer = await broker.ask(leave_request(version, member_id), version)
        assert (answer.error_code, answer.members) == (ErrorCode.NOT_COORDINATOR, [])
