"""What a delta says after a run of records."""

from cluster_builder import Cluster, directory_of, uuid

from snakka.metadata.image import ClusterImage, Delta
from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.image.record_keys import RecordKey
from snakka.protocol.metadata_framing import metadata_record_class


def record(kind: RecordKey, /, **fields: object):
    return metadata_record_class(kind)(**fields)


def topic_records(name: str, number: int, *, partitions: int = 1):
    yield record(RecordKey.TOPIC, name=name, topic_id=uuid(number))
    for index in range(partitions):
        yield record(
            RecordKey.PARTITION,
            topic_id=uuid(number),
            partition_id=index,
            replicas=[1],
            isr=[1],
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
            directories=[directory_of(1)],
        )


def replayed(image: ClusterImage, *records: object) -> Delta:
    delta = Delta()
    for one in records:
        image.replay(one, delta)
    return delta


def test_a_new_topic_and_its_partitions() -> None:
    image = Cluster().image
    delta = replayed(image, *topic_records("t", 1, partitions=2))
    assert list(delta.created_topics) == [uuid(1)]
    assert delta.topics_changed
    assert [(c.topic.name, c.partition, c.before) for c in delta.partition_changes(image)] == [
        ("t", 0, None),
        ("t", 1, None),
    ]


def test_a_partition_that_changed_twice_shows_what_it_was_at_first() -> None:
    image = Cluster().image
    replayed(image, *topic_records("t", 1))
    change = {"topic_id": uuid(1), "partition_id": 0}
    delta = replayed(
        image,
        record(RecordKey.PARTITION_CHANGE, **change, leader=-1),
        record(RecordKey.PARTITION_CHANGE, **change, leader=1),
    )
    (only,) = delta.partition_changes(image)
    assert (only.before.leader_epoch, only.after.leader_epoch) == (0, 2)
    assert not delta.created_topics


def test_a_deleted_topic_is_told_with_its_partitions_and_configs() -> None:
    cluster = Cluster()
    replayed(cluster.image, *topic_records("t", 1, partitions=2))
    cluster.set_config(ConfigResourceType.TOPIC, "t", "k", "v")
    delta = replayed(cluster.image, record(RecordKey.REMOVE_TOPIC, topic_id=uuid(1)))
    assert [topic.name for topic in delta.deleted_topics.values()] == ["t"]
    assert [(c.topic.name, c.partition, c.after) for c in delta.partition_changes(cluster.image)] == [
        ("t", 0, None),
        ("t", 1, None),
    ]
    assert list(delta.configs) == [(ConfigResourceType.TOPIC, "t")]


def test_a_topic_that_came_and_went_is_not_mentioned() -> None:
    image = Cluster().image
    delta = replayed(image, *topic_records("t", 1), record(RecordKey.REMOVE_TOPIC, topic_id=uuid(1)))
    assert not delta.created_topics
    assert not delta.deleted_topics
    assert list(delta.partition_changes(image)) == []


def test_a_topic_made_again_under_its_name_is_another_topic() -> None:
    image = Cluster().image
    replayed(image, *topic_records("t", 1))
    delta = replayed(image, record(RecordKey.REMOVE_TOPIC, topic_id=uuid(1)), *topic_records("t", 2))
    assert list(delta.deleted_topics) == [uuid(1)]
    assert list(delta.created_topics) == [uuid(2)]
    assert {(c.topic.id, c.after is None) for c in delta.partition_changes(image)} == {
        (uuid(1), True),
        (uuid(2), False),
    }


def test_brokers_are_told_with_what_they_were() -> None:
    cluster = Cluster()
    cluster.add_broker(1, fenced=True)
    delta = replayed(cluster.image, record(RecordKey.UNFENCE_BROKER, id=1, epoch=101))
    ((broker_id, before, after),) = delta.broker_changes(cluster.image)
    assert (broker_id, before.fenced, after.fenced) == (1, True, False)


def test_records_of_a_transaction_reach_the_delta_when_it_ends() -> None:
    image = Cluster().image
    delta = replayed(image, record(RecordKey.BEGIN_TRANSACTION), *topic_records("t", 1))
    assert delta.is_empty
    image.replay(record(RecordKey.END_TRANSACTION), delta)
    assert list(delta.created_topics) == [uuid(1)]


def test_an_empty_image_against_a_full_one() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    replayed(cluster.image, *topic_records("t", 1))
    cluster.set_config(ConfigResourceType.BROKER, "1", "k", "v")
    delta = Delta.between(ClusterImage(), cluster.image)
    assert list(delta.created_topics) == [uuid(1)]
    assert list(delta.brokers.items()) == [(1, None)]
    assert list(delta.configs) == [(ConfigResourceType.BROKER, "1")]
    assert "metadata.version" in delta.features
    back = Delta.between(cluster.image, ClusterImage())
    assert list(back.deleted_topics) == [uuid(1)]
    assert Delta.between(cluster.image, cluster.image.copy()).is_empty
