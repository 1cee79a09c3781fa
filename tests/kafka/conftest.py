"""Shared by all tests here, because Java starts slowly: Kafka's tools, and a node of each kind."""

from collections.abc import Iterator

import pytest
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import kafka_libs


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs them all, so that one set of Java processes serves them."""
    for item in items:
        if "tests/kafka/" in item.nodeid:
            item.add_marker(pytest.mark.xdist_group("kafka"))
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def libs() -> str:
    return kafka_libs()


@pytest.fixture(scope="session")
def tools(libs: str) -> Iterator[KafkaTools]:
    tools = KafkaTools(libs)
    yield tools
    tools.close()
