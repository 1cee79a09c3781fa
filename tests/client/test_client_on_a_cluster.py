"""Clients on three Apache Kafkas whose leaders and coordinators move, die and come back: nothing is lost or repeated."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
from tests.client.awaited_answers import answer
from tests.client.cluster_traffic import Pipeline, Traffic
from tests.client.kafka_cluster import NODE_IDS, PATIENCE, KafkaCluster, rack, running_kafka_cluster
from tests.client.topic_content import new_name
from tests.kafka.nodes import kafka_libs

from snakka.client.admin import Admin, NewTopic
from snakka.client.admin.log_dirs import Replica
from snakka.client.admin.quorum import VoterEndpoint
from snakka.client.admin.topics import PartitionDescription
from snakka.client.consumer import Consumer, TopicPartition
from snakka.client.errors import LogTruncatedError
from snakka.client.producer import Producer
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.fetch import FetchResponse

# Brokers that start again take their time on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka-cluster"), pytest.mark.timeout(600)]

COORDINATED = (TopicPartition("__consumer_offsets", 0), TopicPartition("__transaction_state", 0))
SPREAD = {0: (1, 2, 3), 1: (2, 3, 1), 2: (3, 1, 2)}


@pytest.fixture(scope="module")
def whole_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    libs = kafka_libs()
    with running_kafka_cluster(tmp_path_factory.mktemp("cluster"), libs) as cluster:
        yield cluster


@pytest.fixture
def cluster(whole_cluster: KafkaCluster) -> Iterator[KafkaCluster]:
    """All three run at the beginning, whatever a test before has left behind."""
    yield whole_cluster
    for node in whole_cluster.nodes.values():
        if node.is_running:
            node.thaw()
        else:
            node.start()


@pytest.fixture
async def admin(cluster: KafkaCluster) -> AsyncIterator[Admin]:
    async with Admin(bootstrap_servers=cluster.bootstrap, **PATIENCE) as admin:
        yield admin


@pytest.fixture
def topic() -> str:
    return new_name("moving")


async def create(admin: Admin, topic: str, replicas: dict[int, Sequence[int]], **configs: str) -> None:
    named = {name.replace("_", "."): value for name, value in configs.items()}
    created = await admin.create_topics([NewTopic(topic, assignments=replicas, configs=named)])
    assert not created.errors, created.errors


async def described(admin: Admin, partition: TopicPartition) -> PartitionDescription:
    topics = await admin.describe_topics([partition.topic])
    return topics[partition.topic].partitions[partition.partition]


async def lead(admin: Admin, partition: TopicPartition, replicas: Sequence[int]) -> None:
    """Let the first of these replicas lead, and wait until it does."""
    await admin.alter_partition_reassignments({partition: replicas})
    await answer(lambda: admin.list_partition_reassignments([partition]), lambda moves: not moves)
    await answer(
        lambda: described(admin, partition),
        lambda now: now.replicas == tuple(replicas) and replicas[0] in now.isr,
    )
    elected = await admin.elect_leaders([partition])
    assert {error.code for error in elected.errors.values()} <= {ErrorCode.ELECTION_NOT_NEEDED}
    now = await answer(lambda: described(admin, partition), lambda now: now.leader_id == replicas[0])
    assert now.leader_id == replicas[0]


async def test_leaders_that_are_moved_are_followed(cluster: KafkaCluster, admin: Admin, topic: str) -> None:
    """Replicas go to other brokers, and leaders to other replicas, while everybody works."""
    await create(admin, topic, {0: (1, 2), 1: (2, 3), 2: (3, 1)}, min_insync_replicas="1")
    places = {0: [(2, 3), (3, 2)], 1: [(3, 1), (1, 3)], 2: [(1, 2), (2, 1)]}
    async with Traffic(cluster.bootstrap, topic) as traffic:
        await traffic.progress()
        for turn in range(2):
            for index, targets in places.items():
                await lead(admin, TopicPartition(topic, index), targets[turn])
            await traffic.progress()
        await traffic.check()


async def test_brokers_tell_who_leads_now_and_nobody_needs_to_ask(
    cluster: KafkaCluster, admin: Admin, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KIP-951: the old leader's answer names the new one; nothing else of the cluster is asked for here."""
    await create(admin, topic, {0: (1, 2, 3)})
    partition = TopicPartition(topic, 0)
    settings: dict[str, Any] = {**PATIENCE, "bootstrap_servers": cluster.bootstrap}
    async with Producer(linger_ms=0, **settings) as producer, Consumer(**settings) as consumer:
        consumer.assign([partition])
        consumer.seek(partition, 0)
        views = (producer._cluster, consumer._cluster)

        async def leaders(number: int) -> list[int]:
            """Who leads, as both know it after a record has come through."""
            assert (await producer.send_and_wait(topic, b"%d" % number)).offset == number
            async with asyncio.timeout(30):
                assert (await consumer.getone()).value == b"%d" % number
            known = [view.partition(*partition) for view in views]
            return [each.leader_id for each in known if each is not None]

        assert await leaders(0) == [1, 1]
        for view in views:
            monkeypatch.setattr(view, "refresh_soon", lambda: None)
        await lead(admin, partition, (2, 3, 1))
        assert await leaders(1) == [2, 2]
        await lead(admin, partition, (3, 1, 2))
        assert await leaders(2) == [3, 3]


