"""REST catalogs that fail in the middle of a write: no batch is lost, none is there twice, nobody waits for ever."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.rest import RestCatalog as RestClient
from tests.free_ports import free_port
from tests.spark.table_catalog_proxy import Faults, failing_proxy
from tests.spark.table_iceberg_server import find_server_jars, running_iceberg_server
from tests.spark.table_reading import counts_of
from tests.spark.table_rest_catalog import running_rest_catalog
from tests.spark.table_writing import SCHEMA, append, rows_from, staged

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables import catalog_answers, iceberg_table, table_writer
from snakka.spark.tables.iceberg_table import IcebergOpener
from snakka.spark.tables.maintenance import maintain_iceberg
from snakka.spark.tables.table_options import CommitKey, iceberg_options
from snakka.spark.tables.table_writer import UnansweredError, commit_once

FAULTS = ("before 503", "before 429", "before cut", "after 500", "after 502", "after cut", "after silence")


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_rest_catalog(tmp_path_factory.mktemp("rest")) as (address, _):
        yield address


@pytest.fixture
def proxy(direct: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Faults]]:
    monkeypatch.setattr(catalog_answers, "ANSWER_SECONDS", 1.0)
    with failing_proxy(direct) as proxied:
        yield proxied


def opener(address: str, name: str, **options: str) -> IcebergOpener:
    given = {"catalog.type": "rest", "catalog.uri": address, "table": f"lake.{name}", **options}
    return IcebergOpener(iceberg_options(given), SCHEMA)


def client(address: str) -> RestClient:
    catalog = load_catalog("default", type="rest", uri=address)
    assert isinstance(catalog, RestClient)
    return catalog


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("key", [CommitKey("query", 1), None], ids=["once", "without-a-name"])
def test_a_commit_that_is_not_answered_is_there_once(
    fault: str, key: CommitKey | None, direct: str, proxy: tuple[str, Faults]
) -> None:
    address, faults = proxy
    name = f"commit-{fault}-{key is None}".replace(" ", "-")
    append(opener(direct, name), rows_from(0, 10), 0)
    table = opener(address, name).open()
    files = staged(table, rows_from(10, 10))
    faults.plan("POST", f"/tables/{name}", fault)
    faults.plan(
        "GET", f"/tables/{name}", "before 503"
    )  # who asks whether it was done is not answered at once either
    assert commit_once(table, files, key, overwrite=False) is True
    assert faults.happened == [fault, "before 503"]
    counts = counts_of(client(direct).load_table(f"lake.{name}").scan().to_arrow())
    assert counts.rows == counts.distinct == 20
    assert append(opener(direct, name), rows_from(10, 10), 1) is (key is None)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    "step", ["GET /config", "POST /tables", "POST /tables/{}"], ids=["settings", "stage", "create"]
)
def test_a_table_is_opened_by_who_asks_again(
    fault: str, step: str, direct: str, proxy: tuple[str, Faults]
) -> None:
    address, faults = proxy
    name = f"open-{fault}-{len(step)}".replace(" ", "-")
    method, _, path = step.partition(" ")
    faults.plan(method, path.format(name), fault)
    assert append(opener(address, name), rows_from(0, 10), 0) is True
    assert faults.happened == [fault]
    assert client(direct).load_table(f"lake.{name}").scan().to_arrow().num_rows == 10


def test_who_is_never_answered_says_whom_he_asked_and_what_is_not_known(
    proxy: tuple[str, Faults], direct: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, faults = proxy
    append(opener(direct, "never"), rows_from(0, 10), 0)
    table = opener(address, "never").open()
    files = staged(table, rows_from(10, 10))
    for module in (table_writer, iceberg_table):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    faults.plan("POST", "/tables/never", "after 504")
    with pytest.raises(UnansweredError) as raised:
        commit_once(table, files, CommitKey("query", 1), overwrite=False)
    assert str(raised.value) == (
        f"lake.never: whether the rows are in it is not known: catalog {address} does not answer: Fault: not now"
    )
    # It was done, so its files are the table's.
    counts = counts_of(client(direct).load_table("lake.never").scan().to_arrow())
    assert counts.rows == counts.distinct == 20
    nowhere = f"127.0.0.1:{free_port()}"
    with pytest.raises(UnansweredError, match=f"^catalog http://{nowhere} does not answer: .*refused$"):
        opener(f"http://name:secret@{nowhere}", "never").open()
    faults.plan("GET", "/tables/never", "before silence")
    with pytest.raises(UnansweredError, match=r"does not answer: .*timed out"):
        maintain_iceberg({"type": "rest", "uri": address}, "lake.never")


def test_what_is_no_catalog_is_named_without_its_password(proxy: tuple[str, Faults]) -> None:
    address, faults = proxy
    faults.plan("GET", "/config", "before 404")
    with pytest.raises(
        SparkOptionError, match=r"catalog\.uri is http://.*, but what answers there is no Iceberg"
    ):
        opener(address, "x").check()
    with pytest.raises(SparkOptionError) as raised:
        opener("ftp://name:secret@host/x", "x", **{"catalog.type": ""}).open()
    assert "secret" not in str(raised.value)


@pytest.mark.slow
def test_a_catalog_that_is_started_anew_is_waited_for(tmp_path: Path) -> None:
    jars = find_server_jars()
    if jars is None:
        pytest.skip("needs Java and Maven for Apache Iceberg's REST server")
    port = free_port()
    with running_iceberg_server(jars, tmp_path, port) as address:
        append(opener(address, "anew"), rows_from(0, 10), 0)
        table = opener(address, "anew").open()
    files = staged(table, rows_from(10, 10))
    done: list[bool] = []
    writer = threading.Thread(
        target=lambda: done.append(commit_once(table, files, CommitKey("query", 1), overwrite=False))
    )
    writer.start()
    with running_iceberg_server(jars, tmp_path, port) as address:
        writer.join(60)
        assert done == [True]
        counts = counts_of(client(address).load_table("lake.anew").scan().to_arrow())
        assert counts.rows == counts.distinct == 20
