"""Drivers in processes of their own: one that is killed and done again, and one that was started with what can't be."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.topic_sink_killed_batch import NUMBERS, ROWS, TASKS
from tests.spark.topic_sink_reading import read_topic, values
from tests.spark.topic_sink_speculating_job import WRITTEN

from snakka.client.blocking import Admin
from snakka.spark.topic_sink.decisions import DecisionTopic
from snakka.spark.topic_sink.task_writer import is_of_query
from snakka.spark.topic_sink.write_options import write_options
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NewTopic = Callable[..., str]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17"),
]
HERE = Path(__file__).parent
RUN_SECONDS = 240


def run_driver(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(HERE / script), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )


def test_a_named_batch_whose_driver_was_killed_behind_its_decision_is_finished_by_running_it_again(
    spark: "SparkSession", broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, tmp_path: Path
) -> None:
    """The rows are those of the first run, whatever the second one would write."""
    target = new_topic(2)
    named = {
        "kafka.bootstrap.servers": broker.bootstrap_servers,
        "topic": target,
        "deliveryGuarantee": "exactly-once",
        "txnAppId": target,
        "txnVersion": "5",
    }
    arguments = (broker.bootstrap_servers, target, named["txnAppId"], named["txnVersion"], str(tmp_path))
    ended = run_driver("topic_sink_killed_batch.py", *arguments)
    assert (tmp_path / "fault").exists(), ended.stderr
    assert ended.returncode == -9, ended.stderr

    decisions = DecisionTopic(write_options(named))

    def left_open() -> int:
        listed = admin.list_transactions(states=["Ongoing"])
        return len([each for each in listed if is_of_query(each.transactional_id, target)])

    decision = decisions.last_of(target)
    assert decision is not None
    assert (decision.batch_id, decision.is_finished, len(decision.transactions)) == (5, False, TASKS)
    assert left_open() == TASKS, "nothing is committed"
    assert read_topic(broker.bootstrap_servers, target) == []
    written = read_topic(broker.bootstrap_servers, target, isolation="read_uncommitted")

    for _ in range(2):
        rows = spark.range(0, ROWS, 1, TASKS + 1).selectExpr(NUMBERS)
        rows.write.format("snakka").options(**named).mode("append").save()
        found = values(broker.bootstrap_servers, target)
        assert sorted(int(value.split(":")[0]) for value in found) == [*range(ROWS)]
        assert sorted(found) == sorted((message.value or b"").decode() for message in written)
    assert left_open() == 0
    decision = decisions.last_of(target)
    assert decision is not None
    assert decision.is_finished


def test_a_session_that_was_started_with_speculation_writes_at_least_once_only(
    broker: BlockingLocalBroker, tmp_path: Path
) -> None:
    ended = run_driver("topic_sink_speculating_job.py", broker.bootstrap_servers, str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    became = json.loads(ended.stdout.splitlines()[-1])
    for way in ("batch", "stream"):
        assert "deliveryGuarantee=exactly-once needs spark.speculation=false" in became[f"{way}-exactly-once"]
        assert became[f"{way}-at-least-once"] == WRITTEN
        written = values(broker.bootstrap_servers, f"{way}-at-least-once")
        assert {str(number) for number in range(7)} == set(written)
