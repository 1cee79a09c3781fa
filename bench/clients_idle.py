"""What Snakka's client costs while nothing happens: a member of a group that reads 20 empty partitions, and a producer."""

import asyncio
import time
from collections.abc import Iterator

from bench.report import Row
from bench.servers import Server
from snakka.client import Admin, Consumer, Producer

PARTITIONS = 20
SECONDS = 10.0
MOST_PERCENT_OF_A_CORE = 1.0
_TOPIC = "idle-client"


def measure(server: Server, seconds: float = SECONDS) -> Iterator[Row]:
    used = asyncio.run(_idle(server.bootstrap_servers, seconds))
    yield Row(
        "idle consumer and producer of Snakka, of a core",
        100 * used,
        MOST_PERCENT_OF_A_CORE,
        False,
        unit=" %",
    )


async def _idle(servers: str, seconds: float) -> float:
    async with Admin(bootstrap_servers=servers) as admin:
        await admin.create_topic(_TOPIC, partitions=PARTITIONS)
    async with (
        Consumer(_TOPIC, bootstrap_servers=servers, group_id=_TOPIC) as consumer,
        Producer(bootstrap_servers=servers) as producer,
    ):
        await producer.partitions_for(_TOPIC)
        while len(consumer.assignment()) < PARTITIONS:
            await consumer.getmany(timeout_ms=100)
        polling = asyncio.ensure_future(consumer.getone())
        await asyncio.sleep(1)  # what joining left to be done
        before, started = time.process_time(), time.monotonic()
        await asyncio.sleep(seconds)
        used = (time.process_time() - before) / (time.monotonic() - started)
        polling.cancel()
        return used
