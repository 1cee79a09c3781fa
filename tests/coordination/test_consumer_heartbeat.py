"""Heartbeats in stories: members join, share, change their minds and leave, and everybody learns it step by step."""

from tests.coordination.consumer_story import (
    INTERVAL_MS,
    REVOCATION_MS,
    SESSION_MS,
    ConsumerStory,
    assert_nothing_is_shared,
)
from tests.coordination.group_story import GROUP

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequestTopicPartitions,
    ConsumerGroupHeartbeatResponse,
)


def test_the_first_member_gets_everything_at_once():
    story = ConsumerStory({"t": 3})
    a = story.consumer("A")
    response = a.join().response
    assert isinstance(response, ConsumerGroupHeartbeatResponse)
    assert (response.member_id, response.member_epoch, response.heartbeat_interval_ms) == ("A", 2, 5_000)
    assert a.owned == {"t": {0, 1, 2}}
    assert story.consumer_group().state_name == "Stable"
    assert [type(record.value).__name__ for record in story.records()] == [
        "ConsumerGroupMemberMetadataValue",
        "ConsumerGroupMetadataValue",
        "ConsumerGroupTargetAssignmentMemberValue",
        "ConsumerGroupTargetAssignmentMetadataValue",
        "ConsumerGroupCurrentMemberAssignmentValue",
    ]


def test_a_heartbeat_without_news_writes_nothing_and_tells_nothing():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    before = len(story.log)
    response = a.send().response
    assert response.assignment is None
    assert response.member_epoch == 2
    assert len(story.log) == before


def test_a_whole_heartbeat_is_told_its_assignment_again():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    again = a.send(rebalance_timeout_ms=REVOCATION_MS, subscribed_topic_names=["t"], topic_partitions=[])
    assert again.response.assignment is not None
    part = a.send(rebalance_timeout_ms=REVOCATION_MS, subscribed_topic_names=["t"])
    assert part.response.assignment is None


def test_old_clients_get_an_id():
    story = ConsumerStory()
    a = story.consumer("A")
    assert a.join(member_id="").response.member_id == "made-for-A"


def test_a_second_member_waits_until_the_first_has_let_go():
    story = ConsumerStory({"t": 6})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    assert (b.epoch, b.owned) == (2, {}), "the next assignment is not due yet"
    assert story.consumer_group().state_name == "Assigning"
    story.pass_time(INTERVAL_MS)
    assert story.consumer_group().state_name == "Reconciling"
    assert b.ask_only() is ErrorCode.NONE
    assert (b.epoch, b.told) == (3, {}), "A has everything still"
    a.ask_only()
    assert (a.epoch, a.told) == (2, {"t": {0, 1, 2}}), "A stays in its epoch until it has given up"
    b.ask_only()
    assert b.told == {}
    a.take()
    assert a.epoch == 3
    b.beat()
    assert b.owned == {"t": {3, 4, 5}}
    assert story.consumer_group().state_name == "Stable"
    assert_nothing_is_shared(a, b)


def test_everything_that_happens_within_the_interval_is_one_assignment():
    story = ConsumerStory({"t": 8})
    a = story.consumer("A")
    a.join()
    others = [story.consumer(name) for name in "BCD"]
    for other in others:
        other.join()
    assert (story.consumer_group().epoch, story.consumer_group().assignment_epoch) == (5, 2)
    story.pass_time(INTERVAL_MS - 1)
    assert story.consumer_group().assignment_epoch == 2
    story.pass_time(1)
    assert story.consumer_group().assignment_epoch == 5
    story.settle(a, *others)
    assert [client.partitions for client in (a, *others)] == [2, 2, 2, 2]


def test_without_an_interval_every_epoch_has_its_assignment():
    story = ConsumerStory({"t": 4}, group_consumer_assignment_interval_ms=0)
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    assert b.epoch == 3
    assert story.consumer_group().assignment_epoch == 3


