"""Clients that mean harm, or just behave as if: each costs the broker little memory, and a bystander little time."""

import contextlib
import resource
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.cli.broker_process import BrokerProcess, start_broker
from tests.clients.exchange import create_topic
from tests.faults.bystander import Bystander
from tests.faults.process_facts import forget_peak, open_files, peak_resident_bytes, resident_bytes, wait_for
from tests.faults.wire import (
    ALL_METADATA,
    API_VERSIONS,
    FETCH_VERSION,
    PRODUCE_VERSION,
    Wire,
    fetch,
    framed,
    many_wires,
    produce,
)

MIB = 1 << 20
LARGEST_REQUEST = 100 * MIB
DATA_TOPIC, BYSTANDER_TOPIC = "data", "bystander"
DATA_BATCHES = 16
# How long an attack goes on once it is set up.
HOLD_SECONDS = 1.0
API_VERSIONS_VERSION, METADATA_VERSION = 3, 12


@dataclass
class Siege:
    """What one kind of attack did to the broker and to a bystander."""

    name: str
    attackers: int
    resident_before: int
    peak_growth: int
    growth_afterwards: int
    bystander_median_ms: float
    bystander_slowest_ms: float
    detail: str = ""

    def line(self) -> str:
        return (
            f"{self.name}: {self.attackers} connections, memory +{self.peak_growth / MIB:.1f} MiB at most and"
            f" +{self.growth_afterwards / MIB:.1f} MiB afterwards, a bystander's round trip"
            f" {self.bystander_median_ms:.1f} ms in the median and {self.bystander_slowest_ms:.0f} ms at worst"
            + (f"; {self.detail}" if self.detail else "")
        )


class Attack(NamedTuple):
    """What it did, once it is over."""

    connections: int
    detail: str = ""


class HostileClients:
    """A broker under siege, with some megabytes of records to be asked for."""

    def __init__(self, directory: Path, *options: str) -> None:
        self.broker: BrokerProcess = start_broker(directory, *options)
        self.bootstrap = self.broker.bootstrap
        try:
            create_topic(self.bootstrap, DATA_TOPIC)
            create_topic(self.bootstrap, BYSTANDER_TOPIC)
            with Wire(self.bootstrap) as wire:
                for _ in range(DATA_BATCHES):
                    wire.ask(produce(DATA_TOPIC, 0, bytes(MIB - 1000)), PRODUCE_VERSION)
            self._descriptors = open_files(self.broker.process.pid)
        except BaseException:
            self.broker.close()
            raise

    def __enter__(self) -> "HostileClients":
        return self

    def __exit__(self, *_: object) -> None:
        with self.broker:
            assert self.broker.stop() == 0
            assert "Traceback" not in self.broker.log, self.broker.log

    def besiege(self, name: str, attack: Callable[[str], Attack]) -> Siege:
        """Attack while a bystander works; the broker must be as before when it is over."""
        process_id = self.broker.process.pid
        before = resident_bytes(process_id)
        forget_peak(process_id)
        with Bystander(self.bootstrap, BYSTANDER_TOPIC) as bystander:
            done = attack(self.bootstrap)
            peak = peak_resident_bytes(process_id)
        wait_for(lambda: open_files(process_id) <= self._descriptors + 2 or None)
        return Siege(
            name,
            done.connections,
            before,
            peak - before,
            resident_bytes(process_id) - before,
            bystander.median_ms,
            bystander.slowest_ms,
            done.detail,
        )


def slow_readers(bootstrap: str, connections: int = 40, fetches: int = 64) -> Attack:
    """Everybody asks for a mebibyte, again and again, and reads nothing of it."""
    request = framed(fetch(DATA_TOPIC, 0, 0), FETCH_VERSION)
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(Wire(bootstrap, receive_buffer=4096)) for _ in range(connections)]
        for wire in wires:
            wire.socket.sendall(request * fetches)
        time.sleep(HOLD_SECONDS)
        # One of them begins to read after all, and finds everything.
        for _ in range(fetches):
            assert len(wires[0].receive_frame()) > MIB // 2
    return Attack(connections, f"{connections * fetches} answers of 1 MiB unread")


