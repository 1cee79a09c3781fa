"""What others do to a table between a task's files and their commit: they make it anew, alter it, ask more of writers.

A query that is told so can be started again. Files that a table does not want must not become part of it unseen.
"""

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake
from tests.spark.table_reading import counts_of, delta_rows, iceberg_table
from tests.spark.table_writing import append, delta_opener, iceberg_opener, rows_from, staged

from snakka.spark.tables.schema_evolution import SchemaMismatchError
from snakka.spark.tables.table_options import CommitKey
from snakka.spark.tables.table_writer import StreamTableWriter, TableOpener, commit_once


def drop_delta(directory: Path) -> None:
    shutil.rmtree(directory / "t")


def drop_iceberg(directory: Path) -> None:
    table = iceberg_table(directory)
    table.catalog.drop_table(table.name())


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_files_of_a_table_that_was_made_anew_are_not_taken(kind: str, tmp_path: Path) -> None:
    """They may be gone with the old table: then nobody could read the new one."""
    opener: TableOpener = delta_opener(tmp_path / "t") if kind == "delta" else iceberg_opener(tmp_path)
    append(opener, rows_from(0, 10), 0)
    done = StreamTableWriter(opener, False).write(iter(rows_from(10, 10).to_batches()))
    (drop_delta if kind == "delta" else drop_iceberg)(tmp_path)
    append(opener, rows_from(100, 5), 0, query="another")
    driver = StreamTableWriter(opener, False)
    with pytest.raises(SchemaMismatchError, match="was dropped and made anew during the write"):
        driver.commit([dataclasses.replace(done, query_id="query")], 1)
    # The query that is started again writes the batch for the table that there is.
    assert append(opener, rows_from(10, 10), 1) is True
    rows = delta_rows(tmp_path / "t") if kind == "delta" else iceberg_table(tmp_path).scan().to_arrow()
    assert counts_of(rows).rows == counts_of(rows).distinct == 15


def test_a_table_that_was_made_anew_just_before_the_commit_is_named(tmp_path: Path) -> None:
    opener = iceberg_opener(tmp_path)
    append(opener, rows_from(0, 10), 0)
    table = opener.open()
    files = staged(table, rows_from(10, 10))
    drop_iceberg(tmp_path)
    append(opener, rows_from(100, 5), 0, query="another")
    with pytest.raises(SchemaMismatchError, match=r"lake\.events: the table was dropped and made anew"):
        commit_once(table, files, CommitKey("query", 1), overwrite=False)


def part_it(path: str) -> None:
    write_deltalake(path, rows_from(100, 4), mode="overwrite", schema_mode="overwrite", partition_by=["k"])


def constrain_it(path: str) -> None:
    DeltaTable(path).alter.add_constraint({"small": "id < 15"})


@pytest.mark.parametrize(
    ("change", "words"),
    [(part_it, "partitions were changed"), (constrain_it, "must check the constraint small")],
)
def test_what_a_delta_table_asks_since_a_moment_ago_counts(
    change: Callable[[str], None], words: str, tmp_path: Path
) -> None:
    """Files without a directory's value would have no value at all in a column that parts the table since then."""
    opener = delta_opener(tmp_path / "t")
    append(opener, rows_from(0, 10), 0)
    table = opener.open()
    files = staged(table, rows_from(10, 10))
    change(str(tmp_path / "t"))
    before = delta_rows(tmp_path / "t").num_rows
    with pytest.raises(SchemaMismatchError, match=words):
        commit_once(table, files, CommitKey("query", 1), overwrite=False)
    assert delta_rows(tmp_path / "t").num_rows == before
