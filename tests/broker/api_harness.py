"""A whole broker, and a client that speaks any version of any API to any of its listeners."""

import asyncio
import struct
from contextlib import asynccontextmanager

from snakka.broker.option_catalog import node_options
from snakka.broker.server import BrokerServer
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.api_keys import API_FACTS, response_class
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.request_header import read_response_header, write_request_header
from snakka.security.operations import Operation, ResourceType

NODE_ID = 1
CLIENTS = "PLAINTEXT"
CONTROLLERS = "CONTROLLER"

# What a client may not do; the name "*" is every resource of the kind.
Denial = tuple[Operation, ResourceType, str]


class RefusedError(Exception):
    """The broker closed the connection instead of answering."""


class DenyList:
    """An authorizer that denies what the current request must not do."""

    def __init__(self) -> None:
        self.denied: frozenset[Denial] = frozenset()

    def authorize(self, principal, address, operation, resource, name) -> bool:
        return not self.denied & {(operation, resource, name), (operation, resource, "*")}


class Broker:
    def __init__(self, server: BrokerServer) -> None:
        self.services = server.services
        self._ports = {endpoint.name: endpoint.port for endpoint in server.listeners.bound}
        self._deny_list = DenyList()
        for listener in server._entrance.listeners:
            listener.environment.authorizer = self._deny_list

    @property
    def image(self) -> ClusterImage:
        return self.services.image

    async def ask(
        self,
        request: Message,
        version: int | None = None,
        *,
        listener: str = CLIENTS,
        denied: tuple[Denial, ...] = (),
    ):
        """The answer as a client reads it, in the newest stable version unless told."""
        if version is None:
            facts = API_FACTS[request.API_KEY]
            version = facts.max_version - facts.unstable
        self._deny_list.denied = frozenset(denied)
        reader, writer = await asyncio.open_connection("127.0.0.1", self._ports[listener])
        try:
            async with asyncio.timeout(20):
                return await _exchange(request, version, reader, writer)
        finally:
            writer.close()
            self._deny_list.denied = frozenset()


async def _exchange(
    request: Message, version: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Message:
    key = request.API_KEY
    frame = Frame(4)
    write_request_header(frame, key, version, 7, "tester")
    request.write(frame, version)
    frame.seal()
    writer.write(frame.joined())
    try:
        (size,) = struct.unpack(">i", await reader.readexactly(4))
    except (asyncio.IncompleteReadError, ConnectionError):
        raise RefusedError from None
    answer = await reader.readexactly(size)
    correlation_id, position = read_response_header(answer, key, version)
    assert correlation_id == 7
    return response_class(key).decode(answer, version, position)


@asynccontextmanager
async def running_broker(directory, **texts: str):
    """`texts` are options, with underscores for dots."""
    given = {name.replace("_", "."): text for name, text in texts.items()}
    server = BrokerServer(
        node_options({"log.dirs": str(directory), "listeners": "PLAINTEXT://127.0.0.1:0", **given})
    )
    await server.start()
    try:
        yield Broker(server)
    finally:
        await server.stop()
    assert not server.failed.done()
