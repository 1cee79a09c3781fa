"""The demo from its first line to its last: a broker, a day of events, a pipeline, and what came of it.

Rule: what is shown is read back from the table and the topics, as a user would read it, and compared with what was sent.
"""

import json
import shutil
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from shlex import quote
from typing import Any, TextIO

from snakka.client.admin.offsets import OffsetSpec
from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.topic_partition import TopicPartition
from snakka.demo.events import Day, Figures, make_day
from snakka.demo.picture import Style
from snakka.demo.pipeline_file import (
    DEAD_LETTERS_TOPIC,
    EVENTS_TOPIC,
    FILE_NAME,
    SALES_TOPIC,
    TABLE_NAME,
    pipeline_text,
)
from snakka.demo.report import Outcome, result_lines
from snakka.runtime.clock import SystemClock
from snakka.spark.decoding.dead_letters import ERROR_HEADER
from snakka.testing import BlockingLocalBroker

_READ_SECONDS = 30.0
_WIDTH = 80  # of the narrowest terminal that it is made for
_MARGIN = 19
# A JVM that lives for a minute gains nothing from its second compiler, nor from collecting garbage in parallel.
_SPARK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
_PARTITIONS = {EVENTS_TOPIC: 2, SALES_TOPIC: 1, DEAD_LETTERS_TOPIC: 1}


class DemoError(Exception):
    """The demo can't go on: one line that says what to do."""


@dataclass(frozen=True)
class DemoSettings:
    orders: int
    seed: int
    keep: Path | None  # where to leave everything; None: nowhere
    command: str = "snakka"  # what a user types here to call us


