"""The floor under every speed figure: a bare uvloop server that takes frames, writes them to a file and answers.

No Kafka in it: no decoding, no checksum, no offsets. What a broker adds is the ratio between its rate and this one,
measured side by side in one run, because the same machine can be five times slower a minute later.

    python -m bench.floor            prints the floor's own rates

Reusable: `FloorServer` (the server in a process of its own), `RoundTrips` (a raw-socket ping-pong client) and
`compare`, which alternates short rounds between two servers and returns the ratio of their rates.
"""

import argparse
import asyncio
import os
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self, cast

SIZE = struct.Struct(">i")
BUFFER_BYTES = 4 * 1024 * 1024
# A log grows, and growing costs the kernel new pages: so the floor appends too, and begins a new file at this size, because
# a benchmark must not fill the disk.
FILE_BYTES = 256 * 1024 * 1024
PAYLOAD_SIZES = {"tiny": 100, "16 KiB": 16 * 1024, "1 MiB": 1024 * 1024}


class RollingFile:
    """What is appended to; a full file is given up for an empty one."""

    def __init__(self) -> None:
        self._begin()

    def append(self, data: memoryview) -> None:
        self._room -= os.write(self._descriptor, data)
        if self._room <= 0:
            os.close(self._descriptor)
            self._begin()

    def _begin(self) -> None:
        """Without a name: nothing is left behind, however the process ends."""
        self._descriptor, path = tempfile.mkstemp()
        os.unlink(path)
        self._room = FILE_BYTES


class FloorProtocol(asyncio.BufferedProtocol):
    """Takes length-prefixed frames into one buffer, appends each whole frame to the file, answers fixed bytes."""

    def __init__(self, file: RollingFile, answer: bytes) -> None:
        self._file = file
        self._answer = answer
        self._view = memoryview(bytearray(BUFFER_BYTES))
        self._filled = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view[self._filled :]

    def buffer_updated(self, count: int) -> None:
        filled = self._filled + count
        view = self._view
        start = 0
        while filled - start >= 4:
            end = start + 4 + SIZE.unpack_from(view, start)[0]
            if end > filled:
                break
            self._file.append(view[start:end])
            self._transport.write(self._answer)
            start = end
        if start:
            view[: filled - start] = view[start:filled]
        self._filled = filled - start


async def serve(answer_bytes: int) -> None:
    """Serve until the process is ended; the port is the first line on stdout."""
    file = RollingFile()
    answer = SIZE.pack(answer_bytes - 4) + bytes(answer_bytes - 4)
    server = await asyncio.get_running_loop().create_server(
        lambda: FloorProtocol(file, answer), "127.0.0.1", 0
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class FloorServer:
    """The floor in a process of its own: `with FloorServer(answer_bytes=50) as floor: floor.port`."""

    def __init__(self, answer_bytes: int) -> None:
        command = [sys.executable, "-m", "bench.floor", "--serve", "--answer-bytes", str(answer_bytes)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        first_line = self._process.stdout.readline()
        if not first_line:
            self._process.communicate()
            raise RuntimeError(f"the floor ended with {self._process.returncode} before it served")
        self.port = int(first_line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()


class RoundTrips:
    """One blocking connection that sends a frame, reads its whole answer, and so on."""

    def __init__(
        self,
        port: int,
        host: str = "127.0.0.1",
        *,
        timeout_seconds: float = 60.0,
        answer_bytes: int = 1024 * 1024,
    ) -> None:
        self._socket = socket.create_connection((host, port), timeout_seconds)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answer = bytearray(answer_bytes)

    def exchange(self, frame: bytes) -> memoryview:
        """Send one frame (its size prefix included); the answer's bytes without the prefix, valid until the next call."""
        self._socket.sendall(frame)
        received = self._socket.recv_into(self._answer)
        while received < 4 or received < 4 + SIZE.unpack_from(self._answer)[0]:
            count = self._socket.recv_into(memoryview(self._answer)[received:])
            if not count:
                raise ConnectionError("the server closed the connection")
            received += count
        return memoryview(self._answer)[4:received]

    def rate(self, frame: bytes, seconds: float) -> float:
        """Round trips a second, over about `seconds`."""
        count = 0
        started = time.perf_counter()
        until = started + seconds
        while True:
            for _ in range(4):
                self.exchange(frame)
            count += 4
            now = time.perf_counter()
            if now >= until:
                return count / (now - started)

    def close(self) -> None:
        self._socket.close()


@dataclass(frozen=True)
class Comparison:
    """What `compare` found: medians over the rounds, and the median of the rounds' own ratios."""

    rate: float
    floor_rate: float
    ratio: float


def compare(
    port: int, frame: bytes, floor_port: int, *, rounds: int = 7, round_seconds: float = 0.15
) -> Comparison:
    """Rate of a server against the floor's for the same frame, in alternating rounds after one to warm up."""
    measured, floor = RoundTrips(port), RoundTrips(floor_port)
    try:
        pairs = [
            (measured.rate(frame, round_seconds), floor.rate(frame, round_seconds)) for _ in range(rounds + 1)
        ]
    finally:
        measured.close()
        floor.close()
    del pairs[0]
    return Comparison(
        statistics.median(rate for rate, _ in pairs),
        statistics.median(rate for _, rate in pairs),
        statistics.median(rate / floor_rate for rate, floor_rate in pairs),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--serve", action="store_true", help="be the server; the port is printed")
    parser.add_argument(
        "--answer-bytes", type=int, default=60, help="size of the fixed answer, its prefix included"
    )
    arguments = parser.parse_args()
    if arguments.serve:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(arguments.answer_bytes))
        return
    with FloorServer(arguments.answer_bytes) as floor:
        client = RoundTrips(floor.port)
        for name, size in PAYLOAD_SIZES.items():
            rate = client.rate(SIZE.pack(size) + bytes(size), 1.0)
            print(f"{name:>7}: {rate:9,.0f} round trips a second")
        client.close()


if __name__ == "__main__":
    main()
