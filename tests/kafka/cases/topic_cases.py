"""CreateTopics, CreatePartitions and DeleteTopics."""

from tests.kafka.referee import Broker, case

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

TIMEOUT_MS = 20_000
UNKNOWN_ID = b"unknown-topic-id"


def new_topic(
    name: str,
    partitions: int = 1,
    factor: int = 1,
    assignments: dict[int, list[int]] | None = None,
    **configs: str | None,
) -> CreatableTopic:
    """`configs` have underscores for dots."""
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=brokers)
            for index, brokers in (assignments or {}).items()
        ],
        configs=[
            CreatableTopicConfig(name=key.replace("_", "."), value=value) for key, value in configs.items()
        ],
    )


def create(broker: Broker, version: int, *topics: CreatableTopic, validate_only: bool = False) -> None:
    broker.ask(
        CreateTopicsRequest(topics=list(topics), timeout_ms=TIMEOUT_MS, validate_only=validate_only), version
    )


@case(CreateTopicsRequest)
def new_topics_in_one_request(broker: Broker, version: int) -> None:
    create(
        broker,
        version,
        new_topic(broker.name("one")),
        new_topic(broker.name("three"), 3, retention_ms="60000", cleanup_policy="compact,delete"),
        new_topic(broker.name("defaults"), -1, -1),
        new_topic(broker.name("assigned"), -1, -1, {0: [1], 1: [1]}),
    )


@case(CreateTopicsRequest)
def nothing_to_create(broker: Broker, version: int) -> None:
    create(broker, version)


@case(CreateTopicsRequest)
def names_that_are_none(broker: Broker, version: int) -> None:
    for name in ("", ".", "..", "a b", "a/b", "x" * 249, "x" * 250, "ä", "__cluster_metadata"):
        create(broker, version, new_topic(name), validate_only=True)


@case(CreateTopicsRequest)
def a_name_that_exists(broker: Broker, version: int) -> None:
    topic = broker.topic("with.dot")
    create(broker, version, new_topic(topic.name))
    create(broker, version, new_topic(topic.name, 5, retention_ms="nonsense"))
    create(broker, version, new_topic(topic.name.replace("with.dot", "with_dot")))


@case(CreateTopicsRequest)
def the_same_name_twice(broker: Broker, version: int) -> None:
    twice = [
        new_topic(broker.name("twice")),
        new_topic(broker.name("once")),
        new_topic(broker.name("twice"), 2),
    ]
    create(broker, version, *twice)


@case(CreateTopicsRequest)
def counts_that_are_none(broker: Broker, version: int) -> None:
    for partitions, factor in ((0, 1), (-2, 1), (1, 0), (1, -2), (1, 2), (1, 3), (0, 0), (10_001, 1)):
        create(broker, version, new_topic(broker.name("bad"), partitions, factor))


@case(CreateTopicsRequest)
def assignments_that_are_none(broker: Broker, version: int) -> None:
    name = broker.name("bad")
    for assignments in (
        {0: [9]},
        {0: []},
        {0: [1, 1]},
        {1: [1]},
        {0: [1], 2: [1]},
        {-1: [1]},
        {0: [1], 1: [1, 9]},
        {0: [-1]},
    ):
        create(broker, version, new_topic(name, -1, -1, assignments))
    create(broker, version, new_topic(name, 1, -1, {0: [1]}))
    create(broker, version, new_topic(name, -1, 1, {0: [1]}))
    create(broker, version, new_topic(name, 1, 1, {0: [1]}))


@case(CreateTopicsRequest)
def configs_that_are_none(broker: Broker, version: int) -> None:
    name = broker.name("bad")
    for configs in (
        {"no.such.config": "1"},
        {"retention.ms": "soon"},
        {"retention.ms": "-2"},
        {"retention.ms": ""},
        {"retention.ms": None},
        {"cleanup.policy": "shred"},
        {"cleanup.policy": ""},
        {"cleanup.policy": "compact,compact"},
        {"compression.type": "lzma"},
        {"compression.type": "GZIP"},
        {"compression.gzip.level": "0"},
        {"compression.gzip.level": "10"},
        {"compression.zstd.level": "100"},
        {"segment.bytes": "13"},
        {"segment.bytes": "1048575"},
        {"segment.bytes": "99999999999"},
        {"min.cleanable.dirty.ratio": "1.1"},
        {"min.cleanable.dirty.ratio": "half"},
        {"min.insync.replicas": "0"},
        {"min.insync.replicas": "2"},
        {"max.message.bytes": "-1"},
        {"message.timestamp.type": "Never"},
        {"message.timestamp.before.max.ms": "-1"},
        {"min.compaction.lag.ms": "2", "max.compaction.lag.ms": "1"},
        {"max.compaction.lag.ms": "0"},
        {"unclean.leader.election.enable": "perhaps"},
        {"unclean.leader.election.enable": "TRUE"},
        {"preallocate": " true "},
        {"remote.storage.enable": "true"},
        {"local.retention.ms": "-3"},
        {"local.retention.ms": "1000", "retention.ms": "10"},
        {"local.retention.bytes": "1000", "retention.bytes": "10"},
        {"leader.replication.throttled.replicas": "0-1"},
        {"leader.replication.throttled.replicas": "*"},
        {"leader.replication.throttled.replicas": "0:1,1:1"},
        {"message.format.version": "3.0-IV1"},
        {"message.downconversion.enable": "true"},
        {"index.interval.bytes": "-1"},
        {"segment.index.bytes": "3"},
        {"segment.jitter.ms": "-1"},
        {"file.delete.delay.ms": "-1"},
        {"flush.messages": "0"},
        {"flush.ms": "-1"},
        {"delete.retention.ms": "-1"},
        {"internal.segment.bytes": "10"},
        {"remote.copy.disable": "true"},
        {"remote.log.delete.on.disable": "true"},
        {"errors.deadletterqueue.group.enable": "true"},
    ):
        topic = new_topic(name)
        topic.configs = [CreatableTopicConfig(name=key, value=value) for key, value in configs.items()]
        create(broker, version, topic, validate_only=True)


