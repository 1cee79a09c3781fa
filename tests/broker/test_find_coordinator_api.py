"""FindCoordinator over the wire: the topic comes with the first question, and every version gets the same answer."""

import pytest
from api_harness import NODE_ID, running_broker
from tests.broker.raw_client import all_versions

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.security.operations import Operation, ResourceType

GROUP, TRANSACTION, SHARE = 0, 1, 2
SMALL = {"offsets_topic_num_partitions": "4", "transaction_state_log_num_partitions": "3"}


@pytest.fixture
async def broker(tmp_path):
    async with running_broker(tmp_path, **SMALL) as running:
        yield running


def question(version: int, *keys: str, kind: int = GROUP) -> FindCoordinatorRequest:
    if version >= 4:
        return FindCoordinatorRequest(key_type=kind, coordinator_keys=list(keys))
    return FindCoordinatorRequest(key=keys[0], key_type=kind)


@pytest.mark.parametrize("version", all_versions(FindCoordinatorRequest))
async def test_whoever_asks_first_gets_an_answer_at_once(broker, version):
    kind = TRANSACTION if version else GROUP
    answer = await broker.ask(question(version, "somebody", kind=kind), version)
    rows = answer.coordinators if version >= 4 else [answer]
    assert [(row.error_code, row.node_id, row.host) for row in rows] == [(0, NODE_ID, "127.0.0.1")]
    assert rows[0].port > 0
    topic = "__transaction_state" if version else "__consumer_offsets"
    assert len(broker.image.topics.by_name[topic].partitions) == (3 if version else 4)
    assert broker.image.configs.of_topic(topic)["cleanup.policy"] == "compact"


async def test_several_keys_at_once(broker):
    answer = await broker.ask(question(4, "a", "b", "", kind=GROUP), 4)
    assert [(row.key, row.error_code, row.node_id) for row in answer.coordinators] == [
        ("a", 0, NODE_ID),
        ("b", 0, NODE_ID),
        ("", 0, NODE_ID),
    ]


async def test_a_small_cluster_gets_what_it_can_hold_unless_somebody_said_otherwise(broker, tmp_path):
    await broker.ask(question(4, "t", kind=TRANSACTION), 4)
    assert broker.image.configs.of_topic("__transaction_state")["min.insync.replicas"] == "1"
    wanted = {"offsets_topic_replication_factor": "3"}
    async with running_broker(tmp_path / "other", **wanted) as strict:
        answer = await strict.ask(question(4, "g"), 4)
        assert [row.error_code for row in answer.coordinators] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
        assert "__consumer_offsets" not in strict.image.topics.by_name


async def test_who_may_ask(broker):
    groups = (Operation.DESCRIBE, ResourceType.GROUP, "secret")
    answer = await broker.ask(question(4, "secret", "open"), 4, denied=(groups,))
    assert [(row.key, row.error_code, row.node_id) for row in answer.coordinators] == [
        ("secret", ErrorCode.GROUP_AUTHORIZATION_FAILED, -1),
        ("open", 0, NODE_ID),
    ]
    transactions = (Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, "*")
    answer = await broker.ask(question(2, "t", kind=TRANSACTION), 2, denied=(transactions,))
    assert answer.error_code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert "__transaction_state" not in broker.image.topics.by_name, (
        "who may not ask brings nothing into being"
    )


async def test_what_nobody_coordinates(broker):
    share = question(6, "g:AAAAAAAAAAAAAAAAAAAAAA:0", kind=SHARE)
    assert (await broker.ask(share, 5)).coordinators[0].error_code == ErrorCode.INVALID_REQUEST
    assert (await broker.ask(share, 6)).coordinators[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    answer = await broker.ask(question(4, "k", kind=9), 4)
    assert answer.coordinators[0].error_code == ErrorCode.INVALID_REQUEST
