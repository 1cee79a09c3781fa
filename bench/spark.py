"""Spark through our connector beside Spark's own, Parquet files and log files: `python -m bench.spark` prints the rows.

One session with a task for each core, one broker, topics that are filled once and are in the page cache. Rounds alternate
between the readers, and the figure is the median of the rounds' ratios.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.external_tools import find_spark_connector

from bench.report import LOG_FILES, PARQUET_FILES, SPARK_CONNECTOR, Row, median_ratio_row, shown_figure
from bench.servers import start_snakka
from bench.spark_queries import Outcome, Queries, Reader, Topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BYTES = 60_000_000  # of small records in a topic, and twice that of large ones
# Where only fast readers are compared: enough that the query's start, and what the JVM compiles for it, hardly count.
SCAN_BYTES = 1_000_000_000
QUICK_BYTES = 20_000_000
SIZES = (100, 1024)
PARTITIONS = (1, 2, 8)
QUERIES = ("noop", "count", "groupBy", "Parquet")
ROUNDS = 3
SCAN_WARM_UPS = 2  # until all of it is compiled, for large batches and small ones
SCAN_ROUNDS = 5
STREAM_ROWS = 40_000
STREAM_WARM_UPS = 2
STREAM_ROUNDS = 7

_Pair = tuple[Sequence[Outcome], Sequence[Outcome]]

AT_LEAST_OF_CONNECTOR = 1.0
AT_LEAST_OF_PARQUET = 0.8
LOG_FILES_OF_CONNECTOR = 1.5
OVERHEAD_OF_CONNECTOR = 1.2


def obstacles() -> list[str]:
    """What can't be measured here, for the page."""
    if shutil.which("java") is None:
        return ["Spark was left out: it needs Java 17"]
    jars = find_spark_connector()
    if jars is None:
        return ["Spark's own connector was left out: it needs Maven, or SNAKKA_SPARK_CONNECTOR"]
    connector = next(Path(each).stem for each in jars if "sql-kafka" in Path(each).name)
    return [f"Spark {_spark_version()}, {os.cpu_count()} tasks at a time; its own connector is {connector}"]


def measure(directory: Path, *, quick: bool, only_scans: bool = False) -> Iterator[Row]:
    """Every row that can be measured here, or only those that compare fast readers."""
    if shutil.which("java") is None:
        return
    jars = None if only_scans else find_spark_connector()
    with start_snakka(directory / "spark-data") as server:
        server.seconds_to_first_ack()
        scratch = directory / "spark"
        spark = _session(scratch, jars or [])
        try:
            queries = Queries(
                spark,
                server.bootstrap_servers,
                directory / "spark-data",
                scratch,
                lambda: server.cpu_seconds,
            )
            rounds = 1 if quick else ROUNDS
            if jars is not None:
                for topic in topics(QUICK_BYTES if quick else BYTES, quick=quick):
                    topic.fill(server.bootstrap_servers)
                    yield from _measure_queries(queries, topic, rounds)
            for topic in topics(2 * QUICK_BYTES if quick else SCAN_BYTES, quick=quick):
                topic.fill(server.bootstrap_servers)
                queries.write_parquet(topic)
                yield from _measure_scans(queries, topic, 1 if quick else SCAN_ROUNDS)
                queries.discard(topic)
            if jars is not None:
                yield _measure_overhead(queries, server.bootstrap_servers, 1 if quick else STREAM_ROUNDS)
        finally:
            spark.stop()


