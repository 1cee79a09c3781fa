"""When a record counts as written: what waits for a sync, what a failed disk does, and what a power cut leaves.

The disk is simulated: it can be slow, fail, and lose what was not synced. The broker and its sockets are real.
"""

import asyncio
import errno
import random
import threading
from collections import deque

import pytest
from tests.broker.broker_in_process import BrokerInProcess, running, until
from tests.broker.raw_client import RawClient, batch, values_of

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.testing.simulated_files import Fault, SimulatedFiles

DATA = "/data"
EACH_RECORD = {"flush_messages": 1}
# Longer than a broker needs for an answer that does not wait for the disk.
LONG_ENOUGH_SECONDS = 0.15


class SlowDisk(SimulatedFiles):
    """Its syncs of files under `held` wait until they are let go; all syncs are counted by path."""

    def __init__(self, *directories: str) -> None:
        super().__init__(directories or (DATA,))
        self.held = "nothing"
        self.synced: list[str] = []
        self.gate = threading.Event()
        self.on_change = self._watch

    def hold(self, part_of_path: str) -> None:
        self.held = part_of_path
        self.gate.clear()

    def release(self) -> None:
        self.held = "nothing"
        self.gate.set()

    def _watch(self, operation: str, path: str) -> None:
        if operation == "sync":
            self.synced.append(path)
            if self.held in path:
                assert self.gate.wait(20)

    def syncs_of(self, part_of_path: str) -> int:
        return sum(part_of_path in path for path in self.synced)


@pytest.fixture
def disk():
    made = SlowDisk()
    yield made
    made.release()


async def is_silent(*requests: asyncio.Future) -> bool:
    """Whether none of them is answered although there was time enough."""
    done, _ = await asyncio.wait(requests, timeout=LONG_ENOUGH_SECONDS)
    return not done


async def write_elsewhere(broker: BrokerInProcess, topic: str, data: bytes, **fields: object):
    """A produce over a connection of its own."""
    async with await RawClient.open(broker.address) as client:
        client.topic_ids = broker.client.topic_ids
        return await client.produce(topic, data, **fields)


async def test_with_flush_messages_1_nobody_sees_a_record_before_its_sync(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic, **EACH_RECORD)
        await client.produce(topic, batch(b"synced"))
        disk.hold(f"{topic}-0/")
        written = [
            asyncio.ensure_future(write_elsewhere(broker, topic, batch(b"waits"), acks=acks))
            for acks in (1, -1)
        ]
        reader = await RawClient.open(broker.address)
        reader.topic_ids = client.topic_ids
        polling = asyncio.ensure_future(reader.fetch(topic, 1, max_wait_ms=15_000))
        assert await is_silent(*written, polling)
        row = await client.fetch(topic, 0)
        assert (values_of(row), row.high_watermark) == ([b"synced"], 1)
        assert (await client.list_offset(topic, -1)).offset == 1
        assert (await client.list_offset(topic, -3)).offset in (0, -1)
        await until(lambda: broker.partition(topic).log.log_end_offset == 3)
        # Its end is in the log, but no reader gets there.
        assert (await client.fetch(topic, 3)).error_code == ErrorCode.NONE
        disk.release()
        assert sorted([(await one).base_offset for one in written]) == [1, 2]
        assert values_of(await polling)[:1] == [b"waits"]
        assert (await client.list_offset(topic, -1)).offset == 3
        reader.close()


async def test_a_record_without_acknowledgement_is_not_seen_before_its_sync_either(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic, **EACH_RECORD)
        disk.hold(f"{topic}-0/")
        client.send(client.produce_request(topic, batch(b"unasked"), acks=0))
        assert (await client.fetch(topic, 0)).high_watermark == 0
        disk.release()
        assert values_of(await client.fetch(topic, 0, max_wait_ms=15_000)) == [b"unasked"]