class Demo:
    """One showing; `run` gives whether the figures agree, or None if it was interrupted."""

    def __init__(self, settings: DemoSettings, out: TextIO, style: Style) -> None:
        self._settings = settings
        self._out = out
        self._style = style
        self._clock = SystemClock()
        self._began = self._clock.monotonic()

    def run(self) -> bool | None:
        self._say(self._style.paint("A day of a shop: from events to a table and a topic", "bold"))
        with self._directory() as directory, self._broker(directory) as broker:
            bootstrap = broker.bootstrap_servers
            self._step("broker", f"a Kafka-compatible broker at {bootstrap}")
            day = self._feed(bootstrap)
            file = directory / FILE_NAME
            file.write_text(pipeline_text(bootstrap, day.figures.records))
            self._step("pipeline", f"snakka pipeline run {FILE_NAME}")
            self._show_file(file)
            if not self._run_pipeline(file):
                return None
            outcome = self._read_back(bootstrap, directory)
            self._step("result", "read back from the table and the topics")
            agrees = self._show_result(day.figures, outcome)
        self._show_next(directory)
        return agrees

    # -- Steps ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def _directory(self) -> Iterator[Path]:
        keep = self._settings.keep
        if keep is not None:
            yield _made_to_keep(keep)
            return
        directory = Path(tempfile.mkdtemp(prefix="snakka-demo-"))
        try:
            yield directory
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    @contextmanager
    def _broker(self, directory: Path) -> Iterator[BlockingLocalBroker]:
        with BlockingLocalBroker(data_dir=str(directory / "broker")) as broker:
            yield broker

    def _feed(self, bootstrap: str) -> Day:
        import pyarrow

        day = make_day(self._settings.orders, self._settings.seed)
        with Admin(bootstrap_servers=bootstrap) as admin:
            for topic, partitions in _PARTITIONS.items():
                admin.create_topic(topic, partitions=partitions)
        table = pyarrow.table(
            {
                "key": [record.key for record in day.records],
                "value": pyarrow.array([record.value for record in day.records], pyarrow.binary()),
            }
        )
        with Producer(bootstrap_servers=bootstrap, compression_type="zstd") as producer:
            producer.send_arrow(EVENTS_TOPIC, table, key="key").result(_READ_SECONDS)
        figures = day.figures
        self._step(
            "events",
            f"{figures.records:,} records to {EVENTS_TOPIC}: {figures.orders:,} orders of one day, {figures.late:,} "
            f"of them hours late, {figures.tests:,} tests, {figures.broken:,} broken",
        )
        return day

    def _run_pipeline(self, file: Path) -> bool:
        """False if it was interrupted."""
        from snakka.spark.pipelines.declaration import read_pipeline
        from snakka.spark.pipelines.problems import PipelineError
        from snakka.spark.pipelines.runner import Run, RunSettings
        from snakka.spark.pipelines.terminal import open_display, summary_lines

        pipeline = read_pipeline(file)
        settings = RunSettings(
            master=pipeline.master,
            trigger=pipeline.trigger,
            confs=_SPARK,
            grace_seconds=5,
        )
        try:
            status = Run(pipeline, settings, open_display(self._out)).go()
        except PipelineError as error:
            raise DemoError(str(error)) from error
        if status["state"] == "failed":
            raise DemoError(f"the pipeline failed: {status['error']}")
        for line in summary_lines(status):
            self._say("    " + line)
        return bool(status["state"] == "finished")

    def _read_back(self, bootstrap: str, directory: Path) -> Outcome:
        from deltalake import DeltaTable

        table = DeltaTable(directory / TABLE_NAME).to_pyarrow_table(columns=["order_id", "total"])
        sales = [
            json.loads(message.value, parse_float=Decimal)
            for message in self._messages(bootstrap, SALES_TOPIC)
        ]
        errors = Counter(
            dict(message.headers)[ERROR_HEADER].decode()
            for message in self._messages(bootstrap, DEAD_LETTERS_TOPIC)
        )
        ids = table.column("order_id")
        total = sum(table.column("total").to_pylist(), Decimal(0))
        return Outcome(
            table_rows=len(ids),
            table_orders=len(ids.unique()),
            table_revenue=total,
            sales=sales,
            errors=errors,
        )

    def _messages(self, bootstrap: str, topic: str) -> Iterator[Any]:
        """All committed messages that a topic has now."""
        partitions = [TopicPartition(topic, number) for number in range(_PARTITIONS[topic])]
        with Admin(bootstrap_servers=bootstrap) as admin:
            ends = admin.list_offsets(dict.fromkeys(partitions, OffsetSpec.LATEST), read_committed=True)
        left = {partition: ends[partition].offset for partition in partitions if ends[partition].offset}
        deadline = self._clock.monotonic() + _READ_SECONDS
        with Consumer(
            bootstrap_servers=bootstrap, isolation_level="read_committed", auto_offset_reset="earliest"
        ) as consumer:
            consumer.assign(left)
            while left and self._clock.monotonic() < deadline:
                for messages in consumer.getmany(timeout_ms=200).values():
                    yield from messages
                left = {each: end for each, end in left.items() if consumer.position(each) < end}
        if left:
            raise DemoError(f"{topic} could not be read back within {_READ_SECONDS:.0f} s")

    # -- What is shown -------------------------------------------------------------------------------------------------

    def _show_file(self, file: Path) -> None:
        for line in file.read_text().splitlines():
            if line and not line.startswith("kafka."):
                self._say("    " + self._style.paint(line, "dim"))

    def _show_result(self, figures: Figures, outcome: Outcome) -> bool:
        for line in result_lines(figures, outcome, self._style):
            self._say("  " + line if line else "")
        return not outcome.disagreements(figures)

    def _show_next(self, directory: Path) -> None:
        seconds = self._clock.monotonic() - self._began
        self._step("next", f"that was all, in {seconds:.0f} s")
        command = self._settings.command
        if self._settings.keep is None:
            lines = {
                f"{command} demo --keep shop": "the same, and everything stays in shop/",
                f"{command} pipeline --help": "pipelines of your own, in a file like this one",
                f"{command} start": "a broker that stays; docs/pipelines.md has the rest",
            }
        else:
            self._say(
                f"    everything is in {directory}: the pipeline, its table and checkpoint, the broker's data"
            )
            data, file = quote(str(directory / "broker")), quote(str(directory / FILE_NAME))
            lines = {
                f"{command} start --data-dir {data}": "the broker with all topics, on 127.0.0.1:9092",
                f"{command} consume {SALES_TOPIC} --from-beginning": "what the pipeline wrote",
                f"{command} pipeline status {file}": "how its run ended",
            }
        width = min(max(map(len, lines)), _WIDTH // 2)
        for typed, what in lines.items():
            self._say(f"    {typed:<{width}}   {what}")

    def _step(self, name: str, text: str) -> None:
        seconds = self._clock.monotonic() - self._began
        mark = self._style.paint(f"{name:<9}", "green")
        first, *others = textwrap.wrap(text, _WIDTH - _MARGIN)
        self._say(f"{self._style.paint(f'{seconds:5.1f} s', 'dim')}  {mark} {first}")
        for line in others:
            self._say(" " * _MARGIN + line)

    def _say(self, line: str) -> None:
        self._out.write(line + "\n")
        self._out.flush()


def _made_to_keep(directory: Path) -> Path:
    """The directory, which is new or empty."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        is_empty = not any(directory.iterdir())
    except OSError as error:
        raise DemoError(f"{directory}: {error.strerror}; --keep takes a directory that can be made") from None
    if not is_empty:
        raise DemoError(f"{directory} is not empty: name a new directory")
    return directory.resolve()
