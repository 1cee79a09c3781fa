"""Iceberg tables in REST catalogs: a small one of the tests, and where Maven is there, Apache Iceberg's own server."""

import json
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.transforms import DayTransform, IdentityTransform
from tests.spark.table_iceberg_server import find_server_jars, running_iceberg_server
from tests.spark.table_reading import counts_of, files_on_disk
from tests.spark.table_rest_catalog import running_rest_catalog
from tests.spark.table_writing import SCHEMA, append, rows_from, staged

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.iceberg_table import IcebergOpener, find_table, make_namespace
from snakka.spark.tables.maintenance import maintain_iceberg
from snakka.spark.tables.schema_evolution import SchemaMismatchError
from snakka.spark.tables.table_options import CommitKey, iceberg_options
from snakka.spark.tables.table_writer import commit_once


@pytest.fixture(scope="module", params=["our-own", "apache"])
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("rest")
    if request.param == "our-own":
        with running_rest_catalog(directory) as (own, _):
            yield own
        return
    jars = find_server_jars()
    if jars is None:
        pytest.skip("needs Java and Maven for Apache Iceberg's REST server")
    with running_iceberg_server(jars, directory) as apache:
        yield apache


# What the small catalog does not know: views, and formats that pyiceberg can't write.
only_apaches = pytest.mark.parametrize("address", ["apache"], indirect=True, scope="module")


def opener(address: str, name: str, schema: pa.Schema = SCHEMA, **options: str) -> IcebergOpener:
    given = {"catalog.type": "rest", "catalog.uri": address, "table": f"lake.{name}", **options}
    return IcebergOpener(iceberg_options(given), schema)


def test_a_batch_is_there_once(address: str) -> None:
    opener(address, "once").check()
    assert find_table("default", {"type": "rest", "uri": address}, ("lake", "once")) is None
    assert append(opener(address, "once", partitionBy="k,day(ts)"), rows_from(0, 100), 0) is True
    assert append(opener(address, "once"), rows_from(0, 100), 0) is False
    first, second = opener(address, "once").open(), opener(address, "once").open()
    key = CommitKey("query", 1)
    mine, other = staged(first, rows_from(100, 10)), staged(second, rows_from(100, 10))
    assert commit_once(first, mine, key, overwrite=False) is True
    assert commit_once(second, other, key, overwrite=False) is False
    opener(address, "once").check()
    with pytest.raises(SchemaMismatchError, match="column new"):
        opener(address, "once", SCHEMA.append(pa.field("new", pa.int64()))).check()
    table = load_catalog("default", type="rest", uri=address).load_table("lake.once")
    counts = counts_of(table.scan().to_arrow())
    assert counts.rows == counts.distinct == 110
    assert table.scan(row_filter="k = '1'").to_arrow().num_rows == 55
    assert len(files_on_disk(Path(table.location().removeprefix("file://")))) == 4


@pytest.mark.parametrize("namespace", [f"fresh{number}" for number in range(5)])
def test_writers_at_the_same_moment_make_one_table_in_one_namespace(address: str, namespace: str) -> None:
    """A catalog may look first and write then: who comes second is told of a failure of the server's."""
    writers = 4
    begin = Barrier(writers)

    def write(query: int) -> None:
        table = opener(address, "new", table=f"{namespace}.new")
        begin.wait(30)
        append(table, rows_from(query * 100, 10), 0, query=f"query-{query}")

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    table = load_catalog("default", type="rest", uri=address).load_table(f"{namespace}.new")
    counts = counts_of(table.scan().to_arrow())
    assert counts.rows == counts.distinct == 10 * writers


def test_writers_at_the_same_moment_and_maintenance_after_them(address: str) -> None:
    def write(query: int) -> None:
        for batch in range(3):
            rows = rows_from(query * 1000 + batch * 10, 10)
            append(opener(address, "busy"), rows, batch, query=f"query-{query}")

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    wider = pa.schema([*SCHEMA, ("note", pa.string())])
    more = rows_from(9000, 10).append_column("note", pa.array(["x"] * 10))
    assert append(opener(address, "busy", wider, mergeSchema="true"), more, 0, query="wider") is True
    result = maintain_iceberg({"type": "rest", "uri": address}, "lake.busy")
    assert (result.files_before, result.files_after, result.files_compacted) == (10, 1, 10)
    table = load_catalog("default", type="rest", uri=address).load_table("lake.busy")
    counts = counts_of(table.scan().to_arrow())
    assert counts.rows == counts.distinct == 100
    assert append(opener(address, "busy"), rows_from(0, 5), 3, query="query-0", overwrite=True) is True
    assert table.refresh().scan().to_arrow().num_rows == 5
    operations = [snapshot.summary.operation.value for snapshot in table.snapshots() if snapshot.summary]
    assert operations == ["append"] * 10 + ["replace", "overwrite"]


