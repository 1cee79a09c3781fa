"""Topics: created, extended, deleted, and created because somebody asks for them."""

import asyncio

import pytest
from api_harness import CONTROLLERS, running_broker

from snakka.metadata.image.topics import TopicImage
from snakka.protocol.errors import ErrorCode
from snakka.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from snakka.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from snakka.protocol.uuids import ZERO_UUID
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

MAY_NOT_CREATE = (
    (Operation.CREATE, ResourceType.CLUSTER, CLUSTER_NAME),
    (Operation.CREATE, ResourceType.TOPIC, "*"),
)


@pytest.fixture
async def broker(tmp_path):
    async with running_broker(tmp_path) as running:
        yield running


def new_topic(name: str, partitions: int = 1, replicas: int = 1, **configs: str) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replicas,
        configs=[
            CreatableTopicConfig(name=key.replace("_", "."), value=value) for key, value in configs.items()
        ],
    )


async def create(broker, *topics: CreatableTopic, version: int | None = None, **arguments):
    request = CreateTopicsRequest(topics=list(topics), timeout_ms=10_000)
    response = await broker.ask(request, version, **arguments)
    return {row.name: row for row in response.topics}


def topic_of(broker, name: str) -> TopicImage:
    return broker.image.topics.by_name[name]


async def test_who_created_a_topic_can_use_it_at_once(broker):
    for version in range(2, 8):
        name = f"orders-{version}"
        row = (await create(broker, new_topic(name, 3, retention_ms="1000"), version=version))[name]
        assert row.error_code == 0
        topic = topic_of(broker, name)
        assert sorted(topic.partitions) == [0, 1, 2]
        for index in range(3):
            partition = broker.services.partitions.get(name, index)
            assert partition.check_leader(-1).config.retention_ms == 1000
        if version >= 5:
            assert (row.num_partitions, row.replication_factor) == (3, 1)
            shown = {config.name: (config.value, config.config_source) for config in row.configs}
            assert shown["retention.ms"] == ("1000", 1)
            assert shown["segment.bytes"] == ("1073741824", 5)
        assert row.topic_id == (topic.id if version >= 7 else ZERO_UUID)


async def test_each_topic_of_a_request_stands_for_itself(broker):
    rows = await create(
        broker,
        new_topic("good"),
        new_topic("bad name"),
        new_topic("too-many-replicas", replicas=2),
        new_topic("no-partitions", partitions=0),
        new_topic("unknown-config", colour="red"),
        new_topic("bad-config", retention_ms="soon"),
        new_topic("twice"),
        new_topic("twice"),
        new_topic("__cluster_metadata"),
    )
    assert {name: ErrorCode(row.error_code) for name, row in rows.items()} == {
        "good": ErrorCode.NONE,
        "bad name": ErrorCode.INVALID_TOPIC_EXCEPTION,
        "too-many-replicas": ErrorCode.INVALID_REPLICATION_FACTOR,
        "no-partitions": ErrorCode.INVALID_PARTITIONS,
        "unknown-config": ErrorCode.INVALID_CONFIG,
        "bad-config": ErrorCode.INVALID_CONFIG,
        "twice": ErrorCode.INVALID_REQUEST,
        "__cluster_metadata": ErrorCode.INVALID_REQUEST,
    }
    assert all(row.error_message for name, row in rows.items() if name != "good")
    assert list(broker.image.topics.by_name) == ["good"]


async def test_a_topic_that_exists_and_one_that_collides_in_metrics_are_refused(broker):
    await create(broker, new_topic("a.b"))
    rows = await create(broker, new_topic("a.b"), new_topic("a_b"))
    assert rows["a.b"].error_code == ErrorCode.TOPIC_ALREADY_EXISTS
    assert rows["a_b"].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


async def test_validation_creates_nothing(broker):
    request = CreateTopicsRequest(topics=[new_topic("maybe")], timeout_ms=10_000, validate_only=True)
    response = await broker.ask(request)
    assert response.topics[0].error_code == 0
    assert not broker.image.topics.by_name


async def test_defaults_and_manual_assignments(tmp_path):
    async with running_broker(tmp_path, num_partitions="4") as broker:
        assigned = CreatableTopic(
            name="assigned",
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                CreatableReplicaAssignment(partition_index=index, broker_ids=[1]) for index in range(2)
            ],
        )
        stranger = CreatableTopic(
            name="stranger",
            num_partitions=-1,
            replication_factor=-1,
            assignments=[CreatableReplicaAssignment(partition_index=0, broker_ids=[9])],
        )
        rows = await create(broker, new_topic("default", -1, -1), assigned, stranger)
        assert len(topic_of(broker, "default").partitions) == 4
        assert len(topic_of(broker, "assigned").partitions) == 2
        assert rows["stranger"].error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT


