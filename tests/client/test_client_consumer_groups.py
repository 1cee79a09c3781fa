"""Members of groups at Snakka and at Apache Kafka, by both protocols, among themselves and with librdkafka's."""

import asyncio
import contextlib
from collections.abc import Callable, Collection
from typing import Any

import pytest
from tests.client.librdkafka_member import LibrdkafkaMember
from tests.client.topic_content import create, fill, grow, new_name

from snakka.client.admin import Admin
from snakka.client.consumer import Consumer, Message, OffsetAndMetadata, RebalanceListener, TopicPartition
from snakka.client.errors import ClientConfigError, CommitFailedError, MemberFencedError, NoOffsetError
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

SECONDS = 30
QUICK_GROUPS = {
    "group.min.session.timeout.ms": "1000",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.min.session.timeout.ms": "1000",
}
PROTOCOLS = ("range", "roundrobin", "sticky", "cooperative-sticky", "consumer")
EAGER_COOPERATIVE_MODERN = ("range", "cooperative-sticky", "consumer")


@pytest.fixture
def snakka_options() -> dict[str, object]:
    return dict(QUICK_GROUPS)


@pytest.fixture
def topic() -> str:
    return new_name("shared")


@pytest.fixture
def group() -> str:
    return new_name("group")


def protocol_settings(protocol: str) -> dict[str, Any]:
    if protocol == "consumer":
        return {"group_protocol": "consumer"}
    return {
        "partition_assignment_strategy": [protocol],
        "heartbeat_interval_ms": 200,
        "session_timeout_ms": 2000,
    }


