"""A broker in the test's own process, for tests that look inside or break its disk; clients come over real sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path

from tests.broker.raw_client import Address, RawClient

from snakka.broker.option_catalog import load_options
from snakka.broker.server import BrokerServer
from snakka.broker.services import Services
from snakka.replication.partition import Partition
from snakka.storage.files import Files


class BrokerInProcess:
    """A running broker and one client of it."""

    def __init__(self, server: BrokerServer, client: RawClient) -> None:
        self.server = server
        self.client = client

    @property
    def address(self) -> Address:
        return address_of(self.server)

    @property
    def services(self) -> Services:
        return self.server.services

    def partition(self, topic: str, index: int = 0) -> Partition:
        found = self.services.partitions.get(topic, index)
        assert found is not None
        return found


def address_of(server: BrokerServer) -> Address:
    endpoint = server.client_endpoints[0]
    return endpoint.host, endpoint.port


@asynccontextmanager
async def running(
    data_dir: Path | str | None, *, files: Files | None = None, **options: object
) -> AsyncIterator[BrokerInProcess]:
    """`options` are Kafka's, with underscores for dots."""
    assignments = [f"{name.replace('_', '.')}={value}" for name, value in options.items()]
    loaded = load_options(
        listen="127.0.0.1:0",
        data_dir=None if data_dir is None else str(data_dir),
        assignments=assignments,
        log=print,
    )
    server = BrokerServer(loaded, files=files)
    await server.start()
    try:
        async with await RawClient.open(address_of(server)) as client:
            yield BrokerInProcess(server, client)
    finally:
        # A broker that has failed may be unable to put anything in order.
        with suppress(Exception) if server.failed.done() else nullcontext():
            await server.stop()


async def until(condition: Callable[[], bool], deadline_seconds: float = 20.0) -> None:
    """Wait for something that a broker does in its own time; TimeoutError if it does not."""
    async with asyncio.timeout(deadline_seconds):
        while not condition():  # noqa: ASYNC110 - nobody announces it
            await asyncio.sleep(0.01)
