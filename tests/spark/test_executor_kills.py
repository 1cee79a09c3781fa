"""Executors killed with -9 at each step of a batch, on a cluster of two: every row is in topics and tables once."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyspark
import pytest
from executor_deaths import EXECUTOR, STEPS, TABLE_STEPS, command_of, executor_id
from executor_deaths_driver import BATCH, SINKS
from standalone_cluster import standalone_cluster
from table_reading import (
    Counts,
    counts_of,
    delta_files,
    delta_rows,
    files_on_disk,
    iceberg_files,
    iceberg_table,
)
from test_topic_sink_decisions import Job
from topic_sink_reading import read_topic, values

from snakka.client.blocking import Admin, Producer
from snakka.spark.pipelines.warm_start import light_home
from snakka.spark.topic_sink.decisions import ensure_decision_topic
from snakka.spark.topic_sink.write_options import DEFAULT_DECISION_TOPIC, write_options
from snakka.testing import BlockingLocalBroker

NewTopic = Callable[..., str]
HERE = Path(__file__).parent
SPARK = Path(pyspark.__file__).parent
ROWS_A_BATCH = 40
# One batch more than there are deaths: the stream goes on.
ROWS = ROWS_A_BATCH * (len(STEPS) + 1)
RUN_SECONDS = 400


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    with standalone_cluster(tmp_path) as address:
        yield address


def run_driver(directory: Path, *arguments: str) -> int:
    """All three queries; the exit code."""
    with (directory / "run.log").open("w") as log:
        driver = subprocess.Popen(
            [sys.executable, str(HERE / "executor_deaths_driver.py"), *arguments],
            env={**os.environ, "PYTHONPATH": str(HERE), "SPARK_HOME": str(light_home() or SPARK)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # so that its JVM ends with it
        )
    try:
        return driver.wait(RUN_SECONDS)
    finally:
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17")
@pytest.mark.skipif(sys.platform != "linux", reason="finds executors in /proc")
def test_every_row_is_there_once_wherever_executors_are_killed(
    broker: BlockingLocalBroker,
    admin: Admin,
    new_topic: NewTopic,
    master: str,
    tmp_path: Path,
) -> None:
    source, target = new_topic(2), new_topic(2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(ROWS):
            producer.send(source, b"%d" % number, partition=number % 2)
    code = run_driver(
        tmp_path,
        *(master, broker.bootstrap_servers, source, target, str(tmp_path)),
        str(ROWS_A_BATCH),
    )
    assert code == 0, (tmp_path / "run.log").read_text()
    deaths = {sink: len(STEPS if sink == "topic" else TABLE_STEPS) for sink in SINKS} | {BATCH: 1}
    marks = [
        tmp_path / f"deaths-{reader}" / f"death {batch}"
        for reader, count in deaths.items()
        for batch in range(count)
    ]
    assert len({id_of_dead_executor(mark) for mark in marks}) == sum(deaths.values())
    assert (tmp_path / "batch").read_text() == f"{ROWS} {ROWS}"

    seen = values(broker.bootstrap_servers, target)
    assert sorted(int(value.split(":")[0]) for value in seen) == [*range(ROWS)]
    assert admin.list_transactions(states=["Ongoing"]) == [], "nothing holds up readers"
    everything = read_topic(broker.bootstrap_servers, target, isolation="read_uncommitted")
    assert len(everything) > ROWS, "a task had written some rows, another all of them"

    table = iceberg_table(tmp_path)
    assert counts_of(delta_rows(tmp_path / "delta")) == Counts(ROWS, ROWS, 0, ROWS - 1)
    assert counts_of(table.scan().to_arrow()) == Counts(ROWS, ROWS, 0, ROWS - 1)
    for root, known in (
        (tmp_path / "delta", delta_files(tmp_path / "delta")),
        (tmp_path / "warehouse", iceberg_files(table)),
    ):
        # Of tasks that were killed while they wrote: a file without its end, and files that nobody heard of.
        left = [path for path in files_on_disk(root) if path not in known]
        assert {Path(path).name.split("-")[3] for path in left} == {"1", "2"}


def id_of_dead_executor(mark: Path) -> str:
    """By what was noted before the kill."""
    pid, command = mark.read_text().split("\n")
    assert EXECUTOR in command
    assert command_of(int(pid)) != command, "it is gone"
    return executor_id(command)


def test_a_stage_that_is_tried_again_and_finds_no_rows_leaves_nothing_open(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic
) -> None:
    """Shuffled rows that die with an executor mean a new stage, whose tasks Spark counts from the first attempt again."""
    ensure_decision_topic(admin, DEFAULT_DECISION_TOPIC)
    given = {
        "kafka.bootstrap.servers": broker.bootstrap_servers,
        "deliveryGuarantee": "exactly-once",
    }
    job = Job(write_options(given), new_topic())
    job.end.commit([job.task(0, 0, b"a")])
    job.task(1, 1, b"lost")
    job.end.commit([job.task(1, 0, b"b"), job.task(1, 1)])
    assert job.seen() == ["a", "b"]
    assert job.is_settled(admin)
