"""New Iceberg tables: what they can't be partitioned by, and where they can't be."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pytest
from tests.spark.table_reading import iceberg_table
from tests.spark.table_writing import SCHEMA, append, iceberg_opener, rows_from

from snakka.spark.client_settings import SparkOptionError


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
    ],
)
def test_iceberg_partitions_that_can_not_be_are_refused_before_there_is_a_table(
    tmp_path: Path, partition_by: tuple[str, ...], words: str
) -> None:
    more = pa.schema([*SCHEMA, ("on", pa.date32()), ("ts_day", pa.string()), ("a.b", pa.int64())])
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
