"""kafka-dump-log reads every file that Snakka writes, after a clean stop and after kill -9."""

import threading
from pathlib import Path

import pytest
from tests.kafka.data_set import COMPACTED, NODE_OPTIONS, STARTED_MS, DataSet, ask_produce
from tests.kafka.dumped_files import dumped_metadata, dumped_offsets
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_snakka
from tests.kafka.settling import prepare
from tests.kafka.wire import ConnectionClosedError, Wire

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka")]


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path, NODE_OPTIONS)


def test_after_a_clean_stop(node: Node, tools: KafkaTools) -> None:
    data_set = DataSet()
    with running_snakka(node):
        prepare(node.port)
        for _ in range(2):
            data_set.extend(node.port)
        data_set.wait_until_compacted(node.port)
        data_set.remember(node.port)
    found = dumped_offsets(tools, node.data)
    for topic in ("rolled", "append-time", "indexed", "numbered", "codec-zstd"):
        assert found[topic, 0] == data_set.offsets_in(topic, 0)
    assert found["grown", 1] == data_set.offsets_in("grown", 1)
    assert found[COMPACTED, 0]
    assert list(node.data.glob("rolled-0/*.log"))[3:]
    assert (node.data / "indexed-0" / "00000000000000000000.index").stat().st_size > 100
    metadata = dumped_metadata(tools, node.data)
    for kind in (
        "TOPIC_RECORD",
        "REMOVE_TOPIC_RECORD",
        "CONFIG_RECORD",
        "PRODUCER_IDS_RECORD",
        "SnapshotFooter",
    ):
        assert kind in metadata


def test_after_kill_9(node: Node, tools: KafkaTools) -> None:
    data_set = DataSet()
    with running_snakka(node) as broker:
        prepare(node.port)
        data_set.extend(node.port)
        acknowledged: list[int] = []
        writer = threading.Thread(target=_write_until_the_end, args=(node.port, acknowledged))
        writer.start()
        while len(acknowledged) < 200:
            assert writer.is_alive()
        broker.kill()
        writer.join()
    found = dumped_offsets(tools, node.data, after_a_crash=True)
    assert found["configured", 0][: len(acknowledged)] == acknowledged
    dumped_metadata(tools, node.data)
    with running_snakka(node):
        data_set.extend(node.port)
    again = dumped_offsets(tools, node.data)
    assert again["configured", 0][: len(acknowledged)] == acknowledged
    dumped_metadata(tools, node.data)


def _write_until_the_end(port: int, acknowledged: list[int]) -> None:
    """One record after another until the broker is gone; their offsets."""
    with Wire(port) as wire:
        try:
            while True:
                batch = bytes(build_batch([Record(-1, STARTED_MS, b"key", b"x" * 500)]))
                acknowledged.append(ask_produce(wire, "configured", batch, 0).base_offset)
        except ConnectionClosedError:
            pass
