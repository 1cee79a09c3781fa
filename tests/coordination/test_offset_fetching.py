"""OffsetFetch as a group sees it."""

import pytest
from tests.coordination.offset_story import OffsetStory

from snakka.coordination.groups.offsets.fetching import fetch
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_fetch import OffsetFetchRequestGroup, OffsetFetchRequestTopics

ORDERS = ("orders", 0)
PAYMENTS = ("payments", 3)


@pytest.fixture
def story() -> OffsetStory:
    told = OffsetStory()
    told.commit("g", {ORDERS: 10, ("orders", 1): 11, PAYMENTS: 20})
    return told


def test_partitions_that_are_asked_for_are_answered_known_or_not(story) -> None:
    assert story.offsets("g", {"orders": [1, 9], "strangers": [0]}) == {
        ("orders", 1): 11,
        ("orders", 9): -1,
        ("strangers", 0): -1,
    }


def test_without_topics_everything_is_told(story) -> None:
    assert story.offsets("g") == {ORDERS: 10, ("orders", 1): 11, PAYMENTS: 20}


def test_a_group_that_nobody_knows_has_no_offsets(story) -> None:
    assert story.offsets("nobody", {"orders": [0]}) == {ORDERS: -1}
    assert story.offsets("nobody") == {}


def test_a_dead_group_has_no_offsets_either(story) -> None:
    story.add("g", fetch_error=ErrorCode.GROUP_ID_NOT_FOUND)
    assert story.offsets("g", {"orders": [0]}) == {ORDERS: -1}
    assert story.offsets("g") == {}


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.STALE_MEMBER_EPOCH])
def test_the_group_is_asked_whether_the_member_may_know(story, code) -> None:
    group = story.add("g")
    story.fetch_rows("g", {"orders": [0]}, member="m", epoch=3)
    assert group.asked == [("m", 3)]
    group.fetch_error = code
    for topics in ({"orders": [0]}, None):
        with pytest.raises(ApiError) as refused:
            story.fetch_rows("g", topics)
        assert refused.value.code == code


def test_an_open_transaction_makes_offsets_unstable(story) -> None:
    story.commit_in_transaction(7, "g", {ORDERS: 12, ("orders", 2): 1})
    asked = {"orders": [0, 1, 2]}
    assert story.offsets("g", asked) == {ORDERS: 10, ("orders", 1): 11, ("orders", 2): -1}
    unstable = "UNSTABLE_OFFSET_COMMIT"
    assert story.offsets("g", asked, stable=True) == {
        ORDERS: unstable,
        ("orders", 1): 11,
        ("orders", 2): unstable,
    }
    # Of all that is committed; what is only pending is not named.
    assert story.offsets("g", stable=True) == {ORDERS: unstable, ("orders", 1): 11, PAYMENTS: 20}
    story.end(7, committed=False)
    assert story.offsets("g", stable=True) == {ORDERS: 10, ("orders", 1): 11, PAYMENTS: 20}


def test_an_offset_of_a_topic_that_is_gone_is_not_told_to_who_asks_by_id(story) -> None:
    old_id = story.topic_id("orders")
    story.delete_topic("orders")
    new_id = story.create_topic("orders")
    assert new_id != old_id

    def offset_by(topic_id: bytes) -> int:
        asked = OffsetFetchRequestTopics(name="orders", topic_id=topic_id, partition_indexes=[0])
        answer = fetch(
            story.shard, OffsetFetchRequestGroup(group_id="g", topics=[asked]), require_stable=False
        )
        assert answer.topics[0].topic_id == topic_id
        return answer.topics[0].partitions[0].committed_offset

    assert (offset_by(old_id), offset_by(new_id)) == (10, -1)
    # By name nobody can tell.
    assert story.offsets("g", {"orders": [0]}) == {ORDERS: 10}
    # An offset of a transaction has no id.
    story.commit_in_transaction(7, "g", {ORDERS: 5})
    story.end(7, committed=True)
    assert offset_by(new_id) == 5