def test_a_leaver_s_partitions_are_free_at_once():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.settle(a, b)
    epoch = story.consumer_group().epoch
    assert a.leave() is ErrorCode.NONE
    assert story.consumer_group().epoch == epoch + 1
    story.pass_time(INTERVAL_MS)
    b.beat()
    assert b.owned == {"t": {0, 1, 2, 3}}
    assert a.ask_only() is ErrorCode.UNKNOWN_MEMBER_ID
    assert a.leave() is ErrorCode.UNKNOWN_MEMBER_ID


def test_the_last_one_leaves_an_empty_group():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    assert a.send(member_epoch=-1).response.member_epoch == -1
    group = story.consumer_group()
    assert group.is_empty
    assert group.state_name == "Empty"
    assert not group.target
    assert not group.topic_counts
    a.join()
    assert a.epoch == group.epoch == 4
    story.settle(a)
    assert a.owned == {"t": {0, 1, 2, 3, 4, 5}}


def test_who_is_not_heard_of_is_removed():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.settle(a, b)
    for _ in range(10):
        story.pass_time(SESSION_MS // 9)
        b.beat()
    assert list(story.consumer_group().members) == ["B"]
    assert b.owned == {"t": {0, 1, 2, 3}}
    assert a.ask_only() is ErrorCode.UNKNOWN_MEMBER_ID


def test_who_does_not_let_go_in_time_is_removed():
    story = ConsumerStory(
        {"t": 4}, group_consumer_max_session_timeout_ms=600_000, group_consumer_session_timeout_ms=600_000
    )
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.pass_time(INTERVAL_MS)
    a.ask_only()
    assert a.told == {"t": {0, 1}}
    story.pass_time(REVOCATION_MS - 1)
    assert a.ask_only() is ErrorCode.NONE
    story.pass_time(1)
    assert a.ask_only() is ErrorCode.UNKNOWN_MEMBER_ID
    story.pass_time(INTERVAL_MS)
    b.beat()
    assert b.owned == {"t": {0, 1, 2, 3}}


def test_who_has_let_go_is_not_removed():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.pass_time(INTERVAL_MS)
    a.beat()
    for _ in range(10):
        story.pass_time(REVOCATION_MS // 5)
        assert a.beat() is ErrorCode.NONE
        assert b.beat() is ErrorCode.NONE


def test_a_new_coordinator_gives_everybody_a_new_session_and_the_time_to_let_go():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.pass_time(INTERVAL_MS)
    a.ask_only()
    story.pass_time(SESSION_MS - INTERVAL_MS - 1)
    story.crash()
    story.pass_time(SESSION_MS - 1)
    assert a.ask_only() is ErrorCode.NONE
    assert b.ask_only() is ErrorCode.NONE
    story.pass_time(REVOCATION_MS - SESSION_MS + 1)
    assert list(story.consumer_group().members) == ["B"]


def test_an_assignment_that_a_crash_prevented_is_made_up_for():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.crash()
    story.pass_time(INTERVAL_MS)
    assert story.consumer_group().assignment_epoch == 3


def test_epochs_that_are_wrong_are_fenced():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.settle(a, b)
    assert a.epoch == 3
    assert a.send(member_epoch=4).error is ErrorCode.FENCED_MEMBER_EPOCH
    assert a.send(member_epoch=1).error is ErrorCode.FENCED_MEMBER_EPOCH
    assert a.send(member_epoch=2).error is ErrorCode.FENCED_MEMBER_EPOCH, "it does not say what it owns"


def test_the_epoch_before_is_right_if_the_answer_was_lost():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.pass_time(INTERVAL_MS)
    a.ask_only()
    a.take()
    assert a.epoch == 3
    mine = ConsumerGroupHeartbeatRequestTopicPartitions(topic_id=story.topic_id("t"), partitions=[0, 1])
    assert a.send(member_epoch=2, topic_partitions=[mine]).response.member_epoch == 3
    other = ConsumerGroupHeartbeatRequestTopicPartitions(topic_id=story.topic_id("t"), partitions=[0, 3])
    assert a.send(member_epoch=2, topic_partitions=[other]).error is ErrorCode.FENCED_MEMBER_EPOCH


def test_a_member_that_lost_its_epoch_joins_again_and_is_told_all():
    story = ConsumerStory({"t": 2})
    a = story.consumer("A")
    a.join()
    a.join()
    assert (a.epoch, a.owned) == (2, {"t": {0, 1}})


def test_unknown_groups_and_members():
    story = ConsumerStory()
    a, b = story.consumer("A"), story.consumer("B")
    assert a.send(member_epoch=1).error is ErrorCode.GROUP_ID_NOT_FOUND
    assert a.leave() is ErrorCode.GROUP_ID_NOT_FOUND
    a.join()
    assert b.send(member_epoch=1).error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_full_group_takes_nobody_else():
    story = ConsumerStory(group_consumer_max_size=1)
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    assert b.join().error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert a.join().error is ErrorCode.NONE


def test_another_subscription_is_followed():
    story = ConsumerStory({"t": 2, "u": 2})
    a = story.consumer("A")
    a.join()
    a.subscribe("t", "u")
    story.settle(a)
    assert a.owned == {"t": {0, 1}, "u": {0, 1}}


def test_what_is_unsubscribed_from_is_given_up_before_the_next_assignment():
    story = ConsumerStory({"t": 2, "u": 2})
    a, b = story.consumer("A", ["t", "u"]), story.consumer("B", ["t", "u"])
    a.join()
    b.join()
    story.settle(a, b)
    b.leave()
    story.pass_time(0)
    a.beat()
    assert (a.epoch, a.owned) == (4, {"t": {0, 1}, "u": {0, 1}})
    b.join()
    a.subscribe("u")
    assert (a.epoch, a.told) == (4, {"u": {0, 1}})
    assert a.ask_only() is ErrorCode.NONE
    a.take()
    assert story.consumer_group().assignment_epoch == 4
    story.settle(a, b)
    assert a.owned == {"u": {0, 1}}
    assert b.owned == {"t": {0, 1}}


def test_a_topic_that_grows_is_assigned_anew():
    story = ConsumerStory({"t": 2})
    a = story.consumer("A")
    a.join()
    story.grow_topic("t", 4)
    assert story.consumer_group().epoch == 3
    story.settle(a)
    assert a.owned == {"t": {0, 1, 2, 3}}


def test_a_topic_that_comes_later_is_assigned_then():
    story = ConsumerStory({"other": 1})
    a = story.consumer("A", ["t"])
    a.join()
    assert a.owned == {}
    story.create_topic("t", 2)
    story.settle(a)
    assert a.owned == {"t": {0, 1}}


def test_a_deleted_topic_is_taken_away_and_a_new_one_of_its_name_is_another():
    story = ConsumerStory({"t": 2, "u": 1})
    a = story.consumer("A", ["t", "u"])
    a.join()
    story.delete_topic("t")
    story.settle(a)
    assert a.owned == {"u": {0}}
    story.create_topic("t", 1)
    story.settle(a)
    assert a.owned == {"t": {0}, "u": {0}}


def test_topics_that_nobody_reads_change_nothing():
    story = ConsumerStory({"t": 2})
    a = story.consumer("A")
    a.join()
    before = len(story.log)
    story.create_topic("u", 2)
    story.delete_topic("u")
    a.beat()
    assert len(story.log) == before


def test_what_changed_while_the_coordinator_was_away_is_seen_at_the_next_heartbeat():
    story = ConsumerStory({"t": 2})
    a = story.consumer("A")
    a.join()
    story.grow_topic("t", 3, is_published=False)
    story.crash()
    assert story.consumer_group().epoch == 2
    story.settle(a)
    assert a.owned == {"t": {0, 1, 2}}


def test_most_members_decide_on_the_assignor():
    story = ConsumerStory({"t": 3, "u": 3})
    a, b = (story.consumer(name, ["t", "u"], assignor="range") for name in "AB")
    c = story.consumer("C", ["t", "u"], assignor="uniform")
    for client in (a, b, c):
        client.join()
    story.settle(a, b, c)
    assert story.described().assignor_name == "range"
    assert a.owned == {"t": {0}, "u": {0}}


def test_an_assignor_that_is_not_served_any_more_gives_way_to_the_first():
    story = ConsumerStory({"t": 3})
    a = story.consumer("A", assignor="range")
    a.join()
    story.settings = type(story.settings)(group_consumer_assignors=("uniform",))
    story.grow_topic("t", 4)
    assert story.described().assignor_name == "uniform"


def test_a_group_has_its_own_timing_within_the_broker_s_bounds():
    story = ConsumerStory()
    story.configure_group("consumer.session.timeout.ms", "50000")
    story.configure_group("consumer.heartbeat.interval.ms", "100000")
    story.configure_group("consumer.assignment.interval.ms", "0")
    a, b = story.consumer("A"), story.consumer("B")
    assert a.join().response.heartbeat_interval_ms == 15_000
    b.join()
    assert b.epoch == 3, "an interval of zero does not wait"
    story.pass_time(50_000 - 1)
    assert len(story.consumer_group().members) == 2
    story.pass_time(1)
    assert not story.consumer_group().members


def test_a_refused_heartbeat_leaves_the_group_as_it_was():
    story = ConsumerStory({"t": 2})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    story.refuse_next_append(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert b.join().error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert list(story.consumer_group().members) == ["A"]
    assert b.join().error is ErrorCode.NONE
    story.settle(a, b)
    assert a.partitions == b.partitions == 1


def test_a_removal_that_can_not_be_written_down_is_tried_again():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    story.refuse_next_append()
    story.pass_time(SESSION_MS)
    assert story.consumer_group().members
    story.pass_time(1_000)
    assert not story.consumer_group().members


def test_an_empty_group_of_offsets_gives_way():
    story = ConsumerStory()
    story.member("old")
    classic = story.member("C")
    story.settled(classic)
    classic.leave()
    a = story.consumer("A")
    a.join()
    assert a.owned == {"t": {0, 1, 2, 3, 4, 5}}
    assert story.written()[-1] is None, "the classic group has a tombstone"


def test_an_empty_consumer_group_gives_way_to_a_classic_one():
    story = ConsumerStory()
    a = story.consumer("A")
    a.join()
    a.leave()
    story.settled(story.member("C"))
    assert story.shard.groups[GROUP].kind == "classic"


def test_the_group_is_described():
    story = ConsumerStory({"t": 4})
    a = story.consumer("A", instance_id="i", rack_id="r")
    b = story.consumer("B", [], pattern="t.*")
    a.join()
    b.join()
    story.pass_time(INTERVAL_MS)
    a.ask_only()
    described = story.described()
    assert (described.group_state, described.group_epoch, described.assignment_epoch) == ("Reconciling", 3, 3)
    first, second = described.members
    assert (first.member_id, first.instance_id, first.rack_id, first.member_type) == ("A", "i", "r", 1)
    assert (first.client_id, first.client_host, first.member_epoch) == ("A", "/127.0.0.1", 2)
    assert first.subscribed_topic_names == ["t"]
    (row,) = first.assignment.topic_partitions
    assert (row.topic_name, row.partitions) == ("t", [0, 1, 2, 3]), "what it has to give up it still has"
    assert first.target_assignment.topic_partitions[0].partitions == [0, 1]
    assert (second.subscribed_topic_names, second.subscribed_topic_regex) == ([], "t.*")
    assert second.assignment.topic_partitions == []
    assert second.target_assignment.topic_partitions[0].partitions == [2, 3]