async def test_a_leader_that_is_killed_and_comes_back(
    cluster: KafkaCluster, admin: Admin, topic: str
) -> None:
    await create(admin, topic, SPREAD)
    async with Traffic(cluster.bootstrap, topic) as traffic:
        await traffic.progress()
        await cluster.kill(1)
        await traffic.progress()
        moved = new_name("waits")
        await create(admin, moved, {0: (2, 3)})
        partition = TopicPartition(moved, 0)
        # A move to a broker that is dead goes on until it is back, or until it is taken back.
        await admin.alter_partition_reassignments({partition: (1, 2)})
        moves = await admin.list_partition_reassignments()
        assert list(moves) == [partition]
        assert (moves[partition].adding, moves[partition].removing) == ((1,), (3,))
        await admin.alter_partition_reassignments({partition: None})
        assert await answer(admin.list_partition_reassignments, lambda moves: not moves) == {}
        everybody = await answer(
            lambda: admin.describe_cluster(include_fenced=True),
            lambda now: any(each.is_fenced for each in now.brokers),
        )
        assert {each.node_id: each.is_fenced for each in everybody.brokers} == {1: True, 2: False, 3: False}
        await admin.unregister_broker(1)
        left = await answer(
            lambda: admin.describe_cluster(include_fenced=True), lambda now: len(now.brokers) == 2
        )
        assert {each.node_id for each in left.brokers} == {2, 3}
        await cluster.start(1)
        await lead(admin, TopicPartition(topic, 0), SPREAD[0])
        await traffic.progress()
        await traffic.check()


async def test_a_leader_that_is_frozen_and_believes_to_lead_when_it_thaws(
    cluster: KafkaCluster, admin: Admin, topic: str
) -> None:
    """Connections to it stay open and nothing is answered on them, until others lead."""
    await create(admin, topic, SPREAD)
    partition = TopicPartition(topic, 0)
    async with Traffic(cluster.bootstrap, topic) as traffic:
        await traffic.progress()
        cluster.nodes[1].freeze()
        await traffic.progress()
        now = await answer(lambda: described(admin, partition), lambda now: now.leader_id != 1)
        assert now.leader_id in (2, 3)
        cluster.nodes[1].thaw()
        await answer(lambda: described(admin, partition), lambda now: len(now.isr) == 3)
        await traffic.progress()
        await traffic.check()


async def test_coordinators_that_move_and_die(cluster: KafkaCluster, admin: Admin, topic: str) -> None:
    """Groups of both protocols and transactions go on at the next coordinator."""
    target = f"{topic}-copied"
    await create(admin, topic, SPREAD)
    await create(admin, target, SPREAD)
    async with (
        Traffic(cluster.bootstrap, topic) as traffic,
        Pipeline(cluster.bootstrap, topic, target) as pipeline,
    ):
        await traffic.progress()
        await pipeline.progress()
        leader = (await described(admin, COORDINATED[0])).leader_id
        first, second, third = leader, leader % 3 + 1, (leader + 1) % 3 + 1
        for partition in COORDINATED:
            await lead(admin, partition, (second, third, first))
        await traffic.progress()
        await pipeline.progress()
        groups = await admin.describe_groups([f"{topic}-classic", f"{topic}-consumer"])
        assert {each.coordinator_id for each in groups.raise_for_errors().values()} == {second}
        await cluster.kill(second)
        await traffic.progress()
        await pipeline.progress()
        for partition in COORDINATED:
            now = await answer(lambda: described(admin, partition), lambda now: now.leader_id != second)  # noqa: B023
            assert now.leader_id in (first, third)
        for reader in traffic.readers[1:]:
            await reader.consumer.commit()
        written = await traffic.check()
        await pipeline.check(written)
        for reader in traffic.readers[1:]:
            await reader.consumer.commit()
            partitions = [TopicPartition(topic, index) for index in SPREAD]
            committed = await reader.consumer.committed_offsets(partitions)
            assert sum(each.offset for each in committed.values()) == len(written)