def test_a_table_that_another_writer_makes_meanwhile_is_no_view(address: str) -> None:
    """Who finds no table asks for a view of that name next; by then the table may be there."""
    assert append(opener(address, "no_view"), rows_from(0, 10), 0) is True
    assert load_catalog("default", type="rest", uri=address).view_exists("lake.no_view") is False


def test_a_catalog_may_want_to_know_the_namespaces_that_one_is_in(tmp_path: Path) -> None:
    with running_rest_catalog(tmp_path) as (small, server):
        catalog = load_catalog("default", type="rest", uri=small)
        for _ in range(2):
            make_namespace(catalog, ("levels", "of", "namespaces"))
        assert catalog.namespace_exists(("levels", "of"))
        assert server.requests.count("POST /v1/namespaces") == 3


@only_apaches
def test_namespaces_may_have_several_levels(address: str) -> None:
    deep = opener(address, "", table="levels.of.namespaces.events")
    deep.check()
    for batch in range(2):
        assert append(deep, rows_from(batch * 10, 10), batch) is True
    catalog = load_catalog("default", type="rest", uri=address)
    assert catalog.load_table("levels.of.namespaces.events").scan().to_arrow().num_rows == 20
    assert catalog.namespace_exists("levels.of")


@only_apaches
def test_a_format_that_can_not_be_written_is_refused_before_anything_is(address: str) -> None:
    catalog = load_catalog("default", type="rest", uri=address)
    catalog.create_namespace_if_not_exists("lake")
    table = catalog.create_table("lake.newer", SCHEMA, properties={"format-version": "3"})
    words = r"lake\.newer is of Iceberg's format version 3; versions up to 2 can be written"
    for ask in (
        opener(address, "newer").check,
        opener(address, "newer").open,
        lambda: maintain_iceberg({"type": "rest", "uri": address}, "lake.newer"),
    ):
        with pytest.raises(SparkOptionError, match=words):
            ask()
    assert files_on_disk(Path(table.location().removeprefix("file://"))) == []


def test_partitions_may_be_written_in_another_case(address: str) -> None:
    catalog = load_catalog("default", type="rest", uri=address)
    catalog.create_namespace_if_not_exists("lake")
    upper = pa.schema([field.with_name(field.name.upper()) for field in SCHEMA])
    with catalog.create_table("lake.Case", upper).update_spec() as spec:
        spec.add_field("K", IdentityTransform(), "k_of_it").add_field("TS", DayTransform(), "day_of_it")
    assert append(opener(address, "Case", partitionBy="k,day(ts)"), rows_from(0, 10), 0) is True
    with pytest.raises(SparkOptionError, match=r"is partitioned by K,day\(TS\)$"):
        opener(address, "Case", partitionBy="k").open()
    assert catalog.load_table("lake.Case").scan(row_filter="K = '1'").to_arrow().num_rows == 5


@only_apaches
def test_a_view_is_no_table(address: str) -> None:
    fields = [{"id": 1, "name": "id", "type": "long", "required": False}]
    text = {"type": "sql", "sql": "SELECT 1 AS id", "dialect": "spark"}
    version = {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {},
        "default-namespace": ["lake"],
    }
    view = {
        "name": "looked-at",
        "schema": {"type": "struct", "schema-id": 0, "fields": fields},
        "view-version": {**version, "representations": [text]},
        "properties": {},
    }
    load_catalog("default", type="rest", uri=address).create_namespace_if_not_exists("lake")
    asked = urllib.request.Request(
        f"{address}/v1/namespaces/lake/views", json.dumps(view).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        assert answer.status == 200
    for ask in (
        opener(address, "looked-at").check,
        opener(address, "looked-at").open,
        lambda: maintain_iceberg({"type": "rest", "uri": address}, "lake.looked-at"),
    ):
        with pytest.raises(
            SparkOptionError, match=r"^table is lake\.looked-at, but that is a view; give another$"
        ):
            ask()
