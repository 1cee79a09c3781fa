"""What a broker makes of the files that an earlier life left: strays, unfinished moves and deletions, metadata snapshots."""

import itertools
import re
import shutil
from pathlib import Path

import pytest
from tests.audit.asking import BROKER, CLUSTER_DEFAULT, client_of, eventually, set_configs
from tests.broker.raw_client import batch
from tests.cli.broker_process import run_command, start_broker

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.testing import LocalBroker

NO_TOPIC = "vJ1BDBqLSqCsPyZ5BzLYYQ"
SNAPSHOT = re.compile(r"(\d{20})-(\d{10})\.checkpoint")


@pytest.fixture
def data_dir(tmp_path) -> Path:
    return tmp_path / "data"


def _names(data_dir: Path, topic: str) -> list[str]:
    return sorted(path.name for path in data_dir.iterdir() if path.name.startswith(topic))


async def test_partitions_that_no_topic_wants_are_set_aside(data_dir):
    async with LocalBroker(data_dir=str(data_dir)) as broker, await client_of(broker) as client:
        await client.create_topic("orders")
        await client.produce("orders", batch(b"a"))
    shutil.copytree(data_dir / "orders-0", data_dir / "ghost-0")
    (data_dir / "ghost-0" / "partition.metadata").write_text(f"version: 0\ntopic_id: {NO_TOPIC}\n")
    async with LocalBroker(data_dir=str(data_dir)) as broker, await client_of(broker) as client:
        assert re.fullmatch(r"ghost-0\.[0-9a-f]{32}-stray", *_names(data_dir, "ghost"))
        client.topic_ids["orders"] = broker.server.services.image.topics.by_name["orders"].id
        assert len(await client.read_all("orders")) == 1


async def test_a_copy_that_was_under_way_is_kept_apart(data_dir):
    """`-future` is what a move between directories fills; the partition itself is served as it was."""
    async with LocalBroker(data_dir=str(data_dir)) as broker, await client_of(broker) as client:
        await client.create_topic("orders")
        await client.produce("orders", batch(b"a"))
    future = f"orders-0.{'0' * 32}-future"
    shutil.copytree(data_dir / "orders-0", data_dir / future)
    async with LocalBroker(data_dir=str(data_dir)) as broker, await client_of(broker) as client:
        client.topic_ids["orders"] = broker.server.services.image.topics.by_name["orders"].id
        assert len(await client.read_all("orders")) == 1
        assert _names(data_dir, "orders") == ["orders-0", future]


async def test_a_deletion_that_was_cut_off_is_finished(data_dir):
    options = {"log.segment.delete.delay.ms": 3_600_000}
    async with LocalBroker(options, data_dir=str(data_dir)) as broker, await client_of(broker) as client:
        await client.create_topic("orders", partitions=2)
        deleted = await client.ask(
            DeleteTopicsRequest(topics=[DeleteTopicState(name="orders")], timeout_ms=10_000)
        )
        assert deleted.responses[0].error_code == ErrorCode.NONE
        assert all(
            re.fullmatch(r"orders-\d\.[0-9a-f]{32}-delete", name) for name in _names(data_dir, "orders")
        )
        assert len(_names(data_dir, "orders")) == 2
    async with LocalBroker(options, data_dir=str(data_dir)):
        await eventually(lambda: not _names(data_dir, "orders"))


async def test_metadata_comes_back_from_snapshot_and_log_together(tmp_path, data_dir):
    small = "--set=metadata.log.max.record.bytes.between.snapshots=2000"
    with start_broker(tmp_path, small) as process:
        for number in range(5):
            topic = f"topic-{number}"
            assert (
                run_command(
                    "topic", "create", topic, "--partitions=20", bootstrap=process.bootstrap
                ).returncode
                == 0
            )
        process.kill()
    snapshots = [
        path for path in (data_dir / "__cluster_metadata-0").iterdir() if SNAPSHOT.fullmatch(path.name)
    ]
    # The one of the formatting, and at most one for each 2000 bytes; two of neighbouring offsets say the same twice.
    offsets = sorted(int(path.name[:20]) for path in snapshots)
    assert 2 <= len(offsets) <= 7
    assert all(later - earlier > 10 for earlier, later in itertools.pairwise(offsets))
    with start_broker(tmp_path, small) as process:
        listed = run_command("topic", "list", bootstrap=process.bootstrap).stdout.decode().split()
        assert listed == [f"topic-{number}" for number in range(5)]
        assert process.stop() == 0


async def test_changed_options_are_still_in_effect(data_dir):
    async with LocalBroker(data_dir=str(data_dir)) as broker, await client_of(broker) as client:
        await set_configs(client, BROKER, CLUSTER_DEFAULT, {"message.max.bytes": 1234})
    async with LocalBroker(data_dir=str(data_dir)) as broker:
        assert broker.options.integer("message.max.bytes") == 1234
        assert broker.server.services.options.log_defaults.max_message_bytes == 1234
