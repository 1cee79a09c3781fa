"""Offsets that have grown old, and groups that have nothing left."""

import pytest
from tests.coordination.offset_story import OffsetStory

from snakka.coordination.groups.offsets.expiry import expire_offsets

ORDERS = ("orders", 0)
PAYMENTS = ("payments", 3)
RETENTION_MS = 1_000


@pytest.fixture
def story() -> OffsetStory:
    return OffsetStory(offsets_retention_ms=RETENTION_MS)


def expire(story: OffsetStory) -> None:
    story.apply(expire_offsets(story.shard, story.now))
    story.check_survives_a_crash()


def test_an_offset_lives_as_long_as_the_retention(story) -> None:
    story.add("g")
    story.commit("g", {ORDERS: 10})
    story.wait(RETENTION_MS - 1)
    story.commit("g", {PAYMENTS: 20})
    expire(story)
    assert story.offsets("g") == {ORDERS: 10, PAYMENTS: 20}
    story.wait(1)
    expire(story)
    assert story.offsets("g") == {PAYMENTS: 20}


def test_a_simple_group_goes_with_its_last_offset(story) -> None:
    story.commit("g", {ORDERS: 10, PAYMENTS: 20})
    story.commit("other", {ORDERS: 1})
    story.wait(RETENTION_MS // 2)
    story.commit("other", {ORDERS: 2})
    story.wait(RETENTION_MS // 2)
    expire(story)
    assert list(story.shard.groups) == ["other"]
    assert story.offsets("other") == {ORDERS: 2}
    assert "g" not in story.told_again().groups


def test_a_group_with_members_stays_without_offsets(story) -> None:
    story.add("g", is_empty=False)
    story.commit("g", {ORDERS: 10})
    story.wait(RETENTION_MS)
    expire(story)
    assert story.offsets("g") == {}
    expire(story)
    assert "g" in story.shard.groups


def test_a_group_that_awaits_its_first_member_is_not_forgotten(story) -> None:
    """The member has an id already (KIP-394), and would come back as a stranger."""
    story.add("g", is_empty=True, awaits_members=True)
    story.apply(expire_offsets(story.shard, story.now))
    assert "g" in story.shard.groups


def test_what_the_group_reads_does_not_grow_old(story) -> None:
    story.add("g", subscribed=("orders",))
    story.commit("g", {ORDERS: 10, PAYMENTS: 20})
    story.wait(10 * RETENTION_MS)
    expire(story)
    assert story.offsets("g") == {ORDERS: 10}


def test_a_group_may_say_that_nothing_grows_old(story) -> None:
    story.add("g", is_empty=True, grows_old_from=None)
    story.commit("g", {ORDERS: 10})
    story.wait(10 * RETENTION_MS)
    expire(story)
    assert story.offsets("g") == {ORDERS: 10}


def test_a_group_may_say_from_when_on_its_offsets_grow_old(story) -> None:
    became_empty = story.now.wall_ms + 500
    story.add("g", grows_old_from=lambda committed_ms: max(became_empty, committed_ms))
    story.commit("g", {ORDERS: 10})
    story.wait(RETENTION_MS)
    expire(story)
    assert story.offsets("g") == {ORDERS: 10}
    story.wait(500)
    expire(story)
    assert story.offsets("g") == {}


def test_an_offset_whose_end_was_named_lives_until_then(story) -> None:
    story.commit("soon", {ORDERS: 10}, version=4, retention_ms=10)
    story.commit("late", {ORDERS: 10}, version=4, retention_ms=5 * RETENTION_MS)
    story.wait(9)
    expire(story)
    assert story.offsets("soon") == {ORDERS: 10}
    story.wait(1)
    expire(story)
    assert story.offsets("soon") == {}
    story.wait(4 * RETENTION_MS)
    expire(story)
    assert list(story.shard.groups) == ["late"]
    story.wait(RETENTION_MS)
    expire(story)
    assert not story.shard.groups


def test_an_open_transaction_keeps_offsets_and_group(story) -> None:
    story.commit("g", {ORDERS: 10})
    story.commit_in_transaction(7, "g", {ORDERS: 11})
    story.commit_in_transaction(7, "pending", {PAYMENTS: 1})
    story.wait(RETENTION_MS)
    expire(story)
    assert story.offsets("g") == {ORDERS: 10}
    assert sorted(story.shard.groups) == ["g", "pending"]
    story.end(7, committed=False)
    expire(story)
    assert not story.shard.groups
