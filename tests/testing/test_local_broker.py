"""Brokers inside a test, as the tests of other people use them."""

import asyncio
import gc
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest
import uvloop

from snakka.client.admin import Admin
from snakka.client.cluster_view import ClusterView, running_cluster
from snakka.client.consumer import Consumer, TopicPartition
from snakka.client.producer import Producer
from snakka.client.settings import AdminSettings, resolve
from snakka.network.listener import ListenError
from snakka.options.option import OptionError
from snakka.storage.meta_properties import DataDirectoryError
from snakka.testing import BlockingLocalBroker, LocalBroker

LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]
# Of one broker or a few, on a busy machine.
STOP_SECONDS = 5.0


def soon() -> float:
    return time.monotonic() + 20


def cluster_at(bootstrap: str) -> AbstractAsyncContextManager[ClusterView]:
    return running_cluster(resolve(AdminSettings, {"bootstrap_servers": bootstrap}))


async def write_and_read(bootstrap: str) -> list[bytes | None]:
    async with Producer(bootstrap_servers=bootstrap) as producer:
        written = await producer.send_and_wait("t", b"x", partition=0)
    async with Consumer(bootstrap_servers=bootstrap) as consumer:
        consumer.assign([TopicPartition("t", 0)])
        consumer.seek(TopicPartition("t", 0), 0)
        return [(await consumer.getone()).value for _ in range(written.offset + 1)]


@pytest.mark.parametrize("new_loop", LOOPS)
def test_a_broker_lives_inside_a_coroutine_and_leaves_nothing(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    async def scenario() -> str:
        async with LocalBroker({"num.partitions": 3, "auto.create.topics.enable": True}) as broker:
            assert broker.bootstrap_servers == f"127.0.0.1:{broker.port}"
            assert broker.options.integer("num.partitions") == 3
            assert await write_and_read(broker.bootstrap_servers) == [b"x"]
            (directory,) = broker.options.entries("log.dirs")
            assert "t-2" in os.listdir(directory)
            began = time.monotonic()
        assert time.monotonic() - began < STOP_SECONDS
        return directory

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert not os.path.exists(runner.run(scenario()))


def test_a_broker_serves_a_test_without_asyncio() -> None:
    before = set(threading.enumerate())
    with BlockingLocalBroker({"num.partitions": "2"}) as broker:
        assert asyncio.run(write_and_read(broker.bootstrap_servers)) == [b"x"]
        (directory,) = broker.options.entries("log.dirs")
        assert "t-1" in os.listdir(directory)
        began = time.monotonic()
    assert time.monotonic() - began < STOP_SECONDS
    assert not os.path.exists(directory)
    assert not [thread for thread in threading.enumerate() if thread not in before]


async def test_many_brokers_live_in_one_process() -> None:
    brokers = [LocalBroker() for _ in range(4)]
    await asyncio.gather(*(broker.start() for broker in brokers))
    with BlockingLocalBroker() as blocking:
        ports = [broker.port for broker in brokers] + [blocking.port]
        assert len(set(ports)) == 5
        for broker in brokers:
            assert await write_and_read(broker.bootstrap_servers) == [b"x"]
    async with AsyncExitStack() as clients:
        clusters = [
            await clients.enter_async_context(cluster_at(broker.bootstrap_servers)) for broker in brokers
        ]
        await Admin(cluster=clusters[0]).create_topic("only-here")
        names = [[topic.name for topic in await cluster.all_topics(soon())] for cluster in clusters]
    assert names == [["only-here", "t"], ["t"], ["t"], ["t"]]
    began = time.monotonic()
    await asyncio.gather(*(broker.stop() for broker in brokers))
    assert time.monotonic() - began < STOP_SECONDS


async def test_a_clean_stop_is_quick_while_a_client_waits_for_records() -> None:
    async with LocalBroker() as broker, Consumer("t", bootstrap_servers=broker.bootstrap_servers) as consumer:
        polling = asyncio.ensure_future(consumer.getone())
        while not consumer.assignment():  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.001)
        await consumer.position(TopicPartition("t", 0))
        began = time.monotonic()
        await broker.stop()
        assert time.monotonic() - began < STOP_SECONDS
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)


async def test_data_in_a_directory_of_one_s_own_stays(tmp_path: object) -> None:
    broker = LocalBroker(data_dir=str(tmp_path))
    for count in (1, 2):
        async with broker:
            assert await write_and_read(broker.bootstrap_servers) == [b"x"] * count


async def test_what_keeps_a_broker_from_starting_is_raised(tmp_path: object) -> None:
    with pytest.raises(OptionError, match=r"did you mean num\.partitions"):
        await LocalBroker({"num.partition": 1}).start()
    with pytest.raises(OptionError, match=r"did you mean num\.partitions"):
        BlockingLocalBroker({"num.partition": 1}).start()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        listeners = f"PLAINTEXT://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ListenError, match="cannot listen on"):
            await LocalBroker({"listeners": listeners}).start()
    async with LocalBroker(data_dir=str(tmp_path)):
        with pytest.raises(DataDirectoryError, match="is in use"):
            BlockingLocalBroker(data_dir=str(tmp_path)).start()


async def test_misuse_is_named() -> None:
    broker = LocalBroker()
    with pytest.raises(RuntimeError, match="not running"):
        _ = broker.port
    async with broker:
        with pytest.raises(RuntimeError, match="running already"):
            await broker.start()
    blocking = BlockingLocalBroker()
    blocking.stop()
    with blocking, pytest.raises(RuntimeError, match="running already"):
        blocking.start()


async def test_a_broker_leaves_the_process_around_it_alone() -> None:
    def state() -> list[object]:
        root = logging.getLogger()
        return [
            signal.getsignal(signal.SIGTERM),
            list(root.handlers),
            root.level,
            gc.get_threshold(),
            gc.get_freeze_count(),
        ]

    before = state()
    async with LocalBroker():
        assert state() == before
    assert state() == before
