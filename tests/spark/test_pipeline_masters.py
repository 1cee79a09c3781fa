"""What a pipeline does differently where its executors are not on this machine; on real clusters: see test_pipeline_runs,
test_pipeline_hadoop and test_pipeline_kubernetes."""

import io
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

from snakka.spark.pipelines import masters, step_modules
from snakka.spark.pipelines.executor_waits import ExecutorWait
from snakka.spark.pipelines.masters import reach_master, require_room
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.standalone_cluster import StandaloneCluster, Worker, workers_of
from snakka.spark.pipelines.step_modules import write_archive
from snakka.spark.pipelines.terminal import LineDisplay, status_lines
from snakka.spark.session import default_confs, is_here, is_local

SOCKETS = "spark.python.unix.domain.socket.dir"


@pytest.mark.parametrize(
    ("master", "local", "here"),
    [
        ("local[*]", True, True),
        ("local", True, True),
        ("spark://127.0.0.1:7077", False, True),
        ("spark://localhost:7077", False, True),
        ("spark://other:7077", False, False),
        ("yarn", False, False),
        ("k8s://https://127.0.0.1:6443", False, False),  # in containers, which have a loopback of their own
    ],
)
def test_where_executors_are(master: str, local: bool, here: bool) -> None:
    assert (is_local(master), is_here(master)) == (local, here)
    confs = default_confs(master, cores=2)
    assert confs.get("spark.driver.host") == ("127.0.0.1" if here else None)
    assert confs.get(SOCKETS) == (None if here else "/tmp")


@pytest.mark.parametrize(
    ("master", "why"),
    [
        ("spark://127.0.0.1:1", "no Spark master answers at spark://127.0.0.1:1: Connection refused"),
        ("spark://127.0.0.1:1,127.0.0.1:2", "no Spark master answers at .*: Connection refused"),
        ("spark://127.0.0.1", "no Spark master answers at spark://127.0.0.1: spark://HOST:PORT is wanted"),
        ("k8s://http://127.0.0.1:1", "no Kubernetes answers at k8s://http://127.0.0.1:1: Connection refused"),
        ("k8s://127.0.0.1:1", "no Kubernetes answers at k8s://127.0.0.1:1: Connection refused"),
        ("k8s://https://127.0.0.1:many", "no Kubernetes answers at .*: k8s://https://HOST:PORT is wanted"),
        ("k8s://ftp://127.0.0.1", "no Kubernetes answers at .*: k8s://https://HOST:PORT is wanted"),
        ("k8s://", "no Kubernetes answers at k8s://: k8s://https://HOST:PORT is wanted"),
    ],
)
def test_a_master_that_does_not_answer(master: str, why: str) -> None:
    with pytest.raises(PipelineError, match=why):
        reach_master(master)


def test_a_master_that_answers_is_asked_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for master in (f"spark://127.0.0.1:1,127.0.0.1:{port}", f"k8s://http://127.0.0.1:{port}"):
            reach_master(master)
            asked, _ = server.accept()
            with asked:
                asked.settimeout(30)
                assert asked.recv(1) == b""
    for master in ("local[2]", "yarn"):
        reach_master(master)


def test_modules_and_packages_are_sent_and_the_first_directory_wins(tmp_path: Path) -> None:
    files = {
        "first/step.py": "first",
        "first/notes.txt": "no module",
        "first/data/rows.py": "in no package",
        "second/step.py": "second",
        "second/money/__init__.py": "",
        "second/money/rates.json": "{}",
        "second/money/deep/round.py": "deep",
        "second/money/__pycache__/round.pyc": "made anew there",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    archive = tmp_path / "modules.zip"
    write_archive((tmp_path / "first", tmp_path / "second", tmp_path / "none"), archive)
    with ZipFile(archive) as written:
        sent = {name: written.read(name).decode() for name in written.namelist()}
    assert sent == {
        "step.py": "first",
        "money/__init__.py": "",
        "money/rates.json": "{}",
        "money/deep/round.py": "deep",
    }


def test_more_than_modules_can_be_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_modules, "MOST_BYTES", 1 << 20)
    (tmp_path / "large.py").write_bytes(b"#" * (1 << 20))
    (tmp_path / "step.py").write_text("x = 1")
    with pytest.raises(
        PipelineError, match=r"more than 1 MiB of modules in .*: let python_path name a directory"
    ):
        write_archive((tmp_path,), tmp_path / "modules.zip")
    assert not (tmp_path / "modules.zip").exists()


