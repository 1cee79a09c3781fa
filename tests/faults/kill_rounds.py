"""kill -9 under load, again and again: one broker's data, one producer that lives through it all, an independent reader.

While the load runs, segments roll every few batches, retention and compaction remove them, DeleteRecords moves a log's
start, topics come and go, and the metadata log is snapshotted. Some starts are killed too. After each restart every
partition is read as a whole and compared with what was acknowledged.
"""

import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.cli.broker_process import SNAKKA, BrokerProcess, start_broker, user_environment
from tests.faults.ledger import Ledger
from tests.faults.ledger import TopicPartition as Place
from tests.faults.read_back import PartitionContents, read_back
from tests.faults.steady_load import SteadyLoad
from tests.free_ports import free_port

ADMIN_SECONDS = 30.0
# Of all starts, how many are killed before the broker is ready, and how late.
KILLED_STARTS = 0.3
LATEST_KILL_SECONDS = 0.5
FEWEST_RECORDS = 500
MOST_RECORDS = 2500


class FaultTopic(NamedTuple):
    """A topic under load. All roll after 16 KiB, so that a kill often meets a roll."""

    name: str
    partitions: int
    configs: dict[str, str]
    compacted: bool = False


TOPICS = (
    FaultTopic("plain", 3, {}),
    FaultTopic("synced", 2, {"flush.messages": "1"}),
    FaultTopic("compacted", 2, {"cleanup.policy": "compact"}, compacted=True),
    FaultTopic("aged", 1, {"retention.bytes": "100000"}),
    FaultTopic("trimmed", 1, {}),
    FaultTopic("timed", 1, {"segment.ms": "100", "index.interval.bytes": "0", "segment.index.bytes": "240"}),
)
SEGMENT_BYTES = "16384"
# A record takes less than 200 bytes of the 100,000 that retention leaves of "aged".
FEWEST_AFTER_RETENTION = 500

# Everything that usually happens once a minute happens several times a second.
OPTIONS = {
    "log.initial.task.delay.ms": 0,
    "log.retention.check.interval.ms": 150,
    "log.cleaner.backoff.ms": 100,
    "log.cleaner.min.cleanable.ratio": 0.01,
    "log.cleaner.dedupe.buffer.size": 4194304,
    "log.flush.offset.checkpoint.interval.ms": 200,
    "log.flush.start.offset.checkpoint.interval.ms": 200,
    "log.flush.scheduler.interval.ms": 300,
    "log.segment.delete.delay.ms": 50,
    "metadata.log.max.record.bytes.between.snapshots": 4000,
}


@dataclass
class KillFigures:
    """What a run did and found."""

    rounds: int = 0
    killed_starts: int = 0
    acknowledged: int = 0
    records_read: int = 0
    restart_seconds: list[float] = field(default_factory=list)
    first_ack_seconds: list[float] = field(default_factory=list)
    cuts: int = 0
    cleanings: int = 0

    def lines(self) -> list[str]:
        return [
            f"rounds: {self.rounds}, and {self.killed_starts} starts killed before they were ready",
            f"records acknowledged: {self.acknowledged}; read back and compared: {self.records_read}",
            f"lost, doubled or reordered: 0; torn tails cut: {self.cuts}; compactions: {self.cleanings}",
            f"restart to ready: {_spread(self.restart_seconds)}",
            f"ready to the next acknowledgement: {_spread(self.first_ack_seconds)}",
        ]


def _spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"median {ordered[len(ordered) // 2]:.2f} s, slowest {ordered[-1]:.2f} s"


