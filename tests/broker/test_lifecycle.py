"""A broker's lives: what a clean stop saves, what a kill costs, and what stays the same from one life to the next."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from tests.broker.broker_in_process import BrokerInProcess, running, until
from tests.broker.raw_client import ConnectionClosedError, RawClient, batch, parse_address, values_of
from tests.cli.broker_process import start_broker

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.describe_cluster import DescribeClusterRequest
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from snakka.testing.simulated_files import SimulatedFiles

DATA = "/data"
CLEAN_MARK = ".kafka_cleanshutdown"


def sequenced(sequence: int, value: bytes, producer_id: int = 77) -> bytes:
    return batch(value, producer_id=producer_id, producer_epoch=0, base_sequence=sequence)


async def known_again(client: RawClient, topic: str) -> RawClient:
    """A client that has looked up the topic's id."""
    request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
    (row,) = (await client.ask(request)).topics
    assert row.error_code == ErrorCode.NONE
    client.topic_ids[topic] = row.topic_id
    return client


class CountingDisk(SimulatedFiles):
    """Counts the reads of log files."""

    def __init__(self) -> None:
        super().__init__((DATA,))
        self.log_reads = 0

    def trip(self, operation: str, path: str) -> None:
        if operation == "read" and path.endswith(".log") and "__cluster_metadata" not in path:
            self.log_reads += 1
        super().trip(operation, path)


async def test_a_clean_stop_spares_the_next_start_any_look_at_the_logs(topic) -> None:
    disk = CountingDisk()
    async with running(DATA, files=disk) as broker:
        assert not disk.exists(f"{DATA}/{CLEAN_MARK}")
        await broker.client.create_topic(topic, 5)
        for number in range(100):
            await broker.client.produce(topic, batch(b"%d" % number), partition=number % 5)
    assert disk.exists(f"{DATA}/{CLEAN_MARK}")
    disk.log_reads = 0
    async with running(DATA, files=disk) as broker:
        # The last batch of each log is looked at for its timestamp at most.
        assert disk.log_reads <= 2 * 5
        assert not disk.exists(f"{DATA}/{CLEAN_MARK}")
        client = await known_again(broker.client, topic)
        assert [record.value for record in await client.read_all(topic, 3)] == [
            b"%d" % number for number in range(3, 100, 5)
        ]
        row = await client.fetch(topic)
        assert (row.high_watermark, row.log_start_offset) == (20, 0)


async def test_a_killed_broker_reads_its_logs_again_and_cuts_a_torn_tail(tmp_path, topic) -> None:
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await client.create_topic(topic)
            for number in range(10):
                await client.produce(topic, batch(b"%d" % number))
        process.kill()
    (log_file,) = (tmp_path / "data" / f"{topic}-0").glob("*.log")
    whole = log_file.read_bytes()
    assert not (tmp_path / "data" / CLEAN_MARK).exists()
    log_file.write_bytes(whole + batch(b"torn")[:-3])
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await known_again(client, topic)
            found = [record.value for record in await client.read_all(topic)]
            assert found == [b"%d" % number for number in range(10)]
            assert (await client.produce(topic, batch(b"next"))).base_offset == 10
        assert process.stop() == 0
    assert log_file.read_bytes().startswith(whole)


async def test_lost_and_damaged_indexes_are_made_anew(tmp_path, topic) -> None:
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await client.create_topic(topic)
            for number in range(50):
                stamped = batch(b"x" * 1000, timestamp_ms=1_700_000_000_000 + number)
                await client.produce(topic, stamped)
        process.kill()
    folder = tmp_path / "data" / f"{topic}-0"
    for index_file in folder.glob("*.index"):
        index_file.unlink()
    for index_file in folder.glob("*.timeindex"):
        index_file.write_bytes(os.urandom(36))
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await known_again(client, topic)
            assert len(await client.read_all(topic)) == 50
            assert (await client.list_offset(topic, 1_700_000_000_030)).offset == 30
        assert process.stop() == 0


