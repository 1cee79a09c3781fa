"""The same load on Snakka and on Apache Kafka, round by round in turn."""

from collections.abc import Callable, Iterator
from itertools import product

from bench.librdkafka_load import AckTimer, Load, RoundFigures, consume, produce
from bench.report import KAFKA, Row, median_ratio_row
from bench.scale import Scale
from bench.servers import Server

RECORD_BYTES = (100, 1024)
PARTITIONS = (1, 6)
ACKS = {1: "1", -1: "all"}
GIGABYTE = 1e9
Round = Callable[[Server, Load, int], RoundFigures]
Pairs = list[tuple[RoundFigures, RoundFigures]]


def measure(snakka: Server, kafka: Server, scale: Scale) -> Iterator[Row]:
    """All rows that need both servers."""
    _warm_up((snakka, kafka), scale)
    every: dict[str, Pairs] = {"produce": [], "consume": []}
    for record_bytes, partitions in product(RECORD_BYTES, PARTITIONS):
        records = scale.records(record_bytes)
        size = "100 B" if record_bytes == 100 else "1 KiB"
        what = f"{size}, {partitions} partition{'s' if partitions > 1 else ''}"
        _make_topics((snakka, kafka), Load(record_bytes, partitions))
        for acks, shown in ACKS.items():
            load = Load(record_bytes, partitions, acks)
            pairs = _alternate(produce, snakka, kafka, load, records, scale.rounds)
            every["produce"] += pairs
            yield _rate_row(f"produce, {what}, acks {shown}", pairs)
        load = Load(record_bytes, partitions)
        # Consuming is faster, so it reads what several rounds of producing have left.
        pairs = _alternate(consume, snakka, kafka, load, scale.rounds * records // 2, scale.rounds)
        every["consume"] += pairs
        yield _rate_row(f"consume, {what}", pairs)
        _delete_topics((snakka, kafka), load)
    for kind, pairs in every.items():
        yield _cpu_row(f"CPU seconds of the broker a GB, {kind}", pairs)
    yield from _latency_rows(snakka, kafka, scale)
    yield median_ratio_row(
        "memory (RSS) after all this load",
        [(snakka.resident_bytes, kafka.resident_bytes)],
        against=KAFKA,
        bound=0.1,
        at_least=False,
        unit="MB",
        scale=1e-6,
    )


def _alternate(kind: Round, snakka: Server, kafka: Server, load: Load, records: int, rounds: int) -> Pairs:
    pairs = []
    for number in range(rounds):
        # Who comes first changes: what the other one left to be written to disk is paid for by whoever comes next.
        if number % 2:
            mine = kind(snakka, load, records)
            pairs.append((mine, kind(kafka, load, records)))
        else:
            other = kind(kafka, load, records)
            pairs.append((kind(snakka, load, records), other))
    return pairs


def _rate_row(what: str, pairs: Pairs) -> Row:
    return median_ratio_row(
        what,
        [(mine.rate, other.rate) for mine, other in pairs],
        against=KAFKA,
        bound=1.0,
        at_least=True,
        unit="MB/s",
        scale=1e-6,
    )


def _cpu_row(what: str, pairs: Pairs) -> Row:
    costs = [
        (mine.cpu_seconds / mine.bytes * GIGABYTE, other.cpu_seconds / other.bytes * GIGABYTE)
        for mine, other in pairs
        if mine.bytes and other.bytes
    ]
    return median_ratio_row(what, costs, against=KAFKA, bound=1.0, at_least=False, unit="s")


def _latency_rows(snakka: Server, kafka: Server, scale: Scale) -> Iterator[Row]:
    for acks, shown in ACKS.items():
        load = Load(100, 1, acks)
        _make_topics((snakka, kafka), load)
        timers = (AckTimer(snakka, load), AckTimer(kafka, load))
        figures: tuple[list[float], list[float]] = ([], [])
        for timer in timers:
            timer.measure(scale.latency_records)
        for _ in range(scale.latency_slices):
            for timer, seen in zip(timers, figures, strict=True):
                seen += timer.measure(scale.latency_records)
        for share in (0.5, 0.99):
            mine, other = (sorted(seen)[int(len(seen) * share)] for seen in figures)
            yield median_ratio_row(
                f"ack latency p{share * 100:.0f}, 100 B, acks {shown}",
                [(mine, other)],
                against=KAFKA,
                bound=1.0,
                at_least=False,
                unit="ms",
                scale=1e3,
            )
        _delete_topics((snakka, kafka), load)


def _warm_up(servers: tuple[Server, ...], scale: Scale) -> None:
    """A JVM is at its best after some seconds of work; what counts is that."""
    load = Load(100, 6)
    for server in servers:
        _make_topics((server,), load)
        for _ in range(scale.warm_up_rounds):
            produce(server, load, scale.records(load.record_bytes))
            consume(server, load, scale.records(load.record_bytes))
        _delete_topics((server,), load)


def _make_topics(servers: tuple[Server, ...], load: Load) -> None:
    for server in servers:
        client = server.connect()
        client.creates_topic(load.topic, load.partitions)
        client.wait_for_leaders(load.topic, load.partitions)
        client.close()


def _delete_topics(servers: tuple[Server, ...], load: Load) -> None:
    for server in servers:
        client = server.connect()
        client.delete_topic(load.topic)
        client.close()
