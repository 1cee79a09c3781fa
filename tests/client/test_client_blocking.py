"""The blocking clients: the same methods in another thread, errors and interrupts where they belong."""

import asyncio
import concurrent.futures
import doctest
import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import islice

import pytest

import snakka.client
from snakka.client import blocking
from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.blocking_client import BlockingClient
from snakka.client.errors import ClientClosedError, ClientConfigError, NoBrokerError
from snakka.protocol.errors import ApiError
from snakka.testing import BlockingLocalBroker


@pytest.fixture
def broker() -> Iterator[BlockingLocalBroker]:
    with BlockingLocalBroker() as running:
        yield running


@pytest.fixture
def others() -> set[threading.Thread]:
    """Threads that other tests have left to the process."""
    return set(threading.enumerate())


def client_threads(others: set[threading.Thread]) -> list[str]:
    threads = [thread for thread in threading.enumerate() if thread not in others]
    return [thread.name for thread in threads if thread.name.startswith("snakka ")]


@pytest.mark.parametrize("name", ["Admin", "Producer", "Consumer"])
def test_every_method_of_the_asyncio_client_is_there(name: str) -> None:
    ours, theirs = getattr(blocking, name), getattr(snakka.client, name)
    for method, function in inspect.getmembers(theirs, inspect.isfunction):
        if not method.startswith("_"):
            assert not inspect.iscoroutinefunction(getattr(ours, method))
            if method not in ("start", "stop"):
                assert inspect.signature(getattr(ours, method)) == inspect.signature(function)


def test_topics_are_administered(broker: BlockingLocalBroker, others: set[threading.Thread]) -> None:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        assert admin.create_topic("orders", partitions=3).partitions == 3
        assert [topic.name for topic in admin.list_topics()] == ["orders"]
        with pytest.raises(ApiError, match="TOPIC_ALREADY_EXISTS"):
            admin.create_topic("orders")
        assert client_threads(others) == ["snakka admin"]
    assert client_threads(others) == []
    with pytest.raises(ClientClosedError, match="the admin is stopped; make another one"):
        admin.list_topics()
    admin.stop()


