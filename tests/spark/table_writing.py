"""Writes tables as a query's driver and one task would, without Spark: the same openers, stagers and commits."""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.spark.table_reading import delta_rows, iceberg_table

from snakka.spark.tables.delta_table import DeltaOpener
from snakka.spark.tables.iceberg_table import IcebergOpener
from snakka.spark.tables.staged_files import FileStager, StagedFile
from snakka.spark.tables.table_options import CommitKey, delta_options, iceberg_options
from snakka.spark.tables.table_writer import OpenTable, TableOpener, commit_once

SCHEMA = pa.schema([("id", pa.int64()), ("k", pa.string()), ("ts", pa.timestamp("us", "UTC"))])


def rows_from(start: int, count: int) -> pa.Table:
    ids = list(range(start, start + count))
    return pa.table(
        {
            "id": ids,
            "k": [str(number % 2) for number in ids],
            "ts": pa.array([number * 1_000_000 for number in ids], pa.timestamp("us", "UTC")),
        },
        schema=SCHEMA,
    )


def _options(merge: bool, partition_by: tuple[str, ...], more: dict[str, str]) -> dict[str, str]:
    return {"mergeSchema": str(merge).lower(), "partitionBy": ",".join(partition_by), **more}


def delta_opener(
    path: Path | str,
    schema: pa.Schema = SCHEMA,
    *,
    merge: bool = False,
    partition_by: tuple[str, ...] = (),
    **more: str,
) -> DeltaOpener:
    return DeltaOpener(delta_options({"path": str(path), **_options(merge, partition_by, more)}), schema)


def iceberg_opener(
    directory: Path,
    schema: pa.Schema = SCHEMA,
    *,
    merge: bool = False,
    partition_by: tuple[str, ...] = (),
    table: str = "lake.events",
    **more: str,
) -> IcebergOpener:
    options = {
        "catalog.uri": f"sqlite:///{directory}/catalog.db",
        "catalog.warehouse": f"file://{directory}/warehouse",
        "table": table,
        **_options(merge, partition_by, more),
    }
    return IcebergOpener(iceberg_options(options), schema)


def staged(table: OpenTable, rows: pa.Table, label: str = "part") -> list[StagedFile]:
    return FileStager(table.layout, label).write(rows.to_batches())


def append(
    opener: TableOpener, rows: pa.Table, batch: int, *, query: str = "query", overwrite: bool = False
) -> bool:
    """One batch of a query, from opening to commit; False: it was in the table already."""
    table = opener.open()
    return commit_once(table, staged(table, rows), CommitKey(query, batch), overwrite=overwrite)


def make_old(*paths: Path) -> None:
    """Files as of two days ago."""
    before = time.time() - 2 * 86_400
    for path in paths:
        os.utime(path, (before, before))


def opener_and_reader(kind: str, directory: Path) -> tuple[Callable[..., Any], Callable[[], pa.Table]]:
    """How to open a table of the format, and how to read it back."""
    if kind == "delta":
        return partial(delta_opener, directory / "t"), partial(delta_rows, directory / "t")
    return partial(iceberg_opener, directory), lambda: iceberg_table(directory).scan().to_arrow()
