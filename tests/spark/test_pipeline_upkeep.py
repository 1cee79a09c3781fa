"""`maintain`, `warmup`, `cluster` and graphs of tables, as far as they need no Spark."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import deltalake
import pyarrow
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.free_ports import free_port
from tests.spark.pipeline_commands import Terminal

from snakka.cli.main import main
from snakka.spark.pipelines import warm_start
from snakka.spark.pipelines.declarative import _CLASS, is_sparks, missing_packages
from snakka.spark.pipelines.document import read_document
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.standalone_cluster import StandaloneCluster

ROWS = pyarrow.table({"id": [1, 2, 3]})


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """Two tables of small files, as a pipeline would have left them."""
    catalog = {
        "type": "sql",
        "uri": f"sqlite:///{tmp_path / 'catalog.db'}",
        "warehouse": str(tmp_path / "lake"),
    }
    (tmp_path / "lake").mkdir()
    opened = SqlCatalog("default", **catalog)
    opened.create_namespace("shop")
    table = opened.create_table("shop.orders", ROWS.schema)
    for _ in range(3):
        deltalake.write_deltalake(tmp_path / "orders", ROWS, mode="append")
        table.append(ROWS)
    opened.close()
    file = tmp_path / "orders.yaml"
    file.write_text(
        f"""
kafka: {{bootstrap.servers: "127.0.0.1:1"}}
sources: {{orders: {{topics: orders}}}}
sinks:
  delta: {{format: delta, path: orders, retention: 1 day}}
  ice: {{format: iceberg, table: shop.orders, catalog: {json.dumps(catalog)}}}
  topic: {{format: topic, topic: orders}}
"""
    )
    return file


def test_tables_are_compacted(pipeline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline", "maintain", str(pipeline), "--dry-run"]) == 0
    planned = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in planned] == [
        "delta: 3 small files would become 1",
        "ice: 3 small files would become 1",
    ]
    assert main(["pipeline", "maintain", str(pipeline), "--sink", "delta"]) == 0
    assert capsys.readouterr().out.startswith("delta: 3 small files became 1, 1 in all; ")
    assert main(["pipeline", "maintain", str(pipeline)]) == 0
    delta, ice = capsys.readouterr().out.splitlines()
    assert delta.startswith("delta: 0 small files became 0, 1 in all; ")
    assert ice.startswith("ice: 3 small files became 1, 1 in all; ")
    table = deltalake.DeltaTable(pipeline.parent / "orders")
    assert len(table.file_uris()) == 1
    assert table.to_pyarrow_table().num_rows == 9


def test_what_can_not_be_maintained_is_said(pipeline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline", "maintain", str(pipeline), "--sink", "topic"]) == 1
    assert "there is no delta or iceberg sink topic" in capsys.readouterr().err


def test_a_table_that_is_not_there_does_not_keep_the_others_from_it(
    pipeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is made of it: not its directory, no catalog, and no tables in a database of others."""
    here = pipeline.parent
    sqlite3.connect(here / "others.db").execute("CREATE TABLE theirs (id)")
    text = pipeline.read_text()
    absent = (
        "  {0}: {{format: iceberg, table: shop.new, catalog: {{uri: 'sqlite:///{1}', warehouse: {2}}}}}\n"
    )
    text = text.replace("sinks:\n", f"sinks:\n  soon: {{format: delta, path: {here}/soon}}\n")
    for name, file in (("new", "catalog.db"), ("fresh", "fresh.db"), ("others", "others.db")):
        text = text.replace("  topic:", absent.format(name, here / file, here / "lake") + "  topic:")
    text += absent.format("lost", here / "nowhere" / "c.db", here / "lake")
    pipeline.write_text(text)
    before = sorted(here.iterdir())
    for arguments in (["--dry-run"], []):
        assert main(["pipeline", "maintain", str(pipeline), *arguments]) == 1
        said = capsys.readouterr()
        assert [line.split(":")[0] for line in said.out.splitlines()] == ["delta", "ice"]
        assert said.err == (
            f"snakka: not maintained: sink soon: there is no table at {here}/soon; "
            + "".join(
                f"sink {name}: there is no table shop.new in the catalog; "
                for name in ("new", "fresh", "others")
            )
            + f"sink lost: catalog.uri is sqlite:///{here}/nowhere/c.db, but there is no such directory\n"
        )
    assert sorted(here.iterdir()) == before
    tables = sqlite3.connect(here / "others.db").execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("theirs",)]


