"""Offsets of classic groups that have members: who may commit when, and what becomes of the offsets when they leave."""

import pytest
from tests.coordination.group_story import GROUP, INITIAL_DELAY_MS, SESSION_MS, ClassicClient, GroupStory

from snakka.coordination.groups.deleting import delete_group
from snakka.coordination.groups.offsets.committing import commit, commit_in_transaction
from snakka.coordination.groups.offsets.deletion import delete_offsets
from snakka.coordination.groups.offsets.expiry import expire_offsets
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

RETENTION_MS = 100_000


@pytest.fixture
def story() -> GroupStory:
    return GroupStory(offsets_retention_ms=RETENTION_MS)


def commit_of(
    story: GroupStory, member: ClassicClient | None, offset: int = 1, *, topic: str = "t", **changed
) -> ErrorCode:
    """As a member, or as somebody who is none."""
    told = {"generation_id_or_member_epoch": -1}
    if member is not None:
        told = {
            "generation_id_or_member_epoch": member.generation,
            "member_id": member.id,
            "group_instance_id": member.instance_id,
        }
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=offset)
    request = OffsetCommitRequest(
        group_id=GROUP,
        topics=[OffsetCommitRequestTopic(name=topic, partitions=[partition])],
        **{**told, **changed},
    )
    asked = story.ask(lambda shard, now, _: commit(shard, request, 8, now))
    return ErrorCode.NONE if not hasattr(asked.outcome, "code") else asked.outcome.code


def transactional_commit_of(story: GroupStory, member_id: str, generation: int) -> ErrorCode:
    partition = TxnOffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    request = TxnOffsetCommitRequest(
        group_id=GROUP,
        producer_id=7,
        member_id=member_id,
        generation_id=generation,
        topics=[TxnOffsetCommitRequestTopic(name="t", partitions=[partition])],
    )
    asked = story.ask(lambda shard, now, _: commit_in_transaction(shard, request, 3, now))
    return ErrorCode.NONE if not hasattr(asked.outcome, "code") else asked.outcome.code


def offsets(story: GroupStory) -> dict[str, int]:
    return {topic: rows[0].offset for topic, rows in story.shard.offsets.of_group(GROUP).items()}


def expire(story: GroupStory) -> None:
    story.ask(lambda shard, now, _: expire_offsets(shard, now))


def test_members_of_the_generation_commit(story) -> None:
    anna, boris = story.member("anna"), story.member("boris")
    story.settled(anna, boris)
    assert commit_of(story, anna, 5) is ErrorCode.NONE
    assert commit_of(story, boris, 6) is ErrorCode.NONE
    assert offsets(story) == {"t": 6}
    story.crash()
    assert offsets(story) == {"t": 6}


def test_who_is_none_of_them_does_not_commit(story) -> None:
    anna = story.member("anna")
    story.settled(anna)
    generation = anna.generation
    assert commit_of(story, None) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit_of(story, anna, member_id="stranger") is ErrorCode.UNKNOWN_MEMBER_ID
    assert (
        commit_of(story, anna, generation_id_or_member_epoch=generation + 1) is ErrorCode.ILLEGAL_GENERATION
    )
    assert commit_of(story, anna, generation_id_or_member_epoch=-1) is ErrorCode.ILLEGAL_GENERATION
    assert offsets(story) == {}


def test_an_instance_that_was_replaced_is_fenced(story) -> None:
    anna = story.member("anna", instance_id="one")
    story.settled(anna)
    assert commit_of(story, anna, member_id="somebody else") is ErrorCode.FENCED_INSTANCE_ID
    assert commit_of(story, anna, group_instance_id="unknown") is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_commit_is_as_good_as_a_heartbeat(story) -> None:
    anna = story.member("anna")
    story.settled(anna)
    for _ in range(3):
        story.pass_time(SESSION_MS - 1)
        assert commit_of(story, anna) is ErrorCode.NONE
    story.pass_time(SESSION_MS)
    assert commit_of(story, anna) is ErrorCode.UNKNOWN_MEMBER_ID


def test_members_may_commit_before_they_join_again_but_not_before_they_are_assigned(story) -> None:
    anna, boris = story.member("anna"), story.member("boris")
    story.settled(anna)
    boris.join()
    assert commit_of(story, anna, 5) is ErrorCode.NONE
    anna.join()
    assert commit_of(story, anna, 6) is ErrorCode.REBALANCE_IN_PROGRESS
    # A producer may: its transaction ends before the next assignment is read.
    assert transactional_commit_of(story, anna.id, anna.generation) is ErrorCode.NONE
    assert transactional_commit_of(story, anna.id, anna.generation - 1) is ErrorCode.ILLEGAL_GENERATION
    assert transactional_commit_of(story, "stranger", anna.generation) is ErrorCode.UNKNOWN_MEMBER_ID
    assert offsets(story) == {"t": 5}
    story.end_transaction(7, 0, committed=True)
    assert offsets(story) == {"t": 1}


def test_offsets_of_an_empty_group_grow_old_from_its_end_on(story) -> None:
    anna = story.member("anna", session_ms=1_000_000)
    story.settled(anna)
    commit_of(story, anna, topic="t")
    story.pass_time(RETENTION_MS)
    expire(story)
    # It is subscribed to that.
    assert offsets(story) == {"t": 1}
    anna.leave()
    expire(story)
    assert offsets(story) == {"t": 1}
    story.pass_time(RETENTION_MS - 1)
    expire(story)
    assert offsets(story) == {"t": 1}
    story.pass_time(1)
    expire(story)
    assert offsets(story) == {}
    assert GROUP not in story.shard.groups
    story.crash()
    assert GROUP not in story.shard.groups


def test_offsets_of_topics_that_nobody_reads_any_more_grow_old(story) -> None:
    anna = story.member("anna", session_ms=1_000_000)
    story.settled(anna)
    commit_of(story, anna, topic="formerly")
    commit_of(story, anna, topic="t")
    story.pass_time(RETENTION_MS)
    expire(story)
    assert offsets(story) == {"t": 1}


def delete(story: GroupStory, topic: str):
    row = OffsetDeleteRequestTopic(name=topic, partitions=[OffsetDeleteRequestPartition(partition_index=0)])
    request = OffsetDeleteRequest(group_id=GROUP, topics=[row])
    return story.ask(lambda shard, now, _: delete_offsets(shard, request))


def test_what_a_group_with_members_lets_go(story) -> None:
    anna = story.member("anna")
    story.settled(anna)
    for topic in ("t", "other"):
        commit_of(story, anna, topic=topic)
    (row,) = delete(story, "t").response.topics[0].partitions
    assert row.error_code == ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    (row,) = delete(story, "other").response.topics[0].partitions
    assert row.error_code == ErrorCode.NONE
    assert offsets(story) == {"t": 1}
    asked = story.ask(lambda shard, now, _: delete_group(shard, GROUP))
    assert asked.error is ErrorCode.NON_EMPTY_GROUP
    anna.leave()
    asked = story.ask(lambda shard, now, _: delete_group(shard, GROUP))
    assert asked.response.error_code == ErrorCode.NONE
    assert (offsets(story), list(story.shard.groups)) == ({}, [])


def test_members_that_are_no_consumers_let_nothing_go(story) -> None:
    anna = story.member("anna", protocol_type="connect")
    anna.join()
    story.pass_time(INITIAL_DELAY_MS)
    anna.sync({anna: b""})
    assert delete(story, "t").error is ErrorCode.NON_EMPTY_GROUP
