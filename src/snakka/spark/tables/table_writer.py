"""What Spark calls: tasks stage files, the driver makes them part of the table in one commit, once a batch.

Rule: whether a batch is in the table is asked of the table, never remembered. Files are taken away only while it is certain
that no table commit holds them: a commit whose end nobody saw may still arrive, so its files stay, and are found by
maintenance if it never does.
"""

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from snakka.runtime.clock import SystemClock
from snakka.spark.tables.partitions import PartitionColumn
from snakka.spark.tables.schema_evolution import SchemaMismatchError
from snakka.spark.tables.staged_files import FileLayout, FileStager, StagedFile, remove_files
from snakka.spark.tables.table_options import CommitKey

MAX_COMMIT_ATTEMPTS = 30
_FIRST_PAUSE_MS = 20
_LONGEST_PAUSE_MS = 2_000

# For how long a catalog that does not answer, because it is started anew perhaps, is asked again.
PATIENCE_SECONDS = 30.0
MADE_ANEW = "the table was dropped and made anew"
# Under which a table's history names a commit of ours.
COMMIT_ID = "snakka.commit-id"

# Names that Spark gives to what a task may know of its query.
_QUERY_ID = "sql.streaming.queryId"
_BATCH_ID = "streaming.sql.batchId"


class ConcurrentCommitError(Exception):
    """Another commit came first. This one may be tried again on the newer table, unless that has it already."""


class UnansweredError(RuntimeError):
    """Who keeps the table did not answer, or said that he can't now. What he was asked may have been done."""


class TableBusyError(RuntimeError):
    """Others commit so often that ours never fits between."""


class OpenTable(Protocol):
    """A table as it was when it was opened or last refreshed: it exists, and has the columns that the data needs."""

    name: str
    layout: FileLayout

    def refresh(self) -> None:
        """Sees what others have committed since."""

    def last_batch(self, query_id: str) -> int | None:
        """The latest batch of that query in the table."""

    def has_commit(self, commit_id: str) -> bool:
        """Whether that commit of ours came through: what it added may be gone again by now."""

    def commit(
        self, files: Sequence[StagedFile], key: CommitKey | None, commit_id: str, *, overwrite: bool
    ) -> None:
        """Adds the files, in place of all others if told so, in one commit: at the first try or ConcurrentCommitError."""


class TableOpener(Protocol):
    """Opens a table, which it creates or alters if it must. Travels to wherever Spark commits."""

    def open(self) -> OpenTable: ...


@dataclass
class TaskFiles(WriterCommitMessage):
    """What one task wrote. Travels from an executor to the driver."""

    query_id: str | None
    files: tuple[StagedFile, ...]
    # What the task took the table for.
    table_id: str
    columns: pa.Schema
    partitions: tuple[PartitionColumn, ...]

    def misfit(self, layout: FileLayout) -> str | None:
        """Why the table does not want the files any more: others may have altered it while the task wrote."""
        if not self.files:
            return None
        if self.table_id != layout.table_id:
            return MADE_ANEW
        same = (
            self.columns.equals(layout.columns, check_metadata=True) and self.partitions == layout.partitions
        )
        return None if same else "columns or partitions changed"


def stage(layout: FileLayout, batches: Iterator[pa.RecordBatch]) -> TaskFiles:
    """On an executor: the rows of one task, as files."""
    context = TaskContext.get()
    query_id = context.getLocalProperty(_QUERY_ID) if context else None
    batch_id = context.getLocalProperty(_BATCH_ID) if context else None
    task = context.partitionId() if context else 0
    origin = f"{query_id[:8]}-{batch_id}" if query_id else "batch"
    files = FileStager(layout, f"part-{task:05d}-{origin}").write(batches)
    return TaskFiles(query_id, tuple(files), layout.table_id, layout.columns, layout.partitions)