def test_an_archive_is_used_only_if_it_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(warm_start.SWITCH, raising=False)
    java = tmp_path / "java"
    java.mkdir()
    monkeypatch.setenv("JAVA_HOME", str(java))
    (java / "release").write_text("JAVA_VERSION=17.0.1")
    path = warm_start.archive_path()
    assert path is not None
    assert warm_start.archive_options() == []
    path.parent.mkdir()
    path.write_bytes(b"classes")
    assert f'"-XX:SharedArchiveFile={path}"' in warm_start.archive_options()
    monkeypatch.setenv(warm_start.SWITCH, "off")
    assert warm_start.archive_options() == []
    monkeypatch.delenv(warm_start.SWITCH)
    (java / "release").write_text("JAVA_VERSION=17.0.2")  # another Java at the same place
    assert warm_start.archive_options() == []


def test_the_light_home_has_all_but_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    home = warm_start.light_home()
    assert home is not None
    assert sorted(each.name for each in home.iterdir()) == ["bin", "jars"]
    assert (home / "bin" / "spark-submit").is_file()
    assert warm_start.light_home() == home
    shutil.rmtree(tmp_path / "snakka")
    (tmp_path / "snakka").write_text("in the way")
    assert warm_start.light_home() is None


def test_of_two_first_starts_at_once_each_has_a_light_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rename = Path.rename
    others: list[Path] = []

    def quicker(fresh: Path, home: Path) -> Path:
        shutil.copytree(fresh, home, symlinks=True)
        others.append(home)
        return rename(fresh, home)

    monkeypatch.setattr(Path, "rename", quicker)
    assert [warm_start.light_home()] == others
    assert list((tmp_path / "snakka").iterdir()) == others


def test_a_warmup_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    """PySpark has its JVM ignore Ctrl-C; this one ends by nothing else."""
    java, cache = tmp_path / "java", tmp_path / "cache"
    (java / "bin").mkdir(parents=True)
    program = java / "bin" / "java"
    program.write_text(
        f"#!/bin/sh\ntrap '' INT\necho $$ > {tmp_path}/pid.new\nmv {tmp_path}/pid.new {tmp_path}/pid\nexec sleep 300\n"
    )
    program.chmod(0o755)
    terminal = Terminal(tmp_path, JAVA_HOME=str(java), XDG_CACHE_HOME=str(cache))
    with terminal.start("warmup") as warmup:
        warmup.until((tmp_path / "pid").exists)
        pid = int((tmp_path / "pid").read_text())
        try:
            assert list((cache / "snakka").glob("snakka-warmup-*"))
            assert warmup.signal(signal.SIGINT) == 130, warmup.output
            assert "Traceback" not in warmup.output
            assert not list((cache / "snakka").glob("snakka-warmup-*"))
            assert not _is_running(pid)
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _is_running(pid: int) -> bool:
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip() not in ("", "Z")


def test_a_warmup_that_can_not_write_says_where_it_could(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "snakka").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main(["pipeline", "warmup"]) == 1
    said = "XDG_CACHE_HOME says where else the archive can be"
    assert capsys.readouterr().err == f"snakka: {tmp_path}/snakka: File exists; {said}\n"


def test_sparks_own_pipelines_are_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "spark-pipeline.yml"
    file.write_text("name: graph\nstorage: /nowhere\nlibraries:\n  - glob: {include: tables/**}\n")
    assert is_sparks(read_document(file))
    assert main(["pipeline", "status", str(file)]) == 2
    assert "is a graph of tables, which is Spark's" in capsys.readouterr().err
    assert main(["pipeline", "run", str(file), "--trigger", "once"]) == 2
    assert "leave --trigger out" in capsys.readouterr().err
    for option in ("--no-spark", "--no-cluster"):
        assert main(["pipeline", "check", str(file), option]) == 2
        assert "which Spark alone can check: leave --no-spark and --no" in capsys.readouterr().err
    if missing_packages():
        assert main(["pipeline", "check", str(file)]) == 1
        assert "pip install 'pyspark[pipelines]'" in capsys.readouterr().err


