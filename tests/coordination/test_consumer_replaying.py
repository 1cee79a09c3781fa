"""Records of consumer groups: what others wrote is taken over, compacted logs build the same, nonsense does no harm."""

import tracemalloc

from tests.coordination.consumer_story import INTERVAL_MS, ConsumerStory, consumer_snapshot
from tests.coordination.group_story import GROUP

from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.member import MemberState
from snakka.protocol.coordinator_framing import GROUP_RECORDS, KeyedRecord, decoder
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.record_types.group_coordinator.consumer_group_current_member_assignment_key import (
    ConsumerGroupCurrentMemberAssignmentKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_member_metadata_key import (
    ConsumerGroupMemberMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_metadata_key import (
    ConsumerGroupMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_partition_metadata_key import (
    ConsumerGroupPartitionMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_target_assignment_member_key import (
    ConsumerGroupTargetAssignmentMemberKey,
)


def write(story: ConsumerStory, *records: KeyedRecord) -> None:
    """Records that another coordinator has written."""
    story.ask(lambda _shard, _now, _: _Written(records))


class _Written:
    answers = ()
    response = None
    producer = None
    refused = None

    def __init__(self, records: tuple[KeyedRecord, ...]) -> None:
        self.records = records


def current(
    story: ConsumerStory, member_id: str, epoch: int, partitions: list[int], state: int = 0
) -> KeyedRecord:
    rows = [TopicPartitions(topic_id=story.topic_id("t"), partitions=partitions)]
    return KeyedRecord(
        ConsumerGroupCurrentMemberAssignmentKey(group_id=GROUP, member_id=member_id),
        ConsumerGroupCurrentMemberAssignmentValue(
            member_epoch=epoch, previous_member_epoch=epoch, state=state, assigned_partitions=rows
        ),
    )


def compacted(story: ConsumerStory, end: int) -> ConsumerGroup:
    """The group as it is built when the log has been compacted up to a place."""
    last = {entry[0]: place for place, entry in enumerate(story.log[:end])}
    kept = [entry for place, entry in enumerate(story.log) if place >= end or last[entry[0]] == place]
    shard = story._new_shard()
    for offset, (key, value, producer) in enumerate(kept):
        record = decoder(GROUP_RECORDS)(key, value)
        assert record is not None
        shard.replay(record, offset, producer)
    group = shard.groups[GROUP]
    assert isinstance(group, ConsumerGroup)
    return group


def test_a_compacted_log_builds_the_same_group():
    story = ConsumerStory({"t": 6})
    a, b, c = story.consumer("A"), story.consumer("B"), story.consumer("C", [], pattern="t")
    a.join()
    b.join()
    story.settle(a, b)
    c.join()
    story.settle(a, b, c)
    a.leave()
    story.settle(b, c)
    for end in range(len(story.log) + 1):
        assert consumer_snapshot(compacted(story, end)) == consumer_snapshot(story.consumer_group()), end


def test_a_deleted_group_leaves_nothing():
    story = ConsumerStory()
    a = story.consumer("A", ["t"], pattern="t")
    a.join()
    a.leave()
    write(story, *story.consumer_group().tombstones())
    assert GROUP not in story.shard.groups


def test_the_record_that_kafka_wrote_until_4_0_is_removed_with_the_next_epoch():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    key = ConsumerGroupPartitionMetadataKey(group_id=GROUP)
    write(story, KeyedRecord(key, ConsumerGroupPartitionMetadataValue()))
    assert story.consumer_group().has_partition_metadata
    a.beat()
    assert story.consumer_group().has_partition_metadata
    story.grow_topic("t", 8)
    assert not story.consumer_group().has_partition_metadata


def test_partitions_without_an_epoch_have_their_member_s():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    write(story, current(story, "A", 2, [0, 1]))
    assert story.consumer_group().members["A"].assigned == {story.topic_id("t"): {0: 2, 1: 2}}


def test_a_member_in_a_state_of_a_later_version_must_join_anew():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    write(story, current(story, "A", 2, [0, 1], state=9))
    assert story.consumer_group().members["A"].state is MemberState.UNKNOWN
    assert a.send(topic_partitions=a._rows()).error is ErrorCode.FENCED_MEMBER_EPOCH
    assert a.ask_only() is ErrorCode.FENCED_MEMBER_EPOCH
    a.join()
    assert a.owned == {"t": {0, 1, 2, 3, 4, 5}}


def test_two_members_that_both_have_a_partition_are_brought_apart():
    """Records that no coordinator should have written: whoever has let go of it last does not take it away."""
    story = ConsumerStory({"t": 2})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    write(story, current(story, "B", 2, [0, 1]))
    assert story.consumer_group().ownership.owner(story.topic_id("t"), 0) == "B"
    a.leave()
    assert story.consumer_group().ownership.owner(story.topic_id("t"), 0) == "B"
    b.epoch, b.owned, b.told = 2, {"t": {0, 1}}, {"t": {0, 1}}
    story.pass_time(INTERVAL_MS)
    b.beat()
    assert b.owned == {"t": {0, 1}}


def test_tombstones_of_what_is_not_there_are_nothing():
    story = ConsumerStory()
    write(
        story,
        KeyedRecord(ConsumerGroupMetadataKey(group_id=GROUP), None),
        KeyedRecord(ConsumerGroupMemberMetadataKey(group_id=GROUP, member_id="A"), None),
        KeyedRecord(ConsumerGroupTargetAssignmentMemberKey(group_id=GROUP, member_id="A"), None),
    )
    assert not story.shard.groups
    a = story.consumer("A")
    a.join()
    write(
        story,
        KeyedRecord(ConsumerGroupCurrentMemberAssignmentKey(group_id=GROUP, member_id="B"), None),
        KeyedRecord(ConsumerGroupMemberMetadataKey(group_id=GROUP, member_id="B"), None),
        KeyedRecord(ConsumerGroupTargetAssignmentMemberKey(group_id=GROUP, member_id="B"), None),
    )
    assert a.beat() is ErrorCode.NONE


def test_an_idle_group_is_small():
    story = ConsumerStory({"t": 6})
    story.check = lambda: None
    for number in range(200):
        story.consumer(f"member-{number}", group=f"group-{number}").join()
    tracemalloc.start()
    for number in range(200, 400):
        story.consumer(f"member-{number}", group=f"group-{number}").join()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # With what the story remembers of it.
    assert size / 200 < 30_000
