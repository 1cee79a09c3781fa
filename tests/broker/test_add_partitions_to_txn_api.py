"""AddPartitionsToTxn and AddOffsetsToTxn in every version, from clients and from brokers."""

import pytest
from tests.broker.api_harness import running_broker
from tests.broker.raw_client import all_versions
from tests.broker.transaction_client import TransactionClient, name_of, topics_of, transaction_of

from snakka.coordination.decision import Producer
from snakka.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from snakka.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

OF_CLIENTS = [version for version in all_versions(AddPartitionsToTxnRequest) if version < 4]
OF_BROKERS = [version for version in all_versions(AddPartitionsToTxnRequest) if version >= 4]


@pytest.fixture
async def producer(client, topic):
    await client.create_topic(topic, 2)
    one = TransactionClient(client, topic)
    await one.find()
    assert await one.init() == "NONE"
    return one


@pytest.mark.parametrize("version", OF_CLIENTS)
async def test_partitions_join_the_transaction(topic, producer, version):
    assert await producer.add((topic, 0), version=version) == ["NONE"]
    assert await producer.add((topic, 1), (topic, 0), version=version) == ["NONE", "NONE"]
    row = await producer.describe()
    assert row.transaction_state == "Ongoing"
    assert [(one.topic, one.partitions) for one in row.topics] == [(topic, [0, 1])]


@pytest.mark.parametrize("version", OF_CLIENTS)
async def test_all_or_none(topic, producer, version):
    found = await producer.add((topic, 0), (topic, 9), ("no-such-topic", 0), version=version)
    assert found == ["OPERATION_NOT_ATTEMPTED", "UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_OR_PARTITION"]
    # What the cluster keeps for itself is not for clients.
    found = await producer.add((topic, 0), ("__transaction_state", 0), version=version)
    assert found == ["OPERATION_NOT_ATTEMPTED", "TOPIC_AUTHORIZATION_FAILED"]
    assert await producer.state() == "Empty"


@pytest.mark.parametrize("version", OF_CLIENTS)
async def test_errors_by_version(client, topic, producer, version):
    fenced = "PRODUCER_FENCED" if version >= 2 else "INVALID_PRODUCER_EPOCH"
    place = (topic, 0)
    stranger = Producer(producer.who.producer_id, 5)
    assert await producer.add(place, version=version, who=stranger) == [fenced]
    nobody = Producer(1 << 40, 0)
    assert await producer.add(place, version=version, who=nobody) == ["INVALID_PRODUCER_ID_MAPPING"]
    assert await TransactionClient(client, "").add(place, version=version) == ["INVALID_REQUEST"]
    unknown = TransactionClient(client, f"{topic}-nobody")
    assert await unknown.add(place, version=version) == ["INVALID_PRODUCER_ID_MAPPING"]


@pytest.mark.parametrize("version", OF_BROKERS)
async def test_brokers_ask_for_several_at_once(client, topic, producer, version):
    other = TransactionClient(client, f"{topic}-other")
    await other.init()
    request = AddPartitionsToTxnRequest(
        transactions=[
            transaction_of(topic, producer.who, (topic, 0), (topic, 1)),
            transaction_of(other.transactional_id, other.who, (topic, 0), verify_only=True),
            transaction_of(f"{topic}-nobody", other.who, (topic, 1), verify_only=True),
        ]
    )
    answer = await client.ask(request, version)
    assert answer.error_code == 0
    assert _rows(answer) == {
        topic: ["NONE", "NONE"],
        other.transactional_id: ["TRANSACTION_ABORTABLE"],
        f"{topic}-nobody": ["INVALID_PRODUCER_ID_MAPPING"],
    }
    assert await producer.state() == "Ongoing"
    assert await other.state() == "Empty"
    again = AddPartitionsToTxnRequest(
        transactions=[transaction_of(topic, producer.who, (topic, 1), verify_only=True)]
    )
    assert _rows(await client.ask(again, version)) == {topic: ["NONE"]}
    nothing = await client.ask(AddPartitionsToTxnRequest(), version)
    assert (nothing.error_code, nothing.results_by_transaction) == (0, [])


def _rows(answer):
    return {
        one.transactional_id: [
            name_of(row.partition_error_code)
            for topic in one.topic_results
            for row in topic.results_by_partition
        ]
        for one in answer.results_by_transaction
    }


@pytest.mark.parametrize("version", all_versions(AddOffsetsToTxnRequest))
async def test_offsets_of_a_group_join_the_transaction(producer, version):
    assert await producer.add_offsets("a-group", version) == "NONE"
    row = await producer.describe()
    assert [one.topic for one in row.topics] == ["__consumer_offsets"]
    producer.who = Producer(producer.who.producer_id, 7)
    fenced = "PRODUCER_FENCED" if version >= 2 else "INVALID_PRODUCER_EPOCH"
    assert await producer.add_offsets("a-group", version) == fenced


async def test_authorisation(tmp_path):
    name, topic = "payments", "orders"
    writes = (Operation.WRITE, ResourceType.TRANSACTIONAL_ID, name)
    writes_topic = (Operation.WRITE, ResourceType.TOPIC, topic)
    reads_group = (Operation.READ, ResourceType.GROUP, "a-group")
    acts = (Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
    old = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=name, v3_and_below_topics=topics_of([(topic, 0), (topic, 1)])
    )
    new = AddPartitionsToTxnRequest(transactions=[transaction_of(name, Producer(1, 0), (topic, 0))])
    offsets = AddOffsetsToTxnRequest(transactional_id=name, group_id="a-group")
    async with running_broker(tmp_path) as broker:

        async def old_rows(denied):
            answer = await broker.ask(old, 3, denied=denied)
            (row,) = answer.results_by_topic_v3_and_below
            return [name_of(one.partition_error_code) for one in row.results_by_partition]

        assert await old_rows((writes,)) == ["TRANSACTIONAL_ID_AUTHORIZATION_FAILED"] * 2
        assert await old_rows((writes_topic,)) == ["TOPIC_AUTHORIZATION_FAILED"] * 2
        assert await old_rows(()) == ["UNKNOWN_TOPIC_OR_PARTITION"] * 2
        for version in OF_BROKERS:
            answer = await broker.ask(new, version, denied=(acts,))
            assert name_of(answer.error_code) == "CLUSTER_AUTHORIZATION_FAILED"
            # Those who may are not asked about anything else.
            answer = await broker.ask(new, version, denied=(writes, writes_topic))
            assert _rows(answer) == {name: ["UNKNOWN_TOPIC_OR_PARTITION"]}
        for denied, error in (
            ((writes, reads_group), "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"),
            ((reads_group,), "GROUP_AUTHORIZATION_FAILED"),
            ((), "NOT_COORDINATOR"),
        ):
            answer = await broker.ask(offsets, denied=denied)
            assert name_of(answer.error_code) == error