def test_what_is_sent_is_read(broker: BlockingLocalBroker) -> None:
    servers = broker.bootstrap_servers
    with Producer(bootstrap_servers=servers) as producer:
        futures = [producer.send("t", b"%d" % number, partition=0) for number in range(10)]
        assert isinstance(futures[0], concurrent.futures.Future)
        assert [future.result(timeout=20).offset for future in futures] == list(range(10))
    with Consumer("t", bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        read = [message.value for message in islice(consumer, 5)]
        while len(read) < 10:
            for messages in consumer.getmany(timeout_ms=5_000).values():
                read += [message.value for message in messages]
    assert read == [b"%d" % number for number in range(10)]


def test_what_was_in_hands_at_an_error_is_read_again(broker: BlockingLocalBroker) -> None:
    servers = broker.bootstrap_servers
    with Producer(bootstrap_servers=servers) as producer:
        for number in range(2):
            producer.send_and_wait("t", b"%d" % number, partition=0)
    settings = {"bootstrap.servers": servers, "group.id": "g", "auto.offset.reset": "earliest"}

    def work_and_fail() -> None:
        with Consumer(settings, "t") as consumer:
            assert next(consumer).value == b"0"
            assert next(consumer).value == b"1"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work_and_fail()
    with Consumer(settings, "t") as consumer:
        assert next(consumer).value == b"1"


class CountingError(Exception):
    pass


class Counter:
    """A client of asyncio that shows all that a facade must translate."""

    def __init__(self, first: int) -> None:
        self.number = first
        self.exits: list[type[BaseException] | None] = []
        self.is_waiting = threading.Event()

    async def start(self) -> None:
        self.loop = asyncio.get_running_loop()

    async def stop(self) -> None:
        self.exits.append(None)

    async def __aexit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.exits.append(kind)

    def fail(self) -> None:
        raise CountingError

    async def fail_later(self) -> None:
        await asyncio.sleep(0)
        raise CountingError

    def plain(self) -> bool:
        return asyncio.get_running_loop() is self.loop

    async def later(self, *, fails: bool) -> "asyncio.Future[int]":
        future: asyncio.Future[int] = self.loop.create_future()
        if fails:
            self.loop.call_soon(future.set_exception, ZeroDivisionError())
        else:
            self.loop.call_soon(future.set_result, self.number)
        return future

    @asynccontextmanager
    async def inside(self) -> AsyncIterator["Counter"]:
        self.number += 1
        try:
            yield self
        except ZeroDivisionError:
            self.number += 10

    async def forever(self) -> None:
        self.is_waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.number = -1


class BlockingCounter(BlockingClient, kind=Counter):
    pass


def test_what_is_asynchronous_is_translated() -> None:
    with BlockingCounter(5) as counter:
        assert counter.plain() is True
        assert counter.later(fails=False).result(timeout=10) == 5
        assert isinstance(counter.later(fails=True).exception(timeout=10), ZeroDivisionError)
        with counter.inside() as entered:
            assert entered is counter
        with counter.inside():
            raise ZeroDivisionError
        assert counter.later(fails=False).result(timeout=10) == 17
        client = counter._client
    assert client.exits == [None]


def test_a_wait_that_is_interrupted_is_cancelled() -> None:
    with BlockingCounter(5) as counter:
        main = threading.get_ident()

        def interrupt() -> None:
            if counter._client.is_waiting.wait(10):
                signal.pthread_kill(main, signal.SIGINT)

        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            counter.forever()
        assert counter._client.number == -1, "it has ended before the next call comes"
        assert counter.plain() is True
        interrupting.join()


def test_an_error_does_not_keep_what_it_came_through() -> None:
    with BlockingCounter(5) as counter:
        gc.disable()
        try:
            for fail in (counter.fail, counter.fail_later):
                kept = None
                try:
                    fail()
                except CountingError as error:
                    kept = weakref.ref(error)
                assert counter.plain()  # the loop has forgotten it, too
                assert kept is not None
                assert kept() is None
        finally:
            gc.enable()


def test_a_callback_can_t_wait_for_its_own_loop() -> None:
    with BlockingCounter(5) as counter:
        future = counter.later(fails=False)
        outcome: concurrent.futures.Future[str] = concurrent.futures.Future()

        def callback() -> None:
            try:
                counter.plain()
            except RuntimeError as error:
                outcome.set_result(str(error))

        counter._client.loop.call_soon_threadsafe(callback)
        assert "from its own callbacks" in outcome.result(timeout=10)
        assert future.result(timeout=10) == 5


def test_errors_of_the_beginning_leave_no_thread(others: set[threading.Thread]) -> None:
    with pytest.raises(ClientConfigError, match=r"did you mean bootstrap\.servers"):
        Admin(bootstrap_server="127.0.0.1:1")
    with pytest.raises(NoBrokerError), Admin(bootstrap_servers="127.0.0.1:1"):
        pass
    assert client_threads(others) == []


def test_a_client_can_be_shared_by_threads(broker: BlockingLocalBroker) -> None:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: admin.create_topic(f"t{number}"), range(20)))
        assert len(admin.list_topics()) == 20


_INTERRUPTED = """
import sys
from snakka.client.blocking import Consumer
with Consumer("silent", bootstrap_servers=sys.argv[1]) as consumer:
    try:
        print("waiting", flush=True)
        for message in consumer:
            pass
    except KeyboardInterrupt:
        print("interrupted", sorted(consumer.topics()), flush=True)
print("closed", flush=True)
"""


def test_ctrl_c_ends_a_wait_and_nothing_else(broker: BlockingLocalBroker) -> None:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.create_topic("silent")
    process = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTED, broker.bootstrap_servers],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (output, errors) == ("interrupted ['silent']\nclosed\n", "")


def test_ctrl_c_before_a_call_has_begun(broker: BlockingLocalBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left that nobody waits for, which Python would warn of."""

    def interrupted(*arguments: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        assert admin._thread is not None
        monkeypatch.setattr(admin._thread._loop, "call_soon_threadsafe", interrupted)
        with pytest.raises(KeyboardInterrupt):
            admin.list_topics()
        gc.collect()
        assert isinstance(admin.list_topics(), list)


@pytest.mark.parametrize("name", ["Admin", "Producer", "Consumer"])
def test_an_example_shows_what_it_says(name: str, broker: BlockingLocalBroker) -> None:
    names = {**vars(blocking), "bootstrap": broker.bootstrap_servers}
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(getattr(blocking, name), name, globs=names)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted > 0
    assert results.failed == 0