def idle_connections(bootstrap: str, connections: int) -> Attack:
    """They have said hello, and stay."""
    raise_descriptor_limit(connections + 500)
    with many_wires(bootstrap, connections) as wires:
        for wire in wires:
            wire.send(API_VERSIONS, API_VERSIONS_VERSION)
        for wire in wires:
            wire.receive(API_VERSIONS, API_VERSIONS_VERSION)
        time.sleep(HOLD_SECONDS)
    return Attack(connections)


def pipelining_without_reading(bootstrap: str, connections: int = 20) -> Attack:
    """Requests as fast as the socket takes them, and no answer is ever read."""
    request = framed(ALL_METADATA, METADATA_VERSION) * 100
    sent = 0
    with many_wires(bootstrap, connections) as wires:
        until = time.monotonic() + HOLD_SECONDS
        for wire in wires:
            wire.socket.setblocking(False)
        while time.monotonic() < until:
            _, ready, _ = select.select([], wires, [], 0.05)
            for wire in ready:
                with contextlib.suppress(BlockingIOError):
                    sent += wire.socket.send(request)
    return Attack(connections, f"{sent / MIB:.1f} MiB of requests were taken in before they were held back")


def largest_requests(bootstrap: str, connections: int = 1) -> Attack:
    """As large as socket.request.max.bytes allows: read, judged, answered. One byte more closes the connection."""
    frame = _frame_of(LARGEST_REQUEST)
    with many_wires(bootstrap, connections + 1) as (*wires, greedy):
        threads = [threading.Thread(target=wire.socket.sendall, args=(frame,)) for wire in wires]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for wire in wires:
            answer = wire.receive(ProduceRequest(), PRODUCE_VERSION)
            assert isinstance(answer, ProduceResponse)
            assert answer.responses[0].partition_responses[0].error_code == ErrorCode.MESSAGE_TOO_LARGE
        greedy.socket.sendall(struct.pack(">i", LARGEST_REQUEST + 1) + b"x")
        assert greedy.is_closed()
    return Attack(connections + 1, f"{connections} requests of 100 MiB were answered MESSAGE_TOO_LARGE")


def _frame_of(size: int) -> bytes:
    def request(value: int) -> bytes:
        batch = build_batch([Record(0, int(time.time() * 1000), None, bytes(value))])
        partition = PartitionProduceData(index=0, records=batch)
        topic = TopicProduceData(name=DATA_TOPIC, partition_data=[partition])
        return framed(ProduceRequest(acks=1, timeout_ms=1000, topic_data=[topic]), PRODUCE_VERSION)

    overhead = len(request(size - 10_000)) - (size - 10_000)
    frame = request(size + 4 - overhead)
    assert len(frame) == size + 4
    return frame


def half_open_frames(bootstrap: str, connections: int = 100, announced: int = 90 * MIB) -> Attack:
    """A large request is announced, and nothing comes."""
    with many_wires(bootstrap, connections) as wires:
        for wire in wires:
            wire.socket.sendall(struct.pack(">ihh", announced, 0, PRODUCE_VERSION))
        time.sleep(HOLD_SECONDS)
    with Wire(bootstrap) as wire:
        # Those who waited for memory are served once it is free.
        answer = wire.ask(produce(DATA_TOPIC, 0, bytes(MIB // 2)), PRODUCE_VERSION)
        assert isinstance(answer, ProduceResponse)
    return Attack(connections, f"{connections * announced / (1 << 30):.1f} GiB announced")


def churn(bootstrap: str, seconds: float = 2.0, threads: int = 2) -> Attack:
    """Connections that come and go at once, half of them by a reset in the middle of a request."""
    host, _, port = bootstrap.rpartition(":")
    hello = framed(API_VERSIONS, API_VERSIONS_VERSION)
    counts = [0] * threads
    until = time.monotonic() + seconds

    def come_and_go(number: int) -> None:
        while time.monotonic() < until:
            with socket.create_connection((host, int(port)), 10) as one:
                if counts[number] % 2:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.sendall(hello[:-1])
            counts[number] += 1

    workers = [threading.Thread(target=come_and_go, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return Attack(sum(counts), f"{sum(counts) / seconds:.0f} connections a second")


def raise_descriptor_limit(wanted: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"needs {wanted} file descriptors (ulimit -n)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