async def test_a_rolling_restart(cluster: KafkaCluster, admin: Admin, topic: str) -> None:
    target = f"{topic}-copied"
    await create(admin, topic, SPREAD)
    await create(admin, target, SPREAD)
    async with (
        Traffic(cluster.bootstrap, topic, client_rack=rack(2)) as traffic,
        Pipeline(cluster.bootstrap, topic, target) as pipeline,
    ):
        await traffic.progress()
        for node_id in NODE_IDS:
            await cluster.stop(node_id)
            await cluster.start(node_id)
            for partition in (TopicPartition(topic, 0), *COORDINATED):
                # As operators do: the next one only when the last one has caught up.
                await answer(lambda: described(admin, partition), lambda now: len(now.isr) == 3)  # noqa: B023
            await traffic.progress()
            await pipeline.progress()
        await pipeline.check(await traffic.check())


class Answers:
    """What a consumer's fetches brought: by broker, how many bytes of records, and which replica it was sent to."""

    def __init__(self, consumer: Consumer, cluster: KafkaCluster) -> None:
        self.record_bytes = dict.fromkeys(cluster.nodes, 0)
        self.named: list[tuple[int, int]] = []  # who named whom
        by_port = {node.port: node_id for node_id, node in cluster.nodes.items()}
        pool = consumer._cluster.pool
        ask_on = pool.ask_on

        async def watched(connection: Any, *arguments: Any, **keywords: Any) -> Any:
            response = await ask_on(connection, *arguments, **keywords)
            if isinstance(response, FetchResponse):
                node_id = by_port[connection.port]
                for row in (row for each in response.responses for row in each.partitions):
                    self.record_bytes[node_id] += len(row.records or b"")
                    if row.preferred_read_replica >= 0:
                        self.named.append((node_id, row.preferred_read_replica))
            return response

        pool.ask_on = watched  # type: ignore[method-assign]


async def test_records_are_fetched_from_the_replica_nearby(
    cluster: KafkaCluster, admin: Admin, topic: str
) -> None:
    """The leader names it, it serves every record, and when it is gone the leader serves."""
    await create(admin, topic, {0: (1, 2, 3)})
    partition = TopicPartition(topic, 0)
    async with (
        Producer(bootstrap_servers=cluster.bootstrap, **PATIENCE) as producer,
        Consumer(bootstrap_servers=cluster.bootstrap, client_rack=rack(2), **PATIENCE) as consumer,
    ):
        answers = Answers(consumer, cluster)
        for number in range(100):
            await producer.send(topic, b"%d" % number)
        await producer.flush()
        consumer.assign([partition])
        consumer.seek(partition, 0)

        async def read(count: int) -> list[int]:
            async with asyncio.timeout(30):
                return [int((await consumer.getone()).value or b"") for _ in range(count)]

        assert await read(100) == list(range(100))
        assert answers.named == [(1, 2)]
        assert answers.record_bytes[2] > 0
        assert answers.record_bytes[1] == answers.record_bytes[3] == 0
        # It is a replica no more: the leader is asked again, and has no other one to name.
        await lead(admin, partition, (1, 3))
        await producer.send_and_wait(topic, b"100")
        assert await read(1) == [100]
        assert answers.record_bytes[1] > 0


