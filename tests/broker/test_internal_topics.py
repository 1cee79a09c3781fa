"""The topics that coordinators keep their state in: of Kafka's size, and made without a sync that the loop waits for."""

import os
import threading

import pytest
from api_harness import running_broker

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)

GROUP, TRANSACTION = 0, 1
TOPICS = {GROUP: "__consumer_offsets", TRANSACTION: "__transaction_state"}


@pytest.fixture
def syncs_on_the_loop(monkeypatch) -> list[str]:
    """Every sync that the loop's own thread has to wait for."""
    loop_thread = threading.get_ident()
    seen: list[str] = []

    def watch(name: str) -> None:
        sync = getattr(os, name)

        def watched(descriptor: int) -> None:
            if threading.get_ident() == loop_thread:
                seen.append(name)
            sync(descriptor)

        monkeypatch.setattr(os, name, watched)

    for name in ("fsync", "fdatasync"):
        if hasattr(os, name):
            watch(name)
    return seen


@pytest.mark.parametrize("kind", [GROUP, TRANSACTION])
async def test_fifty_partitions_come_without_a_sync_on_the_loop(tmp_path, syncs_on_the_loop, kind):
    async with running_broker(tmp_path) as broker:
        assert not [topic for topic in broker.image.topics.by_name if topic.startswith("__")], (
            "nobody asked yet"
        )
        syncs_on_the_loop.clear()
        answer = await broker.ask(FindCoordinatorRequest(key_type=kind, coordinator_keys=["somebody"]), 4)
        assert [row.error_code for row in answer.coordinators] == [0]
        assert syncs_on_the_loop == []
        assert len(broker.image.topics.by_name[TOPICS[kind]].partitions) == 50
        assert len([path for path in tmp_path.glob(f"**/{TOPICS[kind]}-*") if path.is_dir()]) == 50


async def test_a_coordinator_lets_go_of_a_topic_that_is_deleted_and_begins_anew(tmp_path):
    """Whoever deletes what groups are kept in wants them to be forgotten; nobody needs to start the broker again."""
    async with running_broker(tmp_path, offsets_topic_num_partitions="2") as broker:
        find = FindCoordinatorRequest(key_type=GROUP, coordinator_keys=["g"])
        await broker.ask(find, 4)
        await broker.ask(
            CreateTopicsRequest(
                topics=[CreatableTopic(name="t", num_partitions=1, replication_factor=1)], timeout_ms=10_000
            )
        )
        partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=7)
        commit = OffsetCommitRequest(
            group_id="g",
            generation_id_or_member_epoch=-1,
            topics=[OffsetCommitRequestTopic(name="t", partitions=[partition])],
        )
        answer = await broker.ask(commit, 8)
        assert answer.topics[0].partitions[0].error_code == 0
        assert await committed(broker) == (0, 7)
        topic = DeleteTopicState(name=TOPICS[GROUP])
        deleted = await broker.ask(DeleteTopicsRequest(topics=[topic], timeout_ms=10_000))
        assert [row.error_code for row in deleted.responses] == [0]
        assert list(broker.services.groups.hosts()) == []
        assert (await committed(broker))[0] == ErrorCode.NOT_COORDINATOR
        found = await broker.ask(find, 4)
        assert [row.error_code for row in found.coordinators] == [0]
        assert await committed(broker) == (0, -1)
        answer = await broker.ask(commit, 8)
        assert answer.topics[0].partitions[0].error_code == 0
        assert await committed(broker) == (0, 7)


async def committed(broker) -> tuple[int, int]:
    """The group's code, and the offset if there is none."""
    topics = [OffsetFetchRequestTopics(name="t", partition_indexes=[0])]
    group = OffsetFetchRequestGroup(group_id="g", topics=topics)
    (row,) = (await broker.ask(OffsetFetchRequest(groups=[group]), 8)).groups
    return row.error_code, row.topics[0].partitions[0].committed_offset if row.topics else -1
