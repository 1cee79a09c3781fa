"""Requests about groups and their offsets, in any version, and a broker that has topics to commit."""

from contextlib import asynccontextmanager

from tests.broker.api_harness import Broker, running_broker

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)

Places = dict[tuple[str, int], int]
WITH_TOPIC_IDS = 10
WITH_SEVERAL_GROUPS = 8
# Of no topic.
NO_TOPIC_ID = b"nobody has it..."


@asynccontextmanager
async def group_broker(directory, **options: str):
    """With topics `orders` (two partitions) and `payments` (one), and a coordinator of groups."""
    small = {"offsets_topic_num_partitions": "3", "transaction_state_log_num_partitions": "3"}
    async with running_broker(directory, **small, **options) as broker:
        await broker.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]))
        await create_topics(broker, orders=2, payments=1)
        yield broker


async def create_topics(broker: Broker, **partitions: int) -> None:
    topics = [
        CreatableTopic(name=name, num_partitions=count, replication_factor=1)
        for name, count in partitions.items()
    ]
    answer = await broker.ask(CreateTopicsRequest(topics=topics, timeout_ms=10_000))
    assert [row.error_code for row in answer.topics] == [0] * len(topics)


def topic_id_of(broker: Broker, topic: str) -> bytes:
    known = broker.image.topics.get(topic)
    return NO_TOPIC_ID if known is None else known.id


def named(broker: Broker, topic: str, version: int) -> dict[str, object]:
    """How a request of OffsetCommit or OffsetFetch names a topic."""
    if version >= WITH_TOPIC_IDS:
        return {"topic_id": topic_id_of(broker, topic)}
    return {"name": topic}


def commit_request(
    broker: Broker, offsets: Places, version: int, *, group: str = "g", metadata: str = "", **fields
) -> OffsetCommitRequest:
    topics: dict[str, OffsetCommitRequestTopic] = {}
    for (topic, index), offset in offsets.items():
        row = topics.setdefault(topic, OffsetCommitRequestTopic(**named(broker, topic, version)))
        row.partitions.append(
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=offset, committed_metadata=metadata
            )
        )
    return OffsetCommitRequest(group_id=group, topics=list(topics.values()), **fields)


async def commit(broker: Broker, offsets: Places, version: int = 9, *, denied=(), **fields):
    """(topic, partition, code's name) of each row; a topic that is known by its id is named."""
    answer = await broker.ask(commit_request(broker, offsets, version, **fields), version, denied=denied)
    return rows_of(broker, answer)


def rows_of(broker: Broker, answer) -> list[tuple[str, int, str]]:
    return [
        (topic_name(broker, topic), row.partition_index, ErrorCode(row.error_code).name)
        for topic in answer.topics
        for row in topic.partitions
    ]


def topic_name(broker: Broker, row) -> str:
    known = broker.image.topics.by_id.get(getattr(row, "topic_id", b""))
    return row.name if known is None else known.name


def fetch_request(
    broker: Broker, version: int, topics: dict[str, list[int]] | None, *groups: str, stable: bool = False
) -> OffsetFetchRequest:
    """`topics` is None for all that there is."""
    if version < WITH_SEVERAL_GROUPS:
        asked = topics and [
            OffsetFetchRequestTopic(name=topic, partition_indexes=indexes)
            for topic, indexes in topics.items()
        ]
        return OffsetFetchRequest(group_id=groups[0], topics=asked, require_stable=stable)
    return OffsetFetchRequest(
        groups=[
            OffsetFetchRequestGroup(
                group_id=group,
                topics=topics
                and [
                    OffsetFetchRequestTopics(**named(broker, topic, version), partition_indexes=indexes)
                    for topic, indexes in topics.items()
                ],
            )
            for group in groups
        ],
        require_stable=stable,
    )


async def fetch(
    broker: Broker,
    topics: dict[str, list[int]] | None = None,
    version: int = 9,
    *groups: str,
    stable: bool = False,
    denied=(),
) -> dict[str, object]:
    """By group: a code's name, or offsets and codes' names by (topic, partition)."""
    groups = groups or ("g",)
    request = fetch_request(broker, version, topics, *groups, stable=stable)
    answer = await broker.ask(request, version, denied=denied)
    rows = answer.groups if version >= WITH_SEVERAL_GROUPS else [answer]
    return {
        group: ErrorCode(row.error_code).name if row.error_code else _offsets(broker, row)
        for group, row in zip(groups, rows, strict=True)
    }


def _offsets(broker: Broker, answer) -> dict[tuple[str, int], int | str]:
    return {
        (topic_name(broker, topic), row.partition_index): ErrorCode(row.error_code).name
        if row.error_code
        else row.committed_offset
        for topic in answer.topics
        for row in topic.partitions
    }