async def test_a_repeated_batch_is_answered_after_the_sync_of_the_first(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        await broker.client.create_topic(topic, **EACH_RECORD)
        disk.hold(f"{topic}-0/")
        once = batch(b"once", producer_id=5, producer_epoch=0, base_sequence=0)
        sent = [asyncio.ensure_future(write_elsewhere(broker, topic, once)) for _ in range(3)]
        assert await is_silent(*sent)
        disk.release()
        assert [(await one).base_offset for one in sent] == [0, 0, 0]


async def test_one_sync_serves_all_who_came_meanwhile(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic, **EACH_RECORD)
        log_file = f"{topic}-0/{0:020}.log"
        disk.hold(log_file)
        first = asyncio.ensure_future(write_elsewhere(broker, topic, batch(b"first")))
        assert await is_silent(first)
        begun = disk.syncs_of(log_file)
        async with await RawClient.open(broker.address) as writer:
            writer.topic_ids = client.topic_ids
            request = writer.produce_request(topic, batch(b"x"))
            ids = [writer.send(request) for _ in range(50)]
            row = await client.fetch(topic, 0)
            assert row.high_watermark == 0
            disk.release()
            for correlation_id in ids:
                response = await writer.receive(request, correlation_id=correlation_id)
                assert response.responses[0].partition_responses[0].error_code == ErrorCode.NONE
        assert (await first).error_code == ErrorCode.NONE
        assert disk.syncs_of(log_file) - begun < 10


@pytest.mark.parametrize("timeout_ms", [0, -1, 100])
async def test_a_produce_that_waits_too_long_is_told_so_and_stays_written(disk, topic, timeout_ms) -> None:
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic, **EACH_RECORD)
        disk.hold(f"{topic}-0/")
        row = await client.produce(topic, batch(b"late"), timeout_ms=timeout_ms)
        assert (row.error_code, row.base_offset) == (ErrorCode.REQUEST_TIMED_OUT, -1)
        assert broker.partition(topic)._ack_waiters == deque()
        disk.release()
        assert values_of(await client.fetch(topic, 0, max_wait_ms=15_000)) == [b"late"]


async def test_nobody_waits_for_a_client_that_has_gone(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        await broker.client.create_topic(topic, **EACH_RECORD)
        disk.hold(f"{topic}-0/")
        leaver = await RawClient.open(broker.address)
        leaver.topic_ids = broker.client.topic_ids
        for _ in range(3):
            leaver.send(leaver.produce_request(topic, batch(b"x")))
            leaver.send(leaver.fetch_request([(topic, 0, 0)], max_wait_ms=2**31 - 1))
        partition = broker.partition(topic)
        await until(lambda: len(partition._ack_waiters) == 3 and len(partition._watchers) == 3)
        leaver.close()
        await until(lambda: not partition._ack_waiters and not partition._watchers)
        disk.release()
        await until(lambda: partition.log.high_watermark == 3)


async def test_the_end_of_a_topic_ends_what_waits_for_its_disk(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic, **EACH_RECORD)
        disk.hold(f"{topic}-0/")
        written = asyncio.ensure_future(write_elsewhere(broker, topic, batch(b"x")))
        await until(lambda: bool(broker.partition(topic)._ack_waiters))
        await client.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=topic)], timeout_ms=5_000))
        row = await written
        assert row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        disk.release()


async def test_by_default_an_append_waits_for_no_disk(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic)
        disk.hold(f"{topic}-0/")
        for number in range(20):
            assert (await client.produce(topic, batch(b"x"))).base_offset == number
        assert disk.syncs_of(f"{topic}-0/") == 0
        disk.release()


async def test_flush_messages_takes_effect_while_the_broker_runs(disk, topic) -> None:
    async with running(DATA, files=disk, log_flush_interval_messages=1) as broker:
        client = broker.client
        await client.create_topic(topic)
        await client.produce(topic, batch(b"x"))
        assert disk.syncs_of(f"{topic}-0/") > 0


# -- failures -----------------------------------------------------------------------------------------------------


async def test_a_failed_sync_is_final_and_the_last_directory_ends_the_broker(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic, **EACH_RECORD)
        assert (await client.produce(topic, batch(b"safe"))).error_code == ErrorCode.NONE
        disk.faults.append(Fault("sync", path_contains=f"{topic}-0/"))
        lost = await client.produce(topic, batch(b"lost"))
        assert (lost.error_code, lost.base_offset) == (ErrorCode.KAFKA_STORAGE_ERROR, -1)
        tried = disk.syncs_of(f"{topic}-0/")
        async with asyncio.timeout(10):
            reason = await broker.server.failed
        assert "no log directory is left" in reason
        assert disk.syncs_of(f"{topic}-0/") == tried
    # The stop was no clean one either: what could not be synced is not synced again.
    assert disk.syncs_of(f"{topic}-0/") == tried
    disk.crash(random.Random(1))
    async with running(DATA, files=disk) as broker:
        values = [record.value for record in await read_again(broker, topic)]
        assert values[:1] == [b"safe"]