@dataclass
class Driver:
    """A Spark context, as far as its books of executors and stages go; and a clock."""

    executors: int = 0
    stages: int = 0
    memory_mb: int = 1024
    confs: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def _jsc(self) -> Any:
        tracker = SimpleNamespace(
            getExecutorInfos=lambda: range(1 + self.executors),  # the driver is one of them
            getActiveStageIds=lambda: range(self.stages),
        )
        spark = SimpleNamespace(statusTracker=lambda: tracker, executorMemory=lambda: self.memory_mb)
        return SimpleNamespace(sc=lambda: spark)

    def getConf(self) -> Mapping[str, str]:  # noqa: N802 -- Spark's name
        return self.confs

    def monotonic(self) -> float:
        return self.seconds

    def now_ms(self) -> int:
        return round(self.seconds * 1000)


def test_work_that_no_executor_comes_for_is_said() -> None:
    driver = Driver()
    wait = ExecutorWait(driver, "spark://there:7077", driver)  # type: ignore[arg-type]

    def notes(until: int) -> set[str]:
        found = set()
        while driver.seconds < until:
            driver.seconds += 1
            found.add(wait.note())
        return found

    assert notes(until=300) == {""}  # there is nothing to do: nobody asks for executors
    driver.stages = 1
    assert notes(until=350) == {""}
    driver.executors = 1
    assert notes(until=500) == {""}  # they are at it
    driver.executors = 0
    assert notes(until=555) == {""}
    _, said = sorted(notes(until=2000))
    assert said == (
        "since 00:08:21 UTC there is work, but no executor: one takes 1024 MiB (spark.executor.memory) and all cores "
        "(spark.executor.cores) of one machine of spark://there:7077. Free that or add it there, or ask for less with "
        "--conf spark.executor.memory=... and spark.executor.cores=...; the run waits"
    )
    driver.executors = 2
    driver.seconds += 5
    assert wait.note() == ""


def test_what_a_run_waits_for_is_shown_once_and_in_the_status() -> None:
    status = {
        "pipeline": "p",
        "state": "running",
        "started_ms": 0,
        "updated_ms": 0,
        "pid": 1,
        "trigger": "once",
        "master": "yarn",
    }
    status |= {"sinks": {}, "note": "no executor"}
    out = io.StringIO()
    display = LineDisplay(out)
    for note in ("", "no executor", "no executor", "", "no executor"):
        display.update({**status, "note": note}, 0.0)
    assert out.getvalue() == "no executor\n" * 2
    assert status_lines(status, 0)[1:] == ["  no executor"]


def test_an_executor_that_no_worker_has_room_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = (Worker(cores=4, memory_mb=1024), Worker(cores=1, memory_mb=2048))
    monkeypatch.setattr(masters, "workers_of", lambda master: workers)

    def refusal(memory_mb: int, **confs: str) -> str:
        context = Driver(memory_mb=memory_mb, confs={f"spark.executor.{name}": confs[name] for name in confs})
        try:
            require_room(SimpleNamespace(sparkContext=context), "spark://127.0.0.1:7077")  # type: ignore[arg-type]
        except PipelineError as error:
            return str(error)
        return ""

    assert refusal(1024) == refusal(2048) == refusal(1024, cores="4") == ""
    assert refusal(2049) == (
        "no worker of spark://127.0.0.1:7077 has room for an executor, which takes 2049 MiB (spark.executor.memory) and "
        "all cores (spark.executor.cores): they have up to 2048 MiB and 4 cores. Ask for less with --conf, or start "
        "workers that have more"
    )
    assert "takes 2048 MiB (spark.executor.memory) and 2 (spark" in refusal(2048, cores="2")


def test_workers_are_known_of_the_cluster_that_runs_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert workers_of("spark://127.0.0.1:7077", tmp_path) == ()
    saved = {"members": {"master": 1}, "master": "spark://127.0.0.1:7077", "web": "http://127.0.0.1:1"}
    (tmp_path / "cluster.json").write_text(json.dumps(saved))
    answer = {"workers": [{"state": "ALIVE", "cores": 2, "memory": 1024}, {"state": "DEAD", "cores": 9}]}
    monkeypatch.setattr(StandaloneCluster, "_ask_master", lambda *_: answer)
    monkeypatch.setattr(StandaloneCluster, "_is_ours", lambda *_: True)
    assert workers_of("spark://127.0.0.1:7077", tmp_path) == (Worker(cores=2, memory_mb=1024),)
    assert workers_of("spark://127.0.0.1:7078", tmp_path) == ()
