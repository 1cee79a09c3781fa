"""A standalone Spark cluster on this machine: a master and workers from the installed wheel, on loopback.

    with ports and pids in DIRECTORY:  cluster.json  master.log  worker-1.log ...  work/

The wheel has none of Spark's own start scripts, but `spark-class` starts the same programs. The master takes jobs
from drivers only: its REST submission, which would take them from anybody who reaches the port, is off.

Rule: every wait has a deadline, and whatever fails to come up is taken down again. A process is only ended if it
still is the one that was started.
"""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from snakka.runtime.clock import SystemClock
from snakka.spark.pipelines.problems import PipelineError

DEFAULT_PORT = 7077
LOOPBACK = "127.0.0.1"
START_SECONDS = 180.0
STOP_SECONDS = 20.0
_POLL_SECONDS = 0.1
_MASTER_CLASS = "org.apache.spark.deploy.master.Master"
_WORKER_CLASS = "org.apache.spark.deploy.worker.Worker"
_MASTER_READY = re.compile(r"Starting Spark master at (spark://\S+)")
_WEB_READY = re.compile(r"started at (http://\S+)")


@dataclass(frozen=True, slots=True)
class Member:
    """A process of the cluster."""

    name: str
    pid: int
    is_alive: bool


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """What is there, as the processes and the master say."""

    master: str
    web: str
    members: tuple[Member, ...]
    workers_alive: int
    cores: int
    cores_used: int
    memory_mb: int
    applications: tuple[str, ...]

    @property
    def is_up(self) -> bool:
        return any(member.name == "master" and member.is_alive for member in self.members)


def default_directory() -> Path:
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return state / "snakka" / "spark-cluster"


class StandaloneCluster:
    """The cluster that a directory describes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._file = directory / "cluster.json"
        self._clock = SystemClock()

    # -- Up ------------------------------------------------------------------------------------------------------------

    def up(self, *, workers: int, cores: int, memory: str, port: int = DEFAULT_PORT) -> ClusterStatus:
        """Start master and workers, and wait until the master knows them all."""
        if any(member.is_alive for member in self._members()):
            raise PipelineError(
                f"a cluster runs already in {self.directory}; `snakka pipeline cluster down` ends it"
            )
        self.directory.mkdir(parents=True, exist_ok=True)
        try:
            master = self._start(
                "master", [_MASTER_CLASS, "--host", LOOPBACK, "--port", str(port), "--webui-port", "0"]
            )
            self._save({"members": {"master": master.pid}})
            url = self._wait_for_line("master", _MASTER_READY, master)
            web = self._wait_for_line("master", _WEB_READY, master)
            members = {"master": master.pid}
            for number in range(1, workers + 1):
                name = f"worker-{number}"
                arguments = [_WORKER_CLASS, "--host", LOOPBACK, "--webui-port", "0", "--cores", str(cores)]
                arguments += ["--memory", memory, "--work-dir", str(self.directory / "work"), url]
                members[name] = self._start(name, arguments).pid
                self._save({"members": members, "master": url, "web": web})
            self._wait(lambda: self.status().workers_alive >= workers, f"{workers} workers at {url}")
        except BaseException:
            self.down()
            raise
        return self.status()

    def _start(self, name: str, arguments: list[str]) -> "subprocess.Popen[bytes]":
        import pyspark

        spark_home = Path(pyspark.__file__).parent
        environment = {
            **os.environ,
            "SPARK_HOME": str(spark_home),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        environment.pop("SPARK_SUBMIT_OPTS", None)
        with (self.directory / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [str(spark_home / "bin" / "spark-class"), *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # it outlives this command, and is ended with all its children
            )

    def _wait_for_line(self, name: str, pattern: re.Pattern[str], process: "subprocess.Popen[bytes]") -> str:
        log = self.directory / f"{name}.log"
        found: list[str] = []

        def is_there() -> bool:
            match = pattern.search(log.read_text(errors="replace"))
            if match is None and process.poll() is not None:
                raise PipelineError(f"the {name} ended at once; {log} says why")
            found[:] = [match.group(1)] if match else []
            return bool(found)

        self._wait(is_there, f"the {name} ({log} may say more)")
        return found[0]

    # -- Status --------------------------------------------------------------------------------------------------------

    def status(self) -> ClusterStatus:
        saved = self._saved()
        members = self._members()
        answer = self._ask_master(saved.get("web", "")) if members else {}
        alive = [worker for worker in answer.get("workers", []) if worker.get("state") == "ALIVE"]
        return ClusterStatus(
            master=saved.get("master", ""),
            web=saved.get("web", ""),
            members=members,
            workers_alive=len(alive),
            cores=sum(worker.get("cores", 0) for worker in alive),
            cores_used=sum(worker.get("coresused", 0) for worker in alive),
            memory_mb=sum(worker.get("memory", 0) for worker in alive),
            applications=tuple(each.get("name", "") for each in answer.get("activeapps", [])),
        )

    def _ask_master(self, web: str) -> dict[str, Any]:
        if not web:
            return {}
        try:
            with urllib.request.urlopen(f"{web.rstrip('/')}/json/", timeout=5) as answer:
                content: dict[str, Any] = json.loads(answer.read())
                return content
        except (OSError, ValueError, urllib.error.URLError):
            return {}

    def _members(self) -> tuple[Member, ...]:
        saved: dict[str, int] = self._saved().get("members", {})
        return tuple(Member(name, pid, _is_spark(pid)) for name, pid in saved.items())

    # -- Down ----------------------------------------------------------------------------------------------------------

    def down(self) -> list[str]:
        """End everything, workers first; the names of what was running."""
        running = [member for member in reversed(self._members()) if member.is_alive]
        for member in running:
            _signal(member.pid, signal.SIGTERM)
        deadline = self._clock.monotonic() + STOP_SECONDS
        while any(_is_spark(member.pid) for member in running) and self._clock.monotonic() < deadline:
            sleep(_POLL_SECONDS)
        for member in running:
            if _is_spark(member.pid):
                _signal(member.pid, signal.SIGKILL)
        self._file.unlink(missing_ok=True)
        return [member.name for member in running]

    # -- What is kept --------------------------------------------------------------------------------------------------

    def _save(self, content: dict[str, object]) -> None:
        fresh = self._file.with_suffix(".fresh")
        fresh.write_text(json.dumps(content, indent=1) + "\n")
        fresh.replace(self._file)

    def _saved(self) -> dict[str, Any]:
        try:
            content: dict[str, Any] = json.loads(self._file.read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return content

    def _wait(self, is_done: Callable[[], bool], what: str) -> None:
        deadline = self._clock.monotonic() + START_SECONDS
        while not is_done():
            if self._clock.monotonic() > deadline:
                raise PipelineError(f"{what} did not come within {START_SECONDS:.0f} s")
            sleep(_POLL_SECONDS)


def _is_spark(pid: int) -> bool:
    """Whether the process is there and still is one of Spark's: numbers of processes are used again."""
    listing = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self/cmdline").exists():
        try:
            return b"org.apache.spark.deploy" in listing.read_bytes()  # empty once it has ended
        except OSError:
            return False
    shown = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return "org.apache.spark.deploy" in shown.stdout


def _signal(pid: int, which: signal.Signals) -> None:
    try:
        os.killpg(pid, which)
    except (ProcessLookupError, PermissionError):
        return  # it has ended meanwhile
