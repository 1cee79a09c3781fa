"""A short run of the kills that `make soak` does by the dozen; and what else a kill may leave behind."""

import os
import signal
from pathlib import Path

from confluent_kafka import Producer

from tests.cli.broker_process import start_broker
from tests.clients.exchange import create_topic
from tests.faults.kill_rounds import KillRounds
from tests.faults.process_facts import children_of, command_of, needs_proc, wait_for

ROUNDS = 5


def test_what_was_acknowledged_survives_every_kill(tmp_path: Path) -> None:
    figures = KillRounds(tmp_path, seed=7).run(ROUNDS)
    assert figures.rounds == ROUNDS
    assert figures.acknowledged > ROUNDS * 500
    assert figures.cleanings > 0


def is_cleaner(process_id: int) -> bool:
    return "snakka.storage.cleaner" in command_of(process_id)


@needs_proc
def test_a_killed_broker_leaves_no_cleaner_behind(tmp_path: Path) -> None:
    """An orphan would write into the log of the next broker."""
    options = {
        "log.initial.task.delay.ms": 0,
        "log.cleaner.backoff.ms": 50,
        "log.cleaner.io.max.bytes.per.second": 10000,
    }
    arguments = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    compacted = {
        "cleanup.policy": "compact",
        "internal.segment.bytes": "16384",
        "min.cleanable.dirty.ratio": "0.01",
    }
    with start_broker(tmp_path, *arguments) as broker:
        create_topic(broker.bootstrap, "compacted", **compacted)
        producer = Producer({"bootstrap.servers": broker.bootstrap, "batch.num.messages": 20, "log_level": 0})
        for number in range(1000):
            producer.produce("compacted", b"x" * 200, b"%d" % (number % 10))
        assert producer.flush(30) == 0
        # Between fork and exec a child still has its parent's command.
        cleaner = wait_for(lambda: next(filter(is_cleaner, children_of(broker.process.pid)), None))
        broker.kill()
    try:
        wait_for(lambda: "snakka.storage.cleaner" not in command_of(cleaner) or None)
    finally:
        if "snakka.storage.cleaner" in command_of(cleaner):
            os.kill(cleaner, signal.SIGKILL)