@case(CreateTopicsRequest)
def a_config_given_twice(broker: Broker, version: int) -> None:
    topic = new_topic(broker.name("twice"))
    topic.configs = [
        CreatableTopicConfig(name="retention.ms", value="1000"),
        CreatableTopicConfig(name="retention.ms", value="2000"),
    ]
    create(broker, version, topic)


@case(CreateTopicsRequest)
def without_time_to_wait(broker: Broker, version: int) -> None:
    name = broker.name("now")
    for timeout_ms in (0, -1, -(2**31)):
        broker.ask(CreateTopicsRequest(topics=[new_topic(name)], timeout_ms=timeout_ms), version)
        broker.do(DeleteTopicsRequest(topic_names=[name], timeout_ms=TIMEOUT_MS), 5)


@case(CreateTopicsRequest)
def only_validated(broker: Broker, version: int) -> None:
    name = broker.name("maybe")
    create(broker, version, new_topic(name, 2), new_topic("a b"), validate_only=True)
    create(broker, version, new_topic(name, 2), validate_only=True)


@case(CreateTopicsRequest)
def on_the_controllers_listener(broker: Broker, version: int) -> None:
    topics = [new_topic(broker.name("there")), new_topic("a b")]
    broker.ask(CreateTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS), version, listener="CONTROLLER")


def extend(
    broker: Broker,
    version: int,
    *topics: tuple[str, int] | tuple[str, int, list[list[int]]],
    validate_only: bool = False,
) -> None:
    """Each topic is its name, its new count and perhaps the assignments of what is new."""
    rows = [
        CreatePartitionsTopic(
            name=name,
            count=count,
            assignments=[CreatePartitionsAssignment(broker_ids=ids) for ids in given[0]] if given else None,
        )
        for name, count, *given in topics
    ]
    broker.ask(
        CreatePartitionsRequest(topics=rows, timeout_ms=TIMEOUT_MS, validate_only=validate_only), version
    )


@case(CreatePartitionsRequest)
def more_fewer_and_as_many(broker: Broker, version: int) -> None:
    name = broker.topic(partitions=3).name
    for count in (3, 2, 0, -1):
        extend(broker, version, (name, count))
    extend(broker, version, (name, 4), validate_only=True)
    extend(broker, version, (name, 4), (broker.name("missing"), 2))
    extend(broker, version, (name, 5, [[1]]))


@case(CreatePartitionsRequest)
def assignments_that_do_not_fit(broker: Broker, version: int) -> None:
    name = broker.topic(partitions=2).name
    for assignments in ([], [[9]], [[]], [[1, 1]], [[1], [1]], [[-1]], [[1, 9]]):
        extend(broker, version, (name, 3, assignments))


@case(CreatePartitionsRequest)
def one_topic_twice_and_none(broker: Broker, version: int) -> None:
    name = broker.topic().name
    extend(broker, version, (name, 2), (broker.name("missing"), 2), (name, 3))
    extend(broker, version)
    extend(broker, version, ("", 1))
    extend(broker, version, ("a b", 1))


def delete(broker: Broker, version: int, *names: str) -> None:
    states = [DeleteTopicState(name=name) for name in names]
    if version >= 6:
        request = DeleteTopicsRequest(topics=states, timeout_ms=TIMEOUT_MS)
    else:
        request = DeleteTopicsRequest(topic_names=list(names), timeout_ms=TIMEOUT_MS)
    broker.ask(request, version)


@case(DeleteTopicsRequest)
def by_name(broker: Broker, version: int) -> None:
    first, second = broker.topic("first", 2).name, broker.topic("second").name
    delete(broker, version, first, broker.name("missing"), "a b", "")
    delete(broker, version, second, second)
    delete(broker, version, second)
    delete(broker, version)
    delete(broker, version, first)


@case(DeleteTopicsRequest, first=6)
def by_id(broker: Broker, version: int) -> None:
    topic, other = broker.topic(), broker.topic("other")

    def states(*given: tuple[str | None, bytes]) -> DeleteTopicsRequest:
        rows = [DeleteTopicState(name=name, topic_id=topic_id) for name, topic_id in given]
        return DeleteTopicsRequest(topics=rows, timeout_ms=TIMEOUT_MS)

    none = bytes(16)
    broker.ask(states((None, topic.id), (None, UNKNOWN_ID)), version)
    broker.ask(states((None, none)), version)
    broker.ask(states((other.name, other.id)), version)
    broker.ask(states((other.name, none), (None, other.id)), version)
    broker.ask(states((None, other.id), (None, other.id)), version)
    broker.ask(states((None, UNKNOWN_ID), (None, UNKNOWN_ID)), version)
