"""ConsumerGroupHeartbeat and ConsumerGroupDescribe: consumer groups as their members see them."""

from typing import Any

from tests.kafka.cases.classic_members import Member, coordinated_group, settle_group, subscription
from tests.kafka.cases.consumer_members import Consumer, configure, consumer_group, describe, owned, settle
from tests.kafka.referee import Broker, case

from snakka.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from snakka.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from snakka.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from snakka.protocol.messages.list_groups import ListGroupsRequest
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from snakka.protocol.record_types.embedded.consumer_protocol_assignment import (
    ConsumerProtocolAssignment,
    TopicPartition,
)

REGEX_VERSION = 1

# -- ConsumerGroupHeartbeat ---------------------------------------------------------------------------------------


@case(ConsumerGroupHeartbeatRequest)
def a_member_alone(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=3)
    member = Consumer(broker, group, "a", topic)
    member.join(version)
    describe(broker, group)
    member.beat(version)
    member.take(version)
    member.send(version, rebalance_timeout_ms=20_000)
    member.send(
        version,
        rebalance_timeout_ms=20_000,
        subscribed_topic_names=[topic.name],
        topic_partitions=owned(member.told),
    )
    member.send(version, member_epoch=member.epoch + 1)
    member.send(version, member_epoch=1)
    member.join(version)
    member.leave(version)
    member.leave(version)
    member.beat(version)
    describe(broker, group)
    member.join(version)
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest, last=0, ignored=("member_id",))
def a_member_without_an_id(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic()
    member = Consumer(broker, group, "", topic)
    member.join(version)
    member.beat(version)
    member.leave(version)


@case(ConsumerGroupHeartbeatRequest)
def members_that_come_and_go(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=6)
    first, second, third = (Consumer(broker, group, name, topic) for name in "abc")
    first.join(version)
    second.join(version)
    describe(broker, group)
    first.beat(version)
    describe(broker, group)
    first.beat(version)
    second.beat(version)
    first.take(version)
    describe(broker, group)
    second.beat(version)
    describe(broker, group)
    settle((first, second))
    third.join(version)
    first.beat(version)
    first.take(version)
    second.beat(version)
    second.take(version)
    third.beat(version)
    third.beat(version)
    describe(broker, group)
    second.leave(version)
    first.beat(version)
    third.beat(version)
    first.beat(version)
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest)
def an_answer_that_was_lost(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=4)
    first, second = Consumer(broker, group, "a", topic), Consumer(broker, group, "b", topic)
    first.join(version)
    second.join(version)
    first.beat(version)
    before = first.epoch
    first.take(version)
    first.send(version, member_epoch=before, topic_partitions=owned(first.told))
    first.send(version, member_epoch=before)
    first.send(version, member_epoch=before, topic_partitions=owned({topic.id: [0, 3]}))
    first.send(version, member_epoch=before, topic_partitions=owned({b"x" * 16: [0]}))
    first.send(version, member_epoch=before - 1, topic_partitions=[])


@case(ConsumerGroupHeartbeatRequest)
def requests_that_are_none(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic()
    member = Consumer(broker, group, "a", topic)
    for fields in (
        {"group_id": ""},
        {"group_id": "  "},
        {"member_id": " "},
        {"instance_id": ""},
        {"rack_id": ""},
        {"rebalance_timeout_ms": -1},
        {"topic_partitions": None},
        {"topic_partitions": owned({topic.id: [0]})},
        {"subscribed_topic_names": None},
        {"server_assignor": "none"},
        {"server_assignor": ""},
        {"member_epoch": -2},
        {"member_epoch": -3},
        {"member_epoch": 1},
        {"member_epoch": 1, "member_id": ""},
        {"member_epoch": -1, "member_id": ""},
        {"member_epoch": -1},
        {"member_epoch": -2, "instance_id": "i"},
    ):
        member.join(version, **fields)
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest)
def subscriptions_that_change(broker: Broker, version: int) -> None:
    group = consumer_group(broker)
    one, two = broker.topic("one", partitions=2), broker.topic("two", partitions=2)
    member = Consumer(broker, group, "a", one)
    member.join(version)
    member.send(version, subscribed_topic_names=[one.name, two.name])
    member.take(version)
    member.send(version, subscribed_topic_names=[two.name])
    describe(broker, group)
    member.beat(version)
    member.take(version)
    member.send(version, subscribed_topic_names=[])
    member.take(version)
    describe(broker, group)
    member.send(version, subscribed_topic_names=[broker.name("missing"), two.name, two.name])
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest)
def topics_that_come_grow_and_go(broker: Broker, version: int) -> None:
    group = consumer_group(broker)
    member = Consumer(broker, group, "a", broker.name("late"))
    member.join(version)
    topic = broker.topic("late", partitions=1)
    member.beat(version)
    member.take(version)
    broker.ask(
        CreatePartitionsRequest(
            topics=[CreatePartitionsTopic(name=topic.name, count=3, assignments=None)], timeout_ms=5_000
        )
    )
    member.beat(version)
    member.take(version)
    describe(broker, group)
    broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=topic.name)], timeout_ms=5_000))
    member.beat(version)
    member.send(version, topic_partitions=[])
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest)
def static_members(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=2)
    member = Consumer(broker, group, "a", topic, instance="i")
    again = Consumer(broker, group, "b", topic, instance="i")
    member.join(version)
    again.join(version)
    again.send(version, member_epoch=1)
    again.leave(version)
    again.leave(version, epoch=-2)
    member.leave(version, epoch=-2)
    describe(broker, group)
    member.beat(version)
    again.join(version)
    describe(broker, group)
    member.beat(version)
    member.leave(version, epoch=-2)
    again.beat(version)
    again.leave(version)
    describe(broker, group)
    again.leave(version)


