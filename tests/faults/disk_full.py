"""The disk runs full under load, the broker stops, the disk is freed, the broker starts again: again and again.

The producer lives through it all, so a batch that was refused, or whose answer never came, is sent again to the next broker.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.cli.broker_process import BrokerProcess, start_broker
from tests.clients.exchange import create_topic
from tests.faults.ledger import Ledger
from tests.faults.ledger import TopicPartition as Place
from tests.faults.process_facts import wait_for
from tests.faults.read_back import read_back
from tests.faults.small_disk import SmallDisk
from tests.faults.steady_load import SteadyLoad
from tests.free_ports import free_port

DISK_BYTES = 64 << 20
# What is left when the load goes on.
MOST_ROOM_BYTES = 1 << 20
STOP_SECONDS = 30.0
PARTITIONS = 3


@dataclass
class DiskFullFigures:
    """What a run did and found."""

    rounds: int = 0
    acknowledged: int = 0
    records_read: int = 0
    stop_seconds: list[float] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [
            f"rounds: {self.rounds}; each time the broker stopped with one line and exit code 1",
            f"from the first refused write to the end of the process: at most {max(self.stop_seconds):.2f} s",
            f"records acknowledged: {self.acknowledged}; read back and compared: {self.records_read}; lost or doubled: 0",
        ]


class DiskFullRounds:
    """One broker whose only log directory is on a small disk."""

    def __init__(
        self, directory: Path, disk: SmallDisk, seed: int, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self.figures = DiskFullFigures()
        self._directory = directory
        self._disk = disk
        self._chance = random.Random(seed)
        self._say = say
        self._arguments = ["--listen", f"127.0.0.1:{free_port()}", "--data-dir", str(disk.path / "data")]
        self._ledgers: dict[Place, Ledger] = {
            (topic, partition): Ledger() for topic in ("plain", "synced") for partition in range(PARTITIONS)
        }

    def run(self, rounds: int) -> DiskFullFigures:
        self._broker = self._start()
        try:
            bootstrap = self._broker.bootstrap
            create_topic(bootstrap, "plain", PARTITIONS, **{"internal.segment.bytes": "100000"})
            create_topic(bootstrap, "synced", PARTITIONS, **{"flush.messages": "1"})
            load = SteadyLoad(bootstrap, self._ledgers)
            try:
                for number in range(rounds):
                    self._round(number, load)
            finally:
                load.close()
            assert self._broker.stop() == 0
        finally:
            self._broker.close()
        return self.figures

    def _round(self, number: int, load: SteadyLoad) -> None:
        broker = self._broker
        self._disk.fill(but=self._chance.randrange(MOST_ROOM_BYTES))
        said_before = len(broker.log)
        load.resume()
        wait_for(lambda: "goes offline" in broker.log[said_before:] or None, STOP_SECONDS)
        offline_since = time.monotonic()
        code = broker.process.wait(STOP_SECONDS)
        self.figures.stop_seconds.append(time.monotonic() - offline_since)
        load.pause()
        self._judge_end(code, broker.log[said_before:])
        broker.close()
        self._disk.free()
        self._broker = self._start()
        load.settle()
        self._verify(self._broker.bootstrap, number)
        self.figures.rounds += 1
        self.figures.acknowledged = load.acknowledged
        self._say(f"round {number + 1}: {load.acknowledged} acknowledged, all there after the disk was freed")

    def _start(self) -> BrokerProcess:
        return start_broker(self._directory, *self._arguments)

    @staticmethod
    def _judge_end(code: int, said: str) -> None:
        assert code == 1, f"exit code {code}: {said}"
        assert "Traceback" not in said, said
        last = said.splitlines()[-1]
        assert last.startswith("snakka: "), last

    def _verify(self, bootstrap: str, number: int) -> None:
        contents = read_back(bootstrap, self._ledgers)
        problems = []
        for place, ledger in self._ledgers.items():
            got = contents[place]
            self.figures.records_read += len(got.found)
            problems += [f"{place}: {problem}" for problem in ledger.judge(got.found, 0)]
        assert not problems, f"round {number}: {'; '.join(problems)}"
