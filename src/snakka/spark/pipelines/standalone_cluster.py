"""A standalone Spark cluster on this machine: a master and workers from the installed wheel, on loopback.

    in DIRECTORY:  cluster.json (ports and pids)  spark.properties  lock  master.log  worker-1.log ...  work/

The wheel has none of Spark's own start scripts, but `spark-class` starts the same programs. The master takes jobs
from drivers only: its REST submission, which would take them from anybody who reaches the port, is off.

Rule: every wait has a deadline, and whatever fails to come up is taken down again. A process is only ended if it
still is the one that was started: its command line names the directory. Who starts or ends it holds the lock.
"""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from snakka.runtime.clock import SystemClock
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.reach import why_not_reached

DEFAULT_PORT = 7077
LOOPBACK = "127.0.0.1"
START_SECONDS = 180.0
STOP_SECONDS = 20.0
_POLL_SECONDS = 0.1
_ANSWER_SECONDS = 5
_MASTER_CLASS = "org.apache.spark.deploy.master.Master"
_WORKER_CLASS = "org.apache.spark.deploy.worker.Worker"
_MASTER_READY = re.compile(r"Starting Spark master at (spark://\S+)")
_WEB_READY = re.compile(r"started at (http://\S+)")
_TROUBLE = re.compile(r"Exception|Error|No such file|is not set")
# Whoever reaches the port of REST submissions could run anything here. A master that finds its port in use would take the
# next one, and who asks for the port that was wanted would find somebody else's.
_PROPERTIES = "spark.master.rest.enabled false\nspark.port.maxRetries 0\n"

_Processes = Mapping[str, "subprocess.Popen[bytes]"]


@dataclass(frozen=True, slots=True)
class Member:
    """A process of the cluster."""

    name: str
    pid: int
    is_alive: bool


@dataclass(frozen=True, slots=True)
class Worker:
    """What a worker has for executors, in use or not."""

    cores: int
    memory_mb: int


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """What is there, as the processes and the master say."""

    master: str
    web: str
    members: tuple[Member, ...]
    workers: tuple[Worker, ...]
    cores_used: int
    applications: tuple[str, ...]

    @property
    def workers_alive(self) -> int:
        return len(self.workers)

    @property
    def cores(self) -> int:
        return sum(worker.cores for worker in self.workers)

    @property
    def is_up(self) -> bool:
        return any(member.name == "master" and member.is_alive for member in self.members)


def default_directory() -> Path:
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return state / "snakka" / "spark-cluster"


def workers_of(master: str, directory: Path | None = None) -> tuple[Worker, ...]:
    """The workers of that master; none if it is not the one that runs in the directory, so that they are not known."""
    try:
        status = StandaloneCluster(directory or default_directory()).status()
    except PipelineError:
        return ()
    return status.workers if status.is_up and status.master == master else ()