async def test_one_directory_of_several_fails_and_the_others_go_on(topic) -> None:
    directories = ["/disk1", "/disk10", "/disk2"]
    disk = SlowDisk(*directories)
    options = {"log_dirs": ",".join(directories), "metadata_log_dir": "/disk2"}
    async with running(None, files=disk, **options) as broker:
        client = broker.client
        await client.create_topic(topic, 9, **EACH_RECORD)
        place = {index: broker.partition(topic, index).log.directory.split("/")[1] for index in range(9)}
        assert sorted(place.values()) == ["disk1"] * 3 + ["disk10"] * 3 + ["disk2"] * 3
        for index in range(9):
            await client.produce(topic, batch(b"before"), partition=index)
        (broken, *also_broken) = (index for index, name in place.items() if name == "disk1")
        disk.faults.append(Fault("sync", path_contains=f"/disk1/{topic}-{broken}/"))
        row = await client.produce(topic, batch(b"lost"), partition=broken)
        assert row.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        for index in range(9):
            row = await client.produce(topic, batch(b"after"), partition=index)
            if index in (broken, *also_broken):
                assert row.error_code in (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            else:
                assert row.error_code == ErrorCode.NONE, place[index]
                values = [record.value for record in await client.read_all(topic, index)]
                assert values == [b"before", b"after"]
        assert not broker.server.failed.done()
        await client.create_topic(topic + "-new", 4)
        places = {broker.partition(topic + "-new", index).log.directory.split("/")[1] for index in range(4)}
        assert places == {"disk10", "disk2"}


@pytest.mark.parametrize("version", [4, 5, 6, 18])
async def test_readers_of_a_failed_directory_are_told_so(topic, version) -> None:
    disk = SlowDisk("/disk1", "/disk2")
    options = {"log_dirs": "/disk1,/disk2", "metadata_log_dir": "/disk2"}
    async with running(None, files=disk, **options) as broker:
        client = broker.client
        await client.create_topic(topic, 2)
        index = next(one for one in range(2) if "disk1" in broker.partition(topic, one).log.directory)
        broker.services.log_manager.fail_directory("/disk1", OSError(errno.EIO, "gone"))
        # Not yet decided by the controller, so the broker still believes that it leads.
        request = client.fetch_request([(topic, index, 0)], max_wait_ms=5_000)
        (row,) = (await client.ask(request, version)).responses[0].partitions
        known = ErrorCode.KAFKA_STORAGE_ERROR if version >= 6 else ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert ErrorCode(row.error_code) in (known, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        assert row.error_code != ErrorCode.NONE


async def test_the_failure_of_the_metadata_logs_directory_ends_the_broker(topic) -> None:
    disk = SlowDisk("/disk1", "/disk2")
    async with running(None, files=disk, log_dirs="/disk1,/disk2") as broker:
        await broker.client.create_topic(topic, 2, **EACH_RECORD)
        index = next(one for one in range(2) if "disk1" in broker.partition(topic, one).log.directory)
        disk.faults.append(Fault("sync", path_contains=f"/disk1/{topic}-{index}/"))
        row = await broker.client.produce(topic, batch(b"x"), partition=index)
        assert row.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        async with asyncio.timeout(10):
            assert "metadata log" in await broker.server.failed


async def test_who_waits_when_a_directory_fails_is_answered_at_once(topic) -> None:
    disk = SlowDisk("/disk1", "/disk2")
    options = {"log_dirs": "/disk1,/disk2", "metadata_log_dir": "/disk2"}
    async with running(None, files=disk, **options) as broker:
        client = broker.client
        await client.create_topic(topic, 2, **EACH_RECORD)
        index = next(one for one in range(2) if "disk1" in broker.partition(topic, one).log.directory)
        request = client.fetch_request([(topic, index, 0)], max_wait_ms=60_000)
        client.send(request)
        disk.hold(f"{topic}-{index}/")
        written = asyncio.ensure_future(write_elsewhere(broker, topic, batch(b"x"), partition=index))
        await until(lambda: bool(broker.partition(topic, index)._ack_waiters))
        broker.services.log_manager.fail_directory("/disk1", OSError(errno.EIO, "gone"))
        (row,) = (await client.receive(request)).responses[0].partitions
        assert row.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert (await written).error_code == ErrorCode.KAFKA_STORAGE_ERROR
        disk.release()


async def test_a_full_disk_loses_nothing_that_was_accepted(disk, topic) -> None:
    accepted = []
    async with running(DATA, files=disk) as broker:
        client = broker.client
        await client.create_topic(topic)
        for number in range(10):
            value = b"%d" % number + b"x" * 1000
            if number == 7:
                disk.capacity_bytes = disk.used_bytes() + 500
            row = await client.produce(topic, batch(value))
            if row.error_code == ErrorCode.NONE:
                accepted.append(value)
            else:
                assert row.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        async with asyncio.timeout(10):
            await broker.server.failed
    assert len(accepted) == 7
    disk.capacity_bytes = 1 << 40
    async with running(DATA, files=disk) as broker:
        assert [record.value for record in await read_again(broker, topic)] == accepted
        assert (await broker.client.produce(topic, batch(b"goes on"))).base_offset == 7


async def test_a_metadata_log_that_cannot_be_synced_ends_the_broker(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        disk.faults.append(Fault("sync", path_contains="__cluster_metadata-0/"))
        with pytest.raises(AssertionError):
            await broker.client.create_topic(topic)
        async with asyncio.timeout(10):
            reason = await broker.server.failed
        assert "metadata log" in reason
    disk.crash(random.Random(2))
    async with running(DATA, files=disk) as broker:
        # Nobody was told that it exists, so it may or may not.
        topics = broker.services.image.topics.by_name
        assert set(topics) <= {topic}


# -- power cuts ---------------------------------------------------------------------------------------------------


async def read_again(broker: BrokerInProcess, topic: str):
    broker.client.topic_ids[topic] = broker.partition(topic).topic_id
    return await broker.client.read_all(topic)


@pytest.mark.parametrize("seed", range(4))
async def test_what_was_acknowledged_with_flush_messages_1_survives_power_cuts(topic, seed) -> None:
    chance = random.Random(seed)
    disk = SlowDisk()
    accepted: list[bytes] = []
    for life in range(3):
        async with running(DATA, files=disk) as broker:
            client = broker.client
            if life == 0:
                await client.create_topic(topic, segment_bytes=1 << 20, **EACH_RECORD)
            found = [record.value for record in await read_again(broker, topic)]
            # Nothing is lost, doubled or in another order; what was under way may be there as well.
            assert found[: len(accepted)] == accepted
            assert len(found) <= len(accepted) + 5
            accepted = found
            for number in range(chance.randint(1, 30)):
                value = b"%d-%d" % (life, number)
                assert (await client.produce(topic, batch(value))).base_offset == len(accepted)
                accepted.append(value)
            for number in range(5):
                client.send(client.produce_request(topic, batch(b"late %d" % number)))
            await client.drain()
            await asyncio.sleep(chance.random() * 0.01)
            disk.crash(chance)
            broker.server.failed.set_result("the power is gone")
    async with running(DATA, files=disk) as broker:
        found = [record.value for record in await read_again(broker, topic)]
        assert found[: len(accepted)] == accepted


async def test_what_a_killed_broker_had_not_synced_is_synced_before_anybody_sees_it(disk, topic) -> None:
    async with running(DATA, files=disk) as broker:
        await broker.client.create_topic(topic, **EACH_RECORD)
        await broker.client.produce(topic, batch(b"safe"))
        disk.hold(f"{topic}-0/")
        broker.client.send(broker.client.produce_request(topic, batch(b"in the page cache")))
        await until(lambda: broker.partition(topic).log.log_end_offset == 2)
        # As after a kill: the stop writes nothing, and the sync under way never ends.
        broker.server.failed.set_result("killed")
        disk.faults.append(Fault("sync", path_contains=f"{topic}-0/"))
        disk.release()
    log_file = f"{DATA}/{topic}-0/{0:020}.log"
    disk.restart()
    disk.synced.clear()
    async with running(DATA, files=disk) as broker:
        assert disk.syncs_of(log_file) > 0
        found = await read_again(broker, topic)
        assert [record.value for record in found] == [b"safe", b"in the page cache"]
        disk.crash(random.Random(5))
        broker.server.failed.set_result("the power is gone")
    async with running(DATA, files=disk) as broker:
        assert await read_again(broker, topic) == found


@pytest.mark.parametrize("seed", range(4))
async def test_topics_survive_power_cuts(seed) -> None:
    """The metadata log is synced before anything is answered, whatever the topics' settings are."""
    chance = random.Random(seed)
    disk = SlowDisk()
    created: dict[str, bytes] = {}
    for life in range(3):
        async with running(DATA, files=disk) as broker:
            for name, topic_id in created.items():
                assert broker.services.image.topics.by_name[name].id == topic_id
            for number in range(chance.randint(1, 4)):
                name = f"topic-{life}-{number}"
                created[name] = await broker.client.create_topic(name, 2)
                assert (await broker.client.produce(name, batch(b"x"))).error_code == ErrorCode.NONE
            disk.crash(chance)
            broker.server.failed.set_result("the power is gone")
    async with running(DATA, files=disk) as broker:
        topics = broker.services.image.topics.by_name
        assert {name: topic.id for name, topic in topics.items()} == created
        for name, topic_id in created.items():
            broker.client.topic_ids[name] = topic_id
            assert (await broker.client.produce(name, batch(b"again"))).error_code == ErrorCode.NONE
