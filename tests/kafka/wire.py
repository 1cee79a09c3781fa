"""A blocking connection that sends exactly what it is told, in any version, and shows exactly what comes back."""

import socket
import struct
from typing import Any

from snakka.protocol.api_keys import API_FACTS, response_class
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.request_header import read_response_header, write_request_header

DEADLINE_SECONDS = 30.0
CLIENT_ID = "referee"


class ConnectionClosedError(Exception):
    """The broker closed the connection instead of answering."""


class Wire:
    """One connection; a request at a time."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), DEADLINE_SECONDS)
        self._correlation_id = 0

    def be_patient(self, seconds: float) -> None:
        """How long to wait for each answer; TimeoutError after that."""
        self._socket.settimeout(seconds)

    def ask(self, request: Message, version: int | None = None) -> Any:
        """The answer, when it comes."""
        key = request.API_KEY
        if version is None:
            version = newest_version(key)
        self.send(request, version)
        return self.answer(key, version)

    def answer(self, key: int, version: int) -> Any:
        """What the last request gets, which must fill its frame to the last byte."""
        answer = self.receive()
        correlation_id, position = read_response_header(answer, key, version)
        assert correlation_id == self._correlation_id
        return response_class(key).decode_whole(memoryview(answer), version, position)

    def send(self, request: Message, version: int) -> None:
        self._correlation_id += 1
        frame = Frame(4)
        write_request_header(frame, request.API_KEY, version, self._correlation_id, CLIENT_ID)
        request.write(frame, version)
        frame.seal()
        self.send_bytes(frame.joined())

    def send_bytes(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except ConnectionError as error:
            raise ConnectionClosedError from error

    def receive(self) -> bytes:
        """The next frame, without its size."""
        (size,) = struct.unpack(">i", self._receive_exactly(4))
        return self._receive_exactly(size)

    def _receive_exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                part = self._socket.recv(size - len(data))
            except ConnectionError as error:
                raise ConnectionClosedError from error
            if not part:
                raise ConnectionClosedError
            data += part
        return bytes(data)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def newest_version(api_key: int) -> int:
    """The newest that Kafka serves without asking for unstable ones."""
    facts = API_FACTS[api_key]
    return facts.max_version - facts.unstable
