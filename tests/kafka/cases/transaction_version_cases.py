"""Transactions in clusters whose transaction.version is not the newest, and what is left of them when it changes."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.kafka.cases.classic_members import coordinated_group
from tests.kafka.cases.committed_offset_cases import commit, fetch
from tests.kafka.cases.produce_cases import read_back
from tests.kafka.cases.topic_cases import TIMEOUT_MS
from tests.kafka.cases.transactional_producers import END_RENEWS, TransactionalProducer
from tests.kafka.referee import Broker, case

from snakka.protocol.messages.end_txn import EndTxnRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

NEWEST = 2
UPGRADE, UNSAFE_DOWNGRADE = 1, 3


def set_version(broker: Broker, level: int) -> None:
    upgrade_type = UPGRADE if level == NEWEST else UNSAFE_DOWNGRADE
    key = FeatureUpdateKey(feature="transaction.version", max_version_level=level, upgrade_type=upgrade_type)
    broker.ask(UpdateFeaturesRequest(feature_updates=[key], timeout_ms=TIMEOUT_MS))


@contextmanager
def transaction_version(broker: Broker, level: int) -> Iterator[None]:
    set_version(broker, level)
    try:
        yield
    finally:
        set_version(broker, NEWEST)


@case(EndTxnRequest, first=4)
def older_versions_of_transactions(broker: Broker, version: int) -> None:
    # With 0, newer clients would make Kafka fail: its records have no place then for what they say.
    for level in (1, 0) if version < END_RENEWS else (1,):
        with transaction_version(broker, level):
            topic, group = broker.topic(f"topic-{level}"), coordinated_group(broker, f"group-{level}")
            producer = TransactionalProducer(broker, f"producer-{level}")
            for committed in (True, False):
                producer.add(3, (topic, 0))
                producer.add_offsets(3, group)
                producer.produce(topic, b"a", version=11)
                producer.commit_offsets(4, group, (topic, 0, 5))
                producer.describe()
                producer.end(version, committed=committed)
                producer.describe()
            if level:
                producer.produce(topic, b"b", version=13)
                producer.commit_offsets(5, group, (topic, 0, 7))
                producer.end(version, committed=True)
            producer.describe()
            producer.initialize()
            read_back(broker, topic)
            fetch(broker, 9, group)


@case(InitProducerIdRequest, first=5)
def versions_that_change_in_the_midst_of_a_transaction(broker: Broker, version: int) -> None:
    topic, group = broker.topic(), coordinated_group(broker)
    commit(broker, 9, group, (topic, 0, 1))
    newer, older = (TransactionalProducer(broker, text) for text in ("newer", "older"))
    newer.produce(topic, b"a", version=13)
    newer.commit_offsets(5, group, (topic, 0, 7))
    with transaction_version(broker, 1):
        older.add(3, (topic, 0))
        older.produce(topic, b"b", version=11)
        newer.end(5, committed=True)
        newer.describe()
        fetch(broker, 9, group)
        newer.produce(topic, b"c", version=13)
    older.produce(topic, b"d", version=13)
    older.end(5, committed=True)
    older.describe()
    newer.initialize(version)
    newer.describe()
    read_back(broker, topic)
