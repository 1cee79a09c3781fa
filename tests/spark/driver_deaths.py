"""The sinks of a driver that is killed: at a step of a batch they stand still, so that whoever kills it hits them there.

The formats are those of the sinks with `-doomed`. Their options are those of a fault (`faultAt`, `faultBatch`), a directory
(`faultDirectory`) for what they tell whoever waits for them, and what a query calls itself there (`faultParty`). Without a
directory the fault is that of the option `killPids`, as of the format `snakka-faulty`.
"""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType
from table_faults import FaultyTableWriter
from topic_sink_faults import IN_TASKS, Fault, FaultyBatchWriter, FaultyStreamWriter

from snakka.spark.data_source import SnakkaDataSource
from snakka.spark.tables.data_sources import DeltaDataSource, IcebergDataSource

OPTIONS = ("faultat", "faultbatch", "faultfile", "faultdirectory", "faultparty", "killpids")
IN_THE_MIDDLE, AT_THE_END = IN_TASKS
# Tasks in the middle that do not die with the driver: they wait until they are told to go on, each for itself.
OUTLIVING = "in the middle of tasks that go on"
COMMIT = "commit"  # who stands still, where it is no task
WAIT_SECONDS = 150.0


class StandStill(Fault):
    """Each task of the batch, or its commit, stands still. At its end only the first task does, the rest in the middle."""

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._directory = still_place(Path(options["faultdirectory"]), self._where, self._batch_id)
        self._party = options["faultparty"]

    def is_at(self, where: str, batch_id: int) -> bool:
        here = self._where
        if here == AT_THE_END and partition() not in (None, 0):
            here = IN_THE_MIDDLE
        return (where, batch_id) == (here, self._batch_id)

    def happen(self) -> None:
        (self._directory / mark(self._party, partition())).touch()
        time.sleep(WAIT_SECONDS)  # a worker ends with its JVM
        raise TimeoutError(f"nobody killed the driver {self._where}")


class Outliving(StandStill):
    """A task that has all its rows, and goes on with them when the driver is gone, and its executor."""

    def is_at(self, where: str, batch_id: int) -> bool:
        return (where, batch_id) == (IN_THE_MIDDLE, self._batch_id)

    def between(self, rows: Iterator[Any]) -> Iterator[Any]:
        return super().between(iter([*rows]))

    def happen(self) -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # with which workers are ended
        own = self._directory / mark(self._party, partition())
        own.touch()
        deadline = time.monotonic() + WAIT_SECONDS
        while not going_on(own).exists():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{own.name} was never told to go on")
            time.sleep(0.02)

    def note_outcome(self, outcome: str) -> None:
        own = self._directory / mark(self._party, partition())
        if own.exists():
            fresh = own.with_suffix(".fresh")
            fresh.write_text(f"{os.getpid()} {outcome}")
            fresh.replace(outcome_of(own))


class OutlivingTopicWriter(FaultyStreamWriter):
    """Says how a task ended, which Spark does not hear any more."""

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        assert isinstance(self._fault, Outliving)
        try:
            message = super().write(iterator)
        except Exception as error:
            self._fault.note_outcome(repr(error))
            raise
        self._fault.note_outcome(repr(message))
        return message


def still_place(directory: Path, where: str, batch: int) -> Path:
    """Where a driver's queries say that they stand still: a place for each of its deaths."""
    return directory / f"still {where} of batch {batch}"


def mark(party: str, task: int | None) -> str:
    """The file that says: this one stands still."""
    return f"{party} {COMMIT if task is None else task}"


def going_on(own: Path) -> Path:
    return own.with_name(f"{own.name} may go on")


def outcome_of(own: Path) -> Path:
    return own.with_name(f"{own.name} has ended")


def partition() -> int | None:
    """Of the task that this is, if it is one."""
    context = TaskContext.get()
    return None if context is None else context.partitionId()


def fault_of(options: Mapping[str, str]) -> Fault:
    if "faultdirectory" not in options:
        return Fault(options)
    return Outliving(options) if options["faultat"] == OUTLIVING else StandStill(options)


class DoomedTopics(SnakkaDataSource):
    @classmethod
    def name(cls) -> str:
        return "snakka-doomed"

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        fault = fault_of(self.options)
        kind = OutlivingTopicWriter if isinstance(fault, Outliving) else FaultyStreamWriter
        return kind(self.options, schema, fault)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return FaultyBatchWriter(self.options, schema, fault_of(self.options))


class _DoomedTables(DataSource):
    @classmethod
    def name(cls) -> str:
        return f"{super().name()}-doomed"

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        fault = fault_of(dict(self.options))
        for name in OPTIONS:  # which the sink would refuse
            self.options.pop(name, None)
        return FaultyTableWriter(super().streamWriter(schema, overwrite), fault)


class DoomedDelta(_DoomedTables, DeltaDataSource):
    pass


class DoomedIceberg(_DoomedTables, IcebergDataSource):
    pass
