"""Connections to the brokers of one cluster: opened when they are needed, one each, and opened anew when they are lost.

Rule: everything here fails with a ClientError that names the broker; nothing is tried twice, since only the caller knows
whether that would be right.
"""

import asyncio
import os
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from snakka.client.errors import ClientError, NoBrokerError
from snakka.network.endpoints import parse_address
from snakka.network.peer_connection import PeerConnection
from snakka.options.option import OptionError
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.runtime import Clock, SystemClock

CLIENT_ID = "snakka"
DIAL_SECONDS = 10.0
CLOSE_SECONDS = 5.0
# After so many requests without an answer one with an answer is sent, so that what is on its way stays bounded.
MOST_UNANSWERED = 16

R = TypeVar("R", bound=Message)


class Address(NamedTuple):
    """Where a broker answers."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_bootstrap(text: str) -> list[Address]:
    """HOST:PORT, or several with commas between; ValueError says what is wrong."""
    addresses = []
    for entry in filter(None, (part.strip() for part in text.split(","))):
        try:
            host, port = parse_address(entry)
        except OptionError as error:
            raise ValueError(str(error)) from None
        if not host or not port:
            raise ValueError(f"{entry} must name a host and a port, for example 127.0.0.1:9092")
        addresses.append(Address(host, port))
    if not addresses:
        raise ValueError("it names no broker; write for example 127.0.0.1:9092")
    return addresses


class BrokerPool:
    """One connection a broker. Deadlines are in monotonic seconds of `clock`."""

    def __init__(
        self, bootstrap: Sequence[Address], *, client_id: str = CLIENT_ID, clock: Clock | None = None
    ) -> None:
        self.clock: Clock = clock or SystemClock()
        self._bootstrap = list(bootstrap)
        self._client_id = client_id
        self._connections: dict[Address, PeerConnection] = {}
        self._unanswered: dict[Address, int] = {}
        self._opening = asyncio.Lock()

    async def ask(self, address: Address, request: Message, kind: type[R], deadline: float) -> R:
        """One broker's answer."""
        try:
            connection = await self._connection(address, deadline)
            response = await connection.request(request, deadline_seconds=self._remaining(deadline))
        except TimeoutError:
            raise ClientError(f"{address} does not answer in time") from None
        except OSError as error:
            self._connections.pop(address, None)
            raise ClientError(f"{address} can't be reached: {_reason(error)}") from None
        assert isinstance(response, kind)
        return response

    async def ask_any(self, request: Message, kind: type[R], deadline: float) -> R:
        """The answer of whichever broker answers first in turn: one that is connected already, else the bootstrap ones."""
        candidates = [address for address, open_one in self._connections.items() if open_one.is_open]
        failure: ClientError | None = None
        for address in dict.fromkeys([*candidates, *self._bootstrap]):
            try:
                return await self.ask(address, request, kind, deadline)
            except ClientError as error:
                failure = error
        raise NoBrokerError(f"no broker answers: {failure}; is it running, and is this its address?")

    async def tell(self, address: Address, request: Message, deadline: float) -> None:
        """Send what a broker does not answer. `close` makes sure that it arrived."""
        try:
            connection = await self._connection(address, deadline)
            connection.send_without_answer(request)
            self._unanswered[address] = self._unanswered.get(address, 0) + 1
            if self._unanswered[address] >= MOST_UNANSWERED:
                await self._settle(address, self._remaining(deadline))
        except TimeoutError:
            raise ClientError(f"{address} does not answer in time") from None
        except OSError as error:
            self._connections.pop(address, None)
            raise ClientError(f"{address} can't be reached: {_reason(error)}") from None

    async def close(self) -> None:
        """End all connections, after what needs no answer has arrived."""
        for address in list(self._unanswered):
            try:
                await self._settle(address, CLOSE_SECONDS)
            except OSError:
                continue  # it was asked for without an answer, so nobody hears of it
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    async def _settle(self, address: Address, seconds: float) -> None:
        """Requests are served in order: when this one is answered, all before it have been."""
        del self._unanswered[address]
        connection = self._connections.get(address)
        if connection is not None:
            request = ApiVersionsRequest(client_software_name="snakka", client_software_version="0")
            await connection.request(request, deadline_seconds=seconds)

    async def _connection(self, address: Address, deadline: float) -> PeerConnection:
        async with self._opening:
            connection = self._connections.get(address)
            if connection is None or not connection.is_open:
                connection = await PeerConnection.open(
                    address.host,
                    address.port,
                    client_id=self._client_id,
                    deadline_seconds=min(self._remaining(deadline), DIAL_SECONDS),
                )
                self._connections[address] = connection
            return connection

    def _remaining(self, deadline: float) -> float:
        return max(deadline - self.clock.monotonic(), 0.0)


def _reason(error: OSError) -> str:
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno).lower()
    return error.strerror or str(error)
