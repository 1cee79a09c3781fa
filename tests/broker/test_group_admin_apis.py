"""ListGroups, DescribeGroups and DeleteGroups over the wire, in every version."""

import asyncio

import pytest
from tests.broker.broker_in_process import until
from tests.broker.group_requests import commit, fetch, group_broker
from tests.broker.raw_client import all_versions

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_groups import DeleteGroupsRequest
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.list_groups import ListGroupsRequest
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

ORDERS = ("orders", 0)
OMITTED = -(2**31)
CLUSTER = (Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)


@pytest.fixture
async def broker(tmp_path):
    async with group_broker(tmp_path) as running:
        for group in "ghi":
            await commit(running, {ORDERS: 10}, group=group)
        yield running


# -- ListGroups ---------------------------------------------------------------------------------------------------


async def listed(broker, version: int = 5, denied=(), **filters) -> list[str]:
    answer = await broker.ask(ListGroupsRequest(**filters), version, denied=denied)
    assert answer.error_code == 0
    return sorted(row.group_id for row in answer.groups)


async def test_groups_of_all_shards_are_listed_in_every_version(broker) -> None:
    for version in all_versions(ListGroupsRequest):
        answer = await broker.ask(ListGroupsRequest(), version)
        rows = sorted(
            (row.group_id, row.protocol_type, row.group_state, row.group_type) for row in answer.groups
        )
        state, kind = "Empty" if version >= 4 else "", "classic" if version >= 5 else ""
        assert rows == [(group, "", state, kind) for group in "ghi"]


async def test_groups_are_listed_by_state_and_kind(broker) -> None:
    assert await listed(broker, 4, states_filter=["Empty"]) == ["g", "h", "i"]
    assert await listed(broker, 4, states_filter=["Stable"]) == []
    assert await listed(broker, 5, types_filter=["classic"]) == ["g", "h", "i"]
    assert await listed(broker, 5, types_filter=["consumer"], states_filter=["Empty"]) == []


async def test_who_may_see_groups(broker) -> None:
    secret = (Operation.DESCRIBE, ResourceType.GROUP, "h")
    # Who may see the cluster sees its groups.
    assert await listed(broker, denied=(secret,)) == ["g", "h", "i"]
    assert await listed(broker, denied=(secret, CLUSTER)) == ["g", "i"]


async def test_groups_can_not_be_listed_while_some_are_loaded(broker) -> None:
    broker.services.groups._loading[0] = asyncio.current_task()
    answer = await broker.ask(ListGroupsRequest())
    assert (answer.error_code, answer.groups) == (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, [])
    del broker.services.groups._loading[0]
    broker.services.groups.close()
    assert await listed(broker) == []


# -- DescribeGroups -----------------------------------------------------------------------------------------------


async def test_groups_are_described_in_every_version(broker) -> None:
    for version in all_versions(DescribeGroupsRequest):
        answer = await broker.ask(DescribeGroupsRequest(groups=["g", "nobody", "g"]), version)
        unknown = ErrorCode.GROUP_ID_NOT_FOUND if version >= 6 else ErrorCode.NONE
        assert [(row.group_id, row.group_state, row.error_code) for row in answer.groups] == [
            ("g", "Empty", 0),
            ("nobody", "Dead", unknown),
        ]
        assert {row.authorized_operations for row in answer.groups} == {OMITTED}
        if version >= 6:
            assert answer.groups[1].error_message == "Group nobody not found."


async def test_what_a_client_may_do_to_a_group(broker) -> None:
    may_not = (Operation.DELETE, ResourceType.GROUP, "g")
    for version in (3, 4, 5, 6):
        request = DescribeGroupsRequest(groups=["g", "nobody"], include_authorized_operations=True)
        answer = await broker.ask(request, version, denied=(may_not,))
        rows = {row.group_id: row.authorized_operations for row in answer.groups}
        assert rows["g"] & 1 << Operation.DESCRIBE
        assert not rows["g"] & 1 << Operation.DELETE
        assert (rows["nobody"] == OMITTED) == (version >= 6)


async def test_who_may_describe_a_group(broker) -> None:
    secret = (Operation.DESCRIBE, ResourceType.GROUP, "h")
    answer = await broker.ask(DescribeGroupsRequest(groups=["g", "h"]), denied=(secret,))
    assert [(row.group_id, row.error_code) for row in answer.groups] == [
        ("h", ErrorCode.GROUP_AUTHORIZATION_FAILED),
        ("g", 0),
    ]
    broker.services.groups.close()
    answer = await broker.ask(DescribeGroupsRequest(groups=["g"]))
    assert answer.groups[0].error_code == ErrorCode.NOT_COORDINATOR


# -- DeleteGroups -------------------------------------------------------------------------------------------------


async def test_groups_are_deleted_in_every_version(broker) -> None:
    for version in all_versions(DeleteGroupsRequest):
        await commit(broker, {ORDERS: 10})
        answer = await broker.ask(DeleteGroupsRequest(groups_names=["g", "nobody", "g"]), version)
        assert [(row.group_id, row.error_code) for row in answer.results] == [
            ("g", 0),
            ("nobody", ErrorCode.GROUP_ID_NOT_FOUND),
        ]
        assert await listed(broker) == ["h", "i"]
        assert await fetch(broker) == {"g": {}}
    assert (await broker.ask(DeleteGroupsRequest())).results == []


async def test_who_may_delete_a_group(broker) -> None:
    may_not = (Operation.DELETE, ResourceType.GROUP, "g")
    answer = await broker.ask(DeleteGroupsRequest(groups_names=["g", "h"]), denied=(may_not,))
    assert [(row.group_id, row.error_code) for row in answer.results] == [
        ("h", 0),
        ("g", ErrorCode.GROUP_AUTHORIZATION_FAILED),
    ]
    assert await listed(broker) == ["g", "i"]


# -- expiry -------------------------------------------------------------------------------------------------------


async def test_old_offsets_and_empty_groups_go_in_time(tmp_path) -> None:
    async with group_broker(tmp_path, offsets_retention_check_interval_ms="20") as broker:
        await commit(broker, {ORDERS: 10}, version=4, group="soon", retention_time_ms=1)
        await commit(broker, {ORDERS: 10}, group="late")

        def groups() -> list[str]:
            return [name for host in broker.services.groups.hosts() for name in host.shard.groups]

        await until(lambda: groups() == ["late"])
        assert await fetch(broker, None, 9, "soon", "late") == {"soon": {}, "late": {ORDERS: 10}}
