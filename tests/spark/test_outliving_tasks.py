"""Tasks that go on when their driver is dead and their executor gone: what they write, nobody sees."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from driver_deaths import OUTLIVING, going_on, outcome_of
from driver_lives import Life
from standalone_cluster import standalone_cluster
from topic_sink_reading import read_topic, values

from snakka.client.blocking import Admin, Producer
from snakka.protocol.error_codes import ErrorCode
from snakka.testing import BlockingLocalBroker

NewTopic = Callable[..., str]
TASKS = 2
ROWS_A_BATCH = 40
BATCHES = 3
ROWS = ROWS_A_BATCH * BATCHES
WAIT_SECONDS = 60.0


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    with standalone_cluster(tmp_path) as address:
        yield address


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17")
@pytest.mark.skipif(sys.platform == "win32", reason="workers are ended by a signal")
def test_tasks_that_outlive_their_driver_are_fenced_by_those_that_repeat_them(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, master: str, tmp_path: Path
) -> None:
    source, target = new_topic(TASKS), new_topic(2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(ROWS):
            producer.send(source, b"%d" % number, partition=number % TASKS)
    sinks = {"topic": {"topic": target}}
    life = Life(broker.bootstrap_servers, source, str(tmp_path), ROWS_A_BATCH, sinks, master, TASKS)
    late, early = (replace(life, where=OUTLIVING, batch=batch) for batch in (0, 1))

    late.kill()
    early.kill()  # after it has done the first batch again
    for outcome in outcomes(late):
        assert ErrorCode.INVALID_PRODUCER_EPOCH.name in outcome, "another has begun in its place"
    for outcome in outcomes(early):
        assert "TaskMessage" in outcome, "nobody has written in its place yet"
    assert len(admin.list_transactions(states=["Ongoing"])) == TASKS, "nobody but the driver ends them"
    assert numbers(broker.bootstrap_servers, target) == [*range(ROWS_A_BATCH)]

    life.end()
    assert numbers(broker.bootstrap_servers, target) == [*range(ROWS)]
    assert admin.list_transactions(states=["Ongoing"]) == []
    everything = read_topic(broker.bootstrap_servers, target, isolation="read_uncommitted")
    assert len(everything) > ROWS + ROWS_A_BATCH, (
        "all of the second batch was there before, and some of the first"
    )


def outcomes(life: Life) -> list[str]:
    """What became of its tasks, which go on now."""
    found = []
    for task in life.marks():
        going_on(task).touch()
        deadline = time.monotonic() + WAIT_SECONDS
        while not outcome_of(task).exists():
            assert time.monotonic() < deadline, f"{task.name} does not end"
            time.sleep(0.02)
        found.append(outcome_of(task).read_text())
    return found


def numbers(bootstrap: str, topic: str) -> list[int]:
    return sorted(int(value.split(":")[0]) for value in values(bootstrap, topic))
