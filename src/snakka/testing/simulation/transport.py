"""One end of a simulated connection, with asyncio's manners: buffers, back-pressure, and an end that is told once.

Rule: what one end writes arrives at the other in order, once, in pieces of any size, unless the connection is cut. How long
it takes, how much fits between the ends, and when a connection is cut is the network's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from snakka.testing.simulation.network import SimulatedNetwork

_DEFAULT_HIGH_WATER = 64 * 1024


class SimulatedTransport(asyncio.Transport):
    """`context` is that of the program which this end belongs to: its protocol is called there."""

    def __init__(
        self, network: SimulatedNetwork, name: str, address: tuple[str, int], context: Context
    ) -> None:
        super().__init__()
        self.name = name
        self.context = context
        self.peer: SimulatedTransport
        # The machine at this end is gone, and nobody tells the other one.
        self.is_dead = False
        # Its connection has ended, whatever the reason, and the protocol knows.
        self.is_lost = False
        # What is on its way from here is lost.
        self.is_cut = False
        self._network = network
        self._loop = network.loop
        self._address = address
        self._protocol: asyncio.BufferedProtocol | None = None
        self._is_closing = False
        # Outgoing: what the network has not taken, and what it has taken and the peer has not read.
        self._buffer = bytearray()
        self._under_way = 0
        self._last_arrival = 0.0
        self._high_water, self._low_water = _DEFAULT_HIGH_WATER, _DEFAULT_HIGH_WATER // 4
        self._is_paused_writing = False
        # Incoming.
        self._unread = bytearray()
        self._has_ended = False
        self._is_reading = False
        self._read_is_due = False

    def begin(self, protocol: asyncio.BufferedProtocol) -> None:
        """The connection is there."""
        self._protocol = protocol
        self._is_reading = True
        protocol.connection_made(self)
        self._read_soon()

    # What a protocol may ask.

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._address if name == "peername" else default

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = cast(asyncio.BufferedProtocol, protocol)

    def get_protocol(self) -> asyncio.BaseProtocol:
        assert self._protocol is not None
        return self._protocol

    def is_closing(self) -> bool:
        return self._is_closing

    def is_reading(self) -> bool:
        return self._is_reading and not self._is_closing

    def pause_reading(self) -> None:
        self._is_reading = False

    def resume_reading(self) -> None:
        if not self._is_closing:
            self._is_reading = True
            self._read_soon()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        if high is None:
            high = 4 * low if low is not None else _DEFAULT_HIGH_WATER
        self._high_water = high
        self._low_water = high // 4 if low is None else low
        self._pause_if_full()

    def get_write_buffer_size(self) -> int:
        return len(self._buffer)

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        if self._is_closing or self.is_dead:
            return
        copied = bytes(data)
        if self._buffer:
            self._buffer += copied
        else:
            self._buffer += copied[self._send(copied) :]
        self._pause_if_full()

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        """What is written still leaves."""
        if not self._is_closing:
            self._is_closing = True
            if not self._buffer:
                self._call_soon(self._end, None, False)

    def abort(self) -> None:
        """What is written and has not arrived is dropped, and the peer is told."""
        if not self.is_lost:
            self._is_closing = self.is_cut = True
            self._buffer.clear()
            self._call_soon(self._end, None, True)

    # What the network does.

    def cut(self) -> None:
        """The connection breaks here and now; each end learns of it in its own time."""
        for end in (self, self.peer):
            end.is_cut = True
            self._loop.call_later(self._network.delay(), end.break_off, context=end.context)

    def break_off(self) -> None:
        """This end learns that the connection is no more."""
        if not self.is_dead:
            self._is_closing = True
            self._buffer.clear()
            self._unread.clear()
            self._end(ConnectionResetError("the simulated connection was reset"), None)

    def die(self) -> None:
        """The program at this end is gone: its protocol is never called again."""
        self.is_dead = self._is_closing = self.is_lost = True
        self._network.forget(self)

    def say_goodbye(self) -> None:
        """A dead program's machine closes its connections."""
        self._transmit(self.peer.receive_end)

    # Inside.

    def _call_soon(self, callback: Callable[..., None], *arguments: object) -> None:
        self._loop.call_soon(callback, *arguments, context=self.context)

    def _send(self, data: bytes | bytearray) -> int:
        """Give the network what it takes; how much that was."""
        size = min(len(data), self._network.window_bytes - self._under_way)
        if size <= 0:
            return 0
        self._under_way += size
        self._transmit(self.peer.receive, bytes(data[:size]))
        return size

    def _transmit(self, arrive: Callable[..., None], *arguments: object) -> None:
        # Never at the time of the piece before it: timers of one moment have no order.
        self._last_arrival = max(self._network.arrival_time(), self._last_arrival + 1e-6)
        self._loop.call_at(self._last_arrival, arrive, *arguments, context=self.peer.context)

    def receive(self, data: bytes) -> None:
        if self.peer.is_cut:
            return
        if self.is_lost:
            # Nobody is here any more: a machine that is up says so.
            if not self.is_dead or self._network.machine_is_up:
                self._loop.call_later(self._network.delay(), self.peer.break_off, context=self.peer.context)
            return
        self._network.trace.note("arrived", self.name, len(data))
        self._unread += data
        self._read()

    def receive_end(self) -> None:
        if not self.peer.is_cut and not self.is_lost:
            self._has_ended = True
            self._read()

    def _read_soon(self) -> None:
        if not self._read_is_due:
            self._read_is_due = True
            self._call_soon(self._read_in_turn)

    def _read_in_turn(self) -> None:
        self._read_is_due = False
        self._read()

    def _read(self) -> None:
        """One read, as a socket gives it: some of what is there."""
        protocol = self._protocol
        if protocol is None or not self._is_reading or self._is_closing:
            return
        if self._unread:
            room = cast(memoryview, protocol.get_buffer(-1))
            size = min(len(room), len(self._unread), self._network.read_size())
            room[:size] = self._unread[:size]
            del self._unread[:size]
            self._loop.call_later(self._network.delay(), self.peer.taken, size, context=self.peer.context)
            protocol.buffer_updated(size)
            if self._unread or self._has_ended:
                self._read_soon()
        elif self._has_ended:
            self._is_reading = False
            if not protocol.eof_received():
                self.close()

    def taken(self, size: int) -> None:
        """The peer has read so much: there is room for more."""
        self._under_way -= size
        if self._buffer and not self.is_lost:
            del self._buffer[: self._send(self._buffer)]
            if self._is_paused_writing and len(self._buffer) <= self._low_water:
                self._is_paused_writing = False
                if self._protocol is not None:
                    self._protocol.resume_writing()
            if self._is_closing and not self._buffer:
                self._call_soon(self._end, None, False)

    def _pause_if_full(self) -> None:
        if len(self._buffer) > self._high_water and not self._is_paused_writing:
            self._is_paused_writing = True
            if self._protocol is not None:
                self._protocol.pause_writing()

    def _end(self, error: Exception | None, resets_peer: bool | None) -> None:
        """The last call of the protocol; `resets_peer` is None if the peer knows already."""
        if self.is_lost:
            return
        self.is_lost = True
        self._is_reading = False
        self._network.forget(self)
        self._network.trace.note("disconnected", self.name)
        if resets_peer is not None:
            self._transmit(self.peer.break_off if resets_peer else self.peer.receive_end)
        if self._protocol is not None:
            self._protocol.connection_lost(error)
