"""What a broker may cost: time to the first acknowledgement, memory at rest, many partitions, time to stop.

The budgets are those of a quiet machine; what is asserted leaves room for a busy one, and the measured values are printed
(`pytest -s`). Memory does not depend on how busy the machine is, so there the budget itself is asserted.
"""

import signal
import time

import pytest
from tests.broker.process_facts import resident_bytes
from tests.broker.raw_client import RawClient, batch, parse_address
from tests.cli.broker_process import BrokerProcess, start_broker

from snakka.protocol.error_codes import ErrorCode

MIB = 1 << 20
FIRST_ACK_SECONDS, FIRST_ACK_BUDGET = 1.5, 0.5
MANY_PARTITIONS = 1000
RESTART_SECONDS, RESTART_BUDGET = 6.0, 2.0
STOP_SECONDS, STOP_BUDGET = 3.0, 1.0
IDLE_MIB = 60
MANY_PARTITIONS_MIB = 150


def report(what: str, measured: float, unit: str, budget: float) -> None:
    print(f"\n{what}: {measured:.2f} {unit}, the budget is {budget:g}")


def resident_mib(process: BrokerProcess) -> float:
    return resident_bytes(process.process.pid) / MIB


def timed_stop(process: BrokerProcess) -> float:
    begin = time.monotonic()
    assert process.stop(signal.SIGTERM) == 0
    return time.monotonic() - begin


@pytest.fixture(scope="module")
def warm(tmp_path_factory) -> None:
    """The first start of all compiles modules; no user waits for that twice."""
    with start_broker(tmp_path_factory.mktemp("warm-up")) as process:
        process.stop()


async def first_acknowledgement(process: BrokerProcess, topic: str) -> None:
    async with await RawClient.open(parse_address(process.bootstrap)) as client:
        await client.create_topic(topic)
        assert (await client.produce(topic, batch(b"first"))).error_code == ErrorCode.NONE


@pytest.mark.usefixtures("warm")
async def test_from_nothing_to_the_first_acknowledgement(tmp_path, topic) -> None:
    best = 60.0
    for attempt in range(3):
        (tmp_path / str(attempt)).mkdir()
        begin = time.monotonic()
        with start_broker(tmp_path / str(attempt)) as process:
            await first_acknowledgement(process, topic)
            best = min(best, time.monotonic() - begin)
            process.stop()
        if best < FIRST_ACK_BUDGET:
            break
    report("start to first acknowledgement", best, "s", FIRST_ACK_BUDGET)
    assert best < FIRST_ACK_SECONDS


@pytest.mark.usefixtures("warm")
async def test_memory_at_rest(tmp_path, topic) -> None:
    with start_broker(tmp_path) as process:
        fresh = resident_mib(process)
        await first_acknowledgement(process, topic)
        used = resident_mib(process)
        report("memory of a fresh broker", fresh, "MiB", IDLE_MIB)
        report("memory after first use", used, "MiB", IDLE_MIB)
        assert used < IDLE_MIB
        seconds = timed_stop(process)
    report("stop", seconds, "s", STOP_BUDGET)
    assert seconds < STOP_SECONDS


@pytest.mark.usefixtures("warm")
async def test_a_thousand_partitions(tmp_path) -> None:
    with start_broker(tmp_path) as process:
        async with await RawClient.open(parse_address(process.bootstrap)) as client:
            begin = time.monotonic()
            await client.create_topic("wide", MANY_PARTITIONS)
            report("creating a thousand partitions", time.monotonic() - begin, "s", RESTART_BUDGET)
            for index in range(0, MANY_PARTITIONS, 10):
                row = await client.produce("wide", batch(b"%d" % index), partition=index)
                assert row.error_code == ErrorCode.NONE
            created = resident_mib(process)
        report("memory with a thousand partitions", created, "MiB", MANY_PARTITIONS_MIB)
        seconds = timed_stop(process)
    report("stop with a thousand partitions", seconds, "s", STOP_BUDGET)
    assert seconds < STOP_SECONDS
    assert created < MANY_PARTITIONS_MIB

    for how in ("a clean", "an unclean"):
        begin = time.monotonic()
        with start_broker(tmp_path) as process:
            restart = time.monotonic() - begin
            async with await RawClient.open(parse_address(process.bootstrap)) as client:
                (row,) = (
                    (await client.ask(client.fetch_request([("wide", 990, 0)]), 12)).responses[0].partitions
                )
                assert (row.error_code, row.high_watermark) == (ErrorCode.NONE, 1)
            resident = resident_mib(process)
            process.kill()
        report(f"start after {how} stop with a thousand partitions", restart, "s", RESTART_BUDGET)
        report(f"memory after {how} stop", resident, "MiB", MANY_PARTITIONS_MIB)
        assert restart < RESTART_SECONDS
        assert resident < MANY_PARTITIONS_MIB
