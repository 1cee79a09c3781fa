"""The options of the table sinks: each declared once, with its default and its check.

Rule: an option that nobody knows is refused with what was probably meant, for a misspelt one would otherwise be silently
without effect. Values of secrets never appear in an error.
"""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from snakka.spark.client_settings import SparkOptionError

STORAGE_PREFIX = "storage."
CATALOG_PREFIX = "catalog."

DEFAULT_TARGET_FILE_SIZE_BYTES = 128 * 1024 * 1024
MIN_TARGET_FILE_SIZE_BYTES = 1024
COMPRESSIONS = ("none", "snappy", "gzip", "lz4", "zstd")

# What Spark hands to every sink beside our own options.
_SPARKS_OWN = frozenset({"checkpointlocation", "queryname"})
_ENCODED = re.compile("%[0-9A-Fa-f]{2}")
_SUFFIXES = {"k": 1024, "m": 1024**2, "g": 1024**3}


@dataclass(frozen=True, slots=True)
class CommitKey:
    """What a table commit is known by: a query, and a number that grows with each of its batches."""

    query_id: str
    batch_id: int


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """What both formats understand."""

    target_file_size_bytes: int
    compression: str
    merge_schema: bool
    partition_by: tuple[str, ...]
    key: CommitKey | None


@dataclass(frozen=True, slots=True)
class DeltaOptions:
    """A Delta table, by its location."""

    path: str
    storage_options: dict[str, str]
    sink: SinkOptions


@dataclass(frozen=True, slots=True)
class IcebergOptions:
    """An Iceberg table, by its name in a catalog."""

    catalog_name: str
    catalog_properties: dict[str, str]
    table: tuple[str, ...]
    location: str | None
    sink: SinkOptions


def _size(text: str) -> int:
    lower = text.strip().lower().removesuffix("b")
    factor = _SUFFIXES.get(lower[-1:], 1)
    digits = lower[:-1] if factor > 1 else lower
    if not digits.isdecimal() or int(digits) * factor < MIN_TARGET_FILE_SIZE_BYTES:
        raise SparkOptionError(f"a size of at least {MIN_TARGET_FILE_SIZE_BYTES}, such as 134217728 or 128m")
    return int(digits) * factor


def _flag(text: str) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise SparkOptionError("true or false")
    return text.strip().lower() == "true"


def _compression(text: str) -> str:
    if text.strip().lower() not in COMPRESSIONS:
        raise SparkOptionError(f"one of {', '.join(COMPRESSIONS)}")
    return text.strip().lower()


def _columns(text: str) -> tuple[str, ...]:
    columns = tuple(part.strip() for part in text.split(",") if part.strip())
    if len(set(columns)) != len(columns):
        raise SparkOptionError("each column once")
    return columns