class KillRounds:
    """One broker's data through many deaths."""

    def __init__(self, directory: Path, seed: int, say: Callable[[str], None] = lambda _: None) -> None:
        self.figures = KillFigures()
        self._directory = directory
        self._chance = random.Random(seed)
        self._say = say
        # The same port for every start: the producer must find the broker again.
        self._arguments = ["--listen", f"127.0.0.1:{free_port()}"]
        for name, value in OPTIONS.items():
            self._arguments += ["--set", f"{name}={value}"]
        self._ledgers: dict[Place, Ledger] = {
            (topic.name, partition): Ledger(compacted=topic.compacted)
            for topic in TOPICS
            for partition in range(topic.partitions)
        }
        # Names of topics that come and go, and whether they must be there.
        self._passing: dict[str, bool] = {}

    def run(self, rounds: int) -> KillFigures:
        """AssertionError with what is wrong, if anything is."""
        self._broker = self._start()
        try:
            self._admin = AdminClient({"bootstrap.servers": self._broker.bootstrap, "log_level": 0})
            self._create_topics()
            load = SteadyLoad(self._broker.bootstrap, self._ledgers)
            try:
                for number in range(rounds):
                    self._round(number, load)
            finally:
                load.close()
            assert self._broker.stop() == 0
        finally:
            self._broker.close()
        self._count_from_log()
        return self.figures

    def _round(self, number: int, load: SteadyLoad) -> None:
        load.resume()
        load.wait_for(1)
        self._disturb(number)
        load.wait_for(self._chance.randrange(FEWEST_RECORDS, MOST_RECORDS))
        time.sleep(self._chance.random() * 0.05)  # not always right after an acknowledgement
        self._broker.kill()
        load.pause()
        self._broker.close()
        while self._chance.random() < KILLED_STARTS:
            self._kill_a_start()
        started = time.monotonic()
        self._broker = self._start()
        self.figures.restart_seconds.append(time.monotonic() - started)
        self.figures.first_ack_seconds.append(self._first_acknowledgement(load))
        load.settle()
        self._verify(self._broker.bootstrap, f"round {number}")
        self.figures.rounds += 1
        self.figures.acknowledged = load.acknowledged
        self._say(
            f"round {number + 1}: {load.acknowledged} acknowledged, ready after {self.figures.restart_seconds[-1]:.2f} s"
        )

    def _first_acknowledgement(self, load: SteadyLoad) -> float:
        load.resume()
        seconds = load.wait_for(1)
        load.pause()
        return seconds

    def _start(self) -> BrokerProcess:
        return start_broker(self._directory, *self._arguments)

    def _kill_a_start(self) -> None:
        with (self._directory / "broker.log").open("ab") as log:
            process = subprocess.Popen(
                [SNAKKA, "start", "--data-dir", str(self._directory / "data"), *self._arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=user_environment(),
            )
        time.sleep(self._chance.random() * LATEST_KILL_SECONDS)
        process.kill()
        process.wait()
        self.figures.killed_starts += 1

    # -- what happens besides the load ------------------------------------------------------------------------------

    def _create_topics(self) -> None:
        new = [
            NewTopic(
                topic.name,
                topic.partitions,
                1,
                config={"internal.segment.bytes": SEGMENT_BYTES, **topic.configs},
            )
            for topic in TOPICS
        ]
        for created in self._admin.create_topics(new).values():
            created.result(ADMIN_SECONDS)

    def _disturb(self, number: int) -> None:
        """Delete records; make a topic, and delete an older one. All of it acknowledged before the kill."""
        ledger = self._ledgers["trimmed", 0]
        if ledger.acknowledged:
            before = self._chance.choice(list(ledger.acknowledged.values()))
            if before > ledger.deleted_before:
                ledger.deleted_before = before
                request = [TopicPartition("trimmed", 0, before)]
                for answer in self._admin.delete_records(request).values():
                    answer.result(ADMIN_SECONDS)
        name = f"passing-{number}"
        for made in self._admin.create_topics([NewTopic(name, 2, 1)]).values():
            made.result(ADMIN_SECONDS)
        self._passing[name] = True
        old = f"passing-{number - 2}"
        if old in self._passing:
            for gone in self._admin.delete_topics([old]).values():
                gone.result(ADMIN_SECONDS)
            self._passing[old] = False
        # This one is under way when the kill comes, perhaps: both outcomes are right.
        self._admin.create_topics([NewTopic(f"unsure-{number}", 1, 1)])

    # -- judging ----------------------------------------------------------------------------------------------------

    def _verify(self, bootstrap: str, when: str) -> None:
        contents = read_back(bootstrap, self._ledgers)
        problems = []
        for place, ledger in self._ledgers.items():
            got = contents[place]
            self.figures.records_read += len(got.found)
            problems += [f"{place}: {problem}" for problem in self._judge(place[0], ledger, got)]
        there = set(self._admin.list_topics(timeout=ADMIN_SECONDS).topics)
        problems += [
            f"topic {name} is {'not ' if wanted else ''}there"
            for name, wanted in self._passing.items()
            if (name in there) != wanted
        ]
        assert not problems, (
            f"{when}: " + "; ".join(problems) + f"\nthe broker's log: {self._directory}/broker.log"
        )

    def _judge(self, topic: str, ledger: Ledger, got: PartitionContents) -> list[str]:
        problems = ledger.judge(got.found, got.log_start)
        if topic != "aged" and got.log_start > ledger.deleted_before:
            problems.append(f"the log starts at {got.log_start}, not at {ledger.deleted_before} as was asked")
        if topic == "aged" and len(got.found) < min(len(ledger.acknowledged), FEWEST_AFTER_RETENTION):
            problems.append(f"retention left {len(got.found)} records")
        return problems

    def _count_from_log(self) -> None:
        text = (self._directory / "broker.log").read_text()
        assert "Traceback" not in text, text[text.index("Traceback") :][:3000]
        self.figures.cuts = text.count(" cutting ")
        self.figures.cleanings = text.count(" cleaned ")
