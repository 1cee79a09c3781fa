"""OffsetCommit, OffsetFetch, OffsetDelete, ListGroups, DescribeGroups and DeleteGroups, for groups without members."""

from tests.kafka.cases.classic_members import coordinated_group
from tests.kafka.cases.produce_cases import UNKNOWN_TOPIC
from tests.kafka.referee import Broker, Topic, case

from snakka.protocol.messages.delete_groups import DeleteGroupsRequest
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.list_groups import ListGroupsRequest
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from snakka.protocol.uuids import ZERO_UUID

COMMIT_VERSION = 9
FETCH_VERSION = 9
STRANGER = UNKNOWN_TOPIC
NAMELESS = Topic("", ZERO_UUID)

# Topic, partition, offset.
Offset = tuple[Topic, int, int]


def commit(
    broker: Broker, version: int, group: str, *offsets: Offset, metadata: str | None = "", **fields
) -> None:
    rows: dict[Topic, OffsetCommitRequestTopic] = {}
    for topic, index, offset in offsets:
        named = {"topic_id": topic.id} if version >= 10 else {"name": topic.name}
        row = rows.setdefault(topic, OffsetCommitRequestTopic(**named))
        row.partitions.append(
            OffsetCommitRequestPartition(
                partition_index=index,
                committed_offset=offset,
                committed_metadata=metadata,
                committed_leader_epoch=3 if version >= 6 else -1,
            )
        )
    broker.ask(OffsetCommitRequest(group_id=group, topics=list(rows.values()), **fields), version)


def fetch(
    broker: Broker, version: int, *groups: str, asked: dict[Topic, list[int]] | None = None, **fields
) -> None:
    """Everything that the groups have committed, or what is asked."""
    if version < 8:
        topics = asked and [
            OffsetFetchRequestTopic(name=topic.name, partition_indexes=indexes)
            for topic, indexes in asked.items()
        ]
        for group in groups:
            broker.ask(OffsetFetchRequest(group_id=group, topics=topics, **fields), version)
        return
    rows = [
        OffsetFetchRequestGroup(
            group_id=group,
            topics=asked
            and [
                OffsetFetchRequestTopics(
                    **({"topic_id": topic.id} if version >= 10 else {"name": topic.name}),
                    partition_indexes=indexes,
                )
                for topic, indexes in asked.items()
            ],
        )
        for group in groups
    ]
    broker.ask(OffsetFetchRequest(groups=rows, **fields), version)


# -- OffsetCommit -------------------------------------------------------------------------------------------------


@case(OffsetCommitRequest)
def commits_of_a_simple_group(broker: Broker, version: int) -> None:
    group, one, two = coordinated_group(broker), broker.topic("one", 2), broker.topic("two")
    commit(broker, version, group, (one, 0, 10), (two, 0, 20), (one, 1, 30), metadata="ä")
    fetch(broker, FETCH_VERSION, group)
    commit(broker, version, group, (one, 0, 5), metadata=None)
    commit(broker, version, group, (two, 0, -1))
    commit(broker, version, group, (two, 0, -5))
    fetch(broker, FETCH_VERSION, group)
    commit(broker, version, group)
    commit(broker, version, "", (one, 0, 10))
    fetch(broker, FETCH_VERSION, "")


