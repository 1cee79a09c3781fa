"""Iceberg tables: what they can't be partitioned by, where they can't be, and what other engines have made of them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pytest
from tests.spark.table_deletes import delete_by_value
from tests.spark.table_reading import iceberg_table, parquet_counts
from tests.spark.table_writing import SCHEMA, append, iceberg_opener, rows_from

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.schema_evolution import SchemaMismatchError


@pytest.mark.parametrize(
    ("partition_by", "words"),
    [
        (("nowhere",), "nowhere is not a plain column of the data"),
        (("day(k)",), r"day\(k\) can't be told of a column of type string"),
        (("hour(on)",), r"hour\(on\) can't be told of a column of type date"),
        (
            ("day(ts)",),
            r"day\(ts\) is a partition of the name ts_day, as a column of the data is; rename that",
        ),
        (("month(ts)", "k", "hour(ts)"), "ts is there twice"),
        (("a.b",), r"a\.b has a dot in its name"),
        (("real",), "real is of type double, of which pyiceberg reads half the digits in a partition"),
    ],
)
def test_iceberg_partitions_that_can_not_be_are_refused_before_there_is_a_table(
    tmp_path: Path, partition_by: tuple[str, ...], words: str
) -> None:
    more = pa.schema(
        [
            *SCHEMA,
            ("on", pa.date32()),
            ("ts_day", pa.string()),
            ("a.b", pa.int64()),
            ("real", pa.float64()),
        ]
    )
    opener = iceberg_opener(tmp_path, more, partition_by=partition_by)
    for ask in (opener.check, opener.open):
        with pytest.raises(SparkOptionError, match=f"partitionBy: {words}"):
            ask()
    assert not (tmp_path / "warehouse").exists()


def test_two_iceberg_tables_have_no_place_in_common(tmp_path: Path) -> None:
    """Maintenance of the one would take the files of the other for left over."""
    place = f"file://{tmp_path}/shared"
    iceberg_opener(tmp_path, location=place).open()
    other = iceberg_opener(tmp_path, table="lake.other", location=place)
    for ask in (other.check, other.open):
        with pytest.raises(
            SparkOptionError, match=r"location is .*, but there are files of no table of this name"
        ):
            ask()
    assert append(iceberg_opener(tmp_path, location=place), rows_from(0, 10), 0)
    assert append(iceberg_opener(tmp_path, table="lake.other", location=f"{place}2"), rows_from(0, 5), 0)


def test_a_place_that_another_writer_of_the_table_has_just_taken_is_no_mistake(tmp_path: Path) -> None:
    iceberg_opener(tmp_path, table="lake.first").open()  # the catalog's own tables
    opener = iceberg_opener(tmp_path, location=f"file://{tmp_path}/place")
    begin = Barrier(4)

    def write(query: int) -> None:
        begin.wait(30)
        append(opener, rows_from(query * 10, 10), 0, query=f"query-{query}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert iceberg_table(tmp_path).scan().to_arrow().num_rows == 40


def double_partition(directory: Path) -> None:
    """As engines make it that read it well."""
    iceberg_opener(directory, REAL).open()
    with iceberg_table(directory).update_spec() as spec:
        spec.add_identity("real")


def former_double_partition(directory: Path) -> None:
    double_partition(directory)
    with iceberg_table(directory).update_spec() as spec:
        spec.remove_field("real")


REAL = pa.schema([("id", pa.int64()), ("real", pa.float64())])


@pytest.mark.parametrize("make", [double_partition, former_double_partition])
def test_a_partition_whose_values_pyiceberg_spoils_is_refused(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """It reads 0.1 as 0.10000000149, does not find it then, and writes so into the lists of files that it puts together."""
    make(tmp_path)
    opener = iceberg_opener(tmp_path, REAL)
    for ask in (opener.check, opener.open):
        with pytest.raises(SparkOptionError, match="is or was partitioned by real, a column of type double"):
            ask()


def test_a_partition_is_not_widened_to_values_that_pyiceberg_spoils(tmp_path: Path) -> None:
    narrow = pa.schema([("id", pa.int64()), ("real", pa.float32())])
    rows = pa.table({"id": [1], "real": [1.5]}, schema=narrow)
    append(iceberg_opener(tmp_path, narrow, partition_by=("real",)), rows, 0)
    wide = iceberg_opener(tmp_path, REAL, merge=True)
    for ask in (wide.check, wide.open):
        with pytest.raises(SchemaMismatchError, match=r"column real decides .* half the digits of a double"):
            ask()
    assert append(iceberg_opener(tmp_path, narrow), rows, 1)
    assert iceberg_table(tmp_path).scan(row_filter="real == 1.5").to_arrow().num_rows == 2


def test_a_table_with_rows_deleted_by_value_is_overwritten(tmp_path: Path) -> None:
    append(iceberg_opener(tmp_path), rows_from(0, 10), 0)
    delete_by_value(iceberg_table(tmp_path), 3)
    assert append(iceberg_opener(tmp_path), rows_from(100, 5), 1)
    assert append(iceberg_opener(tmp_path), rows_from(200, 5), 2, overwrite=True)
    files = iceberg_table(tmp_path).inspect.data_files()
    assert files["record_count"].to_pylist() == [5]
    assert (
        parquet_counts([path.removeprefix("file://") for path in files["file_path"].to_pylist()]).lowest
        == 200
    )
