"""For the whole suite: finds Kafka's jars once, and lets nothing be skipped where nothing may be."""

import os
import signal

import hypothesis
import pytest

from tests.external_tools import find_kafka_libs

# How long an example takes says how busy the machine is; pytest's timeout ends what hangs. The examples are the same in
# every run, so that a change is judged by what it changes; `make examples` looks for others.
hypothesis.settings.register_profile(
    "snakka", deadline=None, derandomize=os.environ.get("SNAKKA_EXAMPLES") != "new"
)
hypothesis.settings.load_profile("snakka")

REQUIRE_ALL = os.environ.get("SNAKKA_REQUIRE_ALL") == "1"


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is collected, and before workers start: they inherit the environment."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell lets what it starts in the background ignore Ctrl-C, and so would all that tests start and interrupt.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    is_worker = hasattr(config, "workerinput")
    if not is_worker and not os.environ.get("SNAKKA_KAFKA_LIBS"):
        libs = find_kafka_libs()
        if libs is not None:
            os.environ["SNAKKA_KAFKA_LIBS"] = libs


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let groups of tests stay together on a worker: xdist 3.8 names them in a field that pytest 9.2 reads no more."""
    for item in items:
        named = getattr(item, "_nodeid", item.nodeid)
        if named != item.nodeid:
            item._id = type(item.id).parse(named)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """A test that lacks a tool says "needs ..." and is skipped; where everything must be there, that is a failure."""
    outcome = yield
    report = outcome.get_result()
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if "needs " in reason:
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped, and SNAKKA_REQUIRE_ALL=1 forbids that: {reason}"
