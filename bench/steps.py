"""What the data plane costs, step by step: `python -m bench.steps` prints the table of ARCHITECTURE.md.

A real broker on uvloop serves one client, a process of its own, which asks one thing at a time. The broker runs once as it
is, and then once for each step with a clock at that step and at no other: many clocks at once would measure each other.
All times are processor time of the broker's thread, from the quietest of many blocks of requests: what the machine's other
guests add is not the broker's. The rule: a step's cost is its own, without that of the steps inside it; what all of them
leave of the whole is the event loop's: the poll, the receiving, and its own work.
"""

import argparse
import asyncio
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from time import perf_counter_ns, thread_time_ns
from typing import Any, NamedTuple

import uvloop

from bench.raw_client import RawClient, produce_frame, request_frame
from bench.report import commit, machine
from snakka.broker.apis import fetch, produce
from snakka.broker.dispatch import Dispatcher
from snakka.network.connection import Connection
from snakka.network.outbound import Outbound
from snakka.replication.partition import Partition
from snakka.storage import append_checks, partition_log
from snakka.storage.files import OsFile, OsRegion
from snakka.storage.partition_log import PartitionLog
from snakka.storage.segment import Segment
from snakka.testing import LocalBroker

FETCH_VERSION = 12
BLOCK_REQUESTS = 250
BLOCKS = 12
ROUNDS = 4
CALIBRATIONS = 20_000
RUN_SECONDS = 120

SPLIT = "split off the frame"
DECODE = "header, decode"
HANDLER = "handler: look up, authorize, build the answer"
PARTITION = "partition: leadership, high watermark, who waits"
LOG = "log: roll or not, stamp, offsets"
CHECK = "check the batch"
CHECKSUM = "checksum"
INDEX = "index"
WRITE = "write to the file"
FIND = "find the batches"
READ = "read the file"
ENCODE = "encode"
SEND = "send"
# Small answers leave at the end of the turn, large ones at once: in the table it is one step.
SEND_GATHERED = "send what was gathered"
STEPS = (SPLIT, DECODE, HANDLER, PARTITION, LOG, CHECK, CHECKSUM, INDEX, WRITE, FIND, READ, ENCODE, SEND)
LOOP = "event loop: poll, receive"
WHOLE = "the whole, processor time"
ROUND_TRIP = "round trip as the client sees it"


class Case(NamedTuple):
    """What the client asks, again and again."""

    api: str
    value_bytes: int

    @property
    def topic(self) -> str:
        return f"{self.api}-{self.value_bytes}"

    def __str__(self) -> str:
        size = f"{self.value_bytes // 1024} KiB" if self.value_bytes >= 1024 else f"{self.value_bytes} B"
        return f"{self.api} {size}"


CASES = (Case("produce", 100), Case("produce", 16 * 1024), Case("fetch", 100), Case("fetch", 16 * 1024))


# The seams.


class Seam(NamedTuple):
    """Where a step begins and ends: a function that is called by this name."""

    step: str
    owner: Any
    name: str


SEAMS = (
    Seam(SPLIT, Connection, "buffer_updated"),
    Seam(DECODE, Dispatcher, "dispatch"),
    Seam(HANDLER, produce.API, "handle"),
    Seam(HANDLER, fetch.API, "handle"),
    Seam(PARTITION, Partition, "append"),
    Seam(PARTITION, fetch, "read_targets"),
    Seam(LOG, PartitionLog, "append_as_leader"),
    Seam(CHECK, partition_log, "checked_client_batch"),
    Seam(CHECKSUM, append_checks, "crc32c"),
    Seam(INDEX, Segment, "append"),
    Seam(WRITE, OsFile, "append"),
    Seam(FIND, PartitionLog, "read"),
    Seam(READ, OsRegion, "read_into"),
    Seam(ENCODE, Dispatcher, "_encode"),
    Seam(SEND, Outbound, "send"),
    Seam(SEND_GATHERED, Outbound, "uncork"),
)