@pytest.mark.skipif(bool(missing_packages()), reason="needs pyspark[pipelines]")
def test_a_graph_of_tables_is_handed_to_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`run` becomes Spark's program; `check` is its dry run, and what that says in a line."""
    file = tmp_path / "spark-pipeline.yml"
    file.write_text("name: graph\nlibraries: []\n")
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execve", lambda path, command, environment: started.append(command))
    main(["pipeline", "run", str(file), "--master", "local[2]", "--conf", "spark.a=b"])
    (ran,) = (command[command.index(_CLASS) + 2 :] for command in started)
    assert ran == ["run", "--spec", str(file), "--remote", "local[2]", "--conf", "spark.a=b"]
    assert not (tmp_path / "spark-warehouse").exists()
    capsys.readouterr()
    assert main(["pipeline", "check", str(file)]) == 2
    said = capsys.readouterr()
    assert said.out == f"{file}: Pipeline spec missing required field `storage`.\n"
    assert said.err.startswith("Loading pipeline spec from ")


@pytest.mark.skipif(bool(missing_packages()), reason="needs pyspark[pipelines]")
@pytest.mark.parametrize(
    ("arguments", "content", "environment", "is_kept"),
    [
        ([], "", {}, True),
        (["--master", "local[2]"], "configuration: {spark.sql.shuffle.partitions: 1}\n", {}, True),
        (["--master", "sc://host"], "", {}, False),
        (["--conf", "spark.sql.catalog.spark_catalog=x"], "", {}, False),
        ([], "configuration: {spark.sql.warehouse.dir: /tables}\n", {}, False),
        ([], "", {"HIVE_CONF_DIR": "/etc/hive"}, False),
    ],
)
def test_tables_of_a_graph_are_kept_beside_its_file_unless_there_is_another_catalog(
    arguments: list[str],
    content: str,
    environment: dict[str, str],
    is_kept: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And all settings are told to both of Spark's processes: the first hands over only some of more than ten."""
    for name in ("SPARK_CONF_DIR", "HIVE_CONF_DIR", "HADOOP_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / "spark-pipeline.yml"
    file.write_text(f"name: graph\nlibraries: []\n{content}")
    told: list[str] = []
    options: list[str] = []

    def started(path: str, command: list[str], settings: dict[str, str]) -> None:
        told.extend(shlex.split(settings["PYSPARK_SUBMIT_ARGS"]))
        options.extend(shlex.split(settings.get("SPARK_SUBMIT_OPTS", "")))

    monkeypatch.setattr(os, "execve", started)
    main(["pipeline", "run", str(file), *arguments, "--conf", "spark.a=b c"])
    assert told[-3:] == ["--conf", "spark.a=b c", "pyspark-shell"]
    assert (f"spark.sql.warehouse.dir={tmp_path / 'spark-warehouse'}" in told) is is_kept
    assert ("spark.sql.catalogImplementation=hive" in told) is is_kept
    assert (f"-Dderby.stream.error.file={tmp_path / 'derby.log'}" in options) is is_kept


@pytest.mark.skipif(bool(missing_packages()), reason="needs pyspark[pipelines]")
def test_a_dry_run_that_says_nothing_is_shown_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    file = tmp_path / "spark-pipeline.yml"
    file.write_text("name: graph\nlibraries: []\n")
    assert main(["pipeline", "check", str(file)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "no-java" in said.err
    assert said.err.endswith(f"snakka: Spark's dry run of {file} failed with exit code 1, see above\n")


def test_a_cluster_that_does_not_come_up_says_why_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    where = ["--directory", str(tmp_path / "cluster")]
    assert main(["pipeline", "cluster", "up", *where]) == 1
    error = capsys.readouterr().err
    assert re.match(r"snakka: master ended at once: .*no-java.* \(.*master\.log has more\)$", error)
    assert main(["pipeline", "cluster", "status", *where]) == 1
    assert capsys.readouterr().out.startswith("no cluster runs here")


def test_only_processes_of_the_cluster_are_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file may be older than the machine's last start: its numbers are somebody else's by now."""
    others = subprocess.Popen(
        [sys.executable, "-c", "input()", "org.apache.spark.deploy"], stdin=subprocess.PIPE
    )
    (tmp_path / "cluster.json").write_text(json.dumps({"members": {"master": others.pid, "worker-1": 1}}))
    assert main(["pipeline", "cluster", "down", "--directory", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "nothing was running\n"
    assert others.poll() is None
    others.communicate(b"\n", timeout=30)


@pytest.mark.parametrize("content", ["[]", "null", '{"members": []}', "{"])
def test_what_is_no_description_of_a_cluster_is_none(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cluster.json").write_text(content)
    assert main(["pipeline", "cluster", "status", "--directory", str(tmp_path)]) == 1
    assert main(["pipeline", "cluster", "down", "--directory", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["nothing was running"]


def test_a_directory_that_can_not_hold_a_cluster_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for action in ("up", "status", "down"):
        assert main(["pipeline", "cluster", action, "--directory", str(tmp_path / "file")]) == 1
        error = capsys.readouterr().err
        assert re.fullmatch(
            r"snakka: .*/file\S*: .*; --directory says where else a cluster's files can be\n", error
        )


def test_what_was_started_is_ended_if_it_can_not_be_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on a disk without room: whoever came later would not know of it."""
    (tmp_path / "cluster.fresh").mkdir()
    started: list[subprocess.Popen[bytes]] = []
    start = StandaloneCluster._start

    def remember(*args: Any) -> "subprocess.Popen[bytes]":
        started.append(start(*args))
        return started[-1]

    monkeypatch.setattr(StandaloneCluster, "_start", remember)
    arguments = ["cluster", "up", "--directory", str(tmp_path), "--port", str(free_port())]
    assert main(["pipeline", *arguments]) == 1
    assert "cluster.fresh: Is a directory; --directory" in capsys.readouterr().err
    assert [process.wait(30) for process in started] == [-signal.SIGTERM]


def test_a_directory_has_one_cluster_however_many_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two that start at once, each would write down its own processes only."""
    arguments = ["--directory", str(tmp_path), "--port", str(free_port())]
    answers: list[int] = []

    def meanwhile(self: StandaloneCluster, *_: Any) -> None:
        answers.extend(main(["pipeline", "cluster", action, *arguments[:2]]) for action in ("up", "down"))
        raise PipelineError("enough seen")

    monkeypatch.setattr(StandaloneCluster, "_start", meanwhile)
    assert main(["pipeline", "cluster", "up", *arguments]) == 1
    assert answers == [1, 1]
    said = capsys.readouterr().err.splitlines()
    assert said[0] == said[1]
    assert said[0].startswith("snakka: a cluster is just being started or ended in")
    assert said[2] == "snakka: enough seen"


def test_a_port_that_is_in_use_is_not_exchanged_for_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who then runs a pipeline at the port that was wanted would be at somebody else's."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        arguments = ["--directory", str(tmp_path), "--port", str(port)]
        assert main(["pipeline", "cluster", "up", *arguments]) == 1
    said = capsys.readouterr().err
    assert said == f"snakka: port {port} is in use; --port takes another\n"
    assert not (tmp_path / "master.log").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "x.toml", "--trigger", "now"], "must be available-now, once"),
        (["reset", "x.toml", "--to", "yesterday"], "yesterday is no place to go to"),
        (["reset", "x.toml"], "--to"),
        (["chek", "x.toml"], "invalid choice"),
        (["run", "x.toml", "--conf", "spark"], "must be NAME=VALUE"),
        (["run", "x.toml", "--conf", "sql.x=1"], "sql.x is no setting of Spark"),
        (["run", "x.toml", "--conf", "spark.master=local"], "spark.master is --master"),
        (["run", "x.toml"], "x.toml: No such file or directory"),
        (["cluster", "up", "--memory", "lots"], "lots is no size of memory"),
        (["cluster", "up", "--port", "70000"], "70000 is no port"),
    ],
)
def test_wrong_arguments_are_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pipeline", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
