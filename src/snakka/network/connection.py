"""One client connection: frames in, answers out, in the order of the requests.

Frames are handed to the dispatcher while they lie in the receive buffer; it answers at once (`answer`) or keeps a place
in the order (`wait_for`). The rule: what one client can make us hold is bounded. While it has too many requests open,
has not read enough of its answers, or wants more memory than is left, nothing further is read from it.
"""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from snakka.network.connection_limits import ConnectionLimits, normal_address
from snakka.network.frame_splitter import BadFrameError, FrameSplitter
from snakka.network.local_connections import do_not_pace
from snakka.network.metrics import ListenerMetrics
from snakka.network.outbound import ChunkBuffer, Outbound
from snakka.network.receive_buffer import ReceiveMemory
from snakka.network.rejection_log import RejectionLog
from snakka.network.waiting import Waiting
from snakka.protocol.frame import Frame
from snakka.runtime import Runtime
from snakka.security.authorizer import Authorizer
from snakka.security.principal import ANONYMOUS, Principal

# Kafka has one request of a connection in work at a time, whatever the client sends ahead. Above these nothing is read
# until half of the requests are answered.
MOST_OPEN_REQUESTS = 64
MOST_PARKED_BYTES = 1024 * 1024
# After this many requests of one client the others get their turn.
REQUESTS_PER_TURN = 64

log = logging.getLogger(__name__)


class FrameHandler(Protocol):
    """What a connection does with a frame: the broker's dispatcher, or a test's."""

    @property
    def api_ranges(self) -> Sequence[tuple[int, int, int]]:
        """Key, lowest and highest version of every API that is served, as ApiVersions answers."""

    def dispatch(self, connection: "Connection", frame: memoryview) -> None:
        """Handle a request whose bytes are gone when this returns. It never raises."""


@dataclass(slots=True)
class ConnectionEnvironment:
    """What the connections of one listener share. Sizes may change live and hold for new connections."""

    listener_name: str
    handler: FrameHandler
    runtime: Runtime
    memory: ReceiveMemory
    limits: ConnectionLimits
    authorizer: Authorizer
    metrics: ListenerMetrics
    rejections: RejectionLog
    largest_frame: int
    send_buffer_bytes: int
    receive_buffer_bytes: int
    # Whether a new connection is already who it says it is: true where the listener asks for no credentials.
    is_authenticated: bool = True
    # What the answers that are in files pass through.
    chunk: ChunkBuffer = field(default_factory=ChunkBuffer)
    # A dict, for its order: what is done to all connections is done in the order in which they came.
    connections: dict["Connection", None] = field(default_factory=dict)
    # Called when the last of them has ended.
    when_empty: Callable[[], None] | None = None


