"""A client's way to the broker: one connection that is made when it is needed, and made again when it is gone.

Rule: a request that failed or came to nothing in time takes its connection with it, so that nothing of it arrives later.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any, Protocol

from snakka.network.peer_connection import PeerConnection
from snakka.network.receive_buffer import ReceiveMemory
from snakka.protocol.message import Message
from snakka.testing.simulation.life import PORT, BrokerLife
from snakka.testing.simulation.model import Model
from snakka.testing.simulation.trace import Trace

_DIAL_SECONDS = 2.0


class Surroundings(Protocol):
    """What a client needs to know of the world."""

    model: Model
    trace: Trace
    memory: ReceiveMemory

    @property
    def life(self) -> BrokerLife:
        """The broker's life that runs, or the last one."""

    @property
    def is_ending(self) -> bool:
        """Clients shall finish what they have begun."""

    def disk_failed_in(self, life: int) -> bool:
        """Whether that life of the broker was given a disk that fails."""

    def look(self) -> None:
        """Let the model see what the broker's logs have now, if the broker lives."""

    def promised(self) -> None:
        """A client was told or shown something that may not be taken back any more."""

    def now_ms(self) -> int: ...


class UnreachableError(Exception):
    """The request failed, and whether it was carried out is not known."""


class Link:
    """`life` is the number of the broker's life that answers here."""

    def __init__(self, world: Surroundings, name: str, chance: random.Random) -> None:
        self.world = world
        self.name = name
        self.chance = chance
        self.life = -1
        self._connection: PeerConnection | None = None

    async def request(self, message: Message, *, seconds: float = 10.0, version: int | None = None) -> Any:
        """The response; UnreachableError if there is none."""
        kind = type(message).__name__
        self.world.trace.note(self.name, kind)
        connection = await self._opened()
        try:
            response = await connection.request(message, deadline_seconds=seconds, version=version)
        except (OSError, TimeoutError) as error:
            self.close()
            self.world.trace.note(self.name, kind, type(error).__name__)
            raise UnreachableError(str(error)) from None
        self.world.trace.note(self.name, type(response).__name__)
        return response

    async def send_without_answer(self, message: Message, *, version: int | None = None) -> None:
        connection = await self._opened()
        try:
            connection.send_without_answer(message, version=version)
        except OSError as error:
            self.close()
            raise UnreachableError(str(error)) from None

    async def version_of(self, key: int, lowest: int, highest: int) -> int:
        """A version that both speak, any of them."""
        connection = await self._opened()
        return self.chance.randint(
            max(lowest, connection.versions[key][0]), min(highest, connection.highest_version(key))
        )

    async def pause(self, longest: float) -> None:
        await asyncio.sleep(self.chance.uniform(longest / 4, longest))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    async def _opened(self) -> PeerConnection:
        connection = self._connection
        if connection is None or not connection.is_open:
            try:
                connection = await PeerConnection.open(
                    "10.0.0.1",
                    PORT,
                    client_id=self.name,
                    memory=self.world.memory,
                    deadline_seconds=_DIAL_SECONDS,
                )
            except (OSError, TimeoutError) as error:
                raise UnreachableError(str(error)) from None
            self._connection = connection
            self.life = self.world.life.number
        return connection
