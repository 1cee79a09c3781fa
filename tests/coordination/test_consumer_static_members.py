"""Static members of consumer groups in stories: an instance keeps its place while it is away."""

from tests.coordination.consumer_story import INTERVAL_MS, SESSION_MS, ConsumerStory

from snakka.coordination.groups.consumer.member import LEAVING_FOR_A_WHILE
from snakka.protocol.error_codes import ErrorCode

AWAY = LEAVING_FOR_A_WHILE


def two_instances() -> tuple[ConsumerStory, object, object]:
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A", instance_id="1"), story.consumer("B", instance_id="2")
    a.join()
    b.join()
    story.settle(a, b)
    return story, a, b


def test_an_instance_that_is_away_keeps_its_partitions():
    story, a, b = two_instances()
    epoch = story.consumer_group().epoch
    assert a.send(member_epoch=AWAY).response.member_epoch == AWAY
    story.pass_time(INTERVAL_MS)
    assert b.beat() is ErrorCode.NONE
    assert b.partitions == 2
    assert story.consumer_group().epoch == epoch
    assert story.consumer_group().members["A"].epoch == AWAY


def test_it_comes_back_under_another_id_and_has_what_it_had():
    story, a, b = two_instances()
    before = dict(a.owned)
    epoch = story.consumer_group().epoch
    a.leave(AWAY)
    again = story.consumer("A2", instance_id="1")
    again.join()
    assert (again.owned, again.epoch) == (before, epoch)
    assert story.consumer_group().epoch == epoch, "nobody else notices"
    assert story.consumer_group().static_members == {"1": "A2", "2": "B"}
    assert a.ask_only() is ErrorCode.FENCED_INSTANCE_ID
    story.settle(again, b)


def test_it_comes_back_under_its_own_id():
    story, a, _ = two_instances()
    before = dict(a.owned)
    a.leave(AWAY)
    a.join()
    assert a.owned == before
    story.pass_time(SESSION_MS - 1)
    assert "A" in story.consumer_group().members
    story.pass_time(1)
    assert "A" not in story.consumer_group().members


def test_an_instance_can_not_be_taken_over_while_it_is_there():
    story, a, _ = two_instances()
    again = story.consumer("A2", instance_id="1")
    assert again.join().error is ErrorCode.UNRELEASED_INSTANCE_ID
    assert again.send(member_epoch=1).error is ErrorCode.FENCED_INSTANCE_ID
    assert again.leave() is ErrorCode.FENCED_INSTANCE_ID
    assert story.consumer("C", instance_id="3").send(member_epoch=1).error is ErrorCode.UNKNOWN_MEMBER_ID
    assert a.beat() is ErrorCode.NONE


def test_an_instance_that_does_not_come_back_is_removed():
    story, a, b = two_instances()
    a.leave(AWAY)
    for _ in range(4):
        story.pass_time(SESSION_MS // 3)
        b.beat()
    assert list(story.consumer_group().members) == ["B"]
    assert b.partitions == 4


def test_an_instance_that_leaves_for_good_is_gone():
    story, a, b = two_instances()
    assert a.leave() is ErrorCode.NONE
    assert story.consumer_group().static_members == {"2": "B"}
    story.settle(b)
    assert b.partitions == 4


def test_an_instance_that_comes_back_with_another_subscription():
    story, a, b = two_instances()
    story.create_topic("u", 2)
    a.leave(AWAY)
    again = story.consumer("A2", ["u"], instance_id="1")
    again.join()
    assert "t" not in again.told, "what it had it is not subscribed to any more"
    story.settle(again, b)
    assert again.owned == {"u": {0, 1}}
    assert b.owned == {"t": {0, 1, 2, 3}}


def test_what_was_assigned_before_it_went_away_may_be_committed_by_its_successor():
    story, a, _ = two_instances()
    a.leave(AWAY)
    again = story.consumer("A2", instance_id="1")
    again.join()
    group = story.consumer_group()
    epochs = {since for has in group.members["A2"].assigned.values() for since in has.values()}
    assert epochs == {0}


def test_a_member_that_was_giving_up_goes_away():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A", instance_id="1"), story.consumer("B", instance_id="2")
    a.join()
    b.join()
    story.pass_time(INTERVAL_MS)
    a.ask_only()
    assert a.told == {"t": {0, 1}}
    a.leave(AWAY)
    b.beat()
    assert b.owned == {"t": {2, 3}}
    again = story.consumer("A2", instance_id="1")
    again.join()
    assert again.owned == {"t": {0, 1}}


def test_an_instance_that_is_away_has_nothing_to_give_up():
    story = ConsumerStory({"t": 4})
    a = story.consumer("A", instance_id="1", rebalance_ms=SESSION_MS // 2)
    b = story.consumer("B")
    a.join()
    b.join()
    story.pass_time(INTERVAL_MS)
    a.ask_only()
    a.leave(AWAY)
    story.pass_time(SESSION_MS // 2)
    assert "A" in story.consumer_group().members
    story.crash()
    b.beat()
    story.pass_time(SESSION_MS - 1)
    assert "A" in story.consumer_group().members
