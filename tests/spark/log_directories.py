"""Data directories read by the direct log reader, in this process: rows that can be compared."""

from pathlib import Path
from typing import Any

import pyarrow

from snakka.spark.columns import source_schema
from snakka.spark.log_reader.data_source import LogDataSource, LogReader
from snakka.spark.log_reader.segment_ranges import LogRange


def as_rows(batch: pyarrow.RecordBatch) -> list[tuple[Any, ...]]:
    """Key, value, offset, timestamp in ms, its type, headers."""
    kind = "timestamp_type" if "timestamp_type" in batch.schema.names else "timestampType"
    times = batch.column("timestamp").cast(pyarrow.timestamp("ms", tz="UTC")).cast(pyarrow.int64())
    headers = [
        tuple((each["key"], each["value"]) for each in row or ())
        for row in batch.column("headers").to_pylist()
    ]
    columns = [batch.column(name).to_pylist() for name in ("key", "value", "offset")]
    return list(zip(*columns, times.to_pylist(), batch.column(kind).to_pylist(), headers, strict=True))


def opened(path: Path | str, **options: object) -> LogReader:
    given = {
        "path": str(path),
        "includeHeaders": "true",
        **{name: str(value) for name, value in options.items()},
    }
    if not {"subscribe", "subscribePattern", "assign"} & given.keys():
        raise AssertionError("the test names no topic")
    reader = LogDataSource({name.lower(): value for name, value in given.items()}).reader(source_schema(True))
    assert isinstance(reader, LogReader)
    return reader


def ranges(path: Path | str, **options: object) -> list[LogRange]:
    planned = opened(path, **options).partitions()
    assert all(isinstance(each, LogRange) for each in planned)
    return planned  # type: ignore[return-value]


def read(path: Path | str, **options: object) -> list[tuple[Any, ...]]:
    """All rows, in the order of topics, partitions and offsets."""
    reader = opened(path, **options)
    return [row for part in reader.partitions() for batch in reader.read(part) for row in as_rows(batch)]
