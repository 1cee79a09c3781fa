"""What Snakka must stay within, whatever others do: start-up, memory, many partitions, many connections."""

import resource
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from bench.raw_client import RawClient, produce_frame
from bench.report import KAFKA, Row, median_ratio_row
from bench.scale import Scale
from bench.servers import Server, start_snakka

MEGABYTE = 1e6
BATCH_BYTES = 1024
ROUND_SECONDS = 0.3
SETTLE_SECONDS = 1.0


def measure_start(
    directory: Path, scale: Scale, start_kafka: Callable[[Path], Server] | None
) -> Iterator[Row]:
    """From nothing to the first acknowledged record: fresh directories, the topic made on the way."""
    pairs: list[tuple[float, float]] = []
    idle = 0
    kafka_seconds = 0.0
    for number in range(scale.starts):
        if start_kafka is not None and number < 2:
            with start_kafka(directory / f"start-kafka-{number}") as kafka:
                kafka_seconds = kafka.seconds_to_first_ack()
        with start_snakka(directory / f"start-{number}") as snakka:
            seconds = snakka.seconds_to_first_ack()
            time.sleep(SETTLE_SECONDS)
            idle = max(idle, snakka.resident_bytes)
        pairs.append((seconds, kafka_seconds))
    fastest_half = sorted(seconds for seconds, _ in pairs)[: (len(pairs) + 1) // 2]
    yield Row("process start to first acknowledged record", fastest_half[-1], 0.5, False, unit=" s")
    yield Row("memory (RSS) of an idle broker", idle / MEGABYTE, 60, False, unit=" MB")
    if start_kafka is not None:
        yield median_ratio_row(
            "process start to first acknowledged record",
            pairs,
            against=KAFKA,
            bound=0.1,
            at_least=False,
            unit="s",
        )


def measure_many_partitions(directory: Path, scale: Scale, rounds: int) -> Iterator[Row]:
    data = directory / "many-partitions"
    count = scale.partitions
    with start_snakka(data) as snakka:
        client = snakka.connect()
        for name, partitions in (("one", 1), ("many", count)):
            client.creates_topic(name, partitions)
            client.wait_for_leaders(name, partitions)
        client.close()
    with start_snakka(data) as snakka:
        seconds = _seconds_to_ack(snakka, "many", count - 1)
        yield Row(f"start with {count:,} partitions, to the first ack", seconds, 2.0, False, unit=" s")
        client = snakka.connect()
        value = bytes(BATCH_BYTES)
        one = produce_frame("one", 0, value)
        many = cycle([produce_frame("many", index, value) for index in range(count)])
        pairs = [(_rate(client, many), _rate(client, cycle([one]))) for _ in range(rounds + 1)]
        client.close()
        resident = snakka.resident_bytes / MEGABYTE
        yield Row(f"memory (RSS) with {count:,} partitions, all written to", resident, 150, False, unit=" MB")
        row = median_ratio_row("", pairs[1:], against="", bound=0.9, at_least=True, unit="")
        yield Row(f"produce rate over {count:,} partitions, of one partition's", row.figure, 0.9, True)


def measure_many_connections(directory: Path, scale: Scale) -> Iterator[Row]:
    _allow_descriptors(scale.connections + 500)
    with start_snakka(directory / "many-connections") as snakka:
        snakka.connect().close()
        clients = []
        try:
            for _ in range(scale.connections):
                client = RawClient(snakka.port, answer_bytes=8192)
                client.api_versions()
                clients.append(client)
            time.sleep(SETTLE_SECONDS)
            resident = snakka.resident_bytes / MEGABYTE
        finally:
            for client in clients:
                client.close()
        yield Row(
            f"memory (RSS) with {scale.connections:,} idle connections", resident, 150, False, unit=" MB"
        )


def _rate(client: RawClient, frames: "cycle[bytes]") -> float:
    """Round trips a second over frames that take turns."""
    started = time.perf_counter()
    until = started + ROUND_SECONDS
    count = 0
    while True:
        for frame in frames:
            client.exchange(frame)
            count += 1
            if not count % 16:
                break
        now = time.perf_counter()
        if now >= until:
            return count / (now - started)


def _seconds_to_ack(server: Server, topic: str, partition: int) -> float:
    client = server.connect()
    while not client.produces(topic, b"first", partition):
        time.sleep(0.002)
    client.close()
    return time.perf_counter() - server.started


def _allow_descriptors(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))
