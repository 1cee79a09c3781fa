"""A running broker: damaged requests of every API and version cost their sender the connection, and nobody else anything."""

import random
import socket
import struct
import time
from pathlib import Path
from typing import NamedTuple

from snakka.protocol.api_keys import API_FACTS
from snakka.protocol.frame import Frame
from snakka.protocol.request_header import write_request_header
from tests.fuzz.mutations import Sample, damaged_samples

ANSWER_SECONDS = 0.05
# The APIs that change the cluster would fill the metadata log with topics; half-right requests of them are rare enough.
MAX_GROWTH_BYTES = 200 * 1024 * 1024


class BrokerFuzz(NamedTuple):
    """What a run did."""

    frames: int
    connections: int
    resident_growth: int


def fuzz_broker(
    host: str, port: int, process_id: int, seed: int, seconds: float, most: int = 1 << 62
) -> BrokerFuzz:
    """Send damaged frames until the time is over; AssertionError if the broker stops serving a bystander or grows."""
    chance = random.Random(seed)
    bystander = _Bystander(host, port)
    before = _resident(process_id)
    until = time.monotonic() + seconds
    frames = connections = 0
    generator = (sample for sample in damaged_samples(chance) if sample.kind == "request")
    while frames < most and time.monotonic() < until:
        connections += 1
        with socket.create_connection((host, port), 5) as victim:
            victim.settimeout(ANSWER_SECONDS)
            burst = b"".join(_frame(chance, next(generator)) for _ in range(64))
            frames += 64
            try:
                victim.sendall(burst)
                while victim.recv(65536):
                    pass
            except OSError:
                pass
        if connections % 16 == 0:
            bystander.check()
    bystander.check()
    bystander.close()
    growth = _resident(process_id) - before
    assert growth < MAX_GROWTH_BYTES, f"the broker grew by {growth} bytes"
    return BrokerFuzz(frames, connections, growth)


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


class _Bystander:
    """A client that minds its own business on one connection all the while."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), 5)
        out = Frame(4)
        write_request_header(out, 18, 0, 7, "bystander")
        out.seal()
        self._request = bytes(out)

    def close(self) -> None:
        self._socket.close()

    def check(self) -> None:
        self._socket.sendall(self._request)
        answer = b""
        while len(answer) < 8 or len(answer) < 4 + struct.unpack_from(">i", answer)[0]:
            part = self._socket.recv(65536)
            assert part, "the broker closed the connection of a client that did nothing wrong"
            answer += part
        assert struct.unpack_from(">ih", answer, 4) == (7, 0)


def _resident(process_id: int) -> int:
    """Bytes in memory; 0 where the system does not tell this way."""
    try:
        fields = Path(f"/proc/{process_id}/statm").read_text().split()
    except OSError:
        return 0
    return int(fields[1]) * 4096