class StandaloneCluster:
    """The cluster that a directory describes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.absolute()
        self._file = self.directory / "cluster.json"
        self._properties = self.directory / "spark.properties"
        self._clock = SystemClock()

    # -- Up ------------------------------------------------------------------------------------------------------------

    def up(self, *, workers: int, cores: int, memory: str, port: int = DEFAULT_PORT) -> ClusterStatus:
        """Start master and workers, and wait until the master knows them all."""
        with self._locked():
            if any(member.is_alive for member in self._members()):
                raise PipelineError(
                    f"a cluster runs already in {self.directory}; `snakka pipeline cluster down{self._argument}` ends it"
                )
            _refuse_used(port)
            return self._up(workers, cores, memory, port)

    def _up(self, workers: int, cores: int, memory: str, port: int) -> ClusterStatus:
        members: dict[str, subprocess.Popen[bytes]] = {}
        try:
            self._properties.write_text(_PROPERTIES)
            arguments = [_MASTER_CLASS, "--host", LOOPBACK, "--port", str(port), "--webui-port", "0"]
            members["master"] = self._start("master", arguments)
            self._save(members)
            url = self._wait_for_line("master", _MASTER_READY, members)
            web = self._wait_for_line("master", _WEB_READY, members)
            for number in range(1, workers + 1):
                name = f"worker-{number}"
                arguments = [_WORKER_CLASS, "--host", LOOPBACK, "--webui-port", "0", "--cores", str(cores)]
                arguments += ["--memory", memory, "--work-dir", str(self.directory / "work"), url]
                members[name] = self._start(name, arguments)
                self._save(members, master=url, web=web)
            self._wait(lambda: self.status().workers_alive >= workers, f"{workers} workers at {url}", members)
        except BaseException as error:
            self._end([Member(name, process.pid, True) for name, process in members.items()])
            if isinstance(error, OSError):
                raise self._unusable(error) from error
            raise
        return self.status()

    def _start(self, name: str, arguments: list[str]) -> "subprocess.Popen[bytes]":
        import pyspark

        spark_home = Path(pyspark.__file__).parent
        environment = {
            **os.environ,
            "SPARK_HOME": str(spark_home),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        environment.pop("SPARK_SUBMIT_OPTS", None)
        command = [str(spark_home / "bin" / "spark-class"), *arguments]
        with self._log(name).open("wb") as log:
            return subprocess.Popen(
                [*command, "--properties-file", str(self._properties)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # it outlives this command, and is ended with all its children
            )

    def _wait_for_line(self, name: str, pattern: re.Pattern[str], members: _Processes) -> str:
        found: list[str] = []

        def is_there() -> bool:
            found[:] = pattern.findall(self._log(name).read_text(errors="replace"))
            return bool(found)

        self._wait(is_there, f"the {name} ({self._log(name)} may say more)", members)
        return found[0]

    def _wait(self, is_done: Callable[[], bool], what: str, members: _Processes) -> None:
        deadline = self._clock.monotonic() + START_SECONDS
        while not is_done():
            for name, process in members.items():
                if process.poll() is not None:
                    raise PipelineError(f"{name} ended at once: {_last_words(self._log(name))}")
            if self._clock.monotonic() > deadline:
                raise PipelineError(f"{what} did not come within {START_SECONDS:.0f} s")
            sleep(_POLL_SECONDS)

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
            workers=tuple(Worker(worker.get("cores", 0), worker.get("memory", 0)) for worker in alive),
            cores_used=sum(worker.get("coresused", 0) for worker in alive),
            applications=tuple(each.get("name", "") for each in answer.get("activeapps", [])),
        )

    def _ask_master(self, web: str) -> dict[str, Any]:
        if not web:
            return {}
        # A proxy can't reach our loopback.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(f"{web.rstrip('/')}/json/", timeout=_ANSWER_SECONDS) as answer:
                content: dict[str, Any] = json.loads(answer.read())
                return content
        except (OSError, ValueError, urllib.error.URLError):
            return {}

    def _members(self) -> tuple[Member, ...]:
        saved: dict[str, int] = self._saved().get("members", {})
        return tuple(Member(name, pid, self._is_ours(pid)) for name, pid in saved.items())

    # -- Down ----------------------------------------------------------------------------------------------------------

    def down(self) -> list[str]:
        """End everything, workers first; the names of what was running."""
        if not self.directory.exists():
            return []
        with self._locked():
            return self._end([member for member in self._members() if member.is_alive])

    def _end(self, members: list[Member]) -> list[str]:
        running = members[::-1]
        for member in running:
            _signal(member.pid, signal.SIGTERM)
        deadline = self._clock.monotonic() + STOP_SECONDS
        while any(self._is_ours(member.pid) for member in running) and self._clock.monotonic() < deadline:
            sleep(_POLL_SECONDS)
        for member in running:
            if self._is_ours(member.pid):
                _signal(member.pid, signal.SIGKILL)
        self._file.unlink(missing_ok=True)
        return [member.name for member in running]

    def _is_ours(self, pid: int) -> bool:
        """Whether the process is there and still the one that was started: numbers of processes are used again."""
        return str(self._properties) in _command_line(pid)

    # -- What is kept --------------------------------------------------------------------------------------------------

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Two that start a cluster in one directory would each write down its own processes, and nobody end the others."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            file = (self.directory / "lock").open("a")
        except OSError as error:
            raise self._unusable(error) from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PipelineError(
                    f"a cluster is just being started or ended in {self.directory}; wait, then try again"
                ) from None
            yield

    def _unusable(self, error: OSError) -> PipelineError:
        return PipelineError(
            f"{error.filename or self.directory}: {error.strerror}; --directory says where else a cluster's files can be"
        )

    @property
    def _argument(self) -> str:
        """What a command must be given to mean this cluster."""
        return "" if self.directory == default_directory().absolute() else f" --directory {self.directory}"

    def _log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def _save(self, members: _Processes, **more: str) -> None:
        content = {"members": {name: process.pid for name, process in members.items()}, **more}
        fresh = self._file.with_suffix(".fresh")
        fresh.write_text(json.dumps(content, indent=1) + "\n")
        fresh.replace(self._file)

    def _saved(self) -> dict[str, Any]:
        try:
            content = json.loads(self._file.read_text())
        except (FileNotFoundError, ValueError):
            return {}
        except OSError as error:
            raise self._unusable(error) from error
        is_known = isinstance(content, dict) and isinstance(content.get("members"), dict)
        return content if is_known else {}


def _command_line(pid: int) -> str:
    """Empty once the process has ended."""
    if Path("/proc/self/cmdline").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""
    shown = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return shown.stdout


def _refuse_used(port: int) -> None:
    """Whoever has the port most likely answers there; if he does not, it is the master who finds him."""
    if not why_not_reached(LOOPBACK, port):
        raise PipelineError(f"port {port} is in use; --port takes another")


def _last_words(log: Path) -> str:
    """Why a program ended, as it said itself, in a line; and where there is more."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    why = next(filter(_TROUBLE.search, lines), lines[-1] if lines else "it gave no reason")
    return f"{why} ({log} has more)"


def _signal(pid: int, which: signal.Signals) -> None:
    try:
        os.killpg(pid, which)
    except (ProcessLookupError, PermissionError):
        return  # it has ended meanwhile