def _version(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdecimal():
        raise SparkOptionError("a number that grows with each write, from 0")
    return int(text)


def _text(text: str) -> str:
    if not text.strip():
        raise SparkOptionError("not empty")
    return text.strip()


def _table_name(text: str) -> tuple[str, ...]:
    parts = tuple(text.strip().split("."))
    if len(parts) < 2 or not all(parts):
        raise SparkOptionError("NAMESPACE.NAME")
    return parts


@dataclass(frozen=True, slots=True)
class TableOption:
    """One option: its name as users write it, how it is read, and what it is when absent (None: it must be set)."""

    name: str
    read: Callable[[str], Any]
    default: str | None
    meaning: str


SINK_OPTIONS = (
    TableOption(
        "targetFileSizeBytes",
        _size,
        str(DEFAULT_TARGET_FILE_SIZE_BYTES),
        "files are closed when they reach about this size",
    ),
    TableOption("compression", _compression, "zstd", "of the Parquet files"),
    TableOption("mergeSchema", _flag, "false", "add columns that the table lacks, widen types where it may"),
    TableOption(
        "partitionBy",
        _columns,
        "",
        "a new table's partitions, separated by commas: columns, for Iceberg also year, month, day or hour of one, "
        "such as day(at); what a stream says by Spark's own partitionBy() does not reach sinks",
    ),
    TableOption("txnAppId", str.strip, "", "batch writes: who writes; with txnVersion, a write is done once"),
    TableOption("txnVersion", _version, "", "batch writes: grows with each write of a txnAppId"),
)
DELTA_OPTIONS = (
    *SINK_OPTIONS,
    TableOption("path", _text, None, "where the table is: a path, file:, or an object store"),
)
ICEBERG_OPTIONS = (
    *SINK_OPTIONS,
    TableOption("table", _table_name, None, "NAMESPACE.NAME in the catalog"),
    TableOption("location", str.strip, "", "where a new table is put; otherwise the catalog decides"),
    TableOption("catalog.name", str.strip, "default", "the catalog's name, also in a pyiceberg.yaml"),
)


def delta_options(options: Mapping[str, str]) -> DeltaOptions:
    """The options of the format `snakka-delta`; `storage.*` goes to the object store as it is."""
    values = _read(options, DELTA_OPTIONS, STORAGE_PREFIX)
    local = local_path(values["path"])
    if local is not None and _ENCODED.search(local):
        raise SparkOptionError(
            f"path is {local}, but the library that writes the table takes % and two digits for another character;"
            " give a path without"
        )
    return DeltaOptions(
        path=values["path"] if local is None else os.path.abspath(local),
        storage_options=_prefixed(options, STORAGE_PREFIX),
        sink=_sink_options(values),
    )


def iceberg_options(options: Mapping[str, str]) -> IcebergOptions:
    """The options of the format `snakka-iceberg`; `catalog.*` are pyiceberg's own properties of a catalog."""
    values = _read(options, ICEBERG_OPTIONS, CATALOG_PREFIX)
    properties = _prefixed(options, CATALOG_PREFIX)
    properties.pop("name", None)
    return IcebergOptions(
        catalog_name=values["catalog.name"],
        catalog_properties=properties,
        table=values["table"],
        location=values["location"] or None,
        sink=_sink_options(values),
    )


def local_path(location: str) -> str | None:
    """The path on this machine that a location names, None if it is elsewhere. Spark writes file:/x, others file:///x."""
    parts = urlsplit(location)
    if parts.scheme == "file":
        return unquote(parts.path)
    return None if "://" in location else location


def refuse_unwritable(directory: str, intro: str) -> None:
    """SparkOptionError if the directory is not there and can't be made, or may not be written; it is not tried."""
    there = directory
    while not os.path.lexists(there) and there != os.path.dirname(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise SparkOptionError(f"{intro} {there} is no directory; give another")
    if not os.access(there, os.W_OK | os.X_OK):
        raise SparkOptionError(f"{intro} this user may not write to {there}; give another")


def _sink_options(values: Mapping[str, Any]) -> SinkOptions:
    return SinkOptions(
        target_file_size_bytes=values["targetFileSizeBytes"],
        compression=values["compression"],
        merge_schema=values["mergeSchema"],
        partition_by=values["partitionBy"],
        key=_commit_key(values["txnAppId"], values["txnVersion"]),
    )


def _commit_key(app_id: str, version: int | None) -> CommitKey | None:
    """Of a batch write. One number for all writes would let only the first of them in, and say nothing."""
    if bool(app_id) != (version is not None):
        raise SparkOptionError(
            "txnAppId and txnVersion go together: who writes, and which of his writes this is"
        )
    return CommitKey(app_id, version) if version is not None else None


def _read(options: Mapping[str, str], declared: tuple[TableOption, ...], prefix: str) -> dict[str, Any]:
    given = {name.lower(): value for name, value in options.items()}
    known = {option.name.lower(): option.name for option in declared}
    for name in given.keys() - known.keys() - _SPARKS_OWN:
        if not name.startswith((prefix, "__")):
            raise SparkOptionError(f"there is no option {name}{_probably(name, known)}")
    return {option.name: _value(option, given) for option in declared}


def _value(option: TableOption, given: Mapping[str, str]) -> Any:
    text = given.get(option.name.lower(), option.default)
    if text is None:
        raise SparkOptionError(f"{option.name} must be set: {option.meaning}")
    try:
        return option.read(text)
    except SparkOptionError as error:
        raise SparkOptionError(f"{option.name} is {text!r}, but must be {error}") from None


def _probably(name: str, known: Mapping[str, str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {known[close[0]]}?" if close else f"; there are {', '.join(known.values())}"


def _prefixed(options: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {
        name.lower().removeprefix(prefix): value
        for name, value in options.items()
        if name.lower().startswith(prefix)
    }
