"""Requests of members of classic groups, in any version, and a broker that has a coordinator for them."""

from contextlib import asynccontextmanager

from tests.broker.api_harness import Broker, running_broker

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from snakka.security.operations import Operation, ResourceType

SESSION_MS = 10_000
MAY_NOT_READ = (Operation.READ, ResourceType.GROUP, "*")


@asynccontextmanager
async def classic_broker(directory, **options: str):
    given = {"offsets_topic_num_partitions": "3", "group_initial_rebalance_delay_ms": "0", **options}
    async with running_broker(directory, **given) as broker:
        await broker.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]))
        yield broker


def join_request(version: int, group: str = "g", **what) -> JoinGroupRequest:
    given = {
        "group_id": group,
        "session_timeout_ms": SESSION_MS,
        "protocol_type": "consumer",
        "protocols": [JoinGroupRequestProtocol(name="range", metadata=b"\0\0\0\0\0\0\xff\xff\xff\xff")],
    }
    if version >= 1:
        given["rebalance_timeout_ms"] = 60_000
    return JoinGroupRequest(**{**given, **what})


async def join(broker: Broker, version: int, group: str = "g", **what) -> JoinGroupResponse:
    """As a client does: with the id that it is told to use."""
    answer = await broker.ask(join_request(version, group, **what), version)
    if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
        what["member_id"] = answer.member_id
        answer = await broker.ask(join_request(version, group, **what), version)
    return answer


def sync_request(version: int, joined: JoinGroupResponse, group: str = "g", **what) -> SyncGroupRequest:
    """The leader gives everybody its own id as an assignment."""
    given = {
        "group_id": group,
        "generation_id": joined.generation_id,
        "member_id": joined.member_id,
        "assignments": [
            SyncGroupRequestAssignment(member_id=row.member_id, assignment=row.member_id.encode())
            for row in joined.members
        ],
    }
    if version >= 5:
        given["protocol_type"] = "consumer"
        given["protocol_name"] = "range"
    return SyncGroupRequest(**{**given, **what})


async def settle(broker: Broker, group: str = "g", **what) -> JoinGroupResponse:
    """A stable group of one."""
    joined = await join(broker, 9, group, **what)
    answer = await broker.ask(sync_request(5, joined, group))
    assert answer.error_code == ErrorCode.NONE
    return joined
