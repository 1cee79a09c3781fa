"""The committed image and those who are told of it."""

import asyncio

import pytest
from cluster_builder import uuid
from metadata_node import HeldRaft, RecordingPublisher, real_node

from snakka.metadata.image import ClusterImage, Delta, InconsistentRecord
from snakka.metadata.loader import MetadataLoader
from snakka.metadata.publisher import Publishers
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.record_types.metadata.begin_transaction_record import BeginTransactionRecord
from snakka.protocol.record_types.metadata.end_transaction_record import EndTransactionRecord
from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.protocol.record_types.metadata.no_op_record import NoOpRecord
from snakka.protocol.record_types.metadata.remove_topic_record import RemoveTopicRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.raft.listeners import CommittedBatch
from snakka.raft.settings import RaftSettings
from snakka.raft.snapshot_files import SnapshotId
from snakka.runtime import InlineOffload, Runtime


class Fixture:
    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.runtime = Runtime(loop, offload=InlineOffload(loop))
        self.raft = HeldRaft()
        self.publisher = RecordingPublisher()
        self.publishers = Publishers([self.publisher])
        self.loader = MetadataLoader(self.runtime, self.raft, self.publishers)

    def commit(self, first: int, *records: object, high_watermark: int | None = None) -> None:
        last = first + len(records) - 1
        self.raft.high_watermark = last + 1 if high_watermark is None else high_watermark
        self.loader.handle_commit(CommittedBatch(first, last, 3, 1_000 + last, records, 10))

    def soon(self, seconds: float = 5.0) -> float:
        return self.runtime.clock.monotonic() + seconds


@pytest.fixture
async def fixture():
    made = Fixture()
    yield made
    await made.runtime.close()


def topic(name: str, number: int) -> TopicRecord:
    return TopicRecord(name=name, topic_id=uuid(number))


async def test_a_start_is_told_as_one_change(fixture: Fixture) -> None:
    fixture.commit(0, topic("a", 1), high_watermark=3)
    fixture.commit(1, topic("b", 2), high_watermark=3)
    assert (fixture.publisher.calls, fixture.loader.offset) == (0, -1)
    fixture.commit(2, topic("c", 3))
    assert (fixture.publisher.calls, fixture.publisher.created) == (1, ["a", "b", "c"])
    assert fixture.loader.offset == 2
    fixture.commit(3, topic("d", 4))
    assert (fixture.publisher.calls, fixture.publisher.created[-1]) == (2, "d")


async def test_what_changes_nothing_is_not_published_but_moves_on(fixture: Fixture) -> None:
    fixture.commit(0, NoOpRecord())
    assert (fixture.publisher.calls, fixture.loader.offset) == (0, 0)
    image = fixture.loader.image
    assert (image.offset, image.epoch, image.timestamp_ms) == (0, 3, 1_000)


async def test_a_transaction_is_published_when_it_ends(fixture: Fixture) -> None:
    fixture.commit(0, NoOpRecord())
    fixture.commit(1, BeginTransactionRecord(), topic("a", 1))
    fixture.commit(3, topic("b", 2))
    assert (fixture.publisher.calls, fixture.loader.offset) == (0, 0)
    fixture.commit(4, EndTransactionRecord())
    assert (fixture.publisher.created, fixture.loader.offset) == (["a", "b"], 4)


async def test_a_snapshot_takes_the_place_of_what_was_there(fixture: Fixture) -> None:
    fixture.commit(0, topic("old", 1), topic("kept", 2))
    seen: list[Delta] = []

    class Watcher:
        def publish(self, delta: Delta, image: ClusterImage) -> None:
            seen.append(delta)

    fixture.publishers.add(Watcher())
    records = iter(
        [FeatureLevelRecord(name="metadata.version", feature_level=30), topic("kept", 2), topic("new", 3)]
    )
    fixture.loader.handle_snapshot(SnapshotId(10, 4), records)
    fixture.commit(10, NoOpRecord())
    assert sorted(fixture.loader.image.topics.by_name) == ["kept", "new"]
    (delta,) = seen
    assert list(delta.created_topics) == [uuid(3)]
    assert [one.name for one in delta.deleted_topics.values()] == ["old"]
    assert fixture.loader.offset == 10


async def test_waiting_for_an_offset(fixture: Fixture) -> None:
    fixture.commit(0, NoOpRecord())
    await fixture.loader.wait_for_offset(0, fixture.soon(-1.0))
    later = asyncio.ensure_future(fixture.loader.wait_for_offset(2, fixture.soon()))
    never = asyncio.ensure_future(fixture.loader.wait_for_offset(99, fixture.soon(0.02)))
    await asyncio.sleep(0)
    fixture.commit(1, NoOpRecord())
    await asyncio.sleep(0)
    assert not later.done()
    fixture.commit(2, NoOpRecord())
    await later
    with pytest.raises(ApiError) as refused:
        await never
    assert refused.value.code is ErrorCode.REQUEST_TIMED_OUT
    given_up = asyncio.ensure_future(fixture.loader.wait_for_offset(99, fixture.soon()))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait([given_up])
    fixture.commit(3, NoOpRecord())


async def test_publishers_are_told_in_order_and_one_that_fails_stops_nobody(fixture: Fixture) -> None:
    order: list[str] = []

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def publish(self, delta: Delta, image: ClusterImage) -> None:
            order.append(self.name)
            if self.name == "bad":
                raise ValueError("on purpose")

    for name in ("first", "bad", "last"):
        fixture.publishers.add(Named(name))
    fixture.commit(0, topic("a", 1))
    assert order == ["first", "bad", "last"]
    assert fixture.publishers.failures == 1
    assert fixture.loader.offset == 0


async def test_a_log_that_makes_no_sense_is_not_swallowed(fixture: Fixture) -> None:
    with pytest.raises(InconsistentRecord):
        fixture.commit(0, RemoveTopicRecord(topic_id=uuid(1)))


async def test_a_snapshot_is_written_when_one_is_due(fixture: Fixture) -> None:
    fixture.commit(0, topic("a", 1))
    assert fixture.raft.snapshots == []
    fixture.raft.snapshot_is_due = True
    fixture.commit(1, topic("b", 2))
    ((offset, records),) = fixture.raft.snapshots
    assert offset == 1
    assert [record.name for record in records] == ["a", "b"]


async def test_a_node_starts_from_its_snapshot_on_a_real_log(tmp_path) -> None:
    often = RaftSettings(idle_interval_ms=0, snapshot_after_bytes=300)
    async with real_node(str(tmp_path), settings=often) as node:
        await node.up()
        for number in range(20):
            await node.create_topic(f"t{number}")
        before = node.loader.image.copy()
    names = [path.name for path in (tmp_path / "__cluster_metadata-0").glob("*.checkpoint")]
    assert any(not name.startswith("0" * 20) for name in names), names
    async with real_node(str(tmp_path), settings=often) as node:
        await node.loader.wait_until_caught_up(node.soon())
        assert node.loader.image == before
        assert node.publisher.calls >= 1
        assert len(node.publisher.created) == 20
        assert node.fatal == []
