"""ApiVersions, Metadata, DescribeCluster, DescribeTopicPartitions, DescribeQuorum, DescribeLogDirs and UpdateFeatures."""

from tests.kafka.cases.produce_cases import UNKNOWN_TOPIC, batch, fill
from tests.kafka.cases.topic_cases import TIMEOUT_MS
from tests.kafka.referee import Broker, case

from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.describe_cluster import DescribeClusterRequest
from snakka.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from snakka.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
)
from snakka.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    TopicRequest,
)
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from snakka.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

LISTENERS = ("PLAINTEXT", "CONTROLLER")


@case(ApiVersionsRequest)
def on_each_listener(broker: Broker, version: int) -> None:
    for listener in LISTENERS:
        request = ApiVersionsRequest(client_software_name="referee", client_software_version="1.0")
        broker.ask(request, version, listener=listener)


@case(ApiVersionsRequest, first=3)
def software_names_that_are_none(broker: Broker, version: int) -> None:
    for name, number in (("", ""), ("a b", "1"), ("-a", "1"), ("a", "1 2"), ("a.b-c", "1.0-x"), ("ä", "1")):
        broker.ask(ApiVersionsRequest(client_software_name=name, client_software_version=number), version)


@case(MetadataRequest)
def all_topics(broker: Broker, version: int) -> None:
    broker.topic(partitions=3)
    broker.ask(MetadataRequest(topics=None if version >= 1 else []), version)


@case(MetadataRequest, first=1)
def no_topics(broker: Broker, version: int) -> None:
    broker.ask(MetadataRequest(topics=[]), version)


@case(MetadataRequest)
def some_topics(broker: Broker, version: int) -> None:
    one, two = broker.topic("one", 2), broker.topic("two")
    names = [one.name, two.name, "a b", "", "x" * 250, "..", one.name]
    for asked in (names, names[:1], names[2:4]):
        request = MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in asked])
        if version >= 4:
            request.allow_auto_topic_creation = False
        broker.ask(request, version)


@case(MetadataRequest, first=4)
def topics_that_are_not_created(broker: Broker, version: int) -> None:
    topics = [MetadataRequestTopic(name=broker.name("new"))]
    broker.ask(MetadataRequest(topics=topics, allow_auto_topic_creation=False), version)


@case(MetadataRequest, first=8, last=10)
def operations_that_are_allowed(broker: Broker, version: int) -> None:
    topics = [MetadataRequestTopic(name=broker.topic().name)]
    request = MetadataRequest(
        topics=topics, include_cluster_authorized_operations=True, include_topic_authorized_operations=True
    )
    broker.ask(request, version)


@case(MetadataRequest, first=11)
def operations_of_topics_that_are_allowed(broker: Broker, version: int) -> None:
    topics = [MetadataRequestTopic(name=broker.topic().name), MetadataRequestTopic(name=UNKNOWN_TOPIC.name)]
    request = MetadataRequest(
        topics=topics, include_topic_authorized_operations=True, allow_auto_topic_creation=False
    )
    broker.ask(request, version)


