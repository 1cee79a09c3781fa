"""Formats that are asked for what they don't do, or without what they need: one line says what to do instead."""

import importlib.util
from importlib.machinery import ModuleSpec

import pytest
from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.data_source import SnakkaDataSource
from snakka.spark.log_reader.data_source import LogDataSource
from snakka.spark.tables.data_sources import DeltaDataSource, IcebergDataSource


@pytest.mark.parametrize("kind", [DeltaDataSource, IcebergDataSource])
def test_tables_are_read_by_others(kind: type[DataSource]) -> None:
    with pytest.raises(SparkOptionError, match=f"{kind.name()} writes tables only: read them with "):
        kind({"path": "table"}).schema()


def test_log_files_are_read_in_batches_and_never_written() -> None:
    source = LogDataSource({"path": "data", "subscribe": "orders"})
    with pytest.raises(
        SparkOptionError, match=r"snakka-log is for spark\.read only; spark\.readStream goes "
    ):
        source.streamReader(StructType())
    with pytest.raises(SparkOptionError, match="write goes through a broker, with format snakka"):
        source.writer(StructType(), overwrite=False)
    with pytest.raises(SparkOptionError, match="writeStream goes through a broker"):
        source.streamWriter(StructType(), overwrite=False)


@pytest.mark.parametrize(
    ("kind", "package"),
    [
        (SnakkaDataSource, "pyarrow"),
        (LogDataSource, "numpy"),
        (DeltaDataSource, "deltalake"),
        (IcebergDataSource, "pyiceberg"),
    ],
)
def test_what_the_extra_would_have_brought_is_named(
    kind: type[DataSource], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def find_others(name: str) -> ModuleSpec | None:
        return None if name == package else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", find_others)
    with pytest.raises(
        SparkOptionError, match=rf"^{kind.name()} needs {package}: pip install 'snakka\[spark\]'$"
    ):
        kind({})
