"""A short run of `make fuzz` on every test run."""

from pathlib import Path

from tests.cli.broker_process import start_broker
from tests.faults.process_facts import needs_proc
from tests.free_ports import free_port
from tests.fuzz.broker import fuzz_broker
from tests.fuzz.codecs import fuzz_codecs


def test_damaged_messages_break_no_codec() -> None:
    assert fuzz_codecs(seed=1, seconds=30, most=10_000) == 10_000


@needs_proc
def test_damaged_requests_hurt_only_their_sender(tmp_path: Path) -> None:
    metrics_port = free_port()
    with start_broker(tmp_path, "--metrics", f"127.0.0.1:{metrics_port}") as broker:
        result = fuzz_broker(broker, metrics_port, seed=1, seconds=60, most=5_000)
        assert result.frames >= 5_000
        assert result.kinds > 300
        assert broker.stop() == 0
