"""What the client's tests share: an Apache Kafka for a worker, since Java starts slowly, and a Snakka for a test."""

import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.client.kafka_broker import KafkaBroker, running_kafka_broker
from tests.kafka.kafka_tools_process import JVM_FLAGS
from tests.kafka.nodes import kafka_libs

from snakka.testing import LocalBroker


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """Apache Kafka, shared: use topics and groups of your own."""
    libs = kafka_libs()
    with running_kafka_broker(tmp_path_factory.mktemp("kafka"), libs) as broker:
        yield broker


@pytest.fixture(scope="session")
def kafka_facts() -> list[list[str]]:
    """What KafkaFacts.java says of Apache Kafka's own clients: kind, name, value."""
    command = [
        "java",
        *JVM_FLAGS,
        "-cp",
        f"{kafka_libs()}/*",
        str(Path(__file__).with_name("KafkaFacts.java")),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("\t") for line in ended.stdout.splitlines()]


@pytest.fixture
async def snakka() -> AsyncIterator[LocalBroker]:
    """Snakka on the test's own loop."""
    async with LocalBroker() as broker:
        yield broker


@pytest.fixture
def snakka_options() -> dict[str, object]:
    """What `bootstrap`'s Snakka is started with; a module that needs some has a fixture of this name."""
    return {}


@pytest.fixture(params=["snakka", "kafka"])
async def bootstrap(request: pytest.FixtureRequest, snakka_options: dict[str, object]) -> AsyncIterator[str]:
    """Each kind of broker in turn: whoever asks for this is tried with both."""
    if request.param == "kafka":
        yield request.getfixturevalue("kafka").bootstrap
    else:
        async with LocalBroker(snakka_options) as broker:
            yield broker.bootstrap_servers