class Connection(asyncio.BufferedProtocol):
    """The server side of one socket."""

    __slots__ = (
        "_bytes_received",
        "_dispatch",
        "_is_admitted",
        "_is_closing",
        "_is_held_back",
        "_loop",
        "_open",
        "_outbound",
        "_parked_bytes",
        "_relief_is_due",
        "_splitter",
        "_transport",
        "client_address",
        "client_software",
        "environment",
        "is_authenticated",
        "last_active",
        "principal",
    )

    def __init__(self, environment: ConnectionEnvironment) -> None:
        self.environment = environment
        self.principal: Principal = ANONYMOUS
        self.is_authenticated = environment.is_authenticated
        self.client_address = ""
        # Name and version that the client's library gave with ApiVersions (KIP-511).
        self.client_software = ("unknown", "unknown")
        self._loop = environment.runtime.loop
        self._dispatch = environment.handler.dispatch
        self._bytes_received = environment.metrics.bytes_received
        self._splitter = FrameSplitter(environment.memory, environment.largest_frame, self._relieve_soon)
        # Requests whose answers have not left, oldest first.
        self._open: deque[Waiting] = deque()
        # Memory of answers that wait for one before them.
        self._parked_bytes = 0
        self._is_admitted = False
        self._is_closing = False
        # Nothing is read until answers have left or memory has come free.
        self._is_held_back = False
        self._relief_is_due = False
        self.last_active = self._loop.time()

    # The event loop calls these.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        environment = self.environment
        self._outbound = Outbound(
            self._transport,
            self._loop,
            environment.runtime.offload,
            environment.chunk,
            on_full=self._hold_back,
            on_drained=self._answers_have_left,
            on_failure=self._cannot_answer,
        )
        peer = transport.get_extra_info("peername")
        self.client_address = normal_address(str(peer[0])) if peer else ""
        if not environment.limits.admit(environment.listener_name, self.client_address):
            environment.metrics.connections_refused.value += 1
            self._is_closing = self._is_held_back = True
            self._transport.abort()
            return
        self._is_admitted = True
        environment.metrics.connections_opened.value += 1
        environment.connections[self] = None
        self._set_socket_options(transport.get_extra_info("socket"))

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._splitter.buffer()

    def buffer_updated(self, count: int) -> None:
        self.last_active = self._loop.time()
        self._bytes_received.value += count
        self._splitter.received(count)
        self._handle_frames()

    def pause_writing(self) -> None:
        self._outbound.pause()

    def resume_writing(self) -> None:
        self.last_active = self._loop.time()
        self._outbound.resume()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_closing = self._is_held_back = True
        self._outbound.close()
        self._splitter.close()
        if self._is_admitted:
            self._is_admitted = False
            self.environment.limits.release(self.environment.listener_name, self.client_address)
            self.environment.connections.pop(self, None)
            if not self.environment.connections and self.environment.when_empty is not None:
                self.environment.when_empty()
        while self._open:
            try:
                self._open.popleft().disconnect()
            except Exception:
                log.exception("what waited for a client could not be dropped")

    # The dispatcher calls these.

    def answer(self, answer: Frame) -> None:
        """The sealed answer to the request that is being dispatched."""
        if not self._open:
            self._outbound.send(answer)
            return
        answered = Waiting()
        answered.is_done = True
        answered.answer = answer
        self.wait_for(answered)
        self._park(answer)

    def wait_for(self, waiting: Waiting) -> None:
        """The request that is being dispatched is answered later; its place in the order is kept."""
        self._open.append(waiting)
        if len(self._open) >= MOST_OPEN_REQUESTS:
            self._hold_back()

    def answer_later(self, waiting: Waiting) -> None:
        """An open request has got its answer: send it and those after it, if its turn has come."""
        opened = self._open
        if waiting is not opened[0]:
            if waiting.answer is not None:
                self._park(waiting.answer)
            return
        opened.popleft()
        if waiting.answer is not None:
            self._outbound.send(waiting.answer)
        while opened and opened[0].is_done:
            answer = opened.popleft().answer
            if answer is not None:
                self._parked_bytes -= len(answer)
                self._outbound.send(answer)
        if self._is_held_back:
            self._answers_have_left()

    def reject(self, reason: str) -> None:
        """The client sent what no client should: say so once in a while in the log, and close."""
        if not self._is_closing:
            self.environment.metrics.requests_rejected.value += 1
            self.environment.rejections.report(f"closed the connection from {self.client_address}: {reason}")
            self._close_now()

    def close_with_reason(self, reason: str) -> None:
        """Close instead of an answer, as Kafka does where the protocol has no other way to tell of an error."""
        self.reject(reason)

    # The listener calls these.

    def finish(self) -> None:
        """Take no further request; close when all that were taken are answered."""
        if not self._is_closing:
            self._is_closing = True
            self._hold_back()
            self._close_if_finished()

    def abort(self) -> None:
        """Close at once, whatever is open."""
        self._is_closing = self._is_held_back = True
        self._transport.abort()

    # Inside.

    def _handle_frames(self) -> None:
        next_frame = self._splitter.next_frame
        outbound = self._outbound
        outbound.corked = True
        try:
            for _ in range(REQUESTS_PER_TURN):
                frame = next_frame()
                if frame is None:
                    if self._splitter.needs_memory:
                        self._hold_back()
                    break
                self._dispatch(self, frame)
                if self._is_held_back:
                    break
            else:
                self._hold_back()
                self._relieve_soon()
        except BadFrameError as error:
            self.reject(str(error))
        outbound.uncork()
        if self._is_held_back:
            self._splitter.keep_for_later()

    def _park(self, answer: Frame) -> None:
        """An answer waits for one before it; what it refers to in files costs no memory."""
        self._parked_bytes += len(answer)
        if self._parked_bytes > MOST_PARKED_BYTES:
            self._hold_back()

    def _hold_back(self) -> None:
        if not self._is_held_back:
            self._is_held_back = True
            if not self._transport.is_closing():
                self._transport.pause_reading()

    def _answers_have_left(self) -> None:
        if self._is_closing:
            # In a turn of its own: asyncio's transport reports the end twice if it is closed while it calls us.
            self._loop.call_soon(self._close_if_finished)
        elif self._is_held_back:
            self._relieve_soon()

    def _relieve_soon(self) -> None:
        """In a turn of its own: this is called from within another connection's request."""
        if not self._relief_is_due:
            self._relief_is_due = True
            self._loop.call_soon(self._relieve)

    def _relieve(self) -> None:
        self._relief_is_due = False
        if self._is_closing or not self._is_held_back:
            return
        if len(self._open) > MOST_OPEN_REQUESTS // 2 or self._parked_bytes > MOST_PARKED_BYTES:
            return
        if not self._outbound.is_empty or self._splitter.needs_memory:
            return
        self._is_held_back = False
        self._handle_frames()
        if not self._is_held_back and not self._transport.is_closing():
            self._transport.resume_reading()

    def _close_if_finished(self) -> None:
        if not self._open and self._outbound.is_empty and not self._transport.is_closing():
            self._transport.close()

    def _close_now(self) -> None:
        """Answers that are in the transport still leave; the idle sweep aborts it if the client never takes them."""
        self._is_closing = self._is_held_back = True
        self._outbound.uncork()
        self._outbound.close()
        self._transport.close()

    def _cannot_answer(self, error: OSError) -> None:
        """The size of the answer is sent and its bytes can't be had: only a closed connection says so."""
        self.environment.rejections.report(f"closed the connection to {self.client_address}: {error}")
        self._is_closing = self._is_held_back = True
        self._loop.call_soon(self.abort)

    def _set_socket_options(self, raw: socket.socket | None) -> None:
        if raw is None:
            return
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        do_not_pace(raw)
        if self.environment.send_buffer_bytes > 0:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.environment.send_buffer_bytes)
        if self.environment.receive_buffer_bytes > 0:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.environment.receive_buffer_bytes)