async def test_creation_is_authorised_by_topic_or_by_cluster(broker):
    rows = await create(broker, new_topic("a"), new_topic("b"), denied=MAY_NOT_CREATE)
    assert {row.error_code for row in rows.values()} == {ErrorCode.TOPIC_AUTHORIZATION_FAILED}
    one_is_enough = (MAY_NOT_CREATE[0], (Operation.CREATE, ResourceType.TOPIC, "b"))
    rows = await create(broker, new_topic("a"), new_topic("b"), denied=one_is_enough)
    assert (rows["a"].error_code, rows["b"].error_code) == (0, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    hidden = ((Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC, "c"),)
    rows = await create(broker, new_topic("c"), denied=hidden)
    assert rows["c"].topic_config_error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert (rows["c"].error_code, rows["c"].num_partitions, rows["c"].configs) == (0, -1, [])


async def test_a_request_without_time_is_done_all_the_same(broker):
    response = await broker.ask(CreateTopicsRequest(topics=[new_topic("patient")], timeout_ms=0))
    assert response.topics[0].error_code == 0


async def test_more_partitions_than_a_request_may_have_are_refused_as_a_whole(broker):
    rows = await create(broker, new_topic("a"), new_topic("huge", 10_001))
    assert {name: row.error_code for name, row in rows.items()} == dict.fromkeys(
        ("a", "huge"), ErrorCode.POLICY_VIOLATION
    )


async def test_without_an_active_controller_every_topic_is_told(broker):
    broker.services.controller.handle_leader_change(None, 99)
    rows = await create(broker, new_topic("a"), new_topic("b"))
    assert {row.error_code for row in rows.values()} == {ErrorCode.NOT_CONTROLLER}
    deleted = await broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name="a")], timeout_ms=1000))
    assert [(row.name, row.error_code) for row in deleted.responses] == [("a", ErrorCode.NOT_CONTROLLER)]
    deleted = await broker.ask(DeleteTopicsRequest(topic_names=["a"], timeout_ms=1000), 3)
    assert [(row.name, row.error_code) for row in deleted.responses] == [("a", ErrorCode.NOT_CONTROLLER)]
    request = CreatePartitionsRequest(topics=[CreatePartitionsTopic(name="a", count=2)], timeout_ms=1000)
    extended = await broker.ask(request)
    assert [(row.name, row.error_code) for row in extended.results] == [("a", ErrorCode.NOT_CONTROLLER)]


async def test_the_controller_listener_creates_and_deletes_as_well(broker):
    rows = await create(broker, new_topic("a"), listener=CONTROLLERS)
    assert rows["a"].error_code == 0
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="a")], timeout_ms=10_000)
    assert (await broker.ask(request, listener=CONTROLLERS)).responses[0].error_code == 0
    assert not broker.image.topics.by_name


async def test_deleted_topics_are_gone_when_the_answer_comes(broker):
    await create(broker, new_topic("b"))
    for version in range(1, 7):
        await create(broker, new_topic("a", 2))
        if version < 6:
            request = DeleteTopicsRequest(topic_names=["a", "missing"], timeout_ms=10_000)
        else:
            states = [DeleteTopicState(name=name) for name in ("a", "missing")]
            request = DeleteTopicsRequest(topics=states, timeout_ms=10_000)
        response = await broker.ask(request, version)
        assert {row.name: row.error_code for row in response.responses} == {
            "a": ErrorCode.NONE,
            "missing": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        }
        assert list(broker.image.topics.by_name) == ["b"]
        assert broker.services.partitions.get("a", 0) is None


async def test_topics_are_deleted_by_id(broker):
    rows = await create(broker, new_topic("a"))
    topic_id = rows["a"].topic_id
    states = [DeleteTopicState(name=None, topic_id=topic_id), DeleteTopicState(name=None, topic_id=b"?" * 16)]
    response = await broker.ask(DeleteTopicsRequest(topics=states, timeout_ms=10_000))
    assert {(row.topic_id, row.name): row.error_code for row in response.responses} == {
        (topic_id, "a"): ErrorCode.NONE,
        (b"?" * 16, None): ErrorCode.UNKNOWN_TOPIC_ID,
    }


@pytest.mark.parametrize(
    ("version", "code"), [(2, ErrorCode.INVALID_REQUEST), (3, ErrorCode.TOPIC_DELETION_DISABLED)]
)
async def test_deletion_can_be_disabled(tmp_path, version, code):
    async with running_broker(tmp_path, delete_topic_enable="false") as broker:
        await create(broker, new_topic("a"))
        response = await broker.ask(DeleteTopicsRequest(topic_names=["a"], timeout_ms=10_000), version)
        assert [(row.name, row.error_code) for row in response.responses] == [("a", code)]


async def test_partitions_are_added(broker):
    await create(broker, new_topic("a"), new_topic("b"))
    for version in range(4):
        topics = [
            CreatePartitionsTopic(name="a", count=version + 2, assignments=None),
            CreatePartitionsTopic(name="b", count=1, assignments=None),
            CreatePartitionsTopic(name="c", count=2, assignments=None),
        ]
        response = await broker.ask(CreatePartitionsRequest(topics=topics, timeout_ms=10_000), version)
        assert {row.name: row.error_code for row in response.results} == {
            "a": ErrorCode.NONE,
            "b": ErrorCode.INVALID_PARTITIONS,
            "c": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        }
        assert broker.services.partitions.get("a", version + 1).check_leader(-1).log_end_offset == 0


