"""A short run of `make fuzz` on every test run."""

from tests.cli.broker_process import start_broker
from tests.fuzz.broker import fuzz_broker
from tests.fuzz.codecs import fuzz_codecs


def test_damaged_messages_break_no_codec() -> None:
    assert fuzz_codecs(seed=1, seconds=30, most=10_000) == 10_000


def test_damaged_requests_hurt_only_their_sender(tmp_path) -> None:
    broker = start_broker(tmp_path)
    host, _, port = broker.bootstrap.rpartition(":")
    result = fuzz_broker(host, int(port), broker.process.pid, seed=1, seconds=30, most=10_000)
    assert result.frames >= 10_000
    assert broker.stop() == 0