@pytest.mark.parametrize(("clean", "known"), [(True, (6,)), (False, (6, 4, 2))], ids=["stopped", "killed"])
async def test_a_producers_repetition_is_known_again_after_a_restart(tmp_path, topic, clean, known) -> None:
    """Kafka's snapshot of a producer has its last batch; five are known where the log itself was read again."""
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await client.create_topic(topic)
            for sequence in range(7):
                await client.produce(topic, sequenced(sequence, b"%d" % sequence))
        if clean:
            assert process.stop() == 0
        else:
            process.kill()
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await known_again(client, topic)
            for sequence in known:
                again = await client.produce(topic, sequenced(sequence, b"again"))
                assert (again.error_code, again.base_offset) == (ErrorCode.NONE, sequence)
            gap = await client.produce(topic, sequenced(9, b"gap"))
            assert gap.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
            assert (await client.produce(topic, sequenced(7, b"7"))).base_offset == 7
            assert [record.value for record in await client.read_all(topic)] == [b"%d" % n for n in range(8)]
        assert process.stop() == 0


async def test_names_and_ids_stay(tmp_path, topic) -> None:
    async def identity(broker: BrokerInProcess) -> tuple[object, ...]:
        services = broker.services
        cluster = await broker.client.ask(DescribeClusterRequest())
        directories = [one.directory_id for one in services.log_manager.directories]
        return cluster.cluster_id, directories, services.image.topics.by_name[topic].id

    async with running(tmp_path) as broker:
        await broker.client.create_topic(topic)
        before = await identity(broker)
        epoch = broker.services.registrar.broker_epoch
        leader_epoch = broker.partition(topic).leader_epoch
    async with running(tmp_path) as broker:
        assert await identity(broker) == before
        assert broker.services.registrar.broker_epoch > epoch
        # A restart is no change of leader that clients would have to hear of more than once.
        assert leader_epoch <= broker.partition(topic).leader_epoch <= leader_epoch + 2


async def test_what_was_acknowledged_before_a_stop_under_load_is_there(tmp_path, topic) -> None:
    acknowledged: dict[int, bytes] = {}
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await client.create_topic(topic)
            try:
                for number in range(100_000):
                    if number == 300:
                        process.process.send_signal(signal.SIGTERM)
                    value = b"%d" % number
                    row = await client.produce(topic, batch(value))
                    if row.error_code == ErrorCode.NONE:
                        acknowledged[row.base_offset] = value
            except ConnectionClosedError:
                pass
        assert await asyncio.to_thread(process.process.wait, 10) == 0
    assert len(acknowledged) >= 300
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await known_again(client, topic)
            found = {record.offset: record.value for record in await client.read_all(topic)}
        assert acknowledged.items() <= found.items()
        assert process.stop() == 0


async def test_clients_that_wait_do_not_hold_up_a_stop(tmp_path, topic) -> None:
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            await client.create_topic(topic)
            pollers = [await RawClient.open(parse_address(process.bootstrap)) for _ in range(10)]
            for poller in pollers:
                poller.topic_ids = client.topic_ids
                poller.send(poller.fetch_request([(topic, 0, 0)], max_wait_ms=60_000))
            await client.ask(ApiVersionsRequest(), 0)
            begin = time.monotonic()
            code = await asyncio.to_thread(process.stop)
            assert code == 0
            assert time.monotonic() - begin < 5
            for poller in pollers:
                await poller.wait_until_closed()
                poller.close()


async def test_many_brokers_live_in_one_process(tmp_path, topic) -> None:
    async with running(tmp_path / "one") as one, running(tmp_path / "two") as two:
        for number, broker in enumerate((one, two)):
            await broker.client.create_topic(topic)
            await broker.client.produce(topic, batch(b"of %d" % number))
        for number, broker in enumerate((one, two)):
            assert values_of(await broker.client.fetch(topic)) == [b"of %d" % number]


def remains_of(topic: str, data: Path) -> list[Path]:
    return list(data.glob(f"{topic}*"))


async def test_a_topic_is_gone_for_good(tmp_path: Path, topic) -> None:
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic, 3, file_delete_delay_ms=0)
        await client.produce(topic, batch(b"x"))
        await client.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=topic)], timeout_ms=5_000))
        assert (await client.produce(topic, batch(b"x"))).error_code == ErrorCode.UNKNOWN_TOPIC_ID
        await until(lambda: not remains_of(topic, tmp_path))
    async with running(tmp_path) as broker:
        assert topic not in broker.services.image.topics.by_name
        assert remains_of(topic, tmp_path) == []
