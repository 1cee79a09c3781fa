"""Tables in an object store that speaks S3: written by two queries at once, repeated, and maintained. No Spark needed."""

import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from tests.free_ports import free_port
from tests.spark.table_writing import SCHEMA, append, delta_opener, iceberg_opener, rows_from

from snakka.spark.tables.iceberg_table import open_catalog
from snakka.spark.tables.maintenance import MaintenanceResult, maintain_delta, maintain_iceberg
from snakka.spark.tables.table_writer import TableOpener

BUCKET = "lake"
KEY, SECRET, REGION = "a key", "a secret", "us-east-1"
BATCHES, BATCH_ROWS = 5, 10
QUERIES = ("first", "second")
START_SECONDS = 60


class StoredTable(NamedTuple):
    """A table of one format, by all that can be done with it."""

    opener: TableOpener
    rows: Callable[[], pa.Table]
    maintain: Callable[[], MaintenanceResult]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address; it has one bucket. A process of its own: deltalake lets no other thread run while it waits."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    program = Path(sys.executable).with_name("moto_server")
    with (tmp_path_factory.mktemp("store") / "log").open("w") as log:
        server = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log)
    try:
        _make_bucket(address, server)
        yield address
    finally:
        server.kill()
        server.wait(START_SECONDS)


def _make_bucket(address: str, server: "subprocess.Popen[bytes]") -> None:
    request = urllib.request.Request(f"{address}/{BUCKET}", method="PUT")
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(request, timeout=START_SECONDS).close()
            return
        except OSError:  # it does not listen yet
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def stored_delta(store: str, tmp_path: Path, partition_by: tuple[str, ...]) -> StoredTable:
    path = f"s3://{BUCKET}/{tmp_path.name}"
    options = {
        "AWS_ENDPOINT_URL": store,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": REGION,
    }
    asked = {f"storage.{name}": value for name, value in options.items()}
    return StoredTable(
        delta_opener(path, SCHEMA, partition_by=partition_by, **asked),
        lambda: DeltaTable(path, storage_options=options).to_pyarrow_table(),
        lambda: maintain_delta(path, storage_options=options, retention_hours=1),
    )


def stored_iceberg(store: str, tmp_path: Path, partition_by: tuple[str, ...]) -> StoredTable:
    catalog = {
        "uri": f"sqlite:///{tmp_path}/catalog.db",
        "warehouse": f"s3://{BUCKET}/{tmp_path.name}",
        "s3.endpoint": store,
        "s3.access-key-id": KEY,
        "s3.secret-access-key": SECRET,
        "s3.region": REGION,
    }
    asked = {f"catalog.{name}": value for name, value in catalog.items()}
    return StoredTable(
        iceberg_opener(tmp_path, SCHEMA, partition_by=partition_by, **asked),
        lambda: open_catalog("default", catalog).load_table("lake.events").scan().to_arrow(),
        lambda: maintain_iceberg(catalog, "lake.events", retention_hours=1),
    )


@pytest.mark.parametrize("partition_by", [(), ("k",)])
@pytest.mark.parametrize("make", [stored_delta, stored_iceberg])
def test_queries_that_write_at_once_and_repeat_batches_lose_and_double_nothing(
    store: str,
    tmp_path: Path,
    make: Callable[[str, Path, tuple[str, ...]], StoredTable],
    partition_by: tuple[str, ...],
) -> None:
    table = make(store, tmp_path, partition_by)
    table.opener.open()  # it is there before two want to make it

    def write(number: int) -> list[bool]:
        first_id = number * BATCHES * BATCH_ROWS
        return [
            append(
                table.opener,
                rows_from(first_id + batch * BATCH_ROWS, BATCH_ROWS),
                batch,
                query=QUERIES[number],
            )
            for batch in [*range(BATCHES), BATCHES - 1]
        ]

    with ThreadPoolExecutor(len(QUERIES)) as threads:
        written = list(threads.map(write, range(len(QUERIES))))
    assert written == [[True] * BATCHES + [False]] * len(QUERIES)
    every_id = list(range(len(QUERIES) * BATCHES * BATCH_ROWS))
    assert sorted(table.rows()["id"].to_pylist()) == every_id

    partitions = 2 if partition_by else 1
    result = table.maintain()
    assert (result.files_before, result.files_after) == (len(QUERIES) * BATCHES * partitions, partitions)
    assert sorted(table.rows()["id"].to_pylist()) == every_id
