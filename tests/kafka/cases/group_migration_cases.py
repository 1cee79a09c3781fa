"""Groups with members of both protocols, and groups that change between them while requests are under way (KIP-848)."""

from tests.kafka.cases.classic_members import Member, coordinated_group, subscription, wait_for_state
from tests.kafka.cases.committed_offset_cases import commit, delete, fetch, list_groups
from tests.kafka.cases.consumer_group_cases import assignment
from tests.kafka.cases.consumer_members import Consumer, configure, describe
from tests.kafka.cases.transactional_producers import TransactionalProducer
from tests.kafka.referee import Broker, Topic, case

from snakka.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from snakka.protocol.messages.delete_groups import DeleteGroupsRequest
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.join_group import JoinGroupRequest
from snakka.protocol.messages.list_groups import ListGroupsRequest


def classic(broker: Broker, group: str, topic: Topic, name: str = "c", **fields: object) -> Member:
    member = Member(broker, group, name, **fields)
    member.protocols = [("range", subscription(topic.name))]
    return member


def mixed(broker: Broker, topic: Topic, **fields: object) -> tuple[Member, Consumer]:
    """A classic group of one member, which a consumer has joined; both have caught up."""
    group = coordinated_group(broker)
    configure(broker, group, consumer_assignment_interval_ms="0")
    first = classic(broker, group, topic, **fields)
    first.join()
    first.sync(given={first.id: assignment(topic.name, 0, 1)})
    second = Consumer(broker, group, "a", topic)
    second.join()
    catch_up(first)
    catch_up(first)
    second.beat()
    return first, second


def catch_up(member: Member) -> None:
    """It is told to join again, and does."""
    member.heartbeat()
    member.join()
    member.sync()


@case(ConsumerGroupHeartbeatRequest, first=1)
def back_to_a_classic_group(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    first, second = mixed(broker, topic)
    describe(broker, first.group)
    list_groups(broker, 5)
    second.leave(version)
    list_groups(broker, 5)
    broker.ask(DescribeGroupsRequest(groups=[first.group]))
    commit_as(broker, first, topic, first.generation)
    first.heartbeat()
    first.join()
    first.sync(given={first.id: assignment(topic.name, 0, 1)})
    broker.ask(DescribeGroupsRequest(groups=[first.group]))
    second.join(version)
    describe(broker, first.group)


@case(ConsumerGroupHeartbeatRequest, first=1)
def back_while_a_member_lags_behind(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    first, second = mixed(broker, topic)
    third = Consumer(broker, first.group, "b", topic)
    third.join(version)
    third.leave(version)
    second.beat(version)
    second.leave(version)
    # The group has gone on without it.
    commit_as(broker, first, topic, first.generation)
    first.heartbeat()
    first.sync()
    first.join()
    broker.ask(DescribeGroupsRequest(groups=[first.group]))


# Who gets which partitions depends on the members' ids.
@case(JoinGroupRequest, first=9, ignored=("assignment", "target_assignment"))
def a_consumer_that_comes_while_others_join(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    group = coordinated_group(broker)
    configure(broker, group, consumer_assignment_interval_ms="0")
    first, second = classic(broker, group, topic, "c"), classic(broker, group, topic, "d")
    first.join()
    first.sync(given={first.id: assignment(topic.name, 0, 1)})
    second.get_id()
    second.begin_join()
    wait_for_state(broker, group, "PreparingRebalance", 2)
    consumer = Consumer(broker, group, "a", topic)
    consumer.join()
    second.end_join()
    first.heartbeat()
    describe(broker, group)


@case(JoinGroupRequest, first=9, ignored=("assignment", "target_assignment"))
def a_consumer_that_comes_while_others_wait_for_partitions(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    group = coordinated_group(broker)
    configure(broker, group, consumer_assignment_interval_ms="0")
    first, second = classic(broker, group, topic, "c"), classic(broker, group, topic, "d")
    first.join()
    second.get_id()
    second.begin_join()
    wait_for_state(broker, group, "PreparingRebalance", 2)
    first.begin_join()
    for member in (first, second):
        member.end_join()
    second.begin_sync()
    consumer = Consumer(broker, group, "a", topic)
    # Whether the other's SyncGroup came first does not matter: it is told to join again, one way or the other.
    consumer.join()
    second.end()
    first.heartbeat()
    describe(broker, group)


@case(ConsumerGroupHeartbeatRequest, first=1)
def data_that_no_broker_understands(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    group = coordinated_group(broker)
    first = classic(broker, group, topic)
    first.join()
    first.sync(given={first.id: b"\x00\x01 of an assignor of its own"})
    consumer = Consumer(broker, group, "a", topic)
    consumer.join(version)
    first.heartbeat()
    list_groups(broker, 5)


# Ids of classic members in consumer groups are plain UUIDs in Kafka; in Snakka they tell the client, as in classic groups.
@case(ConsumerGroupHeartbeatRequest, first=1, ignored=("member_id",))
def static_members_change_protocols(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    first, second = mixed(broker, topic, instance="one")
    # The classic one comes back with the consumer protocol, under its name.
    again = Consumer(broker, first.group, "b", topic, instance="one")
    again.join(version)
    first.heartbeat()
    first.leave()
    again.join(version)
    describe(broker, first.group)
    again.leave(version, epoch=-2)
    back = classic(broker, first.group, topic, "d", instance="one")
    back.join()
    back.heartbeat()
    back.sync()
    again.beat(version)
    describe(broker, first.group)
    second.leave(version)
    list_groups(broker, 5)


def commit_as(broker: Broker, member: Member, topic: Topic, generation: int) -> None:
    fields = {"generation_id_or_member_epoch": generation, "member_id": member.id}
    commit(broker, 9, member.group, (topic, 0, 1), **fields)


@case(ListGroupsRequest, first=5)
def offsets_of_a_group_of_both(broker: Broker, version: int) -> None:
    topic, other = broker.topic(partitions=2), broker.topic("other")
    first, second = mixed(broker, topic)
    for generation in (first.generation, first.generation + 1, first.generation - 1, -1):
        commit_as(broker, first, topic, generation)
    for epoch in (second.epoch, second.epoch + 1, second.epoch - 1, -1, 0):
        fields = {"generation_id_or_member_epoch": epoch, "member_id": second.id}
        for commit_version in (8, 9, 10):
            commit(broker, commit_version, first.group, (topic, 1, 1), (other, 0, 2), **fields)
    commit(broker, 9, first.group, (topic, 0, 5))
    producer = TransactionalProducer(broker)
    for generation, member_id in (
        (first.generation, first.id),
        (second.epoch, second.id),
        (second.epoch - 1, second.id),
        (1, "stranger"),
        (-1, ""),
    ):
        fields = {"generation_id": generation, "member_id": member_id}
        producer.commit_offsets(5, first.group, (topic, 0, 7), **fields)
    fetch(broker, 9, first.group)
    delete(broker, first.group, (topic, 0), (other, 0))
    broker.ask(DeleteGroupsRequest(groups_names=[first.group]))
    fetch(broker, 9, first.group)
