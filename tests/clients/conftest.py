"""A broker started as a user starts it, shared by the tests of one worker, and a fresh topic name for each test."""

import itertools
import os

import pytest
from tests.cli.broker_process import start_broker
from tests.external_tools import find_kcat


@pytest.fixture(scope="session")
def broker(tmp_path_factory):
    handle = start_broker(tmp_path_factory.mktemp("broker"))
    yield handle
    handle.stop()


_numbers = itertools.count()


@pytest.fixture
def topic() -> str:
    return f"topic-{os.getpid()}-{next(_numbers)}"


@pytest.fixture(scope="session")
def kcat() -> str:
    found = find_kcat()
    if found is None:
        pytest.skip("needs kcat, from Debian's packages or elsewhere")
    return found
