import asyncio
import time

from snakka.telemetry.loop_stalls import STALLS, LoopStallMonitor
from snakka.telemetry.metric_set import MetricSet


async def test_a_loop_that_stands_still_is_noticed() -> None:
    metrics = MetricSet()
    monitor = LoopStallMonitor(asyncio.get_running_loop(), metrics)
    stalls = metrics.histogram(STALLS)
    monitor.start()
    await asyncio.sleep(0.03)
    before = stalls.count
    time.sleep(0.08)  # noqa: ASYNC251 - this is the stall
    for _ in range(2):  # the turn in which the late look comes, and one more
        await asyncio.sleep(0)
    assert stalls.count == before + 1
    assert stalls.total >= 60_000
    monitor.close()
    time.sleep(0.05)  # noqa: ASYNC251 - nobody looks any more
    await asyncio.sleep(0.001)
    assert stalls.count == before + 1
    monitor.close()
