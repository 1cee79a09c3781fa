"""What members and administrators ask of classic groups: offsets, lists, descriptions, deletions, coordinators."""

from tests.kafka.cases.classic_members import (
    Member,
    coordinated_group,
    rejoin,
    settle_group,
    subscription,
    wait_for_state,
)
from tests.kafka.cases.committed_offset_cases import COMMIT_VERSION, commit, delete, fetch, list_groups
from tests.kafka.cases.transactional_producers import TransactionalProducer
from tests.kafka.referee import Broker, Topic, case

from snakka.protocol.messages.delete_groups import DeleteGroupsRequest
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.list_groups import ListGroupsRequest
from snakka.protocol.messages.offset_commit import OffsetCommitRequest
from snakka.protocol.messages.offset_delete import OffsetDeleteRequest
from snakka.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from snakka.protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

BATCHED_FINDING = 4


def subscriber(broker: Broker, group: str, topic: Topic, name: str = "a", **fields: str) -> Member:
    member = Member(broker, group, name, **fields)
    member.protocols = [("range", subscription(topic.name))]
    return member


def identities(member: Member) -> list[dict[str, object]]:
    """The member, and those who are not quite it."""
    names = ("generation_id_or_member_epoch", "member_id")
    pairs = [
        (member.generation, member.id),
        (member.generation + 1, member.id),
        (member.generation - 1, member.id),
        (-1, member.id),
        (member.generation, "stranger"),
        (member.generation, ""),
        (-1, ""),
    ]
    return [dict(zip(names, pair, strict=True)) for pair in pairs]


# -- offsets ------------------------------------------------------------------------------------------------------


