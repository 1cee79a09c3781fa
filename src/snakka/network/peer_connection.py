"""The one way out: a connection that we open to a broker or controller, for the client and between nodes.

It dials, learns which versions the peer speaks, and then carries many requests at a time. The rule: every request ends,
by its answer, by its deadline, or by the connection's loss, and no more than a bounded number is open.
"""

import asyncio
import struct
from typing import Any, NamedTuple, cast

from snakka import __version__
from snakka.network.frame_splitter import BadFrameError, FrameSplitter
from snakka.network.receive_buffer import ReceiveMemory
from snakka.protocol.api_keys import API_FACTS, ApiKey, response_class
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from snakka.protocol.request_header import read_response_header, write_request_header

MOST_IN_FLIGHT = 64
LARGEST_ANSWER = 2**31 - 1
_HIGHEST_CORRELATION_ID = 2**31 - 1
_read_error_code = struct.Struct(">h").unpack_from


class PeerDisconnectedError(ConnectionError):
    """The peer is gone; whether it has seen the open requests is not known."""


class _OpenRequest(NamedTuple):
    key: int
    version: int
    answer: asyncio.Future[bytes]


class PeerConnection:
    """An open connection to one peer. Make it with `await PeerConnection.open(...)`."""

    def __init__(self, host: str, port: int, client_id: str | None) -> None:
        self.host = host
        self.port = port
        self.client_id = client_id
        # Lowest and highest version that the peer serves, by API key.
        self.versions: dict[int, tuple[int, int]] = {}
        self._open: dict[int, _OpenRequest] = {}
        self._places = asyncio.Semaphore(MOST_IN_FLIGHT)
        self._next_correlation_id = 0
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def open(
        cls,
        host: str,
        port: int,
        *,
        client_id: str | None,
        memory: ReceiveMemory | None = None,
        deadline_seconds: float = 10.0,
    ) -> "PeerConnection":
        """Dial and learn the peer's versions. OSError if it can't be reached, TimeoutError if it does not answer."""
        connection = cls(host, port, client_id)
        async with asyncio.timeout(deadline_seconds):
            await asyncio.get_running_loop().create_connection(
                lambda: _PeerProtocol(connection, memory or ReceiveMemory()), host, port
            )
            try:
                await connection._learn_versions()
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

    def highest_version(self, key: int) -> int:
        """The highest version that both speak; ApiError UNSUPPORTED_VERSION if there is none."""
        facts = API_FACTS[key]
        ours = facts.max_version - 1 if facts.unstable else facts.max_version
        lowest, highest = self.versions.get(key, (0, -1))
        common = min(highest, ours)
        if common < max(lowest, facts.min_version):
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION,
                f"{self.host}:{self.port} has no version of {facts.name} in common with us",
            )
        return common

    async def request(self, message: Message, *, deadline_seconds: float, version: int | None = None) -> Any:
        """Send a request and wait for its response, in the highest common version unless one is given.

        The response is the caller's own: its records stay valid.
        """
        key = message.API_KEY
        if version is None:
            version = self.highest_version(key)
        async with asyncio.timeout(deadline_seconds):
            frame = await self._exchange(message, key, version)
        _, position = read_response_header(frame, key, version)
        return response_class(key).decode(memoryview(frame), version, position)

    def send_without_answer(self, message: Message, *, version: int | None = None) -> None:
        """Send a request that the peer does not answer: Produce with acks=0."""
        self._send(message, self.highest_version(message.API_KEY) if version is None else version)

    def close(self) -> None:
        """Close at once; open requests fail."""
        if self._transport is not None:
            self._transport.abort()
        self.lost()

    # The protocol calls these.

    def connected(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def received(self, frame: memoryview) -> None:
        """An answer has come; whoever timed out meanwhile is not interested."""
        if len(frame) < 4:
            raise ProtocolError("an answer without a correlation id")
        opened = self._open.pop(int.from_bytes(frame[:4], "big", signed=True), None)
        if opened is None:
            raise ProtocolError("an answer that nobody asked for")
        self._places.release()
        if not opened.answer.done():
            opened.answer.set_result(bytes(frame))

    def lost(self) -> None:
        """The connection has ended: so has everything that was open on it."""
        self._transport = None
        opened, self._open = self._open, {}
        for request in opened.values():
            self._places.release()
            if not request.answer.done():
                request.answer.set_exception(self._disconnected())

    # Inside.

    async def _exchange(self, message: Message, key: int, version: int) -> bytes:
        await self._places.acquire()
        try:
            correlation_id = self._send(message, version)
        except BaseException:
            self._places.release()
            raise
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        # It keeps its place until the peer has answered, even if the caller's deadline passes before.
        self._open[correlation_id] = _OpenRequest(key, version, answer)
        return await answer

    def _send(self, message: Message, version: int) -> int:
        if self._transport is None or self._transport.is_closing():
            raise self._disconnected()
        correlation_id = self._next_correlation_id
        self._next_correlation_id = (correlation_id + 1) & _HIGHEST_CORRELATION_ID
        frame = Frame(4)
        write_request_header(frame, message.API_KEY, version, correlation_id, self.client_id)
        message.write(frame, version)
        frame.seal()
        for part in frame.parts():
            if isinstance(part, (bytes, bytearray, memoryview)):
                self._transport.write(part)
            else:
                self._transport.write(part.read_blocking(0, len(part)))
        return correlation_id

    async def _learn_versions(self) -> None:
        """Ask with our highest version; a peer that does not know it names those that it knows (KIP-511)."""
        version = API_FACTS[ApiKey.API_VERSIONS].max_version
        request = ApiVersionsRequest(client_software_name="snakka", client_software_version=__version__)
        response = await self._ask_versions(request, version)
        if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
            known = [row.max_version for row in response.api_keys if row.api_key == ApiKey.API_VERSIONS]
            response = await self._ask_versions(request, min([version, *known]) if known else 0)
        if response.error_code:
            raise ApiError(
                ErrorCode(response.error_code), f"{self.host}:{self.port} does not tell its versions"
            )
        self.versions = {row.api_key: (row.min_version, row.max_version) for row in response.api_keys}

    async def _ask_versions(self, request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
        frame = await self._exchange(request, ApiKey.API_VERSIONS, version)
        _, position = read_response_header(frame, ApiKey.API_VERSIONS, version)
        # An error about the version itself is told in version 0, whatever was asked.
        if (
            len(frame) >= position + 2
            and _read_error_code(frame, position)[0] == ErrorCode.UNSUPPORTED_VERSION
        ):
            version = 0
        return ApiVersionsResponse.decode(frame, version, position)

    def _disconnected(self) -> PeerDisconnectedError:
        return PeerDisconnectedError(f"the connection to {self.host}:{self.port} is closed")


class _PeerProtocol(asyncio.BufferedProtocol):
    """Cuts the peer's answers into frames."""

    def __init__(self, connection: PeerConnection, memory: ReceiveMemory) -> None:
        self._connection = connection
        self._splitter = FrameSplitter(memory, LARGEST_ANSWER, self._memory_granted)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._connection.connected(self._transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._splitter.buffer()

    def buffer_updated(self, count: int) -> None:
        self._splitter.received(count)
        self._handle_frames()

    def connection_lost(self, error: Exception | None) -> None:
        self._splitter.close()
        self._connection.lost()

    def _handle_frames(self) -> None:
        try:
            while (frame := self._splitter.next_frame()) is not None:
                self._connection.received(frame)
        except (BadFrameError, ProtocolError):
            self._transport.abort()
            return
        if self._splitter.needs_memory:
            self._splitter.keep_for_later()
            self._transport.pause_reading()

    def _memory_granted(self) -> None:
        asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        if not self._transport.is_closing():
            self._handle_frames()
            if not self._splitter.needs_memory:
                self._transport.resume_reading()
