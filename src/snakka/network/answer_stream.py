"""The receiving side of a connection that we have opened: bytes become answers, and the end gets a reason."""

import asyncio
import socket
import ssl
import sys
from typing import Protocol, cast

from snakka.network.frame_splitter import BadFrameError, FrameSplitter
from snakka.network.peer_dialing import first_bytes_explained, tls_reason
from snakka.network.receive_buffer import PrivateBuffer, ReceiveMemory
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fresh_memory import fresh_memory

LARGEST_ANSWER = 2**31 - 1
# Beyond that a peer must really send what it has announced before there is room for more.
_ROOM_AT_ONCE_BYTES = 128 * 1024 * 1024
CLOSED = "has closed the connection"
# While so much or more of an answer is still to come, the system wakes us for so much at once: nobody can use a part of it.
_LEAST_AT_ONCE_BYTES = 64 * 1024
_MOST_AT_ONCE_BYTES = 2 * 1024 * 1024


class AnswerMemory(ReceiveMemory):
    """Memory for answers: we have asked for them, so a large one gets all its room at once, and keeps it.

    Ordinary memory is used again by the next answer without the cost of fresh pages. A frame is handed out when all of it
    has arrived, so nobody sees what was there before.
    """

    __slots__ = ()

    def take(self, size: int, received: int) -> PrivateBuffer:
        return fresh_memory(size) if size <= _ROOM_AT_ONCE_BYTES else super().take(size, received)


class AnswerTaker(Protocol):
    """Whoever has opened the connection."""

    def connected(self, transport: asyncio.Transport) -> None: ...

    def received(self, frame: memoryview) -> None:
        """A whole answer, the taker's own; ProtocolError ends the connection."""

    def congested(self, is_congested: bool) -> None:
        """Whether more was sent than the network takes just now."""

    def lost(self, why: str | None) -> None:
        """The connection has ended; `why` is what the peer did."""


class AnswerStream(asyncio.BufferedProtocol):
    """Cuts the peer's answers into frames."""

    def __init__(self, taker: AnswerTaker, memory: ReceiveMemory) -> None:
        self._taker = taker
        self._memory = memory
        self._splitter = FrameSplitter(memory, LARGEST_ANSWER, self._memory_granted)
        self._first_bytes: bytes | None = None
        self._why = ""
        self._socket: socket.socket | None = None
        self._awaited_bytes = 1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # Under TLS some of what is missing may have been taken from the socket already.
        if sys.platform == "linux" and transport.get_extra_info("ssl_object") is None:
            self._socket = transport.get_extra_info("socket")
        self._taker.connected(self._transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._splitter.buffer()

    def buffer_updated(self, count: int) -> None:
        if self._first_bytes is None:
            self._first_bytes = bytes(self._memory.shared[: min(count, 8)])
            self._why = first_bytes_explained(self._first_bytes)
            if self._why:
                self._transport.abort()
                return
        self._splitter.received(count)
        self._handle_frames()
        if self._socket is not None:
            self._await_bytes(self._socket, self._splitter.missing_bytes)

    def pause_writing(self) -> None:
        self._taker.congested(True)

    def resume_writing(self) -> None:
        self._taker.congested(False)

    def connection_lost(self, error: Exception | None) -> None:
        self._splitter.close()
        why = self._why or CLOSED
        if isinstance(error, ssl.SSLError):
            why = f"has ended TLS: {tls_reason(error)}"
        self._taker.lost(why)

    def _handle_frames(self) -> None:
        try:
            while (frame := self._splitter.next_frame()) is not None:
                if not self._splitter.give_frame_away():
                    frame = memoryview(bytes(frame))
                self._taker.received(frame)
        except (BadFrameError, ProtocolError) as error:
            self._why = f"does not speak Kafka's protocol: {error}"
            self._transport.abort()
            return
        if self._splitter.needs_memory:
            self._splitter.keep_for_later()
            self._transport.pause_reading()

    def _await_bytes(self, connected: socket.socket, missing: int) -> None:
        """Never more than must come: the system would not tell us of the last bytes."""
        awaited = min(missing, _MOST_AT_ONCE_BYTES) if missing >= _LEAST_AT_ONCE_BYTES else 1
        if awaited != self._awaited_bytes and not self._transport.is_closing():
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, awaited)
            self._awaited_bytes = awaited

    def _memory_granted(self) -> None:
        asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        if not self._transport.is_closing():
            self._handle_frames()
            if not self._splitter.needs_memory:
                self._transport.resume_reading()
