"""A Hadoop of its own on loopback: HDFS's name node and data node, and YARN's resource manager and node manager.

They are Hadoop's own daemons, each in a process. The jar that has them comes from Maven; what they need beside it is in
Spark's jars.
Rule: nothing of it outlives the `with`, and it lives in one directory.
"""

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyspark
from tests.free_ports import free_ports

HOST = "127.0.0.1"
SPARK_JARS = Path(pyspark.__file__).parent / "jars"
START_SECONDS = 120
END_SECONDS = 30
_TICK_SECONDS = 0.1
_JAVA = ("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"
_DAEMONS = {
    "name-node": _NAME_NODE,
    "data-node": "org.apache.hadoop.hdfs.server.datanode.DataNode",
    "resource-manager": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "node-manager": "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
}


class HadoopCluster:
    """One of each daemon."""

    def __init__(self, jars: list[str], directory: Path) -> None:
        self.settings = directory / "settings"
        self._directory = directory
        self._class_path = os.pathsep.join([str(self.settings), *jars, f"{SPARK_JARS}/*"])
        self._files_port, self._files_web_port, self._web_port, *self._manager_ports = free_ports(7)
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def files(self) -> str:
        """The address of the file system."""
        return f"hdfs://{HOST}:{self._files_port}"

    def __enter__(self) -> "HadoopCluster":
        self._write_settings()
        try:
            subprocess.run(
                [*self._command(_NAME_NODE), "-format", "-nonInteractive"],
                capture_output=True,
                timeout=START_SECONDS,
                check=True,
            )
            for name, main_class in _DAEMONS.items():
                self._start(name, main_class)
            self._until(lambda: self._live_data_nodes() == 1)
            self._until(lambda: self._yarn("metrics")["clusterMetrics"]["activeNodes"] == 1)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def applications(self) -> list[dict[str, Any]]:
        """What YARN knows of those that run and of those that have ended."""
        answer = self._yarn("apps")["apps"]
        found: list[dict[str, Any]] = answer["app"] if answer else []
        return found

    def listing(self, path: str) -> list[dict[str, Any]]:
        """What a directory of the file system has, as HDFS itself says it."""
        answer = _get(f"http://{HOST}:{self._files_web_port}/webhdfs/v1{path}?op=LISTSTATUS")
        found: list[dict[str, Any]] = answer["FileStatuses"]["FileStatus"]
        return found

    def read(self, path: str) -> bytes:
        url = f"http://{HOST}:{self._files_web_port}/webhdfs/v1{path}?op=OPEN"
        with urllib.request.urlopen(
            url, timeout=START_SECONDS
        ) as answer:  # the name node sends us to the data node
            content: bytes = answer.read()
        return content

    def _write_settings(self) -> None:
        self.settings.mkdir(parents=True)
        work = self._directory / "work"
        any_port = f"{HOST}:0"
        tracker, scheduler, clients, admin = self._manager_ports
        self._write("core-site", {"fs.defaultFS": self.files, "hadoop.tmp.dir": str(work)})
        self._write(
            "hdfs-site",
            {
                "dfs.replication": "1",
                "dfs.permissions.enabled": "false",
                "dfs.namenode.rpc-bind-host": HOST,
                "dfs.namenode.http-address": f"{HOST}:{self._files_web_port}",
                "dfs.datanode.address": any_port,
                "dfs.datanode.http.address": any_port,
                "dfs.datanode.ipc.address": any_port,
                "dfs.datanode.hostname": HOST,
            },
        )
        self._write(
            "yarn-site",
            {
                "yarn.resourcemanager.resource-tracker.address": f"{HOST}:{tracker}",
                "yarn.resourcemanager.scheduler.address": f"{HOST}:{scheduler}",
                "yarn.resourcemanager.address": f"{HOST}:{clients}",
                "yarn.resourcemanager.admin.address": f"{HOST}:{admin}",
                "yarn.resourcemanager.webapp.address": f"{HOST}:{self._web_port}",
                "yarn.nodemanager.address": any_port,
                "yarn.nodemanager.localizer.address": any_port,
                "yarn.nodemanager.webapp.address": any_port,
                "yarn.nodemanager.log-dirs": str(work / "containers"),
                "yarn.nodemanager.resource.memory-mb": "4096",
                "yarn.nodemanager.resource.cpu-vcores": "4",
                "yarn.scheduler.minimum-allocation-mb": "64",
                "yarn.nodemanager.pmem-check-enabled": "false",
                "yarn.nodemanager.vmem-check-enabled": "false",
                # A node whose disk is nearly full gets no containers; the tests' machine may be that full.
                "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
            },
        )
        queues = "yarn.scheduler.capacity"
        self._write(
            "capacity-scheduler",
            {
                f"{queues}.root.queues": "default",
                f"{queues}.root.default.capacity": "100",
                f"{queues}.maximum-am-resource-percent": "1.0",
            },
        )

    def _write(self, name: str, settings: Mapping[str, str]) -> None:
        lines = [
            f"<property><name>{key}</name><value>{escape(value)}</value></property>"
            for key, value in settings.items()
        ]
        text = "\n".join(["<configuration>", *lines, "</configuration>", ""])
        (self.settings / f"{name}.xml").write_text(text, encoding="utf-8")

    def _command(self, main_class: str) -> list[str]:
        return [*_JAVA, "-cp", self._class_path, main_class]

    def _start(self, name: str, main_class: str) -> None:
        with (self._directory / f"{name}.log").open("wb") as log:
            self._daemons[name] = subprocess.Popen(
                self._command(main_class),
                cwd=self._directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            for name, process in self._daemons.items():
                log = (self._directory / f"{name}.log").read_text(errors="replace")
                assert process.poll() is None, f"{name} has ended: {log[-2000:]}"
            with suppress(OSError):  # it does not answer yet
                if condition():
                    return
            assert time.monotonic() < deadline, "Hadoop does not come up"
            time.sleep(_TICK_SECONDS)

    def _live_data_nodes(self) -> int:
        query = "qry=Hadoop:service=NameNode,name=FSNamesystemState"
        (bean,) = _get(f"http://{HOST}:{self._files_web_port}/jmx?{query}")["beans"] or [{}]
        return int(bean.get("NumLiveDataNodes", 0))

    def _yarn(self, what: str) -> dict[str, Any]:
        return _get(f"http://{HOST}:{self._web_port}/ws/v1/cluster/{what}")

    def _stop(self) -> None:
        """At once: nobody needs what they would write at their end, and containers end with their driver."""
        for process in self._daemons.values():
            process.kill()
            process.wait(END_SECONDS)


def _get(url: str) -> dict[str, Any]:
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
        content: dict[str, Any] = json.load(answer)
    return content
