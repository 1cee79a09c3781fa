"""OffsetCommit and TxnOffsetCommit as a group sees them."""

import pytest
from tests.coordination.offset_story import OffsetStory, contents

from snakka.coordination.decision import Decision
from snakka.coordination.groups.offsets.records import CURRENT, WITH_EXPIRE_TIMESTAMP
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_types.group_coordinator.legacy_offset_commit_key import LegacyOffsetCommitKey
from snakka.protocol.record_types.group_coordinator.legacy_offset_commit_value import LegacyOffsetCommitValue
from snakka.protocol.uuids import ZERO_UUID

ORDERS = ("orders", 0)
PAYMENTS = ("payments", 3)


@pytest.fixture
def story() -> OffsetStory:
    return OffsetStory()


def refused_commit(story: OffsetStory, **how) -> ErrorCode:
    before = contents(story.shard)
    with pytest.raises(ApiError) as refused:
        story.commit("g", {ORDERS: 1}, **how)
    assert contents(story.shard) == before
    return refused.value.code


def refused_transactional_commit(story: OffsetStory, **how) -> ErrorCode:
    with pytest.raises(ApiError) as refused:
        story.commit_in_transaction(7, "g", {ORDERS: 1}, **how)
    assert not story.log
    return refused.value.code


# -- plain commits ------------------------------------------------------------------------------------------------


def test_a_consumer_that_assigns_itself_makes_its_group_by_committing(story) -> None:
    assert story.commit("g", {ORDERS: 10, PAYMENTS: 20}) == {}
    assert story.offsets("g") == {ORDERS: 10, PAYMENTS: 20}
    group = story.shard.groups["g"]
    assert (group.kind, group.protocol_type, group.state_name) == ("classic", "", "Empty")
    story.commit("g", {ORDERS: 11})
    assert story.offsets("g") == {ORDERS: 11, PAYMENTS: 20}
    story.check_survives_a_crash()


def test_all_that_was_said_is_kept(story) -> None:
    story.commit("g", {ORDERS: 10}, metadata="how far", epoch=4)
    (row,) = story.fetch_rows("g")[0].partitions
    assert (row.committed_offset, row.committed_leader_epoch, row.metadata) == (10, 4, "how far")
    kept = story.shard.offsets.get("g", *ORDERS)
    assert kept == (10, 4, "how far", story.now.wall_ms, -1, story.topic_id("orders"), 0)


def test_no_metadata_is_empty_metadata(story) -> None:
    story.commit("g", {ORDERS: 10}, metadata=None)
    assert story.fetch_rows("g")[0].partitions[0].metadata == ""


def test_names_and_ids_of_topics_are_kept_once(story) -> None:
    for number in range(3):
        story.commit(f"g{number}", {ORDERS: 1})
    shard = story.told_again()
    names = {id(name) for group in shard.offsets.groups() for name in shard.offsets.of_group(group)}
    ids = {id(shard.offsets.get(group, *ORDERS).topic_id) for group in shard.offsets.groups()}
    assert len(names) == len(ids) == 1


def test_records_are_in_the_version_that_kafka_writes(story) -> None:
    story.commit("g", {ORDERS: 10})
    record, producer = story.log[0]
    assert (record.version, record.value.topic_id, producer) == (CURRENT, story.topic_id("orders"), None)


def test_an_old_client_names_the_end_of_its_offset(story) -> None:
    story.commit("g", {ORDERS: 10}, version=4, retention_ms=500)
    record, _ = story.log[0]
    assert record.version == WITH_EXPIRE_TIMESTAMP
    assert record.value.expire_timestamp == story.now.wall_ms + 500
    story.check_survives_a_crash()


@pytest.mark.parametrize(
    ("metadata", "fits"),
    [
        ("x" * 10, True),
        ("x" * 11, False),
        ("é" * 10, True),
        ("é" * 11, False),
        # Two units of UTF-16 each.
        ("🐍" * 5, True),
        ("🐍" * 6, False),
    ],
)
def test_metadata_has_a_longest_length(metadata, fits) -> None:
    story = OffsetStory(offset_metadata_max_bytes=10)
    expected = {} if fits else {ORDERS: "OFFSET_METADATA_TOO_LARGE"}
    assert story.commit("g", {ORDERS: 10}, metadata=metadata) == expected
    assert story.commit_in_transaction(7, "h", {ORDERS: 10}, metadata=metadata) == expected
    assert story.offsets("g") == ({ORDERS: 10} if fits else {})


def test_a_group_that_nobody_knows_has_no_generations(story) -> None:
    assert refused_commit(story, generation=0, version=8) == ErrorCode.ILLEGAL_GENERATION
    assert refused_commit(story, generation=0, version=9) == ErrorCode.GROUP_ID_NOT_FOUND
    assert "g" not in story.shard.groups


def test_the_group_is_asked_whether_the_member_may_commit(story) -> None:
    group = story.add("g")
    story.commit("g", {ORDERS: 10}, member="m", instance="i", generation=5, version=9)
    assert group.asked == [("m", "i", 5, False, 9)]
    group.commit_error = ErrorCode.UNKNOWN_MEMBER_ID
    assert refused_commit(story) == ErrorCode.UNKNOWN_MEMBER_ID
    assert story.offsets("g") == {ORDERS: 10}


