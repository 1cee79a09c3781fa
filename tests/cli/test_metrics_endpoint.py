"""`--metrics`: /metrics and /health of a running broker, over HTTP."""

import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.cli.broker_process import run_command, start_broker
from tests.free_ports import free_port
from tests.listening_sockets import listening_addresses


def get(address: str, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def samples(text: str) -> dict[str, float]:
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_a_broker_tells_its_health_and_what_it_counts(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    with start_broker(tmp_path, "--metrics", address) as broker:
        assert get(address, "/health") == (200, "ok\n")
        assert get(address, "/nothing")[0] == 404
        assert run_command("topic", "create", "orders", bootstrap=broker.bootstrap).returncode == 0
        assert run_command("produce", "orders", stdin=b"a\nb\n", bootstrap=broker.bootstrap).returncode == 0
        status, text = get(address, "/metrics")
        assert status == 200
        values = samples(text)
        assert values["snakka_broker_messages_in_total"] == 2
        assert values['snakka_topic_messages_in_total{topic="orders"}'] == 2
        assert values['snakka_log_end_offset{topic="orders",partition="0"}'] == 2
        assert values["snakka_broker_leaders"] == 1
        assert values["snakka_process_resident_memory_bytes"] > 1_000_000
        assert "(Kafka: kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec)" in text
        assert broker.stop() == 0
    with pytest.raises(urllib.error.URLError):
        get(address, "/health")


def test_without_being_asked_a_broker_opens_no_such_port(tmp_path: Path) -> None:
    with start_broker(tmp_path) as broker:
        listening = listening_addresses([broker.process.pid])
        assert len(listening) == 2, "one for clients, one for controllers"
        assert all(address.startswith("127.0.0.1:") for address in listening), "both on loopback"
        broker.stop()
