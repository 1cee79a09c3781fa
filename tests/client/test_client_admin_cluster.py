"""Reassignments, elections, directories, transactions, quorum, features and brokers, judged by both brokers."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from uuid import uuid4

import confluent_kafka
import pytest
from tests.client.awaited_answers import WAIT_SECONDS, answer
from tests.client.kafka_broker import KafkaBroker

from snakka.client.admin import (
    Admin,
    Replica,
    TopicPartition,
    UpgradeType,
    VoterEndpoint,
)
from snakka.client.errors import UnsupportedByBrokerError
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError


@pytest.fixture
async def admin(bootstrap: str) -> AsyncIterator[Admin]:
    async with Admin(bootstrap_servers=bootstrap) as running:
        yield running


@pytest.fixture
async def kafka_admin(kafka: KafkaBroker) -> AsyncIterator[Admin]:
    async with Admin(bootstrap_servers=kafka.bootstrap) as running:
        yield running


@pytest.fixture
def name() -> str:
    """A name of the test's own: Apache Kafka is shared."""
    return f"name-{uuid4().hex[:8]}"


def code_of(error: Exception) -> ErrorCode:
    assert isinstance(error, ApiError)
    return error.code


@contextmanager
def open_transaction(bootstrap: str, transactional_id: str, topic: str) -> Iterator[confluent_kafka.Producer]:
    """Somebody else's producer, in the middle of a transaction."""
    producer = confluent_kafka.Producer(
        {"bootstrap.servers": bootstrap, "transactional.id": transactional_id, "log_level": 0}
    )
    producer.init_transactions(WAIT_SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"value", partition=0)
    producer.flush(WAIT_SECONDS)
    yield producer


async def test_an_open_transaction_is_seen_and_its_producer_fenced(
    bootstrap: str, admin: Admin, name: str
) -> None:
    await admin.create_topic(name)
    partition = TopicPartition(name, 0)
    entered = await asyncio.to_thread(open_transaction(bootstrap, name, name).__enter__)
    listed = [each for each in await admin.list_transactions() if each.transactional_id == name]
    assert [(each.state, each.coordinator_id) for each in listed] == [("Ongoing", 1)]
    described = (await admin.describe_transactions([name]))[name]
    assert (described.state, described.producer_id, described.partitions) == (
        "Ongoing",
        listed[0].producer_id,
        (partition,),
    )
    (producer,) = (await admin.describe_producers([partition]))[partition]
    assert (producer.producer_id, producer.transaction_start_offset) == (described.producer_id, 0)
    fenced = (await admin.fence_producers([name]))[name]
    assert (fenced.producer_id, fenced.producer_epoch) > (producer.producer_id, producer.producer_epoch)
    with pytest.raises(confluent_kafka.KafkaException):
        await asyncio.to_thread(entered.commit_transaction, WAIT_SECONDS)
    missing = await admin.describe_transactions([name + "-not"])
    assert code_of(missing.errors[name + "-not"]) is ErrorCode.TRANSACTIONAL_ID_NOT_FOUND


async def test_a_hanging_transaction_is_aborted_in_its_partition(
    bootstrap: str, admin: Admin, name: str
) -> None:
    await admin.create_topic(name)
    partition = TopicPartition(name, 0)
    await asyncio.to_thread(open_transaction(bootstrap, name, name).__enter__)
    (producer,) = (await admin.describe_producers([partition]))[partition]
    await admin.abort_transaction(partition, producer)
    (after,) = (await admin.describe_producers([partition]))[partition]
    assert after.transaction_start_offset == -1
    (await admin.fence_producers([name])).raise_for_errors()


async def test_members_of_both_protocols_are_described_and_removed(
    bootstrap: str, admin: Admin, name: str
) -> None:
    await admin.create_topic(name, partitions=2)
    both = {TopicPartition(name, 0), TopicPartition(name, 1)}
    for protocol, kind in (("classic", "Classic"), ("consumer", "Consumer")):
        group = f"{name}-{protocol}"
        consumer = confluent_kafka.Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "group.protocol": protocol,
                "group.instance.id": "static",
                "log_level": 0,
            }
        )
        consumer.subscribe([name])
        poll = partial(asyncio.to_thread, consumer.poll, 0.1)
        await answer(poll, lambda _: consumer.assignment())  # noqa: B023
        described = (await admin.describe_groups([group]))[group]
        assert (described.group_type, described.state, described.protocol_type) == (
            kind,
            "Stable",
            "consumer",
        )
        (member,) = described.members
        assert set(member.assignment) == both
        assert (member.instance_id, member.client_id) == ("static", "rdkafka")
        assert code_of((await admin.delete_groups([group])).errors[group]) is ErrorCode.NON_EMPTY_GROUP
        refused = await admin.alter_group_offsets(group, {TopicPartition(name, 0): 0})
        assert code_of(refused.errors[TopicPartition(name, 0)]) is ErrorCode.UNKNOWN_MEMBER_ID
        (await admin.remove_group_members(group, ["static"], reason="a test")).raise_for_errors()
        assert (await admin.describe_groups([group]))[group].members == ()
        await asyncio.to_thread(consumer.close)