@case(ConsumerGroupHeartbeatRequest)
def assignors_that_members_ask_for(broker: Broker, version: int) -> None:
    group = consumer_group(broker)
    one, two = broker.topic("one", partitions=3), broker.topic("two", partitions=2)
    members = [Consumer(broker, group, name, one, two, server_assignor="range") for name in "ab"]
    members.append(Consumer(broker, group, "c", one, server_assignor="uniform"))
    for member in members:
        member.join(version)
    settle(members)
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest)
def members_with_different_subscriptions(broker: Broker, version: int) -> None:
    group = consumer_group(broker)
    one, two = broker.topic("one", partitions=3), broker.topic("two", partitions=3)
    members = [Consumer(broker, group, "a", one, two), Consumer(broker, group, "b", two)]
    for member in members:
        member.join(version)
    settle(members)
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest, first=REGEX_VERSION)
def regular_expressions(broker: Broker, version: int) -> None:
    group = consumer_group(broker)
    broker.topic("one", partitions=1)
    broker.topic("two", partitions=2)
    member = Consumer(broker, group, "a", subscribed_topic_regex=broker.name("(one|two)").replace(".", "\\."))
    for pattern in ("(", "a**", "(?=a)", "\\1", "a{1001}", "[b-a]", "(?P<n>a)(?P<n>b)", "\\pX"):
        member.join(version, subscribed_topic_regex=pattern)

    def has_partitions(answer: Any) -> bool:
        (described,) = answer.groups
        return bool(described.members and described.members[0].assignment.topic_partitions)

    request = ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id="a",
        member_epoch=0,
        rebalance_timeout_ms=30_000,
        subscribed_topic_names=[],
        subscribed_topic_regex=member._fields["subscribed_topic_regex"],
        topic_partitions=[],
    )
    # Kafka looks for the topics in the background: the member learns of them by a later heartbeat.
    broker.until(
        request, lambda answer: answer.assignment is not None and bool(answer.assignment.topic_partitions)
    )
    broker.until(ConsumerGroupDescribeRequest(group_ids=[group]), has_partitions)
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest)
def configs_of_the_group(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic()
    configure(broker, group, consumer_heartbeat_interval_ms="6000")
    Consumer(broker, group, "a", topic).join(version)
    configure(broker, group, consumer_heartbeat_interval_ms="1")
    configure(broker, group, consumer_session_timeout_ms="1")
    configure(broker, group, consumer_assignment_interval_ms="16000")


@case(ConsumerGroupHeartbeatRequest)
def commits_of_an_epoch_that_is_over(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=4)
    first, second = Consumer(broker, group, "a", topic), Consumer(broker, group, "b", topic)
    first.join(version)

    def commit(member: Consumer, epoch: int, partition: int, version: int = 10) -> None:
        row = OffsetCommitRequestPartition(partition_index=partition, committed_offset=1)
        rows = [OffsetCommitRequestTopic(name=topic.name, topic_id=topic.id, partitions=[row])]
        request = OffsetCommitRequest(
            group_id=group, member_id=member.id, generation_id_or_member_epoch=epoch, topics=rows
        )
        broker.ask(request, version)

    old = first.epoch
    commit(first, old, 0)
    second.join(version)
    first.beat(version)
    first.take(version)
    second.beat(version)
    for member in (first, second):
        for epoch in (old - 1, old, member.epoch, member.epoch + 1, -1):
            for partition in (0, 3):
                commit(member, epoch, partition)
                commit(member, epoch, partition, version=9)
    commit(first, first.epoch, 0, version=8)
    commit(Consumer(broker, group, "c", topic), 1, 0)


@case(ConsumerGroupHeartbeatRequest)
def more_members_than_a_consumer_group_may_have(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=6)
    members = [Consumer(broker, group, name, topic, instance=f"i{name}") for name in "abcd"]
    for member in members:
        member.join(version)
    # Whoever takes the place of one that is away is none too many.
    members[2].leave(version, epoch=-2)
    Consumer(broker, group, "e", topic, instance="ic").join(version)
    members[0].leave(version)
    members[1].beat(version)
    members[3].join(version)


def wait_for_members(broker: Broker, group: str, count: int) -> None:
    broker.until(
        ConsumerGroupDescribeRequest(group_ids=[group]),
        lambda answer: len(answer.groups[0].members) == count,
    )


@case(ConsumerGroupHeartbeatRequest)
def consumers_that_fall_silent(broker: Broker, version: int) -> None:
    times = {"consumer_heartbeat_interval_ms": "50", "consumer_session_timeout_ms": "300"}
    group, topic = consumer_group(broker, **times), broker.topic()
    member = Consumer(broker, group, "a", topic)
    member.join(version)
    wait_for_members(broker, group, 0)
    member.beat(version)
    describe(broker, group)
    member.join(version)
    member.leave(version)
    # Away, and not back in time.
    static = Consumer(broker, group, "b", topic, instance="i")
    static.join(version)
    static.leave(version, epoch=-2)
    wait_for_members(broker, group, 0)
    static.join(version)


@case(ConsumerGroupHeartbeatRequest)
def one_that_does_not_give_up_its_partitions(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=2)
    first = Consumer(broker, group, "a", topic, rebalance_timeout_ms=300)
    second = Consumer(broker, group, "b", topic)
    first.join(version)
    first.take(version)
    second.join(version)
    first.beat(version)
    describe(broker, group)
    wait_for_members(broker, group, 1)
    first.take(version)
    second.beat(version)
    describe(broker, group)


# -- live migration -----------------------------------------------------------------------------------------------


def classic_consumer(broker: Broker, group: str, name: str, *topics: str, **fields: Any) -> Member:
    member = Member(broker, group, name, **fields)
    member.protocols = [("range", subscription(*topics))]
    return member


def assignment(topic: str, *partitions: int) -> bytes:
    rows = [TopicPartition(topic=topic, partitions=list(partitions))]
    return (1).to_bytes(2) + ConsumerProtocolAssignment(assigned_partitions=rows, user_data=None).encode(1)


@case(ConsumerGroupHeartbeatRequest)
def a_classic_group_that_becomes_a_consumer_group(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic(partitions=2)
    configure(broker, group, consumer_assignment_interval_ms="0")
    classic = classic_consumer(broker, group, "c", topic.name)
    classic.join()
    # It has everything, so both brokers know what it keeps.
    classic.sync(given={classic.id: assignment(topic.name, 0, 1)})
    member = Consumer(broker, group, "a", topic)
    member.join(version)
    broker.ask(ListGroupsRequest(types_filter=["consumer"], states_filter=["none"]))
    broker.ask(DescribeGroupsRequest(groups=[group]), 6)
    classic.heartbeat()
    classic.join()
    classic.heartbeat()
    classic.sync(protocol_type="consumer", protocol_name="range")
    member.beat(version)
    classic.heartbeat()
    member.leave(version)
    classic.heartbeat()
    classic.join()
    classic.sync(given={classic.id: b""})
    broker.ask(DescribeGroupsRequest(groups=[group]), 6)
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest)
def groups_of_other_kinds(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    other = Member(broker, group, "c", protocol_type="connect")
    settle_group(9, other)
    member = Consumer(broker, group, "a", topic)
    member.join(version)
    member.send(version, member_epoch=1)
    member.leave(version)
    describe(broker, group)
    other.leave()
    member.join(version)


@case(ConsumerGroupHeartbeatRequest)
def classic_requests_in_a_consumer_group(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic()
    member = Consumer(broker, group, "a", topic)
    member.join(version)
    classic = classic_consumer(broker, group, "c", topic.name)
    classic.id, classic.generation = "a", member.epoch
    classic.heartbeat()
    classic.sync()
    other = classic_consumer(broker, group, "c", topic.name, protocol_type="connect")
    other.id = "c"
    other.begin_join()
    other.end_join()
    joined = classic_consumer(broker, group, "d", topic.name)
    joined.id = "d"
    joined.begin_join()
    joined.end_join()
    joined.heartbeat(generation_id=joined.generation + 1)
    joined.heartbeat(group_instance_id="i")
    joined.sync(generation_id=joined.generation + 1)
    joined.sync(protocol_type="connect")
    joined.sync(protocol_name="none")
    joined.sync(protocol_type="consumer", protocol_name="range")
    rows = [
        MemberIdentity(member_id="a"),
        MemberIdentity(member_id="nobody"),
        MemberIdentity(member_id="", group_instance_id="i"),
    ]
    broker.ask(LeaveGroupRequest(group_id=group, members=rows))


# -- ConsumerGroupDescribe ----------------------------------------------------------------------------------------


@case(ConsumerGroupDescribeRequest)
def groups_that_are_described(broker: Broker, version: int) -> None:
    group, topic = consumer_group(broker), broker.topic(partitions=2)
    classic = coordinated_group(broker, "classic")
    settle_group(9, classic_consumer(broker, classic, "c", topic.name))
    member = Consumer(
        broker, group, "a", topic, broker.name("missing"), instance="i", rack_id="r", server_assignor="range"
    )
    member.join()
    for operations in (False, True):
        request = ConsumerGroupDescribeRequest(
            group_ids=[group, classic, broker.name("nobody"), ""], include_authorized_operations=operations
        )
        broker.ask(request, version)
    broker.ask(ConsumerGroupDescribeRequest(group_ids=[]), version)