@case(MetadataRequest, first=10)
def topics_by_id(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for topic_id, name in (
        (topic.id, None),
        (UNKNOWN_TOPIC.id, None),
        (topic.id, topic.name),
        (UNKNOWN_TOPIC.id, topic.name),
    ):
        topics = [MetadataRequestTopic(topic_id=topic_id, name=name)]
        broker.ask(MetadataRequest(topics=topics, allow_auto_topic_creation=False), version)
    both = [MetadataRequestTopic(topic_id=topic.id, name=None), MetadataRequestTopic(name=topic.name)]
    broker.ask(MetadataRequest(topics=both, allow_auto_topic_creation=False), version)


@case(MetadataRequest, first=12)
def a_topic_without_name_and_id(broker: Broker, version: int) -> None:
    topics = [MetadataRequestTopic(topic_id=bytes(16), name=None)]
    broker.ask(MetadataRequest(topics=topics, allow_auto_topic_creation=False), version)


@case(MetadataRequest)
def a_topic_that_comes_into_being_by_being_asked_for(broker: Broker, version: int) -> None:
    broker.ask(MetadataRequest(topics=[MetadataRequestTopic(name=broker.name("new"))]), version)
    broker.settle()
    broker.ask(MetadataRequest(topics=[MetadataRequestTopic(name=broker.name("new"))]), version)


@case(MetadataRequest, first=9)
def with_fields_from_the_future(broker: Broker, version: int) -> None:
    request = MetadataRequest(topics=[MetadataRequestTopic(name=broker.topic().name)])
    request.unknown_tags = {9999: b"of no use"}
    request.topics[0].unknown_tags = {7: b""}
    broker.ask(request, version)


@case(DescribeClusterRequest)
def the_cluster(broker: Broker, version: int) -> None:
    for allowed in (False, True):
        broker.ask(DescribeClusterRequest(include_cluster_authorized_operations=allowed), version)
    if version >= 1:
        for endpoint_type in (1, 2, 0, 3):
            for listener in LISTENERS:
                broker.ask(DescribeClusterRequest(endpoint_type=endpoint_type), version, listener=listener)
    if version >= 2:
        broker.ask(DescribeClusterRequest(include_fenced_brokers=True), version)
    broker.ask(DescribeClusterRequest(), version, listener="CONTROLLER")


@case(DescribeTopicPartitionsRequest)
def pages_of_partitions(broker: Broker, version: int) -> None:
    first, second = broker.topic("a", 3).name, broker.topic("b", 2).name

    def ask(names: list[str], limit: int = 2000, cursor: tuple[str, int] | None = None) -> None:
        request = DescribeTopicPartitionsRequest(
            topics=[TopicRequest(name=name) for name in names],
            response_partition_limit=limit,
            cursor=None
            if cursor is None
            else DescribeTopicPartitionsRequestCursor(topic_name=cursor[0], partition_index=cursor[1]),
        )
        broker.ask(request, version)

    both = [first, second]
    ask(both)
    ask([second, first])
    ask([first, first])
    for limit in (1, 2, 3, 4, 5, 6, 0, -1, 100_000):
        ask(both, limit)
    for cursor in (
        (first, 0),
        (first, 2),
        (first, 3),
        (second, 1),
        (first, -1),
        ("", 0),
        ("zzz", 0),
        ("a b", 1),
    ):
        ask(both, cursor=cursor)
        ask(both, limit=2, cursor=cursor)
    ask(["missing", first])
    for name in ("a b", "x" * 250, ".."):
        ask([name])
    ask([first, "a b"])
    ask(["missing"], cursor=("missing", 0))
    ask([])
    ask([], limit=3)


@case(DescribeTopicPartitionsRequest)
def a_topic_without_a_name(broker: Broker, version: int) -> None:
    broker.ask(DescribeTopicPartitionsRequest(topics=[TopicRequest(name="")]), version)


@case(DescribeQuorumRequest)
def the_quorum(broker: Broker, version: int) -> None:
    for listener in LISTENERS:
        for name, partitions in (
            ("__cluster_metadata", [0]),
            ("__cluster_metadata", [1]),
            ("__cluster_metadata", [0, 1]),
            ("__cluster_metadata", [0, 0]),
            ("__cluster_metadata", []),
            ("other", [0]),
            ("", [0]),
        ):
            rows = [DescribeQuorumRequestPartitionData(partition_index=index) for index in partitions]
            topics = [DescribeQuorumRequestTopicData(topic_name=name, partitions=rows)]
            broker.ask(DescribeQuorumRequest(topics=topics), version, listener=listener)
        broker.ask(DescribeQuorumRequest(), version, listener=listener)
        broker.ask(DescribeQuorumRequest(topics=[*topics, *topics]), version, listener=listener)


@case(DescribeLogDirsRequest)
def log_directories(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    fill(broker, topic, batch(b"a", b"b"), batch(b"c"))
    for topics in (
        [(topic.name, [0])],
        [(topic.name, [1, 0])],
        [(topic.name, [5]), (UNKNOWN_TOPIC.name, [0])],
        [(topic.name, [])],
        [(topic.name, [0, 0])],
        [],
    ):
        rows = [DescribableLogDirTopic(topic=name, partitions=partitions) for name, partitions in topics]
        broker.ask(DescribeLogDirsRequest(topics=rows), version)


@case(DescribeLogDirsRequest, ignored=("partition_size",))
def all_log_directories(broker: Broker, version: int) -> None:
    broker.ask(DescribeLogDirsRequest(topics=None), version)


@case(UpdateFeaturesRequest)
def features_that_can_not_be_set(broker: Broker, version: int) -> None:
    for listener in LISTENERS:
        for updates in (
            [("no.such.feature", 1)],
            [("metadata.version", 30)],
            [("metadata.version", 31)],
            [("metadata.version", 29)],
            [("metadata.version", 0)],
            [("metadata.version", 1)],
            [("group.version", 1)],
            [("group.version", 2)],
            [("group.version", 0)],
            [("group.version", -1)],
            [("kraft.version", 1)],
            [("kraft.version", 0)],
            [("kraft.version", 2)],
            [("transaction.version", 1), ("no.such.feature", 1)],
            [("transaction.version", 2), ("transaction.version", 1)],
            [("", 1)],
            [],
        ):
            for upgrade_type in (1, 2, 3, 0, 4):
                keys = []
                for name, level in updates:
                    key = FeatureUpdateKey(feature=name, max_version_level=level)
                    if version >= 1:
                        key.upgrade_type = upgrade_type
                    else:
                        key.allow_downgrade = upgrade_type > 1
                    keys.append(key)
                request = UpdateFeaturesRequest(feature_updates=keys, timeout_ms=TIMEOUT_MS)
                if version >= 1:
                    request.validate_only = True
                elif upgrade_type > 1:
                    continue
                broker.ask(request, version, listener=listener)


@case(UpdateFeaturesRequest, first=1)
def down_and_up_again(broker: Broker, version: int) -> None:
    for level, upgrade_type in ((1, 2), (1, 1), (2, 1), (0, 3), (2, 1)):
        key = FeatureUpdateKey(
            feature="transaction.version", max_version_level=level, upgrade_type=upgrade_type
        )
        broker.ask(UpdateFeaturesRequest(feature_updates=[key], timeout_ms=TIMEOUT_MS), version)
        answer = broker.ask(ApiVersionsRequest(client_software_name="a", client_software_version="1"))
        assert answer is not None
