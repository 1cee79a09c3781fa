"""Groups and transactions go from broker to broker in the midst of what they do: stopped, killed, there and back again."""

from pathlib import Path

import pytest
from tests.kafka import data_set
from tests.kafka.coordinated_data import (
    GROUP_TOPIC,
    NODE_OPTIONS,
    TRANSACTION_TOPIC,
    CoordinatedData,
    offsets_in,
)
from tests.kafka.internal_records import histories
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_kafka, running_snakka
from tests.kafka.settling import prepare

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka")]


@pytest.mark.timeout(240)
def test_there_and_back_again(tmp_path: Path, tools: KafkaTools, libs: str) -> None:
    node = Node(tmp_path, data_set.NODE_OPTIONS | NODE_OPTIONS)
    data = CoordinatedData()
    with running_snakka(node):
        prepare(node.port)
        data.leave_behind(node)
    data.decide(node.data)
    with running_kafka(node, libs):
        data.go_on(node)
        data.leave_behind(node)
    data.decide(node.data)
    with running_snakka(node) as snakka:
        data.go_on(node)
        # What Kafka 4.3 ends after a crash, before it is let in again, it ends without markers, in its own data as well.
        data.leave_behind(node, only_going_on=True)
        snakka.kill()
    with running_kafka(node, libs) as kafka:
        data.go_on(node)
        data.leave_behind(node)
        kafka.kill()
    data.decide(node.data)
    with running_snakka(node):
        data.go_on(node)
    for topic in (GROUP_TOPIC, TRANSACTION_TOPIC):
        offsets = offsets_in(node.data, topic)
        assert len(offsets) < offsets[-1] - 20, "it was never compacted"
        assert histories(tools, node.data, topic)
