"""The driver killed with -9 at each step of a batch, and workers in the middle of a task: a row is seen once."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from driver_lives import Life
from topic_sink_faults import BEFORE_A_TASK, IN_COMMIT, IN_TASKS
from topic_sink_reading import read_topic, values

from snakka.client.blocking import Admin, Producer
from snakka.testing import BlockingLocalBroker

NewTopic = Callable[..., str]
ROWS_A_BATCH = 40
# Each run replays the batch in which the one before was killed, and is killed in the next. The first batch is among them,
# since Spark's checkpoint does not know where that began.
KILLS = (BEFORE_A_TASK, *IN_TASKS, *IN_COMMIT)
ROWS = ROWS_A_BATCH * (len(KILLS) + 2)
# Rows that a task in the middle has written: a batch of Arrow.
STARTED = 5
# What nobody sees: of four tasks in the middle; of one at its end and one in the middle; of a batch that was not decided; of
# a worker that was killed.
IN_VAIN = 4 * STARTED + (ROWS_A_BATCH // 2 + STARTED) + ROWS_A_BATCH + STARTED


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17")
def test_every_row_is_seen_once_wherever_the_driver_and_workers_are_killed(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, tmp_path: Path
) -> None:
    """Of a stream, and of one in update mode, whose batches are written by foreachBatch."""
    source = new_topic(2)
    targets = {"topic": new_topic(2), "update": new_topic(2)}
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(ROWS):
            producer.send(source, b"%d" % number, partition=number % 2)
    sinks = {name: {"topic": topic} for name, topic in targets.items()}
    life = Life(broker.bootstrap_servers, source, str(tmp_path), ROWS_A_BATCH, sinks)
    before: dict[str, set[str]] = {name: set() for name in targets}
    for batch, where in enumerate((*KILLS, IN_TASKS[0])):
        life = replace(life, where=where, batch=batch, tasks=2 + 2 * (batch % 2))
        if batch < len(KILLS):
            life.kill()
        else:
            replace(life, is_worker=True).end()
        for name, topic in targets.items():
            seen = values(broker.bootstrap_servers, topic)
            assert before[name] <= set(seen), f"{name}: what was seen stays; killed {where}"
            assert len(seen) == len({value.split(":")[0] for value in seen}), f"{name}: killed {where}"
            before[name] = set(seen)
    for name, topic in targets.items():
        assert sorted(int(value.split(":")[0]) for value in before[name]) == [*range(ROWS)], name
        everything = read_topic(broker.bootstrap_servers, topic, isolation="read_uncommitted")
        assert len(everything) == ROWS + IN_VAIN, f"{name}: each was killed where it should be"
    assert admin.list_transactions(states=["Ongoing"]) == [], "nothing holds up readers"
