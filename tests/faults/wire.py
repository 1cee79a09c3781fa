"""One connection to a broker on a plain socket: says exactly what it is told to, and waits for nothing unless asked."""

import contextlib
import socket
import struct
import time
from collections.abc import Iterator

from snakka.protocol.api_keys import response_class
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from snakka.protocol.messages.metadata import MetadataRequest
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from snakka.protocol.request_header import read_response_header, write_request_header

DEADLINE_SECONDS = 30.0
_SIZE = struct.Struct(">i")
# The last versions that name topics by their names: nothing has to be looked up first.
FETCH_VERSION = 12
PRODUCE_VERSION = 12


class ClosedByBrokerError(Exception):
    """The broker has closed the connection."""


class Wire:
    """Requests are answered in order, so `receive` needs to know only what was asked."""

    def __init__(self, bootstrap: str, *, receive_buffer: int = 0) -> None:
        host, _, port = bootstrap.rpartition(":")
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(DEADLINE_SECONDS)
        self.socket.connect((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, request: Message, version: int) -> None:
        self.socket.sendall(framed(request, version))

    def receive(self, request: Message, version: int) -> Message:
        frame = self.receive_frame()
        _, position = read_response_header(frame, request.API_KEY, version)
        return response_class(request.API_KEY).decode(memoryview(frame)[position:], version)

    def ask(self, request: Message, version: int) -> Message:
        self.send(request, version)
        return self.receive(request, version)

    def receive_frame(self) -> bytes:
        (size,) = _SIZE.unpack(self._receive_exactly(_SIZE.size))
        return self._receive_exactly(size)

    def is_closed(self) -> bool:
        """Whether the broker closes the connection, rather than say anything, within the deadline."""
        try:
            return not self.socket.recv(1)
        except ConnectionResetError:
            return True

    def _receive_exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                part = self.socket.recv(size - len(parts))
            except ConnectionResetError as error:
                raise ClosedByBrokerError from error
            if not part:
                raise ClosedByBrokerError
            parts += part
        return bytes(parts)


def framed(request: Message, version: int) -> bytes:
    """The bytes of a request, its size in front."""
    out = Frame(4)
    write_request_header(out, request.API_KEY, version, 1, "faults")
    request.write(out, version)
    out.seal()
    return out.joined()


def fetch(
    topic: str,
    partition: int,
    offset: int,
    *,
    max_bytes: int = 1 << 20,
    max_wait_ms: int = 0,
    read_committed: bool = False,
) -> FetchRequest:
    wanted = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes)
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=1,
        max_bytes=max_bytes,
        session_epoch=-1,
        isolation_level=int(read_committed),
        topics=[FetchTopic(topic=topic, partitions=[wanted])],
    )


def produce(topic: str, partition: int, value: bytes, *, acks: int = 1) -> ProduceRequest:
    batch = build_batch([Record(0, int(time.time() * 1000), None, value)])
    return ProduceRequest(
        acks=acks,
        timeout_ms=int(DEADLINE_SECONDS * 1000),
        topic_data=[
            TopicProduceData(
                name=topic, partition_data=[PartitionProduceData(index=partition, records=batch)]
            )
        ],
    )


API_VERSIONS = ApiVersionsRequest(client_software_name="faults", client_software_version="1")
ALL_METADATA = MetadataRequest(topics=None)


@contextlib.contextmanager
def many_wires(bootstrap: str, count: int) -> Iterator[list[Wire]]:
    """So many connections at once; all are closed at the end."""
    wires: list[Wire] = []
    try:
        wires.extend(Wire(bootstrap) for _ in range(count))
        yield wires
    finally:
        for wire in wires:
            wire.close()
