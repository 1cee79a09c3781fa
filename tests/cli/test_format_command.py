"""`snakka format`, and Apache Kafka's own kind of server.properties from there to a running broker."""

from pathlib import Path

from tests.cli.broker_process import run_command, start_broker
from tests.free_ports import free_port
from tests.options.server_properties import SERVER_PROPERTIES


def write_properties(directory: Path) -> Path:
    """Kafka's file, with its data and its ports in places of our own."""
    path = directory / "server.properties"
    ours = {
        "/tmp/kraft-combined-logs": str(directory / "data"),
        "://:": "://127.0.0.1:",
        ":9092": f":{free_port()}",
        ":9093": f":{free_port()}",
    }
    text = SERVER_PROPERTIES
    for theirs, own in ours.items():
        text = text.replace(theirs, own)
    path.write_text(text)
    return path


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
