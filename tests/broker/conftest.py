"""A broker started as a user starts it, shared by all tests of a worker, and clients that speak to it in raw frames."""

import itertools
import os

import pytest
from tests.broker.raw_client import Address, RawClient, parse_address
from tests.cli.broker_process import start_broker

# What a broker does in its own time would take away a test's old records and idle producers.
_A_DAY_MS = 86_400_000
_LATER = [
    f"--set={name}={_A_DAY_MS}"
    for name in (
        "log.initial.task.delay.ms",
        "log.retention.check.interval.ms",
        "producer.id.expiration.check.interval.ms",
    )
]


@pytest.fixture(scope="session")
def broker_process(tmp_path_factory):
    with start_broker(tmp_path_factory.mktemp("shared-broker"), *_LATER) as process:
        yield process
        assert process.stop() == 0


@pytest.fixture
def address(broker_process) -> Address:
    """Of the shared broker, which must be alive after each test that used it."""
    assert broker_process.process.poll() is None
    return parse_address(broker_process.bootstrap)


@pytest.fixture
async def client(address):
    async with await RawClient.open(address) as opened:
        yield opened


_numbers = itertools.count()


@pytest.fixture
def topic() -> str:
    """A name that nobody has used."""
    return f"topic-{os.getpid()}-{next(_numbers)}"
