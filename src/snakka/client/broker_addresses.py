"""Where brokers are: what the cluster tells of them, and what bootstrap.servers says."""

import asyncio
import socket
from collections.abc import Iterable
from typing import NamedTuple

from snakka.client.errors import ClientConfigError
from snakka.network.endpoints import parse_address
from snakka.network.peer_errors import shown_address
from snakka.options.option import OptionError


class Address(NamedTuple):
    """Where a broker answers."""

    host: str
    port: int

    def __str__(self) -> str:
        return shown_address(self.host, self.port)


class BrokerNode(NamedTuple):
    """A broker as the cluster tells of it."""

    node_id: int
    host: str
    port: int
    rack: str | None = None

    @property
    def address(self) -> Address:
        return Address(self.host, self.port)


def parse_bootstrap(entries: Iterable[str]) -> list[Address]:
    """HOST:PORT entries; ClientConfigError says what is wrong."""
    addresses = []
    for entry in filter(None, (part.strip() for part in entries)):
        try:
            host, port = parse_address(entry)
        except OptionError as error:
            raise ClientConfigError(f"bootstrap.servers: {error}") from None
        if not host or not port:
            raise ClientConfigError(
                f"bootstrap.servers: {entry} must name a host and a port, for example 127.0.0.1:9092"
            )
        addresses.append(Address(host, port))
    if not addresses:
        raise ClientConfigError("bootstrap.servers names no broker; write for example 127.0.0.1:9092")
    return addresses


async def canonical_addresses(address: Address, seconds: float) -> list[Address]:
    """The canonical names of all addresses of a name; the name itself if none can be had, or not in time."""
    loop = asyncio.get_running_loop()
    names: dict[str, None] = {}
    try:
        async with asyncio.timeout(seconds):
            for entry in await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM):
                name, _ = await loop.getnameinfo((str(entry[4][0]), address.port), socket.NI_NUMERICSERV)
                names[name] = None
    except OSError:  # a time that is over is one, too
        return [address]
    return [Address(name, address.port) for name in names] or [address]
