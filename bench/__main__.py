"""`python -m bench`: measures everything, prints each row as it comes, and writes the page."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tests.external_tools import find_kafka_libs

from bench import (
    against_floor,
    against_kafka,
    clients_consume,
    clients_idle,
    clients_produce,
    coordination,
    own_limits,
    record_decoding,
    spark,
)
from bench.report import Row, page
from bench.scale import FULL, QUICK, Scale
from bench.servers import Server, start_kafka, start_snakka
from snakka.protocol.record_engine import engine_line

RESULTS = Path(__file__).parent / "RESULTS.md"
FLOOR_ROUNDS = 9


def main() -> None:
    arguments = _parser().parse_args()
    if not sys.platform.startswith("linux"):
        sys.exit("bench: memory and CPU are read from Linux's /proc, and this is another system")
    scale = QUICK if arguments.quick else FULL
    started = time.monotonic()
    notes: list[str] = []
    libs = None if arguments.without_kafka else find_kafka_libs()
    if libs is None:
        notes.append(_why_without_kafka(arguments.without_kafka))
    notes += spark.obstacles()
    notes.append(engine_line())
    for note in notes:
        print(f"bench: {note}", flush=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="snakka-bench-", dir=arguments.data_dir) as directory:
        for row in measure(Path(directory), scale, libs):
            shown = f"{row.snakka} / {row.other}" if row.against else ""
            print(
                f"{'ok' if row.is_met else 'MISSED':>6}  {row.what}: {row.figure:.2f}{row.unit} "
                f"({row.target}) {row.against} {shown}",
                flush=True,
            )
            rows.append(row)
    text = page(rows, notes, time.monotonic() - started, arguments.quick)
    Path(arguments.output).write_text(text)
    print(f"bench: written to {arguments.output}")


def measure(directory: Path, scale: Scale, libs: str | None) -> Iterator[Row]:
    """Every row there is; without Kafka's jars only those that do not need them."""
    kafka_starter: Callable[..., Server] | None = partial(start_kafka, libs=libs) if libs else None
    with start_snakka(directory / "floor") as snakka:
        yield from against_floor.measure(snakka, min(scale.rounds + 2, FLOOR_ROUNDS))
    if kafka_starter is not None:
        with ExitStack() as stack:
            kafka = stack.enter_context(kafka_starter(directory / "kafka"))
            snakka = stack.enter_context(start_snakka(directory / "snakka"))
            kafka.seconds_to_first_ack()
            yield from against_kafka.measure(snakka, kafka, scale)
    yield from own_limits.measure_start(directory, scale, kafka_starter)
    yield from own_limits.measure_many_partitions(directory, scale, scale.rounds)
    yield from own_limits.measure_many_connections(directory, scale)
    yield from coordination.measure(directory, scale, kafka_starter)
    yield from record_decoding.measure()
    with start_snakka(directory / "clients") as snakka:
        snakka.seconds_to_first_ack()
        for clients in (clients_produce, clients_consume):
            yield from clients.measure(snakka, scale.client_rounds, scale.client_records)
        yield from clients_idle.measure(snakka)
    yield from spark.measure(directory, quick=scale is QUICK)


def _why_without_kafka(asked: bool) -> str:
    if asked:
        return "Apache Kafka was left out, as asked"
    return "Apache Kafka was left out: it needs Java and its jars (Maven, or SNAKKA_KAFKA_LIBS)"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure Snakka beside a bare server and Apache Kafka."
    )
    parser.add_argument("--quick", action="store_true", help="few rounds: under a minute and a half")
    parser.add_argument("--without-kafka", action="store_true", help="only what needs no Apache Kafka")
    parser.add_argument("--output", default=str(RESULTS), metavar="FILE", help="the page to write")
    parser.add_argument("--data-dir", metavar="DIR", help="where the servers' data goes for the time being")
    return parser


if __name__ == "__main__":
    main()