class Listener(RebalanceListener):
    """Remembers what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, frozenset[int]]] = []

    def on_partitions_assigned(self, partitions: Collection[TopicPartition]) -> None:
        self.heard.append(("assigned", frozenset(each.partition for each in partitions)))

    async def on_partitions_revoked(self, partitions: Collection[TopicPartition]) -> None:
        self.heard.append(("revoked", frozenset(each.partition for each in partitions)))

    async def on_partitions_lost(self, partitions: Collection[TopicPartition]) -> None:
        self.heard.append(("lost", frozenset(each.partition for each in partitions)))

    def what(self) -> list[str]:
        return [what for what, partitions in self.heard if partitions]


class Member:
    """One of ours, and a task that reads with it."""

    def __init__(self, bootstrap: str, group: str, topic: str, protocol: str, **settings: Any) -> None:
        self.listener = Listener()
        self.messages: list[Message] = []
        self.consumer = Consumer(
            bootstrap_servers=bootstrap,
            group_id=group,
            auto_offset_reset="earliest",
            **{"metadata_max_age_ms": 1000, **protocol_settings(protocol), **settings},
        )
        self.consumer.subscribe([topic], listener=self.listener)
        self._reading: asyncio.Task[None] | None = None

    @property
    def numbers(self) -> list[int]:
        return [int(message.value or b"") for message in self.messages]

    @property
    def partitions(self) -> frozenset[int]:
        return frozenset(each.partition for each in self.consumer.assignment())

    async def __aenter__(self) -> "Member":
        await self.consumer.start()
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.leave()

    async def leave(self) -> None:
        await self.consumer.stop()
        if self._reading is not None:
            await self._reading
            self._reading = None

    async def vanish(self) -> None:
        """End without a word to the group, as when the machine dies."""
        assert self._reading is not None
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self._reading = None
        await self.consumer._close()

    async def _read(self) -> None:
        async for message in self.consumer:
            self.messages.append(message)


async def eventually(condition: Callable[[], object], members: Collection[Any] = ()) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():  # noqa: ASYNC110 - there are members of three kinds
            await asyncio.sleep(0.01)


def everything(*members: Any) -> list[int]:
    return sorted(number for member in members for number in member.numbers)


# -- sharing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_members_come_and_go_and_each_message_is_read_once(
    bootstrap: str, topic: str, group: str, protocol: str
) -> None:
    await create(bootstrap, topic, 4)
    await fill(bootstrap, topic, range(400))
    async with Member(bootstrap, group, topic, protocol) as first:
        await eventually(lambda: len(first.messages) == 400)
        assert first.partitions == {0, 1, 2, 3}
        async with Member(bootstrap, group, topic, protocol) as second:
            await eventually(lambda: len(first.partitions) == len(second.partitions) == 2)
            assert not first.partitions & second.partitions
            await fill(bootstrap, topic, range(400, 800))
            await eventually(lambda: len(first.messages) + len(second.messages) >= 800)
            assert second.messages
            await first.leave()
            await eventually(lambda: len(second.partitions) == 4)
            await fill(bootstrap, topic, range(800, 1200))
            await eventually(lambda: len(first.messages) + len(second.messages) >= 1200)
            assert everything(first, second) == list(range(1200))
    assert first.listener.what()[0] == "assigned"
    assert first.listener.what()[-1] == "revoked"
    assert "lost" not in first.listener.what() + second.listener.what()
    # All was committed on the way: who comes next has nothing to read.
    async with Member(bootstrap, group, topic, protocol) as third:
        await eventually(lambda: len(third.partitions) == 4)
        for index in range(4):
            partition = TopicPartition(topic, index)
            end = (await third.consumer.end_offsets([partition]))[partition]
            assert await third.consumer.position(partition) == end
        assert third.messages == []


@pytest.mark.parametrize(
    ("protocol", "who_begins"),
    [
        ("range", "snakka's client"),
        ("range", "librdkafka"),
        ("roundrobin", "librdkafka"),
        ("cooperative-sticky", "snakka's client"),
        ("cooperative-sticky", "librdkafka"),
        ("consumer", "librdkafka"),
    ],
)
async def test_a_group_with_librdkafka(
    bootstrap: str, topic: str, group: str, protocol: str, who_begins: str
) -> None:
    """Either one assigns for both, since the first to join a classic group leads it."""
    await create(bootstrap, topic, 4)
    await fill(bootstrap, topic, range(200))
    foreign: dict[str, Any] = {"group_protocol": "consumer"}
    if protocol != "consumer":
        foreign = {
            "partition_assignment_strategy": protocol,
            "heartbeat_interval_ms": 200,
            "session_timeout_ms": 6000,
        }
    own = Member(bootstrap, group, topic, protocol)
    other = LibrdkafkaMember(bootstrap, group, topic, **foreign)
    first, second = (own, other) if who_begins == "snakka's client" else (other, own)
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(first)
        await eventually(lambda: len(first.messages) == 200)
        await stack.enter_async_context(second)
        await eventually(lambda: len(own.partitions) == len(other.assignment) == 2)
        assert not own.partitions & other.assignment
        await fill(bootstrap, topic, range(200, 400))
        await eventually(lambda: set(everything(own, other)) == set(range(400)))
        assert own.messages
        assert other.messages
        await own.leave()
        await eventually(lambda: len(other.assignment) == 4)
        await fill(bootstrap, topic, range(400, 600))
        await eventually(lambda: set(everything(own, other)) == set(range(600)))
    # We commit whatever we give away; the other one may read something again that it has not committed in time.
    assert len(set(own.numbers)) == len(own.numbers)


async def test_a_member_that_vanishes_is_replaced(bootstrap: str, topic: str, group: str) -> None:
    await create(bootstrap, topic, 2)
    quick = {"session_timeout_ms": 1000}
    async with (
        Member(bootstrap, group, topic, "cooperative-sticky") as first,
        Member(bootstrap, group, topic, "cooperative-sticky", **quick) as second,
    ):
        await eventually(lambda: len(first.partitions) == len(second.partitions) == 1)
        await second.vanish()
        await fill(bootstrap, topic, range(100))
        await eventually(lambda: len(first.partitions) == 2)
        await eventually(lambda: len(first.messages) == 100)


@pytest.mark.parametrize("protocol", EAGER_COOPERATIVE_MODERN)
async def test_partitions_that_are_added_are_assigned(
    bootstrap: str, topic: str, group: str, protocol: str
) -> None:
    await create(bootstrap, topic, 1)
    async with Member(bootstrap, group, topic, protocol) as member:
        await eventually(lambda: member.partitions == {0})
        await grow(bootstrap, topic, 3)
        await eventually(lambda: member.partitions == {0, 1, 2})
        await fill(bootstrap, topic, [7], partition=2)
        await eventually(lambda: member.numbers == [7])


@pytest.mark.parametrize("protocol", EAGER_COOPERATIVE_MODERN)
async def test_a_pattern_finds_topics_as_they_come(
    bootstrap: str, topic: str, group: str, protocol: str
) -> None:
    """With the modern protocol the broker finds them, and looks for new ones every ten seconds only."""
    await create(bootstrap, f"{topic}-a")
    if protocol == "consumer":
        await create(bootstrap, f"{topic}-b", 2)
    async with Member(bootstrap, group, "-", protocol, metadata_max_age_ms=300) as member:
        await member.consumer.unsubscribe()
        member.consumer.subscribe(pattern=f"{topic}-[ab]", listener=member.listener)
        await create(bootstrap, f"{topic}-c")
        if protocol != "consumer":
            await eventually(lambda: len(member.consumer.assignment()) == 1)
            await create(bootstrap, f"{topic}-b", 2)
        await eventually(lambda: len(member.consumer.assignment()) == 3)
        await fill(bootstrap, f"{topic}-b", [5], partition=1)
        await eventually(lambda: member.numbers == [5])


async def test_a_pattern_that_the_broker_can_t_read_is_named(bootstrap: str, group: str) -> None:
    async with Consumer(bootstrap_servers=bootstrap, group_id=group, group_protocol="consumer") as consumer:
        consumer.subscribe(pattern="(")
        with pytest.raises(ApiError, match="RE2") as refused:
            async with asyncio.timeout(SECONDS):
                await consumer.getone()
        assert refused.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


@pytest.mark.parametrize("protocol", EAGER_COOPERATIVE_MODERN)
async def test_another_subscription(bootstrap: str, topic: str, group: str, protocol: str) -> None:
    await create(bootstrap, topic)
    await create(bootstrap, f"{topic}-2")
    await fill(bootstrap, topic, [1])
    await fill(bootstrap, f"{topic}-2", [2])
    async with Member(bootstrap, group, topic, protocol) as member:
        await eventually(lambda: member.numbers == [1])
        member.consumer.subscribe([f"{topic}-2"], listener=member.listener)
        await eventually(lambda: member.numbers == [1, 2])
        assert {each.topic for each in member.consumer.assignment()} == {f"{topic}-2"}
        await member.consumer.unsubscribe()
        assert member.consumer.assignment() == frozenset()
        assert member.listener.what() == ["assigned", "revoked", "assigned", "revoked"]


# -- static members --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", EAGER_COOPERATIVE_MODERN)
async def test_whoever_unsubscribes_with_a_message_in_hands_has_processed_it_and_leaves(
    bootstrap: str, topic: str, group: str, protocol: str
) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(2))
    settings = {"bootstrap_servers": bootstrap, "group_id": group, **protocol_settings(protocol)}
    async with (
        asyncio.timeout(SECONDS),
        Consumer(topic, auto_offset_reset="earliest", **settings) as consumer,
        Admin(bootstrap_servers=bootstrap) as admin,
    ):
        async for message in consumer:
            assert message.offset == 0
            await consumer.unsubscribe()
            break
        assert (consumer.subscription(), consumer.assignment()) == (frozenset(), frozenset())
        assert (await admin.describe_groups([group]))[group].members == ()
        assert await consumer.committed(TopicPartition(topic, 0)) == 1
        consumer.subscribe([topic])
        assert (await consumer.getone()).offset == 1


@pytest.mark.parametrize("protocol", EAGER_COOPERATIVE_MODERN)
async def test_a_static_member_comes_back_to_what_it_had(
    bootstrap: str, topic: str, group: str, protocol: str
) -> None:
    await create(bootstrap, topic, 4)
    long = {} if protocol == "consumer" else {"session_timeout_ms": 30_000}
    async with Member(bootstrap, group, topic, protocol, group_instance_id="one", **long) as first:
        second = Member(bootstrap, group, topic, protocol, group_instance_id="two", **long)
        async with second:
            await eventually(lambda: len(first.partitions) == len(second.partitions) == 2)
            had = second.partitions
        heard = len(first.listener.heard)
        async with Member(bootstrap, group, topic, protocol, group_instance_id="two", **long) as again:
            await eventually(lambda: again.partitions == had)
            await fill(bootstrap, topic, range(100))
            await eventually(lambda: everything(first, again) == list(range(100)))
        assert len(first.listener.heard) == heard  # nobody else noticed


@pytest.mark.parametrize("protocol", EAGER_COOPERATIVE_MODERN)
async def test_two_static_members_of_one_name(bootstrap: str, topic: str, group: str, protocol: str) -> None:
    """The classic protocol lets the second one in and the first one hear of it; the modern one refuses the second."""
    await create(bootstrap, topic)
    settings = {**protocol_settings(protocol), "group_instance_id": "one"}
    async with (
        Consumer(topic, bootstrap_servers=bootstrap, group_id=group, **settings) as first,
        Consumer(bootstrap_servers=bootstrap, group_id=group, **settings) as second,
    ):
        await eventually(first.assignment)
        second.subscribe([topic])
        if protocol == "consumer":
            with pytest.raises(ApiError, match=r"another member has this group\.instance\.id"):
                await asyncio.wait_for(second.getone(), SECONDS)
        else:
            with pytest.raises(MemberFencedError, match="has taken this one's place"):
                await asyncio.wait_for(first.getone(), SECONDS)
            await eventually(second.assignment)


# -- committed offsets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["range", "consumer"])
async def test_commits(bootstrap: str, topic: str, group: str, protocol: str) -> None:
    await create(bootstrap, topic, 2)
    for index in range(2):
        await fill(bootstrap, topic, range(10), partition=index)
    one, two = (TopicPartition(topic, index) for index in range(2))
    settings = {**protocol_settings(protocol), "enable_auto_commit": False, "auto_offset_reset": "earliest"}
    async with Consumer(topic, bootstrap_servers=bootstrap, group_id=group, **settings) as consumer:
        async with asyncio.timeout(SECONDS):
            assert len([await consumer.getone() for _ in range(20)]) == 20
        assert await consumer.committed(one) is None
        await consumer.commit({one: 4, two: (5, "half way")})
        assert await consumer.committed(one) == 4
        found = await consumer.committed_offsets([one, two])
        assert found[two] == OffsetAndMetadata(5, "half way", -1)
        task = consumer.commit_async()
        await asyncio.wait_for(task, SECONDS)
        found = await consumer.committed_offsets([one, two])
        assert {partition: each.offset for partition, each in found.items()} == {one: 10, two: 10}
        assert all(each.leader_epoch >= 0 for each in found.values())
        assert await consumer.committed(TopicPartition(new_name("nothing"), 0)) is None
        await consumer.commit({one: OffsetAndMetadata(3, "back", 0)})
        await consumer.seek_to_committed(one)
        assert await consumer.position(one) == 3
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).offset == 3
        with pytest.raises(CommitFailedError, match="other-0 is not assigned to this consumer"):
            await consumer.commit({TopicPartition("other", 0): 1})
        metadata = consumer.group_metadata()
        assert metadata.group_id == group
        assert metadata.member_id
        assert metadata.generation_id > 0


async def test_offsets_of_a_consumer_that_chooses_its_partitions_itself(
    bootstrap: str, topic: str, group: str
) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(10))
    partition = TopicPartition(topic, 0)
    for expected in (0, 5):
        async with Consumer(
            bootstrap_servers=bootstrap, group_id=group, auto_offset_reset="earliest"
        ) as consumer:
            consumer.assign([partition])
            found = await asyncio.wait_for(consumer.getmany(timeout_ms=20_000, max_records=5), SECONDS)
            assert [message.offset for message in found[partition]] == list(range(expected, expected + 5))


async def test_nothing_is_committed_and_nothing_may_be_chosen(bootstrap: str, topic: str, group: str) -> None:
    await create(bootstrap, topic)
    settings = {**protocol_settings("range"), "auto_offset_reset": "none"}
    async with Consumer(topic, bootstrap_servers=bootstrap, group_id=group, **settings) as consumer:
        with pytest.raises(NoOffsetError, match="nothing is committed"):
            await asyncio.wait_for(consumer.getone(), SECONDS)


async def test_what_fails_is_read_again_and_what_succeeded_is_not(
    bootstrap: str, topic: str, group: str
) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(20))
    settings: dict[str, Any] = {**protocol_settings("range"), "auto_offset_reset": "earliest"}

    async def work(until_number: int) -> list[int]:
        done: list[int] = []
        async with Consumer(topic, bootstrap_servers=bootstrap, group_id=group, **settings) as consumer:
            async for message in consumer:
                if len(done) == until_number:
                    raise ValueError("this one is too hard")
                done.append(int(message.value or b""))
        return done

    async def attempt(count: int) -> None:
        with pytest.raises(ValueError, match="too hard"):
            await asyncio.wait_for(work(count), SECONDS)

    await attempt(5)  # 0 to 4 are done, 5 failed
    await attempt(3)  # 5 to 7
    async with Consumer(topic, bootstrap_servers=bootstrap, group_id=group, **settings) as consumer:
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).offset == 8


async def test_offsets_are_committed_by_themselves(bootstrap: str, topic: str, group: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(10))
    partition = TopicPartition(topic, 0)
    settings = {**protocol_settings("range"), "auto_offset_reset": "earliest", "auto_commit_interval_ms": 100}
    async with Consumer(topic, bootstrap_servers=bootstrap, group_id=group, **settings) as consumer:
        for _ in range(7):
            await asyncio.wait_for(consumer.getone(), SECONDS)
        async with asyncio.timeout(SECONDS):
            # The seventh may be being worked on.
            while await consumer.committed(partition) != 6:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


# -- listeners and slow applications ---------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", EAGER_COOPERATIVE_MODERN)
async def test_a_rebalance_waits_for_the_message_that_is_being_worked_on(
    bootstrap: str, topic: str, group: str, protocol: str
) -> None:
    await create(bootstrap, topic, 2)
    for index in range(2):
        await fill(bootstrap, topic, range(index * 50, index * 50 + 50), partition=index)
    listener = Listener()
    settings = {**protocol_settings(protocol), "auto_offset_reset": "earliest"}
    async with Consumer(bootstrap_servers=bootstrap, group_id=group, **settings) as slow:
        slow.subscribe([topic], listener=listener)
        done = [int((await asyncio.wait_for(slow.getone(), SECONDS)).value or b"") for _ in range(10)]
        async with Member(bootstrap, group, topic, protocol) as other:
            heard = len(listener.what())
            await asyncio.sleep(1.0)  # heartbeats come and go
            assert len(listener.what()) == heard
            assert not other.partitions
            while len(other.partitions) != 1 or len(slow.assignment()) != 1:
                for messages in (await slow.getmany(timeout_ms=100, max_records=1)).values():
                    done += [int(message.value or b"") for message in messages]
            async with asyncio.timeout(SECONDS):
                while len(done) + len(other.messages) < 100:
                    for messages in (await slow.getmany(timeout_ms=100)).values():
                        done += [int(message.value or b"") for message in messages]
            assert sorted(done + other.numbers) == list(range(100))


@pytest.mark.parametrize("protocol", ["range", "consumer"])
async def test_an_application_that_is_too_slow_loses_its_partitions_and_gets_others_later(
    bootstrap: str, topic: str, group: str, protocol: str
) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(10))
    listener = Listener()
    settings = {**protocol_settings(protocol), "auto_offset_reset": "earliest", "max_poll_interval_ms": 1000}
    async with Consumer(bootstrap_servers=bootstrap, group_id=group, **settings) as slow:
        slow.subscribe([topic], listener=listener)
        await asyncio.wait_for(slow.getone(), SECONDS)
        async with Member(bootstrap, group, topic, protocol) as other:
            await eventually(lambda: len(other.messages) == 10)  # also what the slow one still works on
            with pytest.raises(CommitFailedError):
                await slow.commit()
            assert await slow.getmany(timeout_ms=1000) == {}
            assert listener.what()[:2] == ["assigned", "lost"]
        async with asyncio.timeout(SECONDS):
            while not slow.assignment():
                await slow.getmany(timeout_ms=100)
        await fill(bootstrap, topic, [10])
        assert (await asyncio.wait_for(slow.getone(), SECONDS)).value == b"10"


async def test_positions_can_be_sought_when_partitions_come(bootstrap: str, topic: str, group: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(100))

    class Seeking(RebalanceListener):
        async def on_partitions_assigned(self, partitions: Collection[TopicPartition]) -> None:
            for partition in partitions:
                consumer.seek(partition, 90)
                assert await consumer.position(partition) == 90

    settings = protocol_settings("range")
    async with Consumer(bootstrap_servers=bootstrap, group_id=group, **settings) as consumer:
        consumer.subscribe([topic], listener=Seeking())
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).offset == 90


async def test_what_a_listener_fails_with_is_raised(bootstrap: str, topic: str, group: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, [1])

    class Failing(RebalanceListener):
        def on_partitions_assigned(self, partitions: Collection[TopicPartition]) -> None:
            raise RuntimeError("my own mistake")

    settings = {**protocol_settings("range"), "auto_offset_reset": "earliest"}
    async with Consumer(bootstrap_servers=bootstrap, group_id=group, **settings) as consumer:
        consumer.subscribe([topic], listener=Failing())
        with pytest.raises(RuntimeError, match="my own mistake"):
            await asyncio.wait_for(consumer.getone(), SECONDS)
        assert (await asyncio.wait_for(consumer.getone(), SECONDS)).value == b"1"


async def test_members_must_have_an_assignor_in_common(bootstrap: str, topic: str, group: str) -> None:
    await create(bootstrap, topic)
    async with (
        Member(bootstrap, group, topic, "range") as first,
        Consumer(bootstrap_servers=bootstrap, group_id=group, **protocol_settings("roundrobin")) as second,
    ):
        await eventually(lambda: first.partitions)
        second.subscribe([topic])
        with pytest.raises(ApiError, match="no assignor in common"):
            await asyncio.wait_for(second.getone(), SECONDS)


async def test_a_group_without_a_name_is_none() -> None:
    with pytest.raises(ClientConfigError, match=r"group\.id must not be empty"):
        Consumer("t", bootstrap_servers="127.0.0.1:1", group_id="")
    consumer = Consumer("t", bootstrap_servers="127.0.0.1:1")
    with pytest.raises(ClientConfigError, match=r"a listener needs group\.id"):
        consumer.subscribe(["t"], listener=Listener())
