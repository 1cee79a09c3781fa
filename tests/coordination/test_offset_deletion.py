"""Offsets that are deleted: by request, with their group, with their topic."""

import pytest
from tests.coordination.offset_story import OffsetStory

from snakka.coordination.groups.deleting import delete_group
from snakka.coordination.groups.offsets.deletion import delete_offsets, topics_deleted
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

ORDERS = ("orders", 0)
PAYMENTS = ("payments", 3)


@pytest.fixture
def story() -> OffsetStory:
    told = OffsetStory()
    told.commit("g", {ORDERS: 10, ("orders", 1): 11, PAYMENTS: 20})
    return told


def delete(story: OffsetStory, **topics: list[int]) -> dict[tuple[str, int], str]:
    request = OffsetDeleteRequest(
        group_id="g",
        topics=[
            OffsetDeleteRequestTopic(
                name=topic, partitions=[OffsetDeleteRequestPartition(partition_index=one) for one in indexes]
            )
            for topic, indexes in topics.items()
        ],
    )
    response = story.apply(delete_offsets(story.shard, request))
    return {
        (topic.name, row.partition_index): ErrorCode(row.error_code).name
        for topic in response.topics
        for row in topic.partitions
    }


# -- OffsetDelete -------------------------------------------------------------------------------------------------


def test_offsets_are_forgotten(story) -> None:
    assert delete(story, orders=[0, 5], payments=[3]) == {
        ORDERS: "NONE",
        ("orders", 5): "NONE",
        PAYMENTS: "NONE",
    }
    assert story.offsets("g") == {("orders", 1): 11}
    # One record for each that was there.
    assert len(story.log) == 3 + 2
    story.check_survives_a_crash()


def test_topics_that_the_group_reads_keep_their_offsets(story) -> None:
    story.add("g", subscribed=("orders",))
    assert delete(story, orders=[0], payments=[3]) == {ORDERS: "GROUP_SUBSCRIBED_TO_TOPIC", PAYMENTS: "NONE"}
    assert story.offsets("g") == {ORDERS: 10, ("orders", 1): 11}


def test_a_group_may_refuse_to_forget(story) -> None:
    story.add("g", delete_offsets_error=ErrorCode.NON_EMPTY_GROUP)
    with pytest.raises(ApiError) as refused:
        delete(story, orders=[0])
    assert refused.value.code == ErrorCode.NON_EMPTY_GROUP
    del story.shard.groups["g"]
    with pytest.raises(ApiError) as refused:
        delete(story, orders=[0])
    assert refused.value.code == ErrorCode.GROUP_ID_NOT_FOUND


def test_what_open_transactions_have_committed_is_forgotten_too(story) -> None:
    story.commit_in_transaction(7, "g", {ORDERS: 12, ("orders", 2): 1, PAYMENTS: 21})
    story.commit_in_transaction(8, "g", {ORDERS: 13})
    delete(story, orders=[0, 2])
    assert story.offsets("g", stable=True) == {("orders", 1): 11, PAYMENTS: "UNSTABLE_OFFSET_COMMIT"}
    story.check_survives_a_crash()
    story.end(7, committed=True)
    story.end(8, committed=True)
    assert story.offsets("g", stable=True) == {("orders", 1): 11, PAYMENTS: 21}
    story.check_survives_a_crash()


# -- DeleteGroups -------------------------------------------------------------------------------------------------


def test_a_group_goes_with_all_that_it_has_committed(story) -> None:
    story.commit("other", {ORDERS: 1})
    story.commit_in_transaction(7, "g", {ORDERS: 12, ("orders", 2): 1})
    result = story.apply(delete_group(story.shard, "g"))
    assert (result.group_id, result.error_code) == ("g", 0)
    assert list(story.shard.groups) == ["other"]
    assert story.offsets("g") == {}
    story.check_survives_a_crash()
    story.end(7, committed=True)
    assert story.offsets("g") == {}
    assert story.offsets("other") == {ORDERS: 1}
    story.check_survives_a_crash()


def test_a_group_with_members_stays(story) -> None:
    story.add("g", delete_error=ErrorCode.NON_EMPTY_GROUP)
    with pytest.raises(ApiError) as refused:
        delete_group(story.shard, "g")
    assert refused.value.code == ErrorCode.NON_EMPTY_GROUP


def test_a_group_that_is_not_there_can_not_go(story) -> None:
    with pytest.raises(ApiError) as refused:
        delete_group(story.shard, "nobody")
    assert refused.value.code == ErrorCode.GROUP_ID_NOT_FOUND


# -- topics that are gone -----------------------------------------------------------------------------------------


def test_a_topic_takes_its_offsets_with_it(story) -> None:
    story.commit("other", {ORDERS: 1})
    story.commit_in_transaction(7, "g", {ORDERS: 12, ("orders", 2): 1, PAYMENTS: 21})
    story.apply(topics_deleted(story.shard, [story.delete_topic("orders")]))
    assert story.offsets("g") == {PAYMENTS: 20}
    assert story.offsets("other") == {}
    # Groups stay until they are deleted, or have nothing left for a while.
    assert list(story.shard.groups) == ["g", "other"]
    story.end(7, committed=True)
    assert story.offsets("g") == {PAYMENTS: 21}
    story.check_survives_a_crash()


def test_a_new_topic_of_the_same_name_keeps_its_offsets(story) -> None:
    gone = story.delete_topic("orders")
    story.create_topic("orders")
    story.commit("g", {ORDERS: 3})
    story.apply(topics_deleted(story.shard, [gone]))
    assert story.offsets("g") == {ORDERS: 3, PAYMENTS: 20}


def test_topics_that_nobody_has_committed_are_no_news(story) -> None:
    story.create_topic("strangers")
    assert not topics_deleted(story.shard, [story.delete_topic("strangers")]).records
