"""One driver after the other with the same queries: tests say where each of them, or a worker of its, is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pyspark
from driver_deaths import OUTLIVING, mark, still_place
from topic_sink_faults import BEFORE_A_TASK, IN_TASKS

from snakka.spark.pipelines.warm_start import light_home

HERE = Path(__file__).parent
SPARK = Path(pyspark.__file__).parent
LOCAL = "local[8,3]"  # room for all tasks to stand still; one that fails is tried again
IN_A_TASK = (BEFORE_A_TASK, *IN_TASKS, OUTLIVING)
LIFE_SECONDS = 240.0


@dataclass(frozen=True)
class Life:
    """What killed_driver.py is told. The sinks are its names, and their options."""

    bootstrap: str
    source: str
    directory: str
    rows_a_batch: int
    sinks: Mapping[str, Mapping[str, str]]
    master: str = LOCAL
    tasks: int = 2
    where: str = ""
    batch: int = -1
    is_worker: bool = False  # whether workers are killed, and not the driver

    @property
    def still(self) -> Path:
        """Where its queries say that they stand still."""
        return still_place(Path(self.directory), self.where, self.batch)

    def marks(self) -> list[Path]:
        """All that have to stand still before the driver is killed: then each of its queries is at that step."""
        tasks = range(self.tasks) if self.where in IN_A_TASK else [None]
        return [self.still / mark(sink, task) for sink in self.sinks for task in tasks]

    def kill(self) -> None:
        """kill -9 of the driver and of its JVM, when all stand still."""
        with self._running() as driver:
            self._await(driver, lambda: all(each.exists() for each in self.marks()))
            for pid in (Path(self.directory) / "pids").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
            assert driver.wait(LIFE_SECONDS) == -signal.SIGKILL, self.log.read_text()

    def end(self) -> None:
        """To the end of all that there is to read."""
        with self._running() as driver:
            assert driver.wait(LIFE_SECONDS) == 0, self.log.read_text()
        if self.is_worker:
            killed = Path(self.directory).glob("a worker of * was killed")
            assert len([*killed]) == len(self.sinks), self.log.read_text()

    @property
    def log(self) -> Path:
        return Path(self.directory) / "driver.log"

    @contextmanager
    def _running(self) -> Iterator["subprocess.Popen[bytes]"]:
        self.still.mkdir()
        with self.log.open("w") as log:
            driver = subprocess.Popen(
                [sys.executable, str(HERE / "killed_driver.py"), json.dumps(asdict(self))],
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
                    "SPARK_HOME": str(light_home() or SPARK),
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield driver
        finally:
            if driver.poll() is None:
                os.killpg(driver.pid, signal.SIGKILL)  # its JVM, too
                driver.wait()

    def _await(self, driver: "subprocess.Popen[bytes]", condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LIFE_SECONDS
        while not condition():
            assert driver.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, f"only {[*self.still.iterdir()]}\n{self.log.read_text()}"
            time.sleep(0.02)