def test_one_partition_that_a_member_may_not_commit_refuses_the_whole_commit(story) -> None:
    def check(topic, topic_id, partition) -> None:
        assert topic_id == story.topic_id(topic)
        if partition == 3:
            raise ApiError(ErrorCode.STALE_MEMBER_EPOCH)

    story.add("g", partition_check=check)
    with pytest.raises(ApiError) as refused:
        story.commit("g", {ORDERS: 10, PAYMENTS: 20})
    assert refused.value.code == ErrorCode.STALE_MEMBER_EPOCH
    assert story.offsets("g") == {}
    assert story.commit("g", {ORDERS: 10}) == {}


# -- commits within transactions ----------------------------------------------------------------------------------


def test_offsets_of_a_transaction_count_when_it_is_committed(story) -> None:
    story.commit("g", {ORDERS: 10})
    story.commit_in_transaction(7, "g", {ORDERS: 15, PAYMENTS: 2})
    assert story.offsets("g") == {ORDERS: 10}
    story.check_survives_a_crash()
    story.end(7, committed=True)
    assert story.offsets("g") == {ORDERS: 15, PAYMENTS: 2}
    # Which topic a transaction's offset belongs to is not written.
    assert story.shard.offsets.get("g", *ORDERS).topic_id == ZERO_UUID
    story.check_survives_a_crash()


def test_offsets_of_an_aborted_transaction_never_count(story) -> None:
    story.commit_in_transaction(7, "g", {ORDERS: 15})
    story.end(7, committed=False)
    assert story.offsets("g") == {}
    # The group is there all the same.
    assert "g" in story.shard.groups
    story.check_survives_a_crash()


def test_the_last_commit_of_a_transaction_counts(story) -> None:
    story.commit_in_transaction(7, "g", {ORDERS: 15})
    story.commit_in_transaction(7, "g", {ORDERS: 16})
    story.end(7, committed=True)
    assert story.offsets("g") == {ORDERS: 16}


def test_a_later_record_counts_more_than_a_later_marker(story) -> None:
    story.commit_in_transaction(7, "g", {ORDERS: 15})
    story.commit("g", {ORDERS: 20})
    story.end(7, committed=True)
    assert story.offsets("g") == {ORDERS: 20}
    story.check_survives_a_crash()


def test_two_producers_may_commit_for_one_group(story) -> None:
    story.commit_in_transaction(7, "g", {ORDERS: 15})
    story.commit_in_transaction(8, "g", {ORDERS: 16, PAYMENTS: 1})
    story.end(8, committed=True)
    assert story.offsets("g", stable=True) == {ORDERS: "UNSTABLE_OFFSET_COMMIT", PAYMENTS: 1}
    story.end(7, committed=True)
    assert story.offsets("g", stable=True) == {ORDERS: 16, PAYMENTS: 1}
    story.check_survives_a_crash()


def test_a_marker_of_a_producer_that_committed_nothing_is_nothing(story) -> None:
    story.commit("g", {ORDERS: 20})
    before = contents(story.shard)
    for committed in (True, False):
        story.end(7, committed=committed)
        assert contents(story.shard) == before
    story.check_survives_a_crash()


def test_a_producer_may_not_commit_for_an_unknown_generation(story) -> None:
    assert refused_transactional_commit(story, generation=1) == ErrorCode.ILLEGAL_GENERATION
    group = story.add("g", commit_error=ErrorCode.UNKNOWN_MEMBER_ID)
    assert refused_transactional_commit(story, member="m", generation=2) == ErrorCode.UNKNOWN_MEMBER_ID
    assert group.asked == [("m", None, 2, True, 3)]


def test_producers_hear_of_generations_only(story) -> None:
    def stale(topic, topic_id, partition) -> None:
        assert topic_id == story.topic_id("orders")
        raise ApiError(ErrorCode.STALE_MEMBER_EPOCH)

    group = story.add("g", commit_error=ErrorCode.STALE_MEMBER_EPOCH)
    assert refused_transactional_commit(story) == ErrorCode.ILLEGAL_GENERATION
    group.commit_error, group.partition_check = None, stale
    assert refused_transactional_commit(story) == ErrorCode.ILLEGAL_GENERATION
    story.delete_topic("orders")
    assert refused_transactional_commit(story) == ErrorCode.ILLEGAL_GENERATION


# -- records of old brokers ---------------------------------------------------------------------------------------


def test_offsets_of_very_old_brokers_are_read(story) -> None:
    key = LegacyOffsetCommitKey(group="g", topic="orders", partition=0)
    story.apply(
        Decision([KeyedRecord(key, LegacyOffsetCommitValue(offset=5, metadata="m", commit_timestamp=77))])
    )
    assert story.shard.offsets.get("g", *ORDERS) == (5, -1, "m", 77, -1, ZERO_UUID, 0)
    story.apply(Decision([KeyedRecord(key, None)]))
    assert story.offsets("g") == {}
