"""Whether tables can take a pipeline's rows, asked before anything runs; as far as it needs no Spark."""

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import deltalake
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.sql.types import LongType, StringType, StructType

from snakka.cli.main import main
from snakka.spark.pipelines import checking, runner
from snakka.spark.pipelines.declaration import Trigger, read_pipeline
from snakka.spark.pipelines.problems import PipelineFileError
from snakka.spark.pipelines.terminal import LineDisplay
from snakka.spark.tables.iceberg_table import CatalogDatabaseError, IcebergOpener
from snakka.spark.tables.table_options import iceberg_options

ROWS = StructType().add("id", LongType()).add("shop", StringType())


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Delta and an Iceberg table that have only ids; and a Spark that has planned rows with shops."""
    (tmp_path / "lake").mkdir()
    catalog = SqlCatalog("default", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("shop")
    catalog.create_table("shop.ids", pa.schema([("id", pa.int64())]))
    catalog.create_table("shop.texts", pa.schema([("id", pa.string()), ("shop", pa.string())]))
    catalog.close()
    deltalake.DeltaTable.create(tmp_path / "ids", pa.schema([("id", pa.int64())]))
    deltalake.DeltaTable.create(tmp_path / "texts", pa.schema([("id", pa.string()), ("shop", pa.string())]))
    views = SimpleNamespace(problems=[], of_sink=lambda sink: SimpleNamespace(schema=ROWS))
    for room in (checking, runner):
        monkeypatch.setattr(room, "build_views", lambda *_, **__: views)
        monkeypatch.setattr(room, "sink_problems", lambda frame, sink: [])
    monkeypatch.setattr(checking, "check_plan", lambda *_: ([], {}))
    monkeypatch.setattr(checking, "open_session", lambda *_, **__: SimpleNamespace(stop=lambda: None))
    return tmp_path


def write(lake: Path, *sinks: str) -> Path:
    file = lake / "p.yaml"
    start = "kafka: {bootstrap.servers: '127.0.0.1:1'}\nsources: {s: {topics: t}}\nsinks:\n"
    file.write_text(start + "".join(f"  s{number}: {sink}\n" for number, sink in enumerate(sinks, 4)))
    return file


def iceberg(lake: Path, table: str, file: str = "catalog.db", more: str = "", **catalog: str) -> str:
    settings = {"uri": f"sqlite:///{lake}/{file}", "warehouse": str(lake / "lake"), **catalog}
    return f"{{format: iceberg, table: {table}, catalog: {json.dumps(settings)}{more}}}"


def test_a_check_names_what_tables_can_not_take_and_makes_nothing(
    lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (lake / "text.db").write_text("this is no database, but long enough to be taken for one " * 20)
    file = write(
        lake,
        "{format: delta, path: ids}",
        "{format: delta, path: ids, merge_schema: true}",
        "{format: delta, path: texts}",
        "{format: delta, path: /dev/null/t}",
        "{format: delta, path: new, partition_by: id}",
        "{format: delta, path: ids, merge_schema: true, partition_by: shop}",
        iceberg(lake, "shop.ids"),
        iceberg(lake, "shop.ids", more=", merge_schema: true"),
        iceberg(lake, "shop.texts"),
        iceberg(lake, "shop.ids", type="sqll"),
        iceberg(lake, "shop.new", file="fresh.db", type="sqll"),
        iceberg(lake, "other.new"),
        iceberg(lake, "shop.new", file="fresh.db"),
        iceberg(lake, "shop.new", file="nowhere/fresh.db"),
        iceberg(lake, "shop.new", file="text.db"),
    )
    before = sorted(lake.rglob("*"))
    catalog = (lake / "catalog.db").read_bytes()
    assert main(["pipeline", "check", str(file), "--no-cluster"]) == 2
    absent = "column shop (string) is not in the table; merge_schema = true adds it, or leave it out"
    other = "column id: the table has string, the data bigint; cast it in the query"
    kinds = "but there are rest, hive, glue, dynamodb, sql, in-memory, bigquery"
    expected = {
        4: absent,
        6: other,
        7: "path is /dev/null/t, but /dev/null is no directory; give another",
        9: "partition_by is shop, but the table is there already and is partitioned by nothing",
        10: absent,
        12: other,
        13: f"catalog.type is sqll, {kinds}",
        14: f"catalog.type is sqll, {kinds}",
        17: f"catalog.uri is sqlite:///{lake}/nowhere/fresh.db, but there is no such directory",
        18: f"catalog sqlite:///{lake}/text.db: file is not a database",
    }
    assert capsys.readouterr().out.splitlines() == [
        f"{file}:{line}: sink s{line}: {message}" for line, message in expected.items()
    ]
    assert sorted(lake.rglob("*")) == before
    assert (lake / "catalog.db").read_bytes() == catalog
    assert main(["pipeline", "check", str(file), "--no-cluster", "--no-spark"]) == 0
    _is_said_by_a_run_too(file)


def _is_said_by_a_run_too(file: Path) -> None:
    """Before any query starts."""
    settings = runner.RunSettings("local[1]", Trigger("once"), {}, grace_seconds=0.2)
    run = runner.Run(read_pipeline(file), settings, LineDisplay(io.StringIO()))
    session: Any = SimpleNamespace(streams=SimpleNamespace(addListener=lambda listener: None))
    with pytest.raises(PipelineFileError, match="s4: column shop") as raised:
        run._start_queries(session)
    assert len(raised.value.problems) == 10


def test_a_catalog_that_does_not_answer_is_no_mistake_of_the_file(
    lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checking, "topic_problems", lambda pipeline: [])
    server = iceberg(lake, "shop.new", type="rest", uri="http://127.0.0.1:1")
    file = write(lake, server, "{format: delta, path: new}")
    assert main(["pipeline", "check", str(file)]) == 1
    said = capsys.readouterr()
    assert said.err.startswith(
        "snakka: sink s4: the table can't be looked at: catalog http://127.0.0.1:1 does not answer: "
    )
    assert said.err.endswith("Connection refused (--no-cluster checks the rest)\n")
    assert main(["pipeline", "check", str(file), "--no-cluster"]) == 0
    # What is certainly wrong is said, whatever else is not known.
    file = write(lake, server, "{format: delta, path: ids}")
    assert main(["pipeline", "check", str(file)]) == 2
    assert (
        capsys.readouterr().out.splitlines()[-1].startswith(f"{file}:5: sink s5: column shop (string) is not")
    )


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_table_whose_options_are_wrong_is_not_asked(
    lake: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ", options: {compression: zzz}"
    table = f"{{format: delta, path: new{more}}}" if kind == "delta" else iceberg(lake, "shop.ids", more=more)
    file = write(lake, table, "{format: delta, path: ids}")
    assert main(["pipeline", "check", str(file), "--no-cluster"]) == 2
    wrong, other = capsys.readouterr().out.splitlines()
    assert wrong.startswith(f"{file}:4: sink s4: ")
    assert "zzz" in wrong
    assert other.startswith(f"{file}:5: sink s5: column shop")


def test_a_database_that_can_not_be_opened_is_named(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/nowhere/catalog.db"
    options = iceberg_options({"table": "a.b", "catalog.uri": uri, "catalog.warehouse": str(tmp_path)})
    with pytest.raises(CatalogDatabaseError, match=f"catalog {uri}: unable to open database file"):
        IcebergOpener(options, pa.schema([("id", pa.int64())])).open()
