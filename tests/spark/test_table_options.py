"""The options of the table sinks, one by one: defaults, what is refused, and the words for it."""

import os
from pathlib import Path

import pytest
from tests.spark.table_writing import delta_opener

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.partitions import PartitionColumn
from snakka.spark.tables.table_options import (
    DELTA_OPTIONS,
    ICEBERG_OPTIONS,
    CommitKey,
    delta_options,
    iceberg_options,
    local_path,
)

CATALOG = {"table": "lake.orders", "catalog.uri": "http://127.0.0.1:8181"}


def test_what_is_not_said_has_a_default() -> None:
    options = delta_options({"path": "/data/orders"})
    assert options.path == "/data/orders"
    assert options.storage_options == {}
    assert options.sink.target_file_size_bytes == 128 * 1024 * 1024
    assert options.sink.compression == "zstd"
    assert options.sink.merge_schema is False
    assert options.sink.partition_by == ()
    assert options.sink.key is None


def test_names_come_in_lower_case_as_spark_hands_them_over() -> None:
    options = delta_options(
        {
            "path": "s3://bucket/orders",
            "targetfilesizebytes": "64m",
            "mergeschema": "TRUE",
            "partitionby": "country, day",
            "compression": "Snappy",
            "txnappid": "backfill",
            "txnversion": "7",
            "checkpointlocation": "/checkpoints/orders",
            "queryname": "orders",
            "storage.aws_access_key_id": "id",
            "Storage.AWS_REGION": "eu-north-1",
        }
    )
    assert options.path == "s3://bucket/orders"
    assert options.storage_options == {"aws_access_key_id": "id", "aws_region": "eu-north-1"}
    assert options.sink.target_file_size_bytes == 64 * 1024 * 1024
    assert options.sink.merge_schema is True
    assert options.sink.partition_by == ("country", "day")
    assert options.sink.compression == "snappy"
    assert options.sink.key == CommitKey("backfill", 7)


def test_an_iceberg_catalog_is_pyicebergs_own_properties() -> None:
    options = iceberg_options(
        {**CATALOG, "catalog.name": "prod", "catalog.token": "secret", "location": "/x"}
    )
    assert options.catalog_name == "prod"
    assert options.catalog_properties == {"uri": "http://127.0.0.1:8181", "token": "secret"}
    assert options.table == ("lake", "orders")
    assert options.location == "/x"
    assert iceberg_options(CATALOG).location is None


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/a/b", "/a/b"),
        ("file:/a/b", "/a/b"),
        ("file:///a/b%20c", "/a/b c"),
        ("a:b", "a:b"),
        ("s3://bucket/a", None),
        ("abfss://c@a.dfs.core.windows.net/t", None),
    ],
)
def test_local_paths_are_known_by_their_look(location: str, path: str | None) -> None:
    assert local_path(location) == path


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "path must be set"),
        ({"path": " "}, "path is ' ', but must be not empty"),
        ({"path": "/t", "targetFileSizeBytes": "12"}, "targetFileSizeBytes is '12', but must be a size"),
        ({"path": "/t", "targetFileSizeBytes": "big"}, "targetFileSizeBytes is 'big'"),
        ({"path": "/t", "mergeSchema": "yes"}, "mergeSchema is 'yes', but must be true or false"),
        ({"path": "/t", "compression": "rar"}, "compression is 'rar', but must be one of none, snappy"),
        ({"path": "/t", "partitionBy": "a,a"}, "partitionBy is 'a,a', but must be each column once"),
        ({"path": "/t", "txnVersion": "-1"}, "txnVersion is '-1'"),
        ({"path": "/a%20b"}, "path is /a%20b, but the library that writes the table takes % and two digits"),
        ({"path": "file:/a%2520b"}, "path is /a%20b, but the library"),
        ({"path": "/t", "txnAppId": "backfill"}, "txnAppId and txnVersion go together"),
        ({"path": "/t", "txnVersion": "0"}, "txnAppId and txnVersion go together"),
        ({"path": "/t", "mergeShema": "true"}, "there is no option mergeshema; did you mean mergeSchema?"),
        ({"path": "/t", "zzzz": "true"}, "there is no option zzzz; there are targetFileSizeBytes"),
    ],
)
def test_what_can_not_be_followed_is_refused_in_one_line(given: dict[str, str], words: str) -> None:
    with pytest.raises(SparkOptionError) as refused:
        delta_options(given)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_directory_that_can_not_be_written_to_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no directory")
    below = tmp_path / "file" / "table"
    with pytest.raises(SparkOptionError) as refused:
        delta_opener(below).open()
    assert str(refused.value) == (f"path is {below}, but {tmp_path / 'file'} is no directory; give another")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever runs this may be allowed everything
    with pytest.raises(SparkOptionError, match=r"table, but this user may not write to .*; give another$"):
        delta_opener(tmp_path / "table").open()


def test_a_table_needs_a_namespace() -> None:
    with pytest.raises(SparkOptionError, match=r"table is 'orders', but must be NAMESPACE\.NAME"):
        iceberg_options({**CATALOG, "table": "orders"})
    with pytest.raises(SparkOptionError, match="table must be set"):
        iceberg_options({"catalog.uri": "sqlite://"})


def test_every_option_says_what_it_means() -> None:
    for option in {*DELTA_OPTIONS, *ICEBERG_OPTIONS}:
        assert option.meaning
        assert not option.default or option.read(option.default) is not None


def test_partitions_are_columns_or_parts_of_times() -> None:
    assert PartitionColumn.declared("country") == PartitionColumn("country", "country", "identity")
    assert PartitionColumn.declared("Day( ts )") == PartitionColumn("ts_day", "ts", "day")
    with pytest.raises(SparkOptionError, match=r"partitionBy has week\(ts\)"):
        PartitionColumn.declared("week(ts)")
