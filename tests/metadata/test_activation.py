"""The first records of a new active controller."""

from cluster_builder import LATEST_LEVELS, WITHOUT_ELR, Cluster, uuid

from snakka.metadata.image import ClusterImage
from snakka.metadata.image.configs import CLUSTER_DEFAULT
from snakka.metadata.state.activation import activation_records
from snakka.protocol.record_types.metadata.begin_transaction_record import BeginTransactionRecord
from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord


def levels(*pairs: tuple[str, int]) -> list[FeatureLevelRecord]:
    return [FeatureLevelRecord(name=name, feature_level=level) for name, level in pairs]


def replayed(image: ClusterImage, records: list) -> list[str]:
    for record in records:
        image.replay(record)
    return [type(record).__name__.removesuffix("Record") for record in records]


def test_an_empty_log_gets_what_formatting_left_in_one_transaction() -> None:
    image = ClusterImage()
    records = activation_records(image, levels(*LATEST_LEVELS), Cluster(min_insync_replicas="3").rules)
    kinds = replayed(image, records)
    assert kinds == ["BeginTransaction", *["FeatureLevel"] * len(LATEST_LEVELS), "Config", "EndTransaction"]
    assert not image.in_transaction
    assert image.features.levels == dict(LATEST_LEVELS)
    assert image.configs.of(*CLUSTER_DEFAULT) == {"min.insync.replicas": "3"}


def test_without_eligible_leader_replicas_no_min_isr_is_written() -> None:
    image = ClusterImage()
    replayed(image, activation_records(image, levels(*WITHOUT_ELR), Cluster().rules))
    assert image.configs.by_resource == {}


def test_old_levels_know_no_transactions() -> None:
    image = ClusterImage()
    records = activation_records(image, levels(("metadata.version", 13)), Cluster().rules)
    assert replayed(image, records) == ["FeatureLevel"]


def test_a_log_that_is_in_use_needs_nothing() -> None:
    cluster = Cluster()
    assert activation_records(cluster.image, levels(*LATEST_LEVELS), cluster.rules) == []


def test_a_transaction_that_was_left_open_is_aborted() -> None:
    cluster = Cluster()
    cluster.replay(BeginTransactionRecord(), TopicRecord(name="half", topic_id=uuid(1)))
    assert replayed(cluster.image, activation_records(cluster.image, [], cluster.rules)) == [
        "AbortTransaction"
    ]
    assert cluster.image.topics.get("half") is None
    assert not cluster.image.in_transaction


def test_a_bootstrap_that_was_left_half_done_is_done_again() -> None:
    image = ClusterImage()
    image.replay(BeginTransactionRecord())
    image.replay(levels(("metadata.version", 30))[0])
    records = activation_records(image, levels(*WITHOUT_ELR), Cluster().rules)
    assert replayed(image, records)[:2] == ["AbortTransaction", "BeginTransaction"]
    assert image.features.metadata_version == 30
