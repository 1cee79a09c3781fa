"""The one way out: a connection that we open to a broker or controller, for the client and between nodes.

It dials, learns which versions the peer speaks, logs in, and then carries many requests at a time. The rule: every request
ends, by its answer, by its deadline, or by the connection's loss, and no more than a bounded number is open or waits.
"""

import asyncio
import socket
import struct
from collections import deque
from typing import Any

from snakka import __version__
from snakka.network.answer_stream import CLOSED, AnswerMemory, AnswerStream
from snakka.network.answer_times import AnswerTimes
from snakka.network.local_connections import do_not_pace
from snakka.network.peer_dialing import dial
from snakka.network.peer_errors import (
    PeerAuthenticationError,
    PeerBusyError,
    PeerDisconnectedError,
    PeerTimeoutError,
    PeerUnreachableError,
    shown_address,
)
from snakka.network.peer_login import log_in
from snakka.network.peer_terms import PLAINTEXT, SYSTEM_BUFFERS, PeerSecurity, SocketBuffers, Spawn
from snakka.network.receive_buffer import ReceiveMemory
from snakka.protocol.api_keys import API_FACTS, ApiKey, response_class
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from snakka.protocol.request_header import read_response_header, write_request_header

__all__ = [
    "MOST_IN_FLIGHT",
    "PLAINTEXT",
    "PeerAuthenticationError",
    "PeerBusyError",
    "PeerConnection",
    "PeerDisconnectedError",
    "PeerSecurity",
    "PeerTimeoutError",
    "PeerUnreachableError",
    "SocketBuffers",
]

MOST_IN_FLIGHT = 64
# Those beyond MOST_IN_FLIGHT wait here until the peer has answered others.
MOST_WAITING = 4096
_HIGHEST_CORRELATION_ID = 2**31 - 1
# Up to this size the parts of a request are joined: a copy costs less than another system call.
_JOINED_BYTES = 64 * 1024
_LOGIN_SECONDS = 30.0
# Kafka refuses a second login within a second of the last one.
_SOONEST_RENEWAL_SECONDS = 1.1
_read_error_code = struct.Struct(">h").unpack_from

_BEGINNING = frozenset({ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE})


class _Request:
    """One request, until it is answered."""

    __slots__ = ("answer", "deadline", "key", "message", "sent_at", "version")

    def __init__(
        self, message: Message, version: int, deadline: float, answer: asyncio.Future[Any] | None
    ) -> None:
        self.message: Message | None = message
        self.key = message.API_KEY
        self.version = version
        self.deadline = deadline
        self.answer = answer  # None: the peer gives none
        self.sent_at = 0.0


