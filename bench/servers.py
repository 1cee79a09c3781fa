"""The servers under test as processes of their own: Snakka by its command, Apache Kafka from its jars.

Each serves on a free port of 127.0.0.1, has its data in a directory of the run, and tells what it costs: memory and CPU
seconds of the whole process. The rule: both run as they come, with the defaults of their start scripts.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from bench.raw_client import RawClient

SNAKKA = Path(sys.executable).parent / "snakka"
READY_SECONDS = 60.0
STOP_SECONDS = 30.0
_POLL_SECONDS = 0.002
# What kafka-server-start.sh gives the JVM when nothing else is said.
JVM_OPTIONS = (
    *("-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"),
    *("-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-XX:MaxInlineLevel=15"),
    *("-Djava.awt.headless=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"),
)
CLUSTER_ID = "c25ha2thLWJlbmNoLTAwMQ"
# Topics of one measurement are deleted before the next: their files should go soon, or the disk fills.
COMMON_SETTINGS = {"log.segment.delete.delay.ms": "1000", "auto.create.topics.enable": "false"}
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


class Server:
    """One running server; `with` stops it."""

    def __init__(self, name: str, command: list[str], port: int, log: Path) -> None:
        self.name = name
        self.port = port
        self.started = time.perf_counter()
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=_environment(),
                start_new_session=True,
            )
        self._log = log

    @property
    def bootstrap_servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def cpu_seconds(self) -> float:
        """Of all its threads, those that have ended included: the clock that the kernel keeps for the process."""
        return time.clock_gettime((~self._process.pid << 3) | 2)

    @property
    def resident_bytes(self) -> int:
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def connect(self) -> RawClient:
        """As soon as the server takes connections and answers."""
        deadline = time.perf_counter() + READY_SECONDS
        while True:
            try:
                return RawClient(self.port)
            except OSError:
                if self._process.poll() is not None or time.perf_counter() > deadline:
                    raise RuntimeError(
                        f"{self.name} does not run:\n{self._log.read_text()[-2000:]}"
                    ) from None
                time.sleep(_POLL_SECONDS)

    def seconds_to_first_ack(self) -> float:
        """From the start of the process to the first acknowledged record, in a topic that is made on the way."""
        client = self.connect()
        try:
            deadline = time.perf_counter() + READY_SECONDS
            while not client.creates_topic("first-ack", 1) or not client.produces("first-ack", b"first"):
                if time.perf_counter() > deadline:
                    raise RuntimeError(f"{self.name} acknowledges nothing:\n{self._log.read_text()[-2000:]}")
                time.sleep(_POLL_SECONDS)
            return time.perf_counter() - self.started
        finally:
            client.close()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start_snakka(directory: Path, settings: Mapping[str, str] = NO_SETTINGS) -> Server:
    """`snakka start` with its data in `directory`, which may have data of an earlier run."""
    port = _free_port()
    command = [str(SNAKKA), "start", "--data-dir", str(directory), "--listen", f"127.0.0.1:{port}"]
    for name, value in (COMMON_SETTINGS | dict(settings)).items():
        command += ["--set", f"{name}={value}"]
    return Server("Snakka", command, port, directory.with_suffix(".log"))


def java_is_there() -> bool:
    return shutil.which("java") is not None


def start_kafka(directory: Path, settings: Mapping[str, str] = NO_SETTINGS, *, libs: str) -> Server:
    """Apache Kafka as one node that is broker and controller; a new directory is formatted first, uncounted."""
    port, controller_port = _free_port(), _free_port()
    properties = directory.with_suffix(".properties")
    properties.write_text(
        f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
controller.listener.names=CONTROLLER
log.dirs={directory}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
        + "".join(f"{name}={value}\n" for name, value in (COMMON_SETTINGS | dict(settings)).items())
    )
    class_path = f"{libs}/*"
    if not directory.exists():
        arguments = ("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(properties))
        subprocess.run(
            ["java", "-cp", class_path, *arguments], check=True, capture_output=True, timeout=READY_SECONDS
        )
    command = ["java", *JVM_OPTIONS, "-cp", class_path, "kafka.Kafka", str(properties)]
    return Server("Apache Kafka", command, port, directory.with_suffix(".log"))


def _environment() -> dict[str, str]:
    """Ours, but for a setting that would compile Snakka anew at each start; an installed package never is."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
