"""The three sinks on executors that die: at each step of a batch the JVM of one is killed with -9.

The formats are those of the sinks with `-mortal`. Their option `deathDirectory` is where the processes of a query tell each
other what happened: `place BATCH-TASK` the executor that a task ran on, `death BATCH` which one was killed. The driver
writes beside it, in `executors`, which ones it has.
"""

import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSource, DataSourceStreamArrowWriter
from pyspark.sql.types import StructType
from table_faults import FaultyTableWriter
from topic_sink_faults import BEFORE_A_TASK, IN_COMMIT, IN_TASKS, Fault, FaultyStreamWriter

from snakka.spark.data_source import SnakkaDataSource
from snakka.spark.tables.data_sources import DeltaDataSource, IcebergDataSource

EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
# One in each batch, from the first. The decision about a table's batch is the commit of the table itself: then it is over.
STEPS = (BEFORE_A_TASK, *IN_TASKS, *IN_COMMIT)
TABLE_STEPS = STEPS[:5]
WAIT_SECONDS = 120.0


class ExecutorDeath(Fault):
    """Whoever comes to the step of a batch kills its own executor; on the driver, one that has finished a task of it."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._directory = Path(options["deathdirectory"])
        self._batch_id = -1

    def is_at(self, where: str, batch_id: int) -> bool:
        """What happens next happens in this batch."""
        self._batch_id = batch_id
        return STEPS[batch_id : batch_id + 1] == (where,) and not self._mark.exists()

    def begin_task(self, batch_id: int) -> None:
        """Notes where it runs, too."""
        context = TaskContext.get()
        assert context is not None
        (self._directory / f"place {batch_id}-{context.partitionId()}").write_text(str(own_executor()))
        super().begin_task(batch_id)

    def happen(self) -> None:
        is_task = TaskContext.get() is not None
        victim = own_executor() if is_task else self._executor_of_first_task()
        command = command_of(victim)
        try:
            with self._mark.open("x") as mark:
                mark.write(f"{victim}\n{command}")
        except FileExistsError:
            return
        os.kill(victim, signal.SIGKILL)
        if is_task:
            time.sleep(WAIT_SECONDS)  # until Spark ends the workers of an executor that is gone
            raise TimeoutError(f"executor {victim} was killed, and its worker still lives")
        self._await_driver(executor_id(command))

    @property
    def _mark(self) -> Path:
        return self._directory / f"death {self._batch_id}"

    def _executor_of_first_task(self) -> int:
        return int((self._directory / f"place {self._batch_id}-0").read_text())

    def _await_driver(self, executor: str) -> None:
        """Until Spark, too, knows that it is gone."""
        deadline = time.monotonic() + WAIT_SECONDS
        while executor in (self._directory.parent / "executors").read_text().split():
            if time.monotonic() > deadline:
                raise TimeoutError(f"the driver still has executor {executor}")
            time.sleep(0.02)


class MortalReading:
    """Passes on the rows of a batch query; the first task that has some kills its executor."""

    def __init__(self, directory: Path) -> None:
        self._options = {"deathdirectory": str(directory)}

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        death = ExecutorDeath(self._options)
        for batch in batches:
            if death.is_at(BEFORE_A_TASK, STEPS.index(BEFORE_A_TASK)):
                death.happen()
            yield batch


class MortalTopics(SnakkaDataSource):
    @classmethod
    def name(cls) -> str:
        return "snakka-mortal"

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        return FaultyStreamWriter(self.options, schema, ExecutorDeath(self.options))


class _MortalTables(DataSource):
    @classmethod
    def name(cls) -> str:
        return f"{super().name()}-mortal"

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        death = ExecutorDeath(self.options)
        self.options.pop("deathdirectory")  # which the sink would refuse
        return FaultyTableWriter(super().streamWriter(schema, overwrite), death)


class MortalDelta(_MortalTables, DeltaDataSource):
    pass


class MortalIceberg(_MortalTables, IcebergDataSource):
    pass


def own_executor() -> int:
    """The JVM that this worker serves: the nearest of those that it descends from."""
    pid = os.getpid()
    while EXECUTOR not in command_of(pid):
        pid = int(re.findall(r"^PPid:\s*(\d+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[0])
    return pid


def command_of(pid: int) -> str:
    """Empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def executor_id(command: str) -> str:
    """By the name that the driver has for it."""
    (found,) = re.findall(r"--executor-id (\S+)", command)
    return str(found)
