"""What a pipeline does differently where its executors are not on this machine; on real clusters: see test_pipeline_runs,
test_pipeline_hadoop and test_pipeline_kubernetes."""

import socket
from pathlib import Path
from zipfile import ZipFile

import pytest

from snakka.spark.pipelines import step_modules
from snakka.spark.pipelines.masters import reach_master
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.step_modules import write_archive
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
