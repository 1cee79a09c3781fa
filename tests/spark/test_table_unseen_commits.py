"""Commits that came through although their writer was told otherwise, or nothing: they are there once, with their files."""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError
from pyiceberg.exceptions import CommitFailedException, CommitStateUnknownException
from tests.spark.table_reading import counts_of, files_on_disk, iceberg_table
from tests.spark.table_writing import (
    append,
    iceberg_opener,
    opener_and_reader,
    rows_from,
    staged,
)

from snakka.spark.tables import table_writer
from snakka.spark.tables.table_options import CommitKey
from snakka.spark.tables.table_writer import StreamTableWriter, UnansweredError, commit_once

Opener = Callable[..., Any]
Reader = Callable[[], pa.Table]


@pytest.fixture(params=["delta", "iceberg"])
def sink(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Opener, Reader]:
    return opener_and_reader(request.param, tmp_path)


def test_a_commit_whose_end_nobody_saw_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = StreamTableWriter(iceberg_opener(tmp_path), False)
    done = dataclasses.replace(writer.write(iter(rows_from(0, 10).to_batches())), query_id="query")
    table: Any = writer._table
    original = table._table.catalog.commit_table

    def lost_answer(*args: Any, **named: Any) -> Any:
        original(*args, **named)
        raise CommitStateUnknownException("504")

    monkeypatch.setattr(table._table.catalog, "commit_table", lost_answer)
    monkeypatch.setattr(table_writer, "PATIENCE_SECONDS", 0.0)
    with pytest.raises(UnansweredError):
        writer.commit([done], 0)
    writer.abort([done], 0)
    # The query starts again, and tries the batch again.
    assert append(iceberg_opener(tmp_path), rows_from(0, 10), 0) is False
    assert counts_of(iceberg_table(tmp_path).scan().to_arrow()).rows == 10


@contextmanager
def answered_wrongly(
    monkeypatch: pytest.MonkeyPatch,
    table: Any,
    catalogs_answer: Exception,
    then: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """A proxy that got no answer asks again, and hands on that the table has changed; or it hands on that there was none.

    A Delta table has no catalog, and says of both that it has changed.
    """
    is_delta = isinstance(table, DeltaTable)
    owner, name = (table, "create_write_transaction") if is_delta else (table.catalog, "commit_table")
    original = getattr(owner, name)

    def twice(*args: Any, **named: Any) -> None:
        patched.undo()
        original(*args, **named)
        then()
        raise CommitFailedError("conflict") if is_delta else catalogs_answer

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, twice)
        yield


def test_a_commit_that_is_called_a_conflict_although_it_came_through_keeps_its_files(
    sink: tuple[Opener, Reader], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener, read = sink
    for key in (CommitKey("query", 0), None):
        table = opener().open()
        files = staged(table, rows_from(0, 10))
        with answered_wrongly(monkeypatch, table._table, CommitFailedException("conflict")):
            assert commit_once(table, files, key, overwrite=False) is True
    assert counts_of(read()).rows == 20
    assert len(files_on_disk(tmp_path)) == 2


@pytest.mark.parametrize("key", [CommitKey("query", 0), None])
def test_a_commit_is_known_by_itself_and_not_by_files_that_others_may_have_removed_since(
    sink: tuple[Opener, Reader], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: CommitKey | None
) -> None:
    opener, read = sink
    table = opener(partition_by=("k",)).open()
    files = staged(table, rows_from(0, 10))
    (gone,) = files[0].partition

    def remove_one() -> None:
        if (tmp_path / "t").exists():
            DeltaTable(str(tmp_path / "t")).delete(f"k = '{gone}'")
        else:
            iceberg_table(tmp_path).delete(f"k == '{gone}'")

    with answered_wrongly(monkeypatch, table._table, CommitStateUnknownException("504"), remove_one):
        assert commit_once(table, files, key, overwrite=False) is True
    # Neither are those rows there again, nor is a file away that the table still has.
    assert set(read()["k"].to_pylist()) == {"0", "1"} - {gone}
    assert read().num_rows == 5


def test_an_overwrite_by_nothing_is_known_too(
    sink: tuple[Opener, Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no file to be known by: what was appended since would be replaced by the second try."""
    opener, read = sink
    table = opener().open()
    commit_once(table, staged(table, rows_from(0, 10)), None, overwrite=False)
    table = opener().open()

    def append_more() -> None:
        append(opener(), rows_from(10, 5), 0, query="another")

    with answered_wrongly(monkeypatch, table._table, CommitStateUnknownException("504"), append_more):
        assert commit_once(table, [], None, overwrite=True) is True
    assert read().num_rows == 5