def commit_once(
    table: OpenTable, files: Sequence[StagedFile], key: CommitKey | None, *, overwrite: bool
) -> bool:
    """On the driver: makes the files part of the table. False: the batch is there already, so they were taken away."""
    clock = SystemClock()
    deadline = clock.monotonic() + PATIENCE_SECONDS
    # What the commit is known by in the table's history, whatever others make of its files.
    commit_id = secrets.token_hex(8)
    for attempt in range(MAX_COMMIT_ATTEMPTS):
        try:
            if attempt:
                pause(attempt)
                table.refresh()
                # What was called a conflict, or was not answered, may be our own commit.
                if table.has_commit(commit_id):
                    return True
            if key is not None:
                last = table.last_batch(key.query_id)
                if last is not None and last >= key.batch_id:
                    remove_files(table.layout.storage, [file.path for file in files])
                    return False
            table.commit(files, key, commit_id, overwrite=overwrite)
        except ConcurrentCommitError:
            continue
        except UnansweredError as error:
            if clock.monotonic() < deadline and attempt + 1 < MAX_COMMIT_ATTEMPTS:
                continue
            raise UnansweredError(
                f"{table.name}: whether the rows are in it is not known: {error}"
            ) from error
        return True
    raise TableBusyError(f"{table.name}: {MAX_COMMIT_ATTEMPTS} commits in a row lost to other writers")


def changed_meanwhile(table: str, what: str) -> str:
    """What a user is told: nothing is lost, for a query that is started again writes the batch for the table as it is."""
    return f"{table}: {what} during the write; start the query again"


def pause(attempt: int) -> None:
    """Longer each time, and by chance, so that writers who met once do not meet again."""
    longest = min(_LONGEST_PAUSE_MS, _FIRST_PAUSE_MS * 2**attempt)
    time.sleep((longest // 2 + secrets.randbelow(longest // 2 + 1)) / 1000)


class _TableWriter:
    """What both of Spark's writers do. Only the opener and the layout travel; each process opens its own table."""

    def __init__(self, opener: TableOpener, overwrite: bool) -> None:
        self._opener = opener
        self._overwrite = overwrite
        self._table: OpenTable | None = opener.open()
        self._layout = self._table.layout

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_table": None}

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskFiles:
        return stage(self._layout, iterator)

    def _commit(self, messages: Sequence[TaskFiles | None], key: CommitKey | None) -> None:
        done = [message for message in messages if message is not None]
        files = [file for message in done for file in message.files]
        if files or self._overwrite:
            table = self._table or self._opener.open()
            for misfit in filter(None, (message.misfit(table.layout) for message in done)):
                raise SchemaMismatchError(changed_meanwhile(table.name, misfit))
            commit_once(table, files, key, overwrite=self._overwrite)

    def _abort(self, messages: Sequence[TaskFiles | None]) -> None:
        """Spark also comes here when the commit itself failed: then every task has succeeded, and the files stay."""
        if None in messages:
            paths = [file.path for message in messages if message is not None for file in message.files]
            remove_files(self._layout.storage, paths)


class StreamTableWriter(_TableWriter, DataSourceStreamArrowWriter):
    """A streaming query's sink: each batch is in the table once, however often the query is restarted."""

    def commit(self, messages: list[TaskFiles | None], batchId: int) -> None:  # noqa: N803 -- Spark's name
        query_id = next((message.query_id for message in messages if message is not None), None)
        self._commit(messages, CommitKey(query_id, batchId) if query_id is not None else None)

    def abort(self, messages: list[TaskFiles | None], batchId: int) -> None:  # noqa: N803 -- Spark's name
        self._abort(messages)


class BatchTableWriter(_TableWriter, DataSourceArrowWriter):
    """One DataFrame into a table; with txnAppId and txnVersion, once, however often it is tried."""

    def __init__(self, opener: TableOpener, overwrite: bool, key: CommitKey | None) -> None:
        super().__init__(opener, overwrite)
        self._key = key

    def commit(self, messages: list[TaskFiles | None]) -> None:
        self._commit(messages, self._key)

    def abort(self, messages: list[TaskFiles | None]) -> None:
        self._abort(messages)