async def test_partitions_are_added_where_the_request_says(broker):
    await create(broker, new_topic("a"))
    assignment = [CreatePartitionsAssignment(broker_ids=[1])]
    topics = [CreatePartitionsTopic(name="a", count=3, assignments=assignment)]
    response = await broker.ask(CreatePartitionsRequest(topics=topics, timeout_ms=10_000))
    assert response.results[0].error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    denied = ((Operation.ALTER, ResourceType.TOPIC, "a"),)
    topics = [CreatePartitionsTopic(name="a", count=2, assignments=assignment)]
    response = await broker.ask(CreatePartitionsRequest(topics=topics, timeout_ms=10_000), denied=denied)
    assert response.results[0].error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    response = await broker.ask(CreatePartitionsRequest(topics=topics, timeout_ms=10_000))
    assert response.results[0].error_code == 0
    assert len(topic_of(broker, "a").partitions) == 2


async def look_up(broker, *names: str, version: int | None = None, **arguments):
    topics = [MetadataRequestTopic(name=name) for name in names]
    response = await broker.ask(MetadataRequest(topics=topics), version, **arguments)
    return {row.name: row for row in response.topics}


async def test_a_topic_comes_into_being_by_being_asked_for(broker):
    for version in range(14):
        row = (await look_up(broker, f"new-{version}", version=version))[f"new-{version}"]
        assert row.error_code == 0
        assert [partition.leader_id for partition in row.partitions] == [1]


async def test_many_who_ask_for_one_new_topic_all_get_it(broker):
    answers = await asyncio.gather(*(look_up(broker, "new", "new") for _ in range(20)))
    ids = {rows["new"].topic_id for rows in answers}
    assert {rows["new"].error_code for rows in answers} == {0}
    assert ids == {topic_of(broker, "new").id}


async def test_what_cannot_be_created_is_told_by_name(tmp_path):
    async with running_broker(tmp_path, default_replication_factor="3") as broker:
        rows = await look_up(broker, "few-brokers", "bad name", "..")
        assert {name: row.error_code for name, row in rows.items()} == {
            "few-brokers": ErrorCode.INVALID_REPLICATION_FACTOR,
            "bad name": ErrorCode.INVALID_TOPIC_EXCEPTION,
            "..": ErrorCode.INVALID_TOPIC_EXCEPTION,
        }


async def test_who_may_not_create_topics_creates_none_by_asking(broker):
    rows = await look_up(broker, "new", denied=MAY_NOT_CREATE)
    assert rows["new"].error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert (await look_up(broker, "new", denied=MAY_NOT_CREATE[:1]))["new"].error_code == 0


async def test_a_client_asks_again_while_there_is_no_controller(broker):
    broker.services.controller.handle_leader_change(None, 99)
    rows = await look_up(broker, "new")
    assert rows["new"].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_topics_are_not_created_if_that_is_off(tmp_path):
    async with running_broker(tmp_path, auto_create_topics_enable="false") as broker:
        assert (await look_up(broker, "new"))["new"].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert not broker.image.topics.by_name


async def test_internal_topics_are_created_with_options_of_their_own(tmp_path):
    own = {"offsets_topic_num_partitions": "3", "transaction_state_log_num_partitions": "2"}
    async with running_broker(tmp_path, **own, share_coordinator_state_topic_num_partitions="1") as broker:
        rows = await look_up(broker, "__consumer_offsets", "__transaction_state", "__share_group_state")
        assert {
            name: (row.error_code, row.is_internal, len(row.partitions)) for name, row in rows.items()
        } == {
            "__consumer_offsets": (0, True, 3),
            "__transaction_state": (0, True, 2),
            "__share_group_state": (0, True, 1),
        }
        configs = broker.image.configs
        assert configs.of_topic("__consumer_offsets") == {
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": "104857600",
        }
        assert configs.of_topic("__transaction_state") == {
            "cleanup.policy": "compact",
            "compression.type": "uncompressed",
            "min.insync.replicas": "1",
            "segment.bytes": "104857600",
            "unclean.leader.election.enable": "false",
        }
        assert configs.of_topic("__share_group_state") == {
            "cleanup.policy": "delete",
            "compression.type": "producer",
            "min.insync.replicas": "1",
            "retention.ms": "-1",
            "segment.bytes": "104857600",
        }


async def test_topics_outlive_the_broker(tmp_path):
    async with running_broker(tmp_path) as broker:
        await create(broker, new_topic("kept", 2, retention_ms="1000"))
        topic_id = topic_of(broker, "kept").id
    async with running_broker(tmp_path) as broker:
        assert topic_of(broker, "kept").id == topic_id
        assert broker.services.partitions.get("kept", 1).check_leader(-1).config.retention_ms == 1000
