"""Regular expressions in stories: groups follow the topics that match, as far as their members may see them."""

from tests.coordination.consumer_story import ConsumerStory

from snakka.protocol.error_codes import ErrorCode

REFRESH_MS = 10_000


def test_matching_topics_are_assigned_at_once():
    story = ConsumerStory({"orders-1": 1, "orders-2": 2, "payments": 4})
    a = story.consumer("A", [], pattern="orders-.*")
    a.join()
    assert a.owned == {"orders-1": {0}, "orders-2": {0, 1}}
    assert story.consumer_group().resolved["orders-.*"].topics == {"orders-1", "orders-2"}


def test_names_and_expressions_add_up():
    story = ConsumerStory({"orders-1": 1, "orders-2": 1, "payments": 1})
    a = story.consumer("A", ["payments", "orders-1"], pattern="orders-.*")
    a.join()
    assert sorted(a.owned) == ["orders-1", "orders-2", "payments"]


def test_an_expression_that_is_none_is_refused():
    story = ConsumerStory({"orders": 1})
    a = story.consumer("A", [], pattern="orders(")
    assert a.join().error is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert not story.shard.groups
    b = story.consumer("B", ["orders"])
    b.join()
    assert b.subscribe(pattern="(?=a)").error is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert story.consumer_group().members["B"].pattern == ""


def test_an_expression_that_matches_nothing_is_no_mistake():
    story = ConsumerStory({"orders": 1})
    a = story.consumer("A", [], pattern="payments")
    a.join()
    assert (a.epoch, a.owned) == (2, {})


def test_new_topics_are_seen_after_a_while():
    story = ConsumerStory({"orders-1": 1})
    a = story.consumer("A", [], pattern="orders-.*")
    a.join()
    story.create_topic("orders-2", 1)
    a.beat()
    assert a.owned == {"orders-1": {0}}
    story.pass_time(REFRESH_MS + 1)
    a.beat()
    assert a.owned == {"orders-1": {0}, "orders-2": {0}}


def test_topics_that_do_not_match_change_nothing_but_the_time_of_the_look():
    story = ConsumerStory({"orders-1": 1})
    a = story.consumer("A", [], pattern="orders-.*")
    a.join()
    epoch = story.consumer_group().epoch
    story.create_topic("payments", 1)
    story.pass_time(REFRESH_MS + 1)
    a.beat()
    assert story.consumer_group().epoch == epoch
    before = len(story.log)
    story.pass_time(REFRESH_MS + 1)
    a.beat()
    assert len(story.log) == before


def test_everything_is_looked_at_again_from_time_to_time():
    story = ConsumerStory({"orders-1": 1}, group_consumer_regex_refresh_interval_ms=30_000)
    a = story.consumer("A", [], pattern="orders-.*", may_see=["none"])
    a.join()
    assert a.owned == {}
    a.may_see = ["orders-1"]
    story.pass_time(30_000)
    a.beat()
    assert a.owned == {}
    story.pass_time(1)
    a.beat()
    assert a.owned == {"orders-1": {0}}


def test_a_deleted_topic_is_taken_away_though_the_expression_was_not_looked_at_again():
    story = ConsumerStory({"orders-1": 1, "orders-2": 1})
    a = story.consumer("A", [], pattern="orders-.*")
    a.join()
    story.delete_topic("orders-1")
    a.beat()
    assert a.owned == {"orders-2": {0}}


def test_only_what_a_member_may_see_is_subscribed_to():
    story = ConsumerStory({"orders-1": 1, "orders-2": 1})
    a = story.consumer("A", [], pattern="orders-.*", may_see=["orders-2"])
    a.join()
    assert a.owned == {"orders-2": {0}}


def test_members_with_the_same_expression_share_its_topics():
    story = ConsumerStory({"orders-1": 2, "orders-2": 2})
    a, b = (story.consumer(name, [], pattern="orders-.*") for name in "AB")
    a.join()
    b.join()
    story.settle(a, b)
    assert a.partitions == b.partitions == 2
    assert len(story.consumer_group().resolved) == 1


def test_an_expression_that_nobody_uses_any_more_is_forgotten():
    story = ConsumerStory({"orders": 1, "payments": 1})
    a, b = story.consumer("A", [], pattern="orders"), story.consumer("B", [], pattern="payments")
    a.join()
    b.join()
    story.settle(a, b)
    a.subscribe(pattern="payments")
    assert list(story.consumer_group().resolved) == ["payments"]
    b.leave()
    assert list(story.consumer_group().resolved) == ["payments"]
    a.subscribe(pattern="")
    assert not story.consumer_group().resolved
    assert not story.consumer_group().pattern_counts
    a.leave()
    story.shard.groups.pop("readers")


def test_another_member_s_costly_expression_harms_nobody():
    story = ConsumerStory({"orders": 1})
    a = story.consumer("A", [], pattern="orders")
    a.join()
    for number in range(60):
        story.create_topic(
            "".join("ab"[(number * place) % 7 > 3] for place in range(1, 249)) + str(number), 1
        )
    b = story.consumer("B", [], pattern="[ab]*a[ab]{200}.*")
    answer = b.join()
    assert answer.error in (ErrorCode.NONE, ErrorCode.INVALID_REGULAR_EXPRESSION)
    assert a.beat() is ErrorCode.NONE


def test_a_new_coordinator_looks_for_new_topics_again():
    story = ConsumerStory({"orders-1": 1})
    a = story.consumer("A", [], pattern="orders-.*")
    a.join()
    story.pass_time(REFRESH_MS + 1)
    story.create_topic("orders-2", 1)
    story.crash()
    a.beat()
    assert a.owned == {"orders-1": {0}, "orders-2": {0}}
