"""Apache Kafka and Snakka as nodes with the same settings: what one is told and has written, the other can take over.

A `Node` is a data directory, two ports and a file of options; `start_kafka` and `start_snakka` start either broker on it.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.broker_process import SNAKKA, BrokerProcess, user_environment
from tests.free_ports import free_ports
from tests.kafka.kafka_tools_process import JVM_FLAGS, KafkaTools
from tests.kafka.wire import ConnectionClosedError, Wire

from snakka.protocol.messages.metadata import MetadataRequest

NODE_ID = 1
# A machine that runs several of them at once takes its time.
START_SECONDS = 100
STOP_SECONDS = 60

# What a lone node needs in Apache Kafka; Snakka has the same defaults, but here both are told, so that both tell the same.
LONE_NODE = {
    "process.roles": "broker,controller",
    "node.id": str(NODE_ID),
    "controller.listener.names": "CONTROLLER",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


def kafka_libs() -> str:
    """The directory of Apache Kafka's jars; the test that asks is skipped if there is none."""
    libs = os.environ.get("SNAKKA_KAFKA_LIBS", "")
    if not libs or shutil.which("java") is None:
        pytest.skip("needs java and SNAKKA_KAFKA_LIBS, the directory of Apache Kafka 4.3's jars")
    return libs


class Node:
    """What belongs to a node and not to the broker that happens to run on it."""

    def __init__(self, directory: Path, options: Mapping[str, str] | None = None) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.data = directory / "data"
        self.log_file = directory / "node.log"
        self.properties = directory / "server.properties"
        self.port, self.controller_port = free_ports(2)
        self.options = {
            **LONE_NODE,
            "listeners": f"PLAINTEXT://{self.bootstrap},CONTROLLER://{self.controller}",
            "log.dirs": str(self.data),
            **(options or {}),
        }
        self.set_options()

    def set_options(self, **changes: str) -> None:
        """`changes` have underscores for dots; they hold from the next start on."""
        self.options |= {name.replace("_", "."): text for name, text in changes.items()}
        self.properties.write_text("".join(f"{name}={text}\n" for name, text in self.options.items()))

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def controller(self) -> str:
        return f"127.0.0.1:{self.controller_port}"

    def format_with_kafka(self, tools: KafkaTools, cluster_id: str) -> None:
        self.set_options(controller_quorum_bootstrap_servers=self.controller)
        tools.run_ok("kafka-storage", "format", "--standalone", "-t", cluster_id, "-c", str(self.properties))


@contextmanager
def running_snakka(node: Node) -> Iterator[BrokerProcess]:
    """Snakka on a node, started as a user starts it; an empty data directory becomes a cluster of its own."""
    with node.log_file.open("ab") as log:
        process = subprocess.Popen(
            [SNAKKA, "start", "--config", str(node.properties)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env=user_environment(),
        )
    with BrokerProcess(process, node.log_file) as broker:
        yield broker
        assert broker.process.poll() is not None or broker.stop() == 0, broker.log


class KafkaProcess:
    """Apache Kafka on a node that has been formatted; ready for clients."""

    def __init__(self, node: Node, libs: str) -> None:
        self.log_file = node.log_file
        node.set_options(controller_quorum_bootstrap_servers=node.controller)
        with node.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx512m", *JVM_FLAGS, "-cp", f"{libs}/*", "kafka.Kafka", str(node.properties)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            self._wait_until_ready(node.port)
        except BaseException:
            self.kill()
            raise

    def _wait_until_ready(self, port: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                with Wire(port) as wire:
                    if wire.ask(MetadataRequest(topics=[])).brokers:
                        return
            except (OSError, ConnectionClosedError):
                time.sleep(0.05)
        raise AssertionError(f"Apache Kafka did not start:\n{self.log_file.read_text()[-5000:]}")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        finally:
            self.kill()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait()


@contextmanager
def running_kafka(node: Node, libs: str) -> Iterator[KafkaProcess]:
    """Apache Kafka on a node that has been formatted, by itself or by Snakka."""
    kafka = KafkaProcess(node, libs)
    try:
        yield kafka
        if kafka.process.poll() is None:
            kafka.stop()
    finally:
        kafka.kill()
