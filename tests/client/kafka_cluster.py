"""Three Apache Kafkas that are one cluster: each a broker with a rack of its own, and a voter of the metadata quorum.

Everything that takes time when brokers die is set short, and a lost broker is noticed after `SESSION_SECONDS`.
"""

import asyncio
import contextlib
import signal
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.client.kafka_broker import CLUSTER_ID
from tests.kafka.kafka_tools_process import JVM_FLAGS, KafkaTools
from tests.kafka.nodes import START_SECONDS, STOP_SECONDS, Node
from tests.kafka.wire import ConnectionClosedError, Wire

from snakka.protocol.messages.describe_cluster import DescribeClusterRequest

NODE_IDS = (1, 2, 3)
SESSION_SECONDS = 2.5
# How long groups wait for a member: it must outlive its coordinator, also on a busy machine.
SESSION_MS = 120_000
_HEAP = ("-Xmx256m", "-Xshare:auto")
# A client that has lost a broker should look for another one quickly, else tests take minutes.
PATIENCE: dict[str, Any] = {
    "request_timeout_ms": 4_000,
    "retry_backoff_ms": 20,
    "retry_backoff_max_ms": 200,
    "reconnect_backoff_ms": 20,
    "reconnect_backoff_max_ms": 200,
}


def rack(node_id: int) -> str:
    return f"rack-{node_id}"


def _options(node_id: int) -> dict[str, str]:
    return {
        "node.id": str(node_id),
        "broker.rack": rack(node_id),
        "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
        "offsets.topic.replication.factor": "3",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": "3",
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.min.isr": "2",
        "default.replication.factor": "3",
        "min.insync.replicas": "2",
        "auto.create.topics.enable": "false",
        "auto.leader.rebalance.enable": "false",  # tests move leaders themselves
        "broker.session.timeout.ms": str(int(SESSION_SECONDS * 1000)),
        "broker.heartbeat.interval.ms": "250",
        "controller.quorum.election.timeout.ms": "700",
        "controller.quorum.election.backoff.max.ms": "200",
        "controller.quorum.fetch.timeout.ms": "1500",
        "controller.quorum.request.timeout.ms": "1500",
        "replica.fetch.backoff.ms": "50",
        "replica.socket.timeout.ms": "3000",
        "controller.socket.timeout.ms": "3000",
        "num.network.threads": "1",
        "num.io.threads": "2",
        "log.cleaner.enable": "false",
        "group.coordinator.threads": "1",
        "share.coordinator.threads": "1",
        "group.consumer.min.heartbeat.interval.ms": "100",
        "group.consumer.heartbeat.interval.ms": "300",
        "group.consumer.max.session.timeout.ms": str(SESSION_MS),
        "group.consumer.session.timeout.ms": str(SESSION_MS),
        "controlled.shutdown.retry.backoff.ms": "200",
    }


class ClusterNode:
    """One of them: it can be started, stopped, killed and frozen, and keeps its data, ports and directories."""

    def __init__(self, node_id: int, directory: Path, libs: str) -> None:
        self.node_id = node_id
        self.directory_id = uuid.UUID(int=node_id << 64 | 1 << 60).bytes
        self._node = Node(directory / f"node-{node_id}", _options(node_id))
        self.directories = [str(self._node.data), f"{self._node.data}-2"]
        self._node.set_options(log_dirs=",".join(self.directories))
        self._libs = libs
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        return self._node.bootstrap

    @property
    def port(self) -> int:
        return self._node.port

    @property
    def controller_port(self) -> int:
        return self._node.controller_port

    @property
    def voter(self) -> str:
        directory_id = urlsafe_b64encode(self.directory_id).decode().rstrip("=")
        return f"{self.node_id}@{self._node.controller}:{directory_id}"

    def format(self, tools: KafkaTools, nodes: "list[ClusterNode]") -> None:
        controllers = ",".join(each._node.controller for each in nodes)
        self._node.set_options(controller_quorum_bootstrap_servers=controllers)
        voters = ",".join(each.voter for each in nodes)
        words = ("-t", CLUSTER_ID, "-c", str(self._node.properties), "--initial-controllers", voters)
        tools.run_ok("kafka-storage", "format", *words)

    # -- life -----------------------------------------------------------------------------------------------------

    def launch(self) -> None:
        """Begin to start; see `wait_until_serving`."""
        assert self._process is None
        with self._node.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *("java", *_HEAP, *JVM_FLAGS, "-cp", f"{self._libs}/*"),
                    *("kafka.Kafka", str(self._node.properties)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def wait_until_serving(self, brokers: int = len(NODE_IDS)) -> None:
        """Until it is a broker among so many that serve clients."""
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError, ConnectionClosedError), Wire(self.port) as wire:
                wire.be_patient(5.0)
                found = {row.broker_id for row in wire.ask(DescribeClusterRequest()).brokers}
                if self.node_id in found and len(found) >= brokers:
                    return
            time.sleep(0.05)
        log = self._node.log_file.read_text()[-5000:]
        raise AssertionError(f"broker {self.node_id} of Apache Kafka did not start:\n{log}")

    def start(self, brokers: int = len(NODE_IDS)) -> None:
        self.launch()
        self.wait_until_serving(brokers)

    def stop(self) -> None:
        """As an operator does: leaders move away first."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        finally:
            self.kill()

    def kill(self) -> None:
        """kill -9; nothing happens to one that does not run."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Nothing is answered any more, and connections stay."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    @property
    def is_running(self) -> bool:
        return self._process is not None


class KafkaCluster:
    """The nodes by their ids; all of them run when a test begins, and when it ends."""

    def __init__(self, directory: Path, libs: str) -> None:
        self.nodes = {node_id: ClusterNode(node_id, directory, libs) for node_id in NODE_IDS}
        self.bootstrap = ",".join(node.bootstrap for node in self.nodes.values())

    async def kill(self, node_id: int) -> None:
        await asyncio.to_thread(self.nodes[node_id].kill)

    async def stop(self, node_id: int) -> None:
        await asyncio.to_thread(self.nodes[node_id].stop)

    async def start(self, node_id: int, brokers: int = len(NODE_IDS)) -> None:
        await asyncio.to_thread(self.nodes[node_id].start, brokers)


@contextmanager
def running_kafka_cluster(directory: Path, libs: str) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster(directory, libs)
    nodes = list(cluster.nodes.values())
    tools = KafkaTools(libs)
    try:
        for node in nodes:
            node.format(tools, nodes)
    finally:
        tools.close()
    try:
        for node in nodes:
            node.launch()
        for node in nodes:
            node.wait_until_serving()
        yield cluster
    finally:
        for node in nodes:
            node.kill()
