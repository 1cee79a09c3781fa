"""`snakka format`, and Apache Kafka's own kind of server.properties from there to a running broker."""

import socket
from pathlib import Path

from tests.cli.broker_process import run_command, start_broker

# What Apache Kafka's distribution starts a combined node with, on ports of our own choosing.
SERVER_PROPERTIES = """\
############################# Server Basics #############################
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=localhost:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://localhost:{port},CONTROLLER://localhost:{controller}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=104857600
log.dirs={data}
num.partitions=1
num.recovery.threads.per.data.dir=2
offsets.topic.replication.factor=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
"""


def write_properties(directory: Path) -> Path:
    path = directory / "server.properties"
    path.write_text(
        SERVER_PROPERTIES.format(port=unused_port(), controller=unused_port(), data=directory / "data")
    )
    return path


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_kafkas_own_properties_start_a_broker_once_its_directory_is_formatted(tmp_path) -> None:
    config = write_properties(tmp_path)
    refused = run_command("start", "--config", str(config))
    assert refused.returncode == 2
    assert "run snakka format with the same options first" in refused.stderr.decode()
    assert not (tmp_path / "data").exists()
    cluster_id = "MkU3OEVBNTcwNTJENDM2Qg"
    formatted = run_command("format", "--config", str(config), "--cluster-id", cluster_id)
    assert (formatted.returncode, formatted.stderr) == (0, b"")
    assert cluster_id in formatted.stdout.decode()
    assert cluster_id in (tmp_path / "data" / "meta.properties").read_text()
    again = run_command("format", "--config", str(config))
    assert again.returncode == 2
    assert "is formatted already" in again.stderr.decode()
    broker = start_broker(tmp_path, "--config", str(config), only_these=True)
    created = run_command("topic", "create", "t", "--bootstrap-server", broker.bootstrap)
    assert created.returncode == 0, created.stderr
    assert broker.stop() == 0


def test_a_bad_cluster_id_writes_nothing(tmp_path) -> None:
    config = write_properties(tmp_path)
    refused = run_command("format", "--config", str(config), "--cluster-id", "short")
    assert refused.returncode == 2
    assert "not a UUID" in refused.stderr.decode()
    assert not (tmp_path / "data").exists()
