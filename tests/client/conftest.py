"""What the client's tests share: an Apache Kafka for a worker, since Java starts slowly, and a Snakka for a test."""

from collections.abc import AsyncIterator, Iterator

import pytest
from tests.client.kafka_broker import KafkaBroker, running_kafka_broker
from tests.kafka.nodes import kafka_libs

from snakka.testing import LocalBroker


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """Apache Kafka, shared: use topics and groups of your own."""
    libs = kafka_libs()
    with running_kafka_broker(tmp_path_factory.mktemp("kafka"), libs) as broker:
        yield broker


@pytest.fixture
async def snakka() -> AsyncIterator[LocalBroker]:
    """Snakka on the test's own loop."""
    async with LocalBroker() as broker:
        yield broker