async def test_a_truncated_log_is_noticed(cluster: KafkaCluster, admin: Admin, topic: str) -> None:
    """What only the old leader had is lost by an unclean election; who has read it is told, or goes on from there."""
    old, new = 1, 2
    await create(admin, topic, {0: (old, new)}, min_insync_replicas="1")
    partition = TopicPartition(topic, 0)
    settings: dict[str, Any] = {
        **PATIENCE,
        "bootstrap_servers": cluster.bootstrap,
        "request_timeout_ms": 2_000,
    }
    async with (
        Producer(acks=1, enable_idempotence=False, **settings) as producer,
        Consumer(auto_offset_reset="none", **settings) as careful,
        Consumer(auto_offset_reset="earliest", **settings) as easy,
    ):
        for consumer in (careful, easy):
            consumer.assign([partition])
            consumer.seek(partition, 0)

        async def read(consumer: Consumer, count: int) -> list[bytes | None]:
            async with asyncio.timeout(30):
                return [(await consumer.getone()).value for _ in range(count)]

        for number in range(5):
            await producer.send_and_wait(topic, b"both %d" % number)
        await answer(lambda: described(admin, partition), lambda now: len(now.isr) == 2)
        for consumer in (careful, easy):
            assert len(await read(consumer, 5)) == 5
        cluster.nodes[new].freeze()
        for number in range(5):
            await producer.send_and_wait(topic, b"old %d" % number)
        for consumer in (careful, easy):
            assert await read(consumer, 5) == [b"old %d" % number for number in range(5)]
        await cluster.kill(old)
        cluster.nodes[new].thaw()
        waiting = [asyncio.ensure_future(read(consumer, 2)) for consumer in (careful, easy)]
        await answer(lambda: described(admin, partition), lambda now: now.leader_id < 0)
        elected = await answer(
            lambda: admin.elect_leaders([partition], unclean=True), lambda outcomes: not outcomes.errors
        )
        assert not elected.errors
        # What was on its way when the new leader froze may have reached it all the same.
        lost_from, *_ = [
            (await producer.send_and_wait(topic, b"new %d" % number)).offset for number in range(2)
        ]
        assert 5 <= lost_from < 10
        told = f"{partition} has lost records from {lost_from} on .* up to 10"
        with pytest.raises(LogTruncatedError, match=told):
            await waiting[0]
        assert await waiting[1] == [b"new 0", b"new 1"]
        careful.seek(partition, lost_from)
        assert await read(careful, 2) == [b"new 0", b"new 1"]


async def test_the_quorum_and_the_brokers_are_administered(cluster: KafkaCluster, admin: Admin) -> None:
    quorum = await admin.describe_quorum()
    assert {voter.node_id: voter.directory_id for voter in quorum.voters} == {
        node_id: node.directory_id for node_id, node in cluster.nodes.items()
    }
    node_id = next(each for each in NODE_IDS if each != quorum.leader_id)
    node = cluster.nodes[node_id]
    await admin.remove_raft_voter(node_id, node.directory_id)
    reduced = await answer(
        admin.describe_quorum, lambda now: node_id in {each.node_id for each in now.observers}
    )
    assert {voter.node_id for voter in reduced.voters} == {*NODE_IDS} - {node_id}
    endpoint = VoterEndpoint("CONTROLLER", "127.0.0.1", node.controller_port)
    with pytest.raises(ApiError, match="DUPLICATE_VOTER"):
        await admin.add_raft_voter(quorum.leader_id, cluster.nodes[quorum.leader_id].directory_id, [endpoint])
    await admin.add_raft_voter(node_id, node.directory_id, [endpoint])
    whole = await answer(admin.describe_quorum, lambda now: len(now.voters) == 3)
    assert {voter.node_id for voter in whole.voters} == {*NODE_IDS}
    found = await admin.describe_cluster()
    assert {(each.node_id, each.port, each.rack) for each in found.brokers} == {
        (node_id, node.port, rack(node_id)) for node_id, node in cluster.nodes.items()
    }
    with pytest.raises(ApiError, match="BROKER_ID_NOT_REGISTERED"):
        await admin.unregister_broker(77)


async def test_a_replica_moves_to_another_directory_of_its_broker(
    cluster: KafkaCluster, admin: Admin, topic: str
) -> None:
    await create(admin, topic, {0: (2, 3)})
    partition = TopicPartition(topic, 0)
    async with Producer(bootstrap_servers=cluster.bootstrap, **PATIENCE) as producer:
        for _ in range(50):
            await producer.send(topic, b"x" * 100)
    directories = await admin.describe_log_dirs([3], partitions=[partition])
    (here,) = [path for path, each in directories[3].items() if partition in each.replicas]
    (there,) = [path for path in cluster.nodes[3].directories if path != here]
    moved = await admin.alter_replica_log_dirs({Replica(topic, 0, 3): there})
    assert not moved.errors

    async def where() -> list[tuple[str, bool]]:
        now = await admin.describe_log_dirs([3], partitions=[partition])
        return [
            (path, each.replicas[partition].is_future)
            for path, each in now[3].items()
            if partition in each.replicas
        ]

    assert await answer(where, lambda places: places == [(there, False)]) == [(there, False)]
