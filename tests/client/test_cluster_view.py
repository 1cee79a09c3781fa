"""What a client knows of its cluster, and how that stays true: epochs, ids, hints, and brokers that all go away."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.awaited_answers import answer
from tests.client.kafka_broker import CLUSTER_ID, KafkaBroker
from tests.client.scripted_broker import ScriptedBroker
from tests.client.unreliable_proxy import UnreliableProxy
from tests.client.waiting import until

from snakka.client.admin import Admin
from snakka.client.broker_addresses import BrokerNode
from snakka.client.cluster_topics import LAG_SECONDS, LeaderHint, Topics, TopicView
from snakka.client.cluster_view import ClusterView, running_cluster
from snakka.client.errors import NoBrokerError, RequestTimedOutError
from snakka.client.settings import AdminSettings, resolve
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from snakka.protocol.uuids import ZERO_UUID
from snakka.testing import LocalBroker

FIRST_ID, SECOND_ID = b"1" * 16, b"2" * 16


def soon(seconds: float = 20.0) -> float:
    return time.monotonic() + seconds


@asynccontextmanager
async def cluster_at(*bootstrap: str, **settings: object) -> AsyncIterator[ClusterView]:
    given = {"bootstrap_servers": bootstrap, "retry_backoff_ms": 10, "retry_backoff_max_ms": 50, **settings}
    async with running_cluster(resolve(AdminSettings, given)) as cluster:
        yield cluster


def row(topic_id: bytes, *leaders: tuple[int, int]) -> MetadataResponseTopic:
    partitions = [
        MetadataResponsePartition(
            partition_index=index,
            leader_id=leader,
            leader_epoch=epoch,
            replica_nodes=[],
            isr_nodes=[],
            offline_replicas=[],
        )
        for index, (leader, epoch) in enumerate(leaders)
    ]
    return MetadataResponseTopic(name="t", topic_id=topic_id, partitions=partitions)


# -- what is known, without a network -------------------------------------------------------------------------------------

NEWS = st.tuples(st.booleans(), st.sampled_from([FIRST_ID, SECOND_ID]), st.integers(0, 3), st.integers(0, 9))


@given(st.lists(NEWS, max_size=30))
def test_a_leader_s_epoch_never_goes_back_while_the_topic_is_the_same(
    news: list[tuple[bool, bytes, int, int]],
) -> None:
    topics = Topics(lambda: 0.0)
    for is_hint, topic_id, leader, epoch in news:
        before = topics.by_name.get("t")
        if is_hint:
            was_news = topics.apply_hint(LeaderHint("t", topic_id, 0, leader, epoch))
            assert was_news == (
                before is not None
                and before.topic_id == topic_id
                and epoch > before.partitions[0].leader_epoch
            )
        else:
            topics.take(row(topic_id, (leader, epoch)))
        after = topics.by_name.get("t")
        if after is None:
            continue
        assert topics.by_id(after.topic_id) is after
        if before is not None and after.topic_id == before.topic_id:
            assert after.partitions[0].leader_epoch >= before.partitions[0].leader_epoch
            if after.partitions[0].leader_epoch > before.partitions[0].leader_epoch:
                assert after.partitions[0].leader_id == leader
        else:
            assert (after.partitions[0].leader_id, after.partitions[0].leader_epoch) == (leader, epoch)


def test_partitions_that_are_added_or_have_no_epoch() -> None:
    topics = Topics(lambda: 0.0)
    topics.take(row(ZERO_UUID, (1, 5)))
    topics.take(row(ZERO_UUID, (2, -1), (3, 0)))  # an old broker, without epochs
    assert [partition.leader_id for partition in topics.by_name["t"].partitions] == [2, 3]
    assert topics.apply_hint(LeaderHint("t", ZERO_UUID, 1, 4, 1))
    assert not topics.apply_hint(LeaderHint("t", ZERO_UUID, 2, 4, 1))
    assert not topics.apply_hint(LeaderHint("u", ZERO_UUID, 0, 4, 1))
    assert not topics.apply_hint(LeaderHint("t", ZERO_UUID, 1, -1, 7))


@pytest.mark.parametrize("was_seen_missing", [True, False])
def test_a_broker_that_lags_behind_does_not_bring_a_replaced_topic_back(was_seen_missing: bool) -> None:
    now = 0.0
    topics = Topics(lambda: now)
    topics.take(row(FIRST_ID, (1, 5)))
    if was_seen_missing:
        topics.take(
            MetadataResponseTopic(error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name="t", partitions=[])
        )
    topics.take(row(SECOND_ID, (2, 0)))
    topics.take(row(FIRST_ID, (1, 6)))
    assert (topics.by_name["t"].topic_id, topics.by_id(FIRST_ID)) == (SECOND_ID, None)
    now = LAG_SECONDS
    topics.take(row(FIRST_ID, (1, 4)))  # it is not the broker that is wrong, but we
    known = topics.by_id(FIRST_ID)
    assert known is not None
    assert (known.partitions[0].leader_epoch, topics.by_id(SECOND_ID)) == (5, None)


def test_epochs_do_not_go_back_though_the_topic_was_forgotten_meanwhile() -> None:
    topics = Topics(lambda: 0.0)
    topics.take(row(FIRST_ID, (1, 5)))
    topics.forget("t")
    assert topics.by_id(FIRST_ID) is None
    topics.take(row(FIRST_ID, (2, 4)))
    (partition,) = topics.by_name["t"].partitions
    assert (partition.leader_id, partition.leader_epoch) == (1, 5)


def test_what_is_deleted_is_forgotten_and_what_has_no_leader_is_not() -> None:
    topics = Topics(lambda: 0.0)
    topics.take(row(FIRST_ID, (1, 5)))
    topics.take(MetadataResponseTopic(error_code=ErrorCode.LEADER_NOT_AVAILABLE, name="t", partitions=[]))
    assert topics.by_name["t"].partitions[0].leader_epoch == 5
    topics.take(
        MetadataResponseTopic(
            error_code=ErrorCode.UNKNOWN_TOPIC_ID, name=None, topic_id=FIRST_ID, partitions=[]
        )
    )
    assert topics.by_id(FIRST_ID) is None
    assert not topics.by_name
    error = topics.error("t")
    assert error is not None
    assert error.code is ErrorCode.UNKNOWN_TOPIC_ID


# -- with brokers ---------------------------------------------------------------------------------------------------------


async def test_a_topic_made_anew_under_its_name_has_another_id(snakka: LocalBroker) -> None:
    async with cluster_at(snakka.bootstrap_servers) as cluster:
        admin = Admin(cluster=cluster)
        await admin.create_topic("t", partitions=2)
        first = await cluster.topic("t", soon())
        assert cluster.known_topic_by_id(first.topic_id) is first
        assert await cluster.topics_by_id([first.topic_id], soon()) == {first.topic_id: first}
        await admin.delete_topic("t")
        await admin.create_topic("t", partitions=3)
        cluster.track(["t"])
        await cluster.refreshed(soon())
        second = cluster.known_topic("t")
        assert second is not None
        assert second.topic_id != first.topic_id
        assert len(second.partitions) == 3
        assert cluster.known_topic_by_id(first.topic_id) is None
        assert await cluster.topics_by_id([first.topic_id, second.topic_id], soon()) == {
            second.topic_id: second
        }


async def test_kafka_is_seen_as_it_is(kafka: KafkaBroker) -> None:
    async with cluster_at(kafka.bootstrap) as cluster:
        await Admin(cluster=cluster).create_topic("seen", partitions=2)

        async def seen() -> TopicView | None:
            """A broker may hear of it long after the controller has created it, on a busy machine."""
            with suppress(ApiError):
                return await cluster.topic("seen", soon())
            return None

        topic = await answer(seen, lambda topic: topic is not None)
        assert topic is not None
        assert cluster.cluster_id == CLUSTER_ID
        assert list(cluster.brokers) == [1]
        assert [(partition.index, partition.leader_id) for partition in topic.partitions] == [(0, 1), (1, 1)]
        assert cluster.by_leader(topic, [1, 0]) == {1: [1, 0]}
        cluster.forget("seen")
        assert (await cluster.topics_by_id([topic.topic_id], soon()))[topic.topic_id] == topic
        with pytest.raises(ApiError, match="topic missing does not exist"):
            await cluster.topic("missing", soon())
        with pytest.raises(ApiError, match="can't be the name of a topic"):
            await cluster.topic("no/name", soon())


async def test_a_thousand_who_need_a_topic_ask_once() -> None:
    async with ScriptedBroker() as broker, cluster_at(broker.address) as cluster:
        broker.add_topic("t", FIRST_ID, [(1, 0)])
        topics = await asyncio.gather(*(cluster.topic("t", soon()) for _ in range(1000)))
        assert len(set(map(id, topics))) == 1
        assert len(broker.asked(ApiKey.METADATA)) == 1


async def test_whoever_waits_for_another_s_question_asks_itself_when_that_gives_up() -> None:
    async with ScriptedBroker() as broker, cluster_at(broker.address) as cluster:
        gate = asyncio.Event()
        answer = broker.answers[ApiKey.METADATA]

        async def slowly(request: object) -> object:
            await gate.wait()
            return answer(request)

        broker.answers[ApiKey.METADATA] = slowly  # type: ignore[assignment]
        broker.add_topic("t", FIRST_ID, [(1, 0)])
        await cluster.pool.any_connection(soon())  # it has no time to dial
        first = asyncio.ensure_future(cluster.topic("t", soon(0.1)))
        await until(lambda: broker.asked(ApiKey.METADATA))
        second = asyncio.ensure_future(cluster.topic("t", soon()))
        with pytest.raises(RequestTimedOutError):
            await first
        gate.set()
        assert (await second).name == "t"


async def test_a_hint_counts_at_once_and_brings_its_broker() -> None:
    async with ScriptedBroker() as broker, cluster_at(broker.address) as cluster:
        broker.add_topic("t", FIRST_ID, [(1, 3)])
        topic = await cluster.topic("t", soon())
        generation = cluster.generation
        changes: list[int] = []
        unwatch = cluster.watch(lambda: changes.append(cluster.generation))
        hint = LeaderHint("", FIRST_ID, 0, 2, 4)
        assert cluster.apply_hint(hint, [BrokerNode(2, "127.0.0.1", 1)])
        assert not cluster.apply_hint(hint)
        leader = cluster.partition("t", 0)
        assert leader is not None
        assert (leader.leader_id, leader.leader_epoch) == (2, 4)
        assert cluster.brokers[2].port == 1
        assert cluster.generation > generation
        assert len(changes) == 1
        unwatch()
        await cluster.refreshed(soon())  # the broker still tells of epoch 3
        leader = cluster.partition("t", 0)
        assert leader is not None
        assert leader.leader_id == 2
        assert len(changes) == 1
        assert topic.partitions[0].leader_id == 1


async def test_leaders_that_are_missing_or_unknown_are_errors() -> None:
    async with ScriptedBroker() as broker, cluster_at(broker.address) as cluster:
        broker.add_topic("t", FIRST_ID, [(1, 0), (-1, 1), (9, 0)])
        topic = await cluster.topic("t", soon())
        assert cluster.by_leader(topic, [0]) == {1: [0]}
        for index, code in (
            (1, "LEADER_NOT_AVAILABLE"),
            (2, "LEADER_NOT_AVAILABLE"),
            (3, "INVALID_PARTITIONS"),
        ):
            with pytest.raises(ApiError, match=code):
                cluster.by_leader(topic, [index])


async def test_old_news_are_refreshed_in_the_background_but_not_all_the_time() -> None:
    async with (
        ScriptedBroker() as broker,
        cluster_at(broker.address, metadata_max_age_ms=200, retry_backoff_ms=100) as cluster,
    ):
        broker.add_topic("t", FIRST_ID, [(1, 0)])
        cluster.track(["t"])
        cluster.start()
        await until(lambda: cluster.known_topic("t"))  # nobody asked: it was too old
        broker.add_topic("t", FIRST_ID, [(1, 1)])
        asked = len(broker.asked(ApiKey.METADATA))
        ends = time.monotonic() + 0.5
        while time.monotonic() < ends:
            cluster.refresh_soon()
            await asyncio.sleep(0)
        assert 2 <= len(broker.asked(ApiKey.METADATA)) - asked <= 8
        partition = cluster.partition("t", 0)
        assert partition is not None
        assert partition.leader_epoch == 1
        cluster.untrack(["t"])


async def test_what_nobody_asks_for_any_more_is_forgotten_though_nothing_is_kept_fresh() -> None:
    async with ScriptedBroker() as broker:
        for number in range(50):
            broker.add_topic(f"t{number}", bytes([number]) * 16, [(1, 0)])
        async with cluster_at(broker.address, metadata_max_idle_ms=5000) as cluster:
            now = time.monotonic()
            cluster.clock.monotonic = lambda: now  # type: ignore[method-assign]
            for number in range(50):
                now += 1
                await cluster.topic("t0", now + 20)
                await cluster.topic(f"t{number}", now + 20)
                assert len(cluster.known_topics()) <= 7
            assert {topic.name for topic in cluster.known_topics()} == {
                "t0",
                *(f"t{n}" for n in range(44, 50)),
            }


async def test_all_topics_are_tracked_for_patterns() -> None:
    async with ScriptedBroker() as broker, cluster_at(broker.address) as cluster:
        broker.add_topic("a", FIRST_ID, [(1, 0)])
        broker.add_topic("b", SECOND_ID, [(1, 0)])
        cluster.track_all(True)
        await cluster.refreshed(soon())
        assert [topic.name for topic in cluster.known_topics()] == ["a", "b"]
        broker.topics.pop(0)
        await cluster.refreshed(soon())
        assert [topic.name for topic in cluster.known_topics()] == ["b"]


async def test_a_broker_in_trouble_is_asked_again() -> None:
    async with ScriptedBroker() as broker, cluster_at(broker.address) as cluster:
        broker.add_topic("t", FIRST_ID, [(1, 0)])
        await cluster.connect(soon())
        answer = broker.answers[ApiKey.METADATA]
        troubles = [None, MetadataResponse(brokers=[], topics=[]), None]
        broker.answers[ApiKey.METADATA] = lambda request: troubles.pop() if troubles else answer(request)
        assert (await cluster.topic("t", soon())).name == "t"
        assert not troubles


async def test_when_all_known_brokers_are_gone_it_begins_again() -> None:
    """The bootstrap address leads to other brokers meanwhile, on ports that nobody was told of (KIP-899)."""
    async with UnreliableProxy() as entrance, ScriptedBroker(1) as old, ScriptedBroker(2) as new:
        entrance.upstream = old.port
        for broker in (old, new):
            broker.add_topic("t", FIRST_ID, [(broker.node_id, broker.node_id)])
        async with (
            cluster_at(entrance.address) as cluster,
            cluster_at(entrance.address, metadata_recovery_strategy="none") as stubborn,
        ):
            for each in (cluster, stubborn):
                await each.connect(soon())
                await each.pool.connection(1, soon())
            await old.__aexit__(None, None, None)
            entrance.upstream = new.port
            entrance.cut_all()
            assert (await cluster.topic("t", soon())).partitions[0].leader_id == 2
            assert list(cluster.brokers) == [2]
            with pytest.raises(NoBrokerError):
                await stubborn.topic("t", soon(0.3))


async def test_a_broker_may_ask_to_begin_again() -> None:
    """KIP-1102: a proxy that lost its clusters sends its clients back to the entrance."""
    async with ScriptedBroker(1) as old, ScriptedBroker(2) as new, UnreliableProxy() as entrance:
        entrance.upstream = old.port
        async with cluster_at(entrance.address) as cluster:
            await cluster.connect(soon())
            old.answers[ApiKey.METADATA] = lambda _: MetadataResponse(
                brokers=[], topics=[], error_code=ErrorCode.REBOOTSTRAP_REQUIRED
            )
            new.add_topic("t", FIRST_ID, [(2, 0)])
            entrance.upstream = new.port
            assert (await cluster.topic("t", soon())).partitions[0].leader_id == 2


async def test_after_a_long_silence_it_begins_again() -> None:
    async with ScriptedBroker(1) as old, ScriptedBroker(2) as new, UnreliableProxy() as entrance:
        entrance.upstream = old.port
        async with cluster_at(
            entrance.address, request_timeout_ms=100, metadata_recovery_rebootstrap_trigger_ms=250
        ) as cluster:
            await cluster.connect(soon())
            await cluster.pool.connection(1, soon())
            never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            unanswered = []
            old.answers[ApiKey.METADATA] = lambda request: unanswered.append(request) or never
            entrance.upstream = new.port
            cluster.start()
            cluster.refresh_soon()
            await until(lambda: list(cluster.brokers) == [2])
            # The third takes it beyond the time; without that it would go on until no connection can be had.
            assert 1 <= len(unanswered) <= 3
