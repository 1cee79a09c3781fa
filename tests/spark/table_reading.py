"""Reads tables back without the code under test: the formats' own readers, and Parquet readers on the list of files."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from deltalake import DeltaTable
from pyiceberg.catalog import load_catalog
from pyiceberg.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Counts:
    """What exactly-once is judged by."""

    rows: int
    distinct: int
    lowest: int
    highest: int


def counts_of(rows: pa.Table, column: str = "id") -> Counts:
    values = rows.column(column)
    return Counts(
        rows.num_rows, pc.count_distinct(values).as_py(), pc.min(values).as_py(), pc.max(values).as_py()
    )


def delta_files(path: str | Path) -> list[str]:
    return sorted(DeltaTable(str(path)).file_uris())


def delta_rows(path: str | Path) -> pa.Table:
    return DeltaTable(str(path)).to_pyarrow_table()


def iceberg_table(directory: Path, name: str = "lake.events") -> Table:
    return load_catalog(
        "default", uri=f"sqlite:///{directory}/catalog.db", warehouse=f"file://{directory}/warehouse"
    ).load_table(name)


def iceberg_files(table: Table) -> list[str]:
    return sorted(unquote(urlsplit(task.file.file_path).path) for task in table.scan().plan_files())


def parquet_counts(files: list[str]) -> Counts:
    """By plain Arrow, from nothing but the files."""
    return counts_of(ds.dataset(files, format="parquet").to_table(columns=["id"]))


def spark_counts(spark: "SparkSession", files: list[str]) -> Counts:
    """By Spark's own Parquet reader."""
    row = (
        spark.read.parquet(*files)
        .selectExpr("count(*) AS n", "count(DISTINCT id) AS d", "min(id) AS l", "max(id) AS h")
        .first()
    )
    assert row is not None
    return Counts(row.n, row.d, row.l, row.h)


def files_on_disk(directory: Path) -> list[str]:
    return sorted(str(path) for path in directory.rglob("*.parquet") if "_delta_log" not in path.parts)