async def test_directories_of_brokers(admin: Admin, name: str) -> None:
    await admin.create_topic(name)
    described = await answer(
        lambda: admin.describe_log_dirs([1, 77], partitions=[TopicPartition(name, 0)]),
        lambda outcomes: any(each.replicas for each in outcomes[1].values()),
    )
    holding = [each for each in described[1].values() if each.replicas]
    assert [each.error for each in holding] == [None]
    assert holding[0].replicas[TopicPartition(name, 0)].size_bytes == 0
    assert holding[0].total_bytes >= holding[0].usable_bytes > 0
    assert code_of(described.errors[77]) is ErrorCode.BROKER_ID_NOT_REGISTERED


async def test_a_replica_moves_to_another_directory(kafka_admin: Admin, name: str) -> None:
    await kafka_admin.create_topic(name)
    partition, replica, nobody = TopicPartition(name, 0), Replica(name, 0, 1), Replica(name, 0, 77)

    async def holders() -> dict[str, bool]:
        """The directories that have the replica, and whether it is still on its way there."""
        directories = (await kafka_admin.describe_log_dirs([1]))[1]
        return {
            path: each.replicas[partition].is_future
            for path, each in directories.items()
            if partition in each.replicas
        }

    (before,) = await answer(holders, bool)
    (other,) = (await kafka_admin.describe_log_dirs([1]))[1].keys() - {before}
    outcomes = await kafka_admin.alter_replica_log_dirs({replica: other, nobody: other})
    assert list(outcomes.results) == [replica]
    assert code_of(outcomes.errors[nobody]) is ErrorCode.BROKER_ID_NOT_REGISTERED
    assert await answer(holders, lambda found: found == {other: False}) == {other: False}
    refused = await kafka_admin.alter_replica_log_dirs({replica: "/nowhere"})
    assert code_of(refused.errors[replica]) is ErrorCode.LOG_DIR_NOT_FOUND


async def test_reassignments_and_elections(kafka_admin: Admin, name: str) -> None:
    await kafka_admin.create_topic(name, partitions=2)
    first, second = TopicPartition(name, 0), TopicPartition(name, 1)
    moved = await kafka_admin.alter_partition_reassignments({first: [1], second: [77]})
    assert list(moved.results) == [first]
    assert code_of(moved.errors[second]) is ErrorCode.INVALID_REPLICA_ASSIGNMENT
    cancelled = await kafka_admin.alter_partition_reassignments({first: None})
    assert code_of(cancelled.errors[first]) is ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    assert await kafka_admin.list_partition_reassignments() == {}
    assert await kafka_admin.list_partition_reassignments([first]) == {}
    elected = await kafka_admin.elect_leaders([first, TopicPartition(name, 9)])
    assert code_of(elected.errors[first]) is ErrorCode.ELECTION_NOT_NEEDED
    assert code_of(elected.errors[TopicPartition(name, 9)]) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert code_of((await kafka_admin.elect_leaders([first], unclean=True)).errors[first]) is (
        ErrorCode.ELECTION_NOT_NEEDED
    )
    assert not (await kafka_admin.elect_leaders()).results


async def test_the_quorum(admin: Admin) -> None:
    quorum = await admin.describe_quorum()
    assert (quorum.leader_id, quorum.observers) == (1, ())
    (voter,) = quorum.voters
    assert voter.node_id == 1
    assert voter.log_end_offset >= quorum.high_watermark > 0
    assert 1 in quorum.endpoints


async def test_voters_are_added_and_removed_by_the_leader(kafka_admin: Admin) -> None:
    (voter,) = (await kafka_admin.describe_quorum()).voters
    with pytest.raises(ApiError, match="DUPLICATE_VOTER"):
        await kafka_admin.add_raft_voter(1, voter.directory_id, [VoterEndpoint("CONTROLLER", "localhost", 1)])
    with pytest.raises(ApiError, match="VOTER_NOT_FOUND"):
        await kafka_admin.remove_raft_voter(77, voter.directory_id)


async def test_features(admin: Admin) -> None:
    features = await admin.describe_features()
    level = features.finalized["metadata.version"]
    assert features.supported["metadata.version"].highest >= level
    assert features.finalized_epoch >= 0
    (await admin.update_features({"metadata.version": level}, validate_only=True)).raise_for_errors()
    with pytest.raises(ApiError, match=r"INVALID_UPDATE_VERSION|INVALID_REQUEST"):
        (
            await admin.update_features(
                {"metadata.version": 1}, upgrade_type=UpgradeType.SAFE_DOWNGRADE, validate_only=True
            )
        ).raise_for_errors()


async def test_the_cluster_and_its_brokers(admin: Admin) -> None:
    cluster = await admin.describe_cluster(include_fenced=True)
    assert cluster.cluster_id == admin.cluster.cluster_id
    assert [(broker.node_id, broker.is_fenced) for broker in cluster.brokers] == [(1, False)]


async def test_a_broker_that_was_never_there_can_t_be_forgotten(kafka_admin: Admin) -> None:
    with pytest.raises(ApiError, match="BROKER_ID_NOT_REGISTERED"):
        await kafka_admin.unregister_broker(77)


async def test_controllers_can_be_asked_without_a_broker(kafka: KafkaBroker) -> None:
    async with Admin(bootstrap_controllers=kafka.node.controller) as admin:
        assert (await admin.describe_quorum()).leader_id == 1
        assert [each.port for each in (await admin.describe_cluster()).brokers] == [
            kafka.node.controller_port
        ]
        with pytest.raises(UnsupportedByBrokerError, match=r"it needs bootstrap\.servers"):
            await admin.list_groups()
        with pytest.raises(UnsupportedByBrokerError, match="does not serve DescribeTopicPartitions"):
            await admin.describe_topics(["t"])
