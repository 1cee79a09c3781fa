"""The driver killed with -9 between any two steps of a batch, and a worker in the middle of a task: a row is seen once."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.spark.topic_sink_faults import IN_COMMIT
from tests.spark.topic_sink_reading import read_topic, values

from snakka.client.blocking import Admin, Producer
from snakka.testing import BlockingLocalBroker

NewTopic = Callable[..., str]
HERE = Path(__file__).parent
ROWS_A_BATCH = 40
# Each run replays the batch in which the one before was killed, and is killed in the next. The first batch is among them,
# since Spark's checkpoint does not know where that began.
KILLS = [(where, batch) for batch, where in enumerate(IN_COMMIT)]
BATCHES = len(KILLS) + 2
RUN_SECONDS = 240


def run_driver(directory: Path, *arguments: str) -> int:
    """One life of the driver; its exit code."""
    ended = subprocess.run(
        [sys.executable, str(HERE / "topic_sink_killed_job.py"), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    (directory / "run.log").write_text(ended.stdout + ended.stderr)
    return ended.returncode


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17")
def test_every_row_is_seen_once_wherever_the_driver_and_workers_are_killed(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, tmp_path: Path
) -> None:
    source, target = new_topic(2), new_topic(2)
    count = ROWS_A_BATCH * BATCHES
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(count):
            producer.send(source, b"%d" % number, partition=number % 2)
    before: set[str] = set()
    lives = [*KILLS, ("in the middle of a task", len(KILLS))]
    for number, (where, batch) in enumerate(lives):
        tasks = str(2 + 2 * (number % 2))
        code = run_driver(
            tmp_path,
            *(broker.bootstrap_servers, source, target, str(tmp_path), tasks, str(ROWS_A_BATCH)),
            *(where, str(batch)),
        )
        assert (tmp_path / f"fault in batch {batch}").exists(), (tmp_path / "run.log").read_text()
        assert code == (-9 if number < len(KILLS) else 0), (tmp_path / "run.log").read_text()
        seen = values(broker.bootstrap_servers, target)
        assert before <= set(seen), f"what was seen stays; killed {where}"
        assert len(seen) == len({value.split(":")[0] for value in seen}), f"killed {where}"
        before = set(seen)
    assert sorted(int(value.split(":")[0]) for value in before) == [*range(count)]
    assert admin.list_transactions(states=["Ongoing"]) == [], "nothing holds up readers"
    # Two batches were written in vain: the one that was not decided, and the rows of the worker that was killed.
    everything = read_topic(broker.bootstrap_servers, target, isolation="read_uncommitted")
    assert count + ROWS_A_BATCH < len(everything) < count + 2 * ROWS_A_BATCH