@case(OffsetCommitRequest)
def commits_of_members(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    member = subscriber(broker, group, topic)
    member.join()
    # Not before it knows what it has, and again not when all are asked to come again.
    for who in identities(member):
        commit(broker, version, group, (topic, 0, 1), **who)
    member.sync(given={member.id: b""})
    for offset, who in enumerate(identities(member)):
        commit(broker, version, group, (topic, 0, 10 + offset), **who)
        fetch(broker, 9, group)
    other = subscriber(broker, group, topic, "b")
    other.get_id()
    other.begin_join()
    wait_for_state(broker, group, "PreparingRebalance", 2)
    for who in identities(member):
        commit(broker, version, group, (topic, 0, 3), **who)
    member.leave()
    other.end_join()
    fetch(broker, 9, group)


@case(OffsetCommitRequest, first=7)
def commits_of_static_members(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    member = subscriber(broker, group, topic, instance="one")
    settle_group(9, member)
    for instance in ("one", "two", None, ""):
        for who in identities(member):
            commit(broker, version, group, (topic, 0, 1), group_instance_id=instance, **who)


@case(TxnOffsetCommitRequest, first=3)
def transactional_commits_of_members(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    member, producer = subscriber(broker, group, topic, instance="one"), TransactionalProducer(broker)
    settle_group(9, member)
    producer.add_offsets(3, group)
    for instance in ("one", "two", None):
        for who in identities(member):
            fields = {"generation_id": who["generation_id_or_member_epoch"], "member_id": who["member_id"]}
            producer.commit_offsets(version, group, (topic, 0, 1), group_instance_id=instance, **fields)
    member.join()
    fields = {"generation_id": member.generation, "member_id": member.id}
    producer.commit_offsets(version, group, (topic, 0, 1), group_instance_id="one", **fields)


@case(OffsetFetchRequest, first=9)
def offsets_that_members_ask_for(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    member = subscriber(broker, group, topic)
    settle_group(9, member)
    for who in identities(member):
        row = OffsetFetchRequestGroup(
            group_id=group,
            topics=None,
            member_id=str(who["member_id"]),
            member_epoch=who["generation_id_or_member_epoch"],
        )
        broker.ask(OffsetFetchRequest(groups=[row]), version)


@case(OffsetDeleteRequest)
def offsets_that_members_need(broker: Broker, version: int) -> None:
    group, topic, other = coordinated_group(broker), broker.topic(), broker.topic("other")
    commit(broker, COMMIT_VERSION, group, (topic, 0, 1), (other, 0, 2))
    member = subscriber(broker, group, topic)
    settle_group(9, member)
    delete(broker, group, (topic, 0), (other, 0), (topic, 5))
    fetch(broker, 9, group)
    member.leave()
    delete(broker, group, (topic, 0))
    fetch(broker, 9, group)


@case(OffsetDeleteRequest)
def offsets_of_groups_that_are_no_consumers(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    commit(broker, COMMIT_VERSION, group, (topic, 0, 1))
    member = Member(broker, group, "a", protocol_type="connect")
    settle_group(9, member)
    delete(broker, group, (topic, 0))
    fetch(broker, 9, group)


@case(OffsetDeleteRequest)
def offsets_of_a_topic_that_is_deleted(broker: Broker, version: int) -> None:
    group, topic, other = coordinated_group(broker), broker.topic(), broker.topic("other")
    commit(broker, COMMIT_VERSION, group, (topic, 0, 1), (other, 0, 2))
    row = DeleteTopicState(name=topic.name)
    broker.ask(DeleteTopicsRequest(topics=[row], timeout_ms=20_000))
    broker.until(
        OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=group, topics=None)]),
        lambda answer: len(answer.groups[0].topics) == 1,
    )
    fetch(broker, 9, group)
    fetch(broker, 10, group)


# -- groups -------------------------------------------------------------------------------------------------------


@case(ListGroupsRequest)
def lists_of_groups_with_members(broker: Broker, version: int) -> None:
    joining, syncing, stable, empty, other = (
        Member(broker, coordinated_group(broker, text), "a", protocol_type=kind)
        for text, kind in (
            ("joining", "consumer"),
            ("syncing", "consumer"),
            ("stable", "consumer"),
            ("empty", "consumer"),
            ("other", "connect"),
        )
    )
    settle_group(9, joining)
    second = Member(broker, joining.group, "b")
    second.get_id()
    second.begin_join()
    wait_for_state(broker, joining.group, "PreparingRebalance", 2)
    syncing.join()
    for member in (stable, empty):
        settle_group(9, member)
    other.join()
    empty.leave()
    list_groups(broker, version)
    if version >= 4:
        for states in (["PreparingRebalance"], ["completingrebalance", "STABLE"], ["Empty"], ["Assigning"]):
            list_groups(broker, version, states_filter=states)
    if version >= 5:
        for kinds in (["classic"], ["consumer"], ["classic", "consumer"]):
            list_groups(broker, version, types_filter=kinds)
    joining.leave()
    second.end_join()


@case(DescribeGroupsRequest)
def descriptions_in_every_state(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    request = DescribeGroupsRequest(groups=[group])
    first = Member(broker, group, "a", instance="one", protocols=("range", "sticky"))
    second = Member(broker, group, "b", protocols=("range", "sticky"))
    first.join()
    broker.ask(request, version)
    first.sync(given={first.id: b"everything"})
    broker.ask(request, version)
    second.get_id()
    broker.ask(request, version)
    second.begin_join()
    wait_for_state(broker, group, "PreparingRebalance", 2)
    broker.ask(request, version)
    first.begin_join()
    for member in (first, second):
        member.end_join()
    broker.ask(request, version)
    first.sync(given={second.id: b"everything"})
    broker.ask(request, version)
    for member in (first, second):
        member.leave()
    broker.ask(request, version)


@case(DeleteGroupsRequest)
def deletions_of_groups_with_members(broker: Broker, version: int) -> None:
    stable, empty = (Member(broker, coordinated_group(broker, text), "a") for text in ("stable", "empty"))
    settle_group(9, stable)
    settle_group(9, empty)
    empty.leave()
    broker.ask(DeleteGroupsRequest(groups_names=[stable.group, empty.group, ""]), version)
    stable.heartbeat()
    broker.ask(DescribeGroupsRequest(groups=[stable.group, empty.group]))
    other = Member(broker, stable.group, "b")
    rejoin(9, stable, other)
    broker.ask(DeleteGroupsRequest(groups_names=[stable.group]), version)


# -- FindCoordinator ----------------------------------------------------------------------------------------------


@case(FindCoordinatorRequest)
def coordinators(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    # Who asks first brings the topic of transactions into being, which takes Kafka a moment.
    broker.until(
        FindCoordinatorRequest(key_type=1, coordinator_keys=[group]),
        lambda answer: not answer.coordinators[0].error_code,
    )
    # Groups, transactions, and kinds that there are none of.
    kinds = (0, 1, 3, -1) if version >= 1 else (0,)
    for kind in kinds:
        for keys in ([group], [""], ["ä", group], [group, group], []):
            if version >= BATCHED_FINDING:
                broker.ask(FindCoordinatorRequest(key_type=kind, coordinator_keys=keys), version)
            elif keys:
                request = FindCoordinatorRequest(key=keys[0])
                if version >= 1:
                    request.key_type = kind
                broker.ask(request, version)