class PeerConnection:
    """An open connection to one peer. Make it with `await PeerConnection.open(...)`."""

    def __init__(
        self,
        host: str,
        port: int,
        client_id: str | None,
        *,
        most_in_flight: int = MOST_IN_FLIGHT,
        security: PeerSecurity = PLAINTEXT,
        spawn: Spawn | None = None,
        buffers: SocketBuffers = SYSTEM_BUFFERS,
    ) -> None:
        self.host = host
        self.port = port
        self.client_id = client_id
        # Lowest and highest version that the peer serves, by API key; and its finalized features by name.
        self.versions: dict[int, tuple[int, int]] = {}
        self.features: dict[str, int] = {}
        self.most_in_flight = most_in_flight
        self.last_used = 0.0  # in the loop's time
        self.answer_times = AnswerTimes()
        self._common_versions: dict[int, int] = {}
        self._loop = asyncio.get_running_loop()
        self._open: dict[int, _Request] = {}
        self._waiting: deque[_Request] = deque()
        self._next_correlation_id = 0
        self._transport: asyncio.Transport | None = None
        self._security = security
        self._spawn = spawn
        self._buffers = buffers
        self._holds = 0  # reasons why ordinary requests may not go out now
        self._renew_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._congestion: asyncio.Future[None] | None = None  # until the network has taken what was sent
        self._is_tried = False  # the peer has answered an ordinary request
        self._end: ConnectionError | None = None

    @classmethod
    async def open(
        cls,
        host: str,
        port: int,
        *,
        client_id: str | None,
        memory: ReceiveMemory | None = None,
        deadline_seconds: float = 10.0,
        security: PeerSecurity = PLAINTEXT,
        most_in_flight: int = MOST_IN_FLIGHT,
        spawn: Spawn | None = None,
        buffers: SocketBuffers = SYSTEM_BUFFERS,
    ) -> "PeerConnection":
        """Dial, learn the peer's versions and log in.

        OSError if that can't be, with its kinds PeerUnreachableError, PeerAuthenticationError and TimeoutError.
        `spawn` owns the task that logs in again when a login's life ends; without it the connection ends then.
        """
        connection = cls(
            host,
            port,
            client_id,
            most_in_flight=most_in_flight,
            security=security,
            spawn=spawn,
            buffers=buffers,
        )
        loop = connection._loop
        deadline = loop.time() + deadline_seconds
        splitter_memory = memory or AnswerMemory()
        await dial(
            lambda: AnswerStream(connection, splitter_memory),
            host,
            port,
            tls=security.tls,
            seconds=deadline_seconds,
        )
        try:
            await connection._begin(deadline)
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def in_flight(self) -> int:
        """Requests that the peer has not answered, those included that nobody waits for any more."""
        return len(self._open)

    @property
    def has_room(self) -> bool:
        """Whether a request would go out at once."""
        return (
            self.is_open
            and not self._holds
            and self._congestion is None
            and len(self._open) + len(self._waiting) < self.most_in_flight
        )

    @property
    def address(self) -> str:
        return shown_address(self.host, self.port)

    def highest_version(self, key: int) -> int:
        """The highest version that both speak; ApiError UNSUPPORTED_VERSION if there is none."""
        common = self._common_versions.get(key)
        if common is not None:
            return common
        facts = API_FACTS[key]
        ours = facts.max_version - 1 if facts.unstable else facts.max_version
        lowest, highest = self.versions.get(key, (0, -1))
        common = min(highest, ours)
        if common < max(lowest, facts.min_version):
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION,
                f"{self.address} has no version of {facts.name} in common with us",
            )
        self._common_versions[key] = common
        return common

    def start(
        self, message: Message, *, timeout_seconds: float, version: int | None = None
    ) -> asyncio.Future[Any]:
        """Send a request now, or when there is room for it; the future gets its response.

        In the highest common version unless one is given. The future fails with PeerDisconnectedError or PeerTimeoutError; a
        connection that is closed or overfull already, or has no such version, raises here. Requests go out in the order
        of the calls. Who does not want the answer any more cancels the future; the response is the caller's own. Records of
        the message are sent from where they are: they must not change before the answer has come.
        """
        if version is None:
            version = self.highest_version(message.API_KEY)
        answer = self._loop.create_future()
        self._submit(_Request(message, version, self._loop.time() + timeout_seconds, answer))
        return answer

    async def request(self, message: Message, *, deadline_seconds: float, version: int | None = None) -> Any:
        """As `start`, and wait for the response; TimeoutError if it does not come in time."""
        return await self.start(message, timeout_seconds=deadline_seconds, version=version)

    def send_without_answer(self, message: Message, *, version: int | None = None) -> None:
        """Send a request that the peer does not answer: Produce with acks=0. Wait for `drained` before many of them."""
        if version is None:
            version = self.highest_version(message.API_KEY)
        self._submit(_Request(message, version, 0.0, None))

    async def drained(self, deadline_seconds: float) -> None:
        """Until the network has taken what was sent, nearly; TimeoutError if it does not."""
        if self._congestion is not None:
            await asyncio.wait((self._congestion,), timeout=deadline_seconds)
            if self._congestion is not None:
                raise PeerTimeoutError(f"{self.address} takes no more requests")

    def close(self) -> None:
        """Close at once; open requests fail."""
        if self._transport is not None:
            self._transport.abort()
        self.lost(None)

    # The protocol calls these.

    def connected(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.last_used = self._loop.time()
        connected = transport.get_extra_info("socket")
        if connected is not None:
            # A peer that vanished without a word is noticed even where nothing is sent.
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            do_not_pace(connected)
            for option, size in zip((socket.SO_SNDBUF, socket.SO_RCVBUF), self._buffers, strict=True):
                if size >= 0:
                    connected.setsockopt(socket.SOL_SOCKET, option, size)

    def received(self, frame: memoryview) -> None:
        """An answer has come; whoever timed out meanwhile is not interested."""
        if len(frame) < 4:
            raise ProtocolError("an answer without a correlation id")
        request = self._open.pop(int.from_bytes(frame[:4], "big", signed=True), None)
        if request is None:
            raise ProtocolError("an answer that nobody asked for")
        self.answer_times.note(self._loop.time() - request.sent_at)
        if not self._is_tried:
            self._is_tried = request.key not in _BEGINNING
        answer = request.answer
        if answer is not None and not answer.done():
            try:
                response = _decoded(frame, request.key, request.version)
            except ProtocolError as error:
                answer.set_exception(error)
            else:
                answer.set_result(response)
                throttle_ms = getattr(response, "throttle_time_ms", 0)
                if throttle_ms > 0:
                    self._hold_for(throttle_ms / 1000)
        if self._waiting:
            self._send_waiting()

    def congested(self, is_congested: bool) -> None:
        """More was sent than the network takes, or it has taken it."""
        if is_congested:
            self._congestion = self._loop.create_future()
        elif self._congestion is not None:
            self._congestion.set_result(None)
            self._congestion = None

    def lost(self, why: str | None) -> None:
        """The connection has ended, and so has everything on it. `why` is what the peer did; None: it was us."""
        self._transport = None
        self.congested(False)
        if self._end is None:
            self._end = PeerDisconnectedError(
                f"the connection to {self.address} is closed" if why is None else self._explained(why)
            )
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        requests = [*self._open.values(), *self._waiting]
        self._open.clear()
        self._waiting.clear()
        for request in requests:
            if request.answer is not None and not request.answer.done():
                request.answer.set_exception(self._ended())

    # Sending.

    def _submit(self, request: _Request) -> None:
        if self._renew_at is not None and self._loop.time() >= self._renew_at:
            self._renew_login()
        if self._transport is None or self._transport.is_closing():
            raise self._ended()
        if self._holds or self._waiting or len(self._open) >= self.most_in_flight:
            if len(self._waiting) >= MOST_WAITING:
                raise PeerBusyError(f"{MOST_WAITING} requests wait for {self.address} already")
            self._waiting.append(request)
            if request.answer is not None:
                self._watch(request.deadline)
        else:
            self._send(request)

    def _send_waiting(self) -> None:
        while self._waiting and not self._holds and len(self._open) < self.most_in_flight:
            request = self._waiting.popleft()
            if request.answer is not None and request.answer.done():
                continue
            self._send(request)

    def _send(self, request: _Request) -> None:
        transport = self._transport
        assert transport is not None
        message, request.message = request.message, None
        assert message is not None
        correlation_id = self._next_correlation_id
        self._next_correlation_id = (correlation_id + 1) & _HIGHEST_CORRELATION_ID
        frame = Frame(4)
        write_request_header(frame, request.key, request.version, correlation_id, self.client_id)
        message.write(frame, request.version)
        frame.seal()
        if frame.total_size <= _JOINED_BYTES:
            transport.write(frame.joined())
        else:
            for part in frame.parts():
                if isinstance(part, (bytes, bytearray, memoryview)):
                    transport.write(part)
                else:
                    transport.write(part.read_blocking(0, len(part)))
        self.last_used = request.sent_at = self._loop.time()
        if request.answer is not None:
            # It keeps its place until the peer has answered, even if nobody waits for it any more.
            self._open[correlation_id] = request
            self._watch(request.deadline)

    def _ask(self, message: Message, version: int, deadline: float) -> asyncio.Future[Any]:
        """As `start`, past all that holds ordinary requests back: for versions and logins."""
        if not self.is_open:
            raise self._ended()
        answer = self._loop.create_future()
        self._send(_Request(message, version, deadline, answer))
        return answer

    # Deadlines: one timer for all requests, which is moved only if an earlier deadline comes along.

    def _watch(self, deadline: float) -> None:
        if self._timer is None or deadline < self._timer_at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer_at = deadline
            self._timer = self._loop.call_at(deadline, self._expire)

    def _expire(self) -> None:
        self._timer = None
        now = self._loop.time()
        earliest = float("inf")
        for request in (*self._open.values(), *self._waiting):
            if request.answer is None or request.answer.done():
                continue
            if request.deadline <= now:
                name = API_FACTS[request.key].name
                request.answer.set_exception(
                    PeerTimeoutError(f"{self.address} does not answer {name} in time")
                )
            else:
                earliest = min(earliest, request.deadline)
        if any(request.answer is not None and request.answer.done() for request in self._waiting):
            self._waiting = deque(
                request for request in self._waiting if request.answer is None or not request.answer.done()
            )
        if earliest < float("inf"):
            self._watch(earliest)

    # Holding back.

    def _hold_for(self, seconds: float) -> None:
        """The broker has asked for a pause (KIP-219)."""
        self._holds += 1
        self._loop.call_later(seconds, self._release)

    def _release(self) -> None:
        self._holds -= 1
        if self.is_open:
            self._send_waiting()

    def _renew_login(self) -> None:
        """Log in again on the open connection (KIP-368); requests wait so long."""
        self._renew_at = None
        if self._spawn is None:
            self._end = PeerAuthenticationError(f"the login at {self.address} has ended")
            self.close()
            return
        self._holds += 1
        self._spawn(f"login at {self.address}", self._log_in_again())

    async def _log_in_again(self) -> None:
        try:
            await self._log_in(self._loop.time() + _LOGIN_SECONDS)
        except (OSError, ApiError, ProtocolError) as error:
            if isinstance(error, PeerAuthenticationError):
                self._end = error
            self.close()
        finally:
            self._release()

    # The beginning.

    async def _begin(self, deadline: float) -> None:
        try:
            await self._learn_versions(deadline)
        except PeerTimeoutError:
            raise PeerTimeoutError(
                f"{self.address} took the connection but does not answer: is it a Kafka broker, and is"
                " security.protocol right?"
            ) from None
        except PeerDisconnectedError as error:
            raise PeerUnreachableError(str(error)) from None
        if self._security.credentials is not None:
            await self._log_in(deadline)

    async def _log_in(self, deadline: float) -> None:
        credentials = self._security.credentials
        assert credentials is not None
        ask = lambda message, version: self._ask(message, version, deadline)  # noqa: E731
        lifetime_ms = await log_in(self.address, credentials, ask, self.highest_version, deadline)
        if lifetime_ms > 0:
            seconds = max(lifetime_ms / 1000 * self._security.renew_after, _SOONEST_RENEWAL_SECONDS)
            self._renew_at = self._loop.time() + seconds

    async def _learn_versions(self, deadline: float) -> None:
        """Ask with our highest version; a peer that does not know it names those that it knows (KIP-511)."""
        version = API_FACTS[ApiKey.API_VERSIONS].max_version
        request = ApiVersionsRequest(client_software_name="snakka", client_software_version=__version__)
        response: ApiVersionsResponse = await self._ask(request, version, deadline)
        if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
            known = [row.max_version for row in response.api_keys if row.api_key == ApiKey.API_VERSIONS]
            response = await self._ask(request, min([version, *known]) if known else 0, deadline)
        if response.error_code:
            raise ApiError(ErrorCode(response.error_code), f"{self.address} does not tell its versions")
        self.versions = {row.api_key: (row.min_version, row.max_version) for row in response.api_keys}
        self.features = {row.name: row.max_version_level for row in response.finalized_features}

    # The end.

    def _explained(self, why: str) -> str:
        """Why the peer has ended the connection, as far as one can guess."""
        text = f"{self.address} {why}"
        if not self.versions:
            if why == CLOSED and self._security.tls is None:
                return f"{text} before it told its versions: if it speaks TLS, set security.protocol=SSL or SASL_SSL"
        elif not self._is_tried and why == CLOSED and self._security.credentials is None:
            return (
                f"{text} at the first request: if it wants a login, set security.protocol=SASL_PLAINTEXT or"
                " SASL_SSL and sasl.mechanism"
            )
        return text

    def _ended(self) -> ConnectionError:
        """A fresh exception each time: one that is raised twice keeps growing its traceback."""
        end = self._end
        if end is None:
            return PeerDisconnectedError(f"the connection to {self.address} is closed")
        return type(end)(*end.args)


def _decoded(frame: memoryview, key: int, version: int) -> Message:
    _, position = read_response_header(frame, key, version)
    # An error about the version itself is told in version 0, whatever was asked.
    if (
        key == ApiKey.API_VERSIONS
        and len(frame) >= position + 2
        and _read_error_code(frame, position)[0] == ErrorCode.UNSUPPORTED_VERSION
    ):
        version = 0
    return response_class(key).decode(frame, version, position)