@case(OffsetCommitRequest)
def commits_of_what_is_not_there(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic("topic", 2)
    for other in (STRANGER, NAMELESS):
        commit(broker, version, group, (other, 0, 10))
        commit(broker, version, group, (topic, 0, 10), (other, 0, 10), (topic, 5, 10), (topic, -1, 1))
        commit(broker, version, group, (other, 0, 10), (topic, 1, 10), (other, 1, 10))
    commit(broker, version, group, (topic, 5, 10))
    fetch(broker, FETCH_VERSION, group)


@case(OffsetCommitRequest)
def commits_of_generations_that_are_none(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    for generation, member in ((0, ""), (0, "m"), (5, "m"), (-1, "m"), (-7, "m"), (0, "m"), (3, "")):
        fields = {"generation_id_or_member_epoch": generation, "member_id": member}
        commit(broker, version, group, (topic, 0, 10), (topic, 9, 1), **fields)
    if version >= 7:
        for generation in (-1, 1):
            fields = {"generation_id_or_member_epoch": generation, "group_instance_id": "i"}
            commit(broker, version, group, (topic, 0, 10), **fields)


@case(OffsetCommitRequest)
def commits_with_long_metadata(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    for metadata in ("x" * 4096, "x" * 4097, "ä" * 4096, "ä" * 4097, "🐍" * 2048, "🐍" * 2049):
        commit(broker, version, group, (topic, 0, len(metadata)), metadata=metadata)
        fetch(broker, FETCH_VERSION, group)


@case(OffsetCommitRequest, last=4)
def commits_with_a_retention(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic()
    for retention_ms in (100_000, 0, -2):
        commit(broker, version, group, (topic, 0, 10), retention_time_ms=retention_ms)
        fetch(broker, FETCH_VERSION, group)


# -- OffsetFetch --------------------------------------------------------------------------------------------------


@case(OffsetFetchRequest)
def offsets_of_some_partitions(broker: Broker, version: int) -> None:
    group, one, two = coordinated_group(broker), broker.topic("one", 2), broker.topic("two")
    commit(broker, COMMIT_VERSION, group, (one, 0, 10), (two, 0, 20), metadata="said")
    asked = {one: [0, 1, 7, 0], two: [0], STRANGER: [0, -1], NAMELESS: [0]}
    fetch(broker, version, group, broker.name("nobody"), "", asked=asked)
    if version >= 2:
        fetch(broker, version, group, asked={})


@case(OffsetFetchRequest, first=2)
def all_offsets(broker: Broker, version: int) -> None:
    group, one, two = coordinated_group(broker), broker.topic("one", 2), broker.topic("two")
    commit(broker, COMMIT_VERSION, group, (one, 0, 10), (two, 0, 20), (one, 1, 11), metadata="said")
    fetch(broker, version, group, broker.name("nobody"))
    if version >= 7:
        fetch(broker, version, group, require_stable=True)
        fetch(broker, version, group, asked={one: [0]}, require_stable=True)
    if version >= 9:
        for member, epoch in (("m", 0), ("m", -1), (None, 5), ("", 0)):
            row = OffsetFetchRequestGroup(group_id=group, topics=None, member_id=member, member_epoch=epoch)
            broker.ask(OffsetFetchRequest(groups=[row]), version)
    if version >= 8:
        broker.ask(OffsetFetchRequest(), version)


# -- OffsetDelete -------------------------------------------------------------------------------------------------


def delete(broker: Broker, group: str, *places: tuple[Topic, int]) -> None:
    rows: dict[str, OffsetDeleteRequestTopic] = {}
    for topic, index in places:
        row = rows.setdefault(topic.name, OffsetDeleteRequestTopic(name=topic.name))
        row.partitions.append(OffsetDeleteRequestPartition(partition_index=index))
    broker.ask(OffsetDeleteRequest(group_id=group, topics=list(rows.values())))


@case(OffsetDeleteRequest)
def deleted_offsets(broker: Broker, version: int) -> None:
    group, one, two = coordinated_group(broker), broker.topic("one", 2), broker.topic("two")
    delete(broker, group, (one, 0))
    delete(broker, group, (STRANGER, 0))
    delete(broker, "", (one, 0))
    commit(broker, COMMIT_VERSION, group, (one, 0, 10), (two, 0, 20), (one, 1, 11))
    delete(broker, group, (one, 0), (one, 5), (STRANGER, 0), (two, 0), (NAMELESS, 0))
    fetch(broker, FETCH_VERSION, group)
    delete(broker, group, (one, 0))
    delete(broker, group)
    delete(broker, group, (one, 1))
    fetch(broker, FETCH_VERSION, group)
    broker.ask(DescribeGroupsRequest(groups=[group]))


# -- groups -------------------------------------------------------------------------------------------------------


def list_groups(broker: Broker, version: int, **filters: list[str]) -> None:
    broker.ask_own(ListGroupsRequest(**filters), version, "groups", "group_id")


@case(ListGroupsRequest)
def lists_of_simple_groups(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for text in ("one", "two"):
        commit(broker, COMMIT_VERSION, coordinated_group(broker, text), (topic, 0, 1))
    list_groups(broker, version)
    if version >= 4:
        for states in (["Empty"], ["empty "], ["Stable"], ["Dead"], ["", "x"], ["EMPTY", "x"]):
            list_groups(broker, version, states_filter=states)
    if version >= 5:
        for kinds in (["classic"], ["Classic", "x"], [" classic"], ["consumer"], ["share"], ["unknown"]):
            list_groups(broker, version, types_filter=kinds, states_filter=["Empty"])


@case(DescribeGroupsRequest)
def descriptions_of_simple_groups(broker: Broker, version: int) -> None:
    topic, group = broker.topic(), coordinated_group(broker)
    commit(broker, COMMIT_VERSION, group, (topic, 0, 1))
    broker.ask(DescribeGroupsRequest(groups=[group, broker.name("nobody"), ""]), version)
    broker.ask(DescribeGroupsRequest(groups=[]), version)
    if version >= 3:
        request = DescribeGroupsRequest(
            groups=[group, broker.name("nobody")], include_authorized_operations=True
        )
        broker.ask(request, version)


@case(DeleteGroupsRequest)
def deletions_of_simple_groups(broker: Broker, version: int) -> None:
    topic, one, two = broker.topic(), coordinated_group(broker, "one"), coordinated_group(broker, "two")
    for group in (one, two):
        commit(broker, COMMIT_VERSION, group, (topic, 0, 1))
    broker.ask(DeleteGroupsRequest(groups_names=[one, broker.name("nobody"), one]), version)
    broker.ask(DescribeGroupsRequest(groups=[one, two]))
    fetch(broker, FETCH_VERSION, one, two)
    broker.ask(DeleteGroupsRequest(groups_names=[]), version)
    commit(broker, COMMIT_VERSION, one, (topic, 0, 2))
    fetch(broker, FETCH_VERSION, one)
    broker.ask(DeleteGroupsRequest(groups_names=[one, two]), version)
