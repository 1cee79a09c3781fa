"""Shared by the tests of one worker, because Java starts slowly: a process for all of Kafka's tools."""

from collections.abc import Iterator

import pytest
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import kafka_libs


@pytest.fixture(scope="session")
def libs() -> str:
    return kafka_libs()


@pytest.fixture(scope="session")
def tools(libs: str) -> Iterator[KafkaTools]:
    tools = KafkaTools(libs)
    yield tools
    tools.close()