Wrap = Callable[[str, Callable[..., Any]], Callable[..., Any]]


@contextmanager
def wrapped(seams: Sequence[Seam], wrap: Wrap) -> Iterator[None]:
    """Other functions in their places, for brokers that start meanwhile."""
    plain = [getattr(seam.owner, seam.name) for seam in seams]
    for seam, function in zip(seams, plain, strict=True):
        _put(seam, _only_logs(wrap, function) if seam.step == WRITE else wrap(seam.step, function))
    try:
        yield
    finally:
        for seam, function in zip(seams, plain, strict=True):
            _put(seam, function)


def _put(seam: Seam, function: Callable[..., Any]) -> None:
    # The declaration of an API is frozen, and a class has its own way.
    put = type.__setattr__ if isinstance(seam.owner, type) else object.__setattr__
    put(seam.owner, seam.name, function)


def _only_logs(wrap: Wrap, append: Callable[..., Any]) -> Callable[..., Any]:
    """What is appended to index files is the index's."""
    with_clock = wrap(WRITE, append)

    def append_to(file: OsFile, data: Any) -> Any:
        return (with_clock if file.path.endswith(".log") else append)(file, data)

    return append_to


class Nesting:
    """Which steps are directly inside which, in requests that go through `SPLIT`."""

    def __init__(self) -> None:
        self.inner: defaultdict[str, set[str]] = defaultdict(set)
        self._open: list[str] = []

    def wrap(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def followed(*arguments: Any, **keywords: Any) -> Any:
            if self._open and self._open[-1] != step:
                self.inner[self._open[-1]].add(step)
            if self._open or step == SPLIT:
                self._open.append(step)
                try:
                    return function(*arguments, **keywords)
                finally:
                    self._open.pop()
            return function(*arguments, **keywords)

        return followed


class Clock:
    """Nanoseconds that a step takes, all that is inside it included, since it was last set to zero."""

    def __init__(self) -> None:
        self.total = 0
        self._cost = 0
        empty = self.wrap("", lambda: None)
        for _ in range(CALIBRATIONS):
            empty()
        self._cost = self.total // CALIBRATIONS
        self.total = 0

    def wrap(self, _: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **keywords: Any) -> Any:
            started = thread_time_ns()
            result = function(*arguments, **keywords)
            self.total += thread_time_ns() - started - self._cost
            return result

        return timed


# The client, in a process of its own.


def be_the_client(port: int, case: Case, blocks: int) -> None:
    """Block by block: say how long a round trip of the last one took, wait for a line, and ask on."""
    client = RawClient(port)
    client.api_versions()
    if not client.creates_topic(case.topic, 1):
        sys.exit("the topic could not be made")
    client.wait_for_leaders(case.topic, 1)
    sending = _frames(client, case)
    # The first block is there to warm up.
    for _ in range(blocks + 1):
        taken = []
        for _ in range(BLOCK_REQUESTS):
            frame = next(sending)
            started = perf_counter_ns()
            answer = client.exchange(frame)
            taken.append(perf_counter_ns() - started)
            assert case.api == "produce" or len(answer) > case.value_bytes
        print(statistics.median(taken), flush=True)
        sys.stdin.readline()
    client.close()


def _frames(client: RawClient, case: Case) -> Iterator[bytes]:
    """What is sent, without end."""
    frame = produce_frame(case.topic, 0, bytes(case.value_bytes))
    if case.api == "fetch":
        client.exchange(frame)
        yield from _fetch_frames(client, case)
    while True:
        yield frame


def _fetch_frames(client: RawClient, case: Case) -> Iterator[bytes]:
    """The newest batch again and again, in a session, as consumers do it."""
    from snakka.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic

    newest = client.end_offsets(case.topic, 1) - 1
    partition = FetchPartition(partition=0, fetch_offset=newest, partition_max_bytes=1 << 20)
    topics = [FetchTopic(topic=case.topic, partitions=[partition])]
    request = FetchRequest(max_wait_ms=500, min_bytes=1, max_bytes=50 << 20, session_epoch=0, topics=topics)
    request.session_id = client.ask(request, FETCH_VERSION).session_id  # type: ignore[attr-defined]
    while True:
        request.session_epoch += 1
        yield request_frame(request, FETCH_VERSION)


# The broker, here.


class Block(NamedTuple):
    """Microseconds a request: what the clock has, the broker's thread, and the round trip."""

    step: float
    thread: float
    round_trip: float


async def _serve(case: Case, clock: Clock, blocks: int) -> list[Block]:
    measured = []
    async with LocalBroker({"auto.create.topics.enable": False}) as broker:
        client = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.steps", "--client", str(broker.port)),
            *("--case", str(CASES.index(case)), "--blocks", str(blocks)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert client.stdin is not None
        assert client.stdout is not None
        async with asyncio.timeout(RUN_SECONDS):
            while said := await client.stdout.readline():
                measured.append((clock.total, thread_time_ns(), float(said)))
                client.stdin.write(b"\n")
            if await client.wait():
                raise RuntimeError(f"the client of {case} failed")
    return [
        Block(
            (after[0] - before[0]) / BLOCK_REQUESTS / 1000,
            (after[1] - before[1]) / BLOCK_REQUESTS / 1000,
            after[2] / 1000,
        )
        for before, after in pairwise(measured)
    ]


def measure(
    runner: asyncio.Runner, case: Case, *, blocks: int = BLOCKS, rounds: int = ROUNDS
) -> dict[str, float]:
    """Microseconds by row of the table."""
    clock, nesting = Clock(), Nesting()
    with wrapped(SEAMS, nesting.wrap):
        runner.run(_serve(case, clock, 1))
    found: defaultdict[str, list[Block]] = defaultdict(list)
    for _ in range(rounds):
        found[WHOLE] += runner.run(_serve(case, clock, blocks))
        for step in (*STEPS, SEND_GATHERED):
            with wrapped([seam for seam in SEAMS if seam.step == step], clock.wrap):
                found[step] += runner.run(_serve(case, clock, blocks))
    return _rows(found, nesting.inner)


def _rows(found: dict[str, list[Block]], inner: dict[str, set[str]]) -> dict[str, float]:
    steps = (*STEPS, SEND_GATHERED)
    of_all = {step: min(block.step for block in found[step]) for step in steps}
    rows = {step: of_all[step] - sum(of_all[one] for one in inner.get(step, ())) for step in steps}
    rows[SEND] += rows.pop(SEND_GATHERED)
    whole = min(block.thread for block in found[WHOLE])
    round_trip = min(block.round_trip for block in found[WHOLE])
    return {LOOP: whole - of_all[SPLIT], **rows, WHOLE: whole, ROUND_TRIP: round_trip}


def table(columns: dict[Case, dict[str, float]]) -> list[str]:
    """As it stands in ARCHITECTURE.md."""
    lines = ["| microseconds | " + " | ".join(map(str, columns)) + " |", "|---|" + "---:|" * len(columns)]
    for row in (LOOP, *STEPS, WHOLE, ROUND_TRIP):
        cells = [f"{column[row]:.1f}" if column[row] > 0.05 else "" for column in columns.values()]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.steps", description="Measure what each step of a produce and of a fetch costs."
    )
    parser.add_argument("--client", type=int, metavar="PORT", help=argparse.SUPPRESS)
    parser.add_argument("--case", type=int, help=argparse.SUPPRESS)
    parser.add_argument(
        "--blocks", type=int, default=BLOCKS, metavar="N", help=f"blocks of {BLOCK_REQUESTS} requests a round"
    )
    arguments = parser.parse_args()
    if arguments.client:
        be_the_client(arguments.client, CASES[arguments.case], arguments.blocks)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        columns = {case: measure(runner, case, blocks=arguments.blocks) for case in CASES}
    print(f"{'; '.join(machine())}; commit {commit()}\n")
    print("\n".join(table(columns)))


if __name__ == "__main__":
    main()