def topics(size: int, *, quick: bool) -> list[Topic]:
    return [
        Topic(value_bytes, count, size * (1 if value_bytes < 1000 else 2) // value_bytes // 8 * 8)
        for value_bytes in SIZES
        for count in ((2,) if quick else PARTITIONS)
    ]


def _measure_queries(queries: Queries, topic: Topic, rounds: int) -> Iterator[Row]:
    """Our connector beside Spark's own; and log files, where all columns are only read."""
    for what in QUERIES:
        readers = (Reader.OURS, Reader.THEIRS, *((Reader.LOGS,) if what == "noop" else ()))
        outcomes = _measure_rounds(queries, what, topic, readers, rounds)
        theirs = outcomes[Reader.THEIRS]
        yield _row(
            f"Spark {what}, {topic.shown}",
            outcomes[Reader.OURS],
            theirs,
            SPARK_CONNECTOR,
            AT_LEAST_OF_CONNECTOR,
        )
        if Reader.LOGS in outcomes:
            yield _row(
                f"Spark {what} from log files, {topic.shown}",
                outcomes[Reader.LOGS],
                theirs,
                SPARK_CONNECTOR,
                LOG_FILES_OF_CONNECTOR,
            )


def _measure_scans(queries: Queries, topic: Topic, rounds: int) -> Iterator[Row]:
    """All columns: our connector beside Parquet files, and log files beside our connector; offsets only: the latter."""
    ours, logs, mapped, mapped_logs = Reader.OURS, Reader.LOGS, Reader.OURS_MAPPED, Reader.LOGS_MAPPED
    nothing_read = Reader.NOTHING_READ
    readers = (ours, mapped, logs, mapped_logs, nothing_read)
    everything = _measure_rounds(queries, "noop", topic, (*readers, Reader.PARQUET), rounds, SCAN_WARM_UPS)
    offsets = _measure_rounds(queries, "offsets", topic, readers, rounds, SCAN_WARM_UPS)
    parquet = everything[Reader.PARQUET]
    yield _row_with_shares(
        f"Spark reads all columns, {topic.shown}",
        (everything[mapped], parquet),
        {"scanned": (everything[ours], parquet)},
        PARQUET_FILES,
        AT_LEAST_OF_PARQUET,
    )
    for what, outcomes in (("", everything), ("only offsets, ", offsets)):
        yield _row_with_shares(
            f"log files instead of a broker, {what}{topic.shown}",
            (outcomes[mapped_logs], outcomes[mapped]),
            {
                "both scanned": (outcomes[logs], outcomes[ours]),
                "only log files mapped": (outcomes[mapped_logs], outcomes[ours]),
                "nothing read": (outcomes[nothing_read], outcomes[mapped]),
            },
            LOG_FILES,
            LOG_FILES_OF_CONNECTOR,
        )


def _row_with_shares(what: str, measured: _Pair, beside: dict[str, _Pair], against: str, bound: float) -> Row:
    """With the same ratio of other pairs, and with the processor seconds of a million rows of the round in the middle."""
    row = _row(what, *measured, against, bound)
    mine, other = (sorted(each, key=lambda outcome: outcome.rate)[len(each) // 2] for each in measured)
    return replace(
        row,
        snakka=f"{row.snakka} ({mine.shares})",
        other=f"{row.other} ({other.shares})",
        beside={name: _row(what, *pair, against, bound).figure for name, pair in beside.items()},
    )


def _measure_rounds(
    queries: Queries, what: str, topic: Topic, readers: tuple[Reader, ...], rounds: int, warm_ups: int = 1
) -> dict[Reader, list[Outcome]]:
    outcomes: dict[Reader, list[Outcome]] = {reader: [] for reader in readers}
    for reader in readers * warm_ups:
        queries.outcome(what, reader, topic)
    for number in range(rounds):
        # Whoever comes second finds caches that the first has warmed: each is first in turn.
        first = number % len(readers)
        for reader in [*readers[first:], *readers[:first]]:
            outcomes[reader].append(queries.outcome(what, reader, topic))
    return outcomes


def _row(what: str, mine: Sequence[Outcome], other: Sequence[Outcome], against: str, bound: float) -> Row:
    pairs = [(ours.rate, theirs.rate) for ours, theirs in zip(mine, other, strict=True)]
    return median_ratio_row(what, pairs, against=against, bound=bound, at_least=True, unit="rows/s")


def _measure_overhead(queries: Queries, bootstrap: str, rounds: int) -> Row:
    topic = Topic(10, 1, STREAM_ROWS)
    topic.fill(bootstrap)
    pairs = []
    for number in range(STREAM_WARM_UPS + rounds):
        order = (Reader.OURS, Reader.THEIRS) if number % 2 else (Reader.THEIRS, Reader.OURS)
        seconds = {reader: queries.batch_seconds(reader, topic) for reader in order}
        if number >= STREAM_WARM_UPS:
            pairs.append((seconds[Reader.OURS], seconds[Reader.THEIRS]))
    return median_ratio_row(
        "Spark micro-batch of 1,000 rows to noop",
        pairs,
        against=SPARK_CONNECTOR,
        bound=OVERHEAD_OF_CONNECTOR,
        at_least=False,
        unit="ms",
        scale=1000,
    )


def _session(scratch: Path, jars: Sequence[str]) -> "SparkSession":
    from snakka.spark.session import open_session

    spark = open_session(
        "bench",
        confs={
            "spark.driver.memory": "3g",
            "spark.jars": ",".join(jars),
            "spark.local.dir": str(scratch / "local"),
            "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        },
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _spark_version() -> str:
    from pyspark import __version__

    return str(__version__)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="little data, one round, two partitions only")
    parser.add_argument("--scans", action="store_true", help="only beside Parquet files, and of log files")
    arguments = parser.parse_args()
    for note in obstacles():
        print(note)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="snakka-bench-") as directory:
        for row in measure(Path(directory), quick=arguments.quick, only_scans=arguments.scans):
            verdict = "ok" if row.is_met else "MISSED"
            print(
                f"{verdict:>6}  {row.what}: {shown_figure(row)} ({row.target}) {row.snakka} / {row.other}",
                flush=True,
            )
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
