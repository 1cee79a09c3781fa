"""A running broker: damaged requests of every API and version cost their sender the connection, and nobody else anything."""

import contextlib
import random
import selectors
import socket
import struct
import time
import urllib.request
from collections.abc import Iterator
from typing import NamedTuple

from snakka.protocol.api_keys import API_FACTS
from snakka.protocol.frame import Frame
from snakka.protocol.request_header import write_request_header
from tests.cli.broker_process import BrokerProcess
from tests.faults.process_facts import peak_resident_bytes, resident_bytes
from tests.fuzz.mutations import Sample, damaged_samples

# Connections at one time. A damaged frame mostly ends its connection, so each gets few.
VICTIMS = 16
FRAMES_A_CONNECTION = 2
# Some requests wait, as they should; nobody waits for them.
PATIENCE_SECONDS = 0.2
MAX_GROWTH_BYTES = 200 * 1024 * 1024


class BrokerFuzz(NamedTuple):
    """What a run did. `frames` were handled by the broker: answered, or their connection closed for them."""

    frames: int
    connections: int
    kinds: int
    resident_growth: int
    slowest_bystander_ms: float


def fuzz_broker(
    broker: BrokerProcess, metrics_port: int, seed: int, seconds: float, most: int = 1 << 62
) -> BrokerFuzz:
    """Damaged frames until there were enough or the time is over; AssertionError if it harms anybody but the sender."""
    chance = random.Random(seed)
    process_id = broker.process.pid
    before = resident_bytes(process_id)
    until = time.monotonic() + seconds
    frames = _Frames(chance)
    connections = handled = 0
    with contextlib.closing(_Bystander(broker)) as bystander:
        already = _handled(metrics_port)
        while handled < most and time.monotonic() < until:
            for _ in range(16):
                connections += _storm(broker.port, frames)
            bystander.check()
            handled = _handled(metrics_port) - already - bystander.checks
        slowest = bystander.slowest_ms
    growth = peak_resident_bytes(process_id) - before
    assert growth < MAX_GROWTH_BYTES, f"the broker grew by {growth} bytes"
    assert "Traceback" not in broker.log, broker.log[broker.log.index("Traceback") :][:4000]
    return BrokerFuzz(handled, connections, len(frames.kinds), growth, slowest)


def _storm(port: int, frames: Iterator[bytes]) -> int:
    """So many connections at once, each with a few frames; all are over when this returns."""
    with selectors.DefaultSelector() as selector:
        for _ in range(VICTIMS):
            victim = socket.create_connection(("127.0.0.1", port), 10)
            burst = b"".join(next(frames) for _ in range(FRAMES_A_CONNECTION))
            with contextlib.suppress(OSError):
                victim.sendall(burst)
                victim.shutdown(socket.SHUT_WR)
            victim.setblocking(False)
            selector.register(victim, selectors.EVENT_READ)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while selector.get_map() and time.monotonic() < deadline:
            for key, _ in selector.select(PATIENCE_SECONDS):
                if not _reads_on(key.fileobj):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
        for key in list(selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
    return VICTIMS


def _reads_on(victim: object) -> bool:
    assert isinstance(victim, socket.socket)
    try:
        return bool(victim.recv(1 << 20))
    except BlockingIOError:
        return True
    except OSError:
        return False


class _Frames:
    """Damaged requests without end; `kinds` remembers which APIs and versions there were."""

    def __init__(self, chance: random.Random) -> None:
        self.kinds: set[tuple[int, int]] = set()
        self._chance = chance
        self._samples = (sample for sample in damaged_samples(chance) if sample.kind == "request")

    def __iter__(self) -> "_Frames":
        return self

    def __next__(self) -> bytes:
        sample = next(self._samples)
        self.kinds.add((sample.key, sample.version))
        return _frame(self._chance, sample)


def _frame(chance: random.Random, sample: Sample) -> bytes:
    version = sample.version if chance.randrange(10) else chance.randrange(-1, 30)
    out = Frame(4)
    key = sample.key if chance.randrange(20) else chance.choice([*API_FACTS, 999, -1])
    write_request_header(out, key, version, chance.randrange(1 << 31), "fuzz")
    frame = bytearray(bytes(out) + sample.body)
    size = len(frame) - 4
    if not chance.randrange(50):
        size = chance.choice([-1, 0, 1, 3, size + 5, 1 << 30, 0x7FFFFFFF])
    struct.pack_into(">i", frame, 0, size)
    return bytes(frame)


def _handled(metrics_port: int) -> int:
    """How many requests the broker has taken so far, by its own count: handled, or refused with their connection."""
    with urllib.request.urlopen(f"http://127.0.0.1:{metrics_port}/metrics", timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    wanted = ("snakka_requests_total{", "snakka_network_requests_rejected_total{")
    return sum(int(float(line.rpartition(" ")[2])) for line in lines if line.startswith(wanted))


class _Bystander:
    """A client that minds its own business on one connection all the while."""

    def __init__(self, broker: BrokerProcess) -> None:
        self._socket = socket.create_connection(("127.0.0.1", broker.port), 10)
        self.checks = 0
        self.slowest_ms = 0.0
        out = Frame(4)
        write_request_header(out, 18, 0, 7, "bystander")
        out.seal()
        self._request = bytes(out)

    def close(self) -> None:
        self._socket.close()

    def check(self) -> None:
        started = time.monotonic()
        self._socket.sendall(self._request)
        answer = b""
        while len(answer) < 8 or len(answer) < 4 + struct.unpack_from(">i", answer)[0]:
            part = self._socket.recv(65536)
            assert part, "the broker closed the connection of a client that did nothing wrong"
            answer += part
        assert struct.unpack_from(">ih", answer, 4) == (7, 0)
        self.checks += 1
        self.slowest_ms = max(self.slowest_ms, (time.monotonic() - started) * 1000)
