"""The network between the clients and the broker: delays, small pieces, narrow windows, stalls and cut connections.

Rule: a connection is a stream, as TCP is one. Pieces of different connections overtake each other; those of one never do.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snakka.testing.simulation.loop import Program, program_of
from snakka.testing.simulation.transport import SimulatedTransport

if TYPE_CHECKING:
    from snakka.testing.simulation.loop import SimulatedLoop
    from snakka.testing.simulation.trace import Trace

ProtocolFactory = Callable[[], asyncio.BufferedProtocol]

_FIRST_FREE_PORT = 20_000
_CLIENT_ADDRESS = ("10.0.0.2", 40_000)
_BROKER_ADDRESS = ("10.0.0.1", 9_092)


@dataclass(frozen=True)
class NetworkManners:
    """How one simulation's network behaves."""

    shortest_delay: float
    longest_delay: float
    # How often a piece takes ten times as long.
    late_share: float
    # How much is between the two ends of a connection.
    window_bytes: int
    # A read gives at most so much, and with `small_read_share` only a few bytes.
    largest_read: int
    small_read_share: float


class SimulatedSocket:
    """All that a listener asks of its socket."""

    def __init__(self, host: str, port: int) -> None:
        self._name = (host, port)

    def getsockname(self) -> tuple[str, int]:
        return self._name

    def setsockopt(self, level: int, option: int, value: object) -> None:
        """How bytes are paced is the simulation's to decide."""


class SimulatedServer(asyncio.AbstractServer):
    """A bound port."""

    def __init__(self, network: SimulatedNetwork, factory: ProtocolFactory, host: str, port: int) -> None:
        self.factory = factory
        self.host = host
        self.port = port
        self.program = program_of()
        self.context: Context = copy_context()
        self.is_open = False
        self._network = network

    @property
    def sockets(self) -> tuple[SimulatedSocket, ...]:
        return (SimulatedSocket(self.host, self.port),)

    def is_serving(self) -> bool:
        return self.is_open

    async def start_serving(self) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False
        self._network.close_server(self)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return self._network.loop

    async def serve_forever(self) -> None:
        await self.start_serving()

    async def wait_closed(self) -> None:
        """Connections are the listener's business."""


class SimulatedNetwork:
    """All connections of a simulation. `machine_is_up` is about the one that the broker runs on."""

    def __init__(
        self, loop: SimulatedLoop, chance: random.Random, manners: NetworkManners, trace: Trace
    ) -> None:
        self.loop = loop
        self.trace = trace
        self.machine_is_up = True
        self._chance = chance
        self._manners = manners
        self._servers: dict[int, SimulatedServer] = {}
        self._next_port = _FIRST_FREE_PORT
        self._connections = 0
        self._transports: dict[SimulatedTransport, None] = {}
        self._stalled_until = 0.0
        loop.network = self

    # What transports ask.

    @property
    def window_bytes(self) -> int:
        return self._manners.window_bytes

    def delay(self) -> float:
        """How long a piece is under way."""
        manners = self._manners
        delay = self._chance.uniform(manners.shortest_delay, manners.longest_delay)
        return delay * 10 if self._chance.random() < manners.late_share else delay

    def arrival_time(self) -> float:
        return max(self.loop.time(), self._stalled_until) + self.delay()

    def read_size(self) -> int:
        manners = self._manners
        if self._chance.random() < manners.small_read_share:
            return self._chance.randint(1, 64)
        return manners.largest_read

    def forget(self, gone: SimulatedTransport) -> None:
        self._transports.pop(gone, None)

    # What the loop asks.

    def listen(self, factory: ProtocolFactory, host: str, port: int) -> SimulatedServer:
        if not port:
            port = self._next_port
            self._next_port += 1
        if port in self._servers:
            raise OSError(98, "address already in use")
        server = self._servers[port] = SimulatedServer(self, factory, host, port)
        return server

    def close_server(self, server: SimulatedServer) -> None:
        if self._servers.get(server.port) is server:
            del self._servers[server.port]

    async def connect(self, factory: ProtocolFactory, host: str, port: int) -> SimulatedTransport:
        """ConnectionRefusedError if nobody listens; no answer at all from a machine that is down."""
        answered: asyncio.Future[SimulatedTransport] = self.loop.create_future()
        self.loop.call_at(self.arrival_time(), self._knock, factory, port, answered)
        return await answered

    def _knock(
        self, factory: ProtocolFactory, port: int, answered: asyncio.Future[SimulatedTransport]
    ) -> None:
        if answered.done() or not self.machine_is_up:
            return
        server = self._servers.get(port)
        if server is None or not server.is_open:
            self.loop.call_later(self.delay(), _refuse, answered)
            return
        self._connections += 1
        name = f"c{self._connections}"
        here = SimulatedTransport(self, f"{name}<", _BROKER_ADDRESS, copy_context())
        there = SimulatedTransport(self, f"{name}>", _CLIENT_ADDRESS, server.context)
        here.peer, there.peer = there, here
        self._transports[here] = self._transports[there] = None
        self.trace.note("connected", name)
        self.loop.call_soon(lambda: there.begin(server.factory()), context=server.context)
        self.loop.call_later(self.delay(), _accept, here, factory, answered)

    # What the world does.

    def stall(self, seconds: float) -> None:
        """Nothing that is sent in this time arrives before its end."""
        self._stalled_until = self.loop.time() + seconds

    def cut_one(self) -> bool:
        """Break one connection; False if there is none."""
        if not self._transports:
            return False
        victim = self._chance.choice(list(self._transports))
        self.trace.note("cut", victim.name)
        victim.cut()
        return True

    def calm_down(self) -> None:
        """From now on nothing is late."""
        self._stalled_until = 0.0

    def remove_program(self, program: Program, *, power_is_off: bool) -> None:
        """The broker has died. Its machine says so to the clients, unless the power is off: then they hear nothing."""
        for server in [one for one in self._servers.values() if one.program is program]:
            del self._servers[server.port]
        for transport in list(self._transports):
            if program_of(transport.context) is program:
                transport.die()
                self._tell_peer(transport, power_is_off)

    def _tell_peer(self, dead: SimulatedTransport, power_is_off: bool) -> None:
        # What the program had sent may be lost with it, or arrive.
        dead.is_cut = self._chance.random() < 0.5
        if power_is_off:
            return
        if not dead.is_cut and self._chance.random() < 0.5:
            dead.say_goodbye()
        else:
            self.loop.call_at(self.arrival_time(), dead.peer.break_off, context=dead.peer.context)


def _accept(
    transport: SimulatedTransport,
    factory: ProtocolFactory,
    answered: asyncio.Future[SimulatedTransport],
) -> None:
    if transport.is_lost:
        _refuse(answered)
    elif answered.done():
        # The caller's patience is over.
        transport.begin(asyncio.BufferedProtocol())
        transport.abort()
    else:
        transport.begin(factory())
        answered.set_result(transport)


def _refuse(answered: asyncio.Future[SimulatedTransport]) -> None:
    if not answered.done():
        answered.set_exception(ConnectionRefusedError(111, "nobody listens there"))
