"""A batch as messages: what an application gets, a tuple for each record, its headers taken apart when it asks for them.

The rule of this room: everything in a batch is judged before the first message leaves, headers too, so that no message
holds bytes that turn out to be garbage later.
"""

from typing import NamedTuple, TypeVar

from snakka.protocol.batch_reader import MIN_RECORD_BYTES, Headers, read_headers
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import PlainBatch
from snakka.protocol.record_engine import IS_COMPILED
from snakka.protocol.varints import read_varint, read_varlong, wrapped

if IS_COMPILED:
    from snakka.protocol import _records

CREATE_TIME = 0
LOG_APPEND_TIME = 1


_ZIGZAG = tuple((byte >> 1) ^ -(byte & 1) for byte in range(128))
_BEYOND_64_BITS = 1 << 63


class Message(NamedTuple):
    """One record and where it was found."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    # As they are in the batch, their count before them; empty if there are none.
    encoded_headers: bytes

    @property
    def headers(self) -> Headers:
        encoded = self.encoded_headers
        return read_headers(encoded, 0, len(encoded)) if encoded else ()


M = TypeVar("M", bound=Message)


def read_messages(batch: PlainBatch, topic: str, partition: int, kind: type[M]) -> list[M]:
    """A message of each wanted record, of the type `kind`; ProtocolError, and no message, if any record is garbage."""
    if IS_COMPILED:
        return _records.read_messages(batch, topic, partition, kind)
    return read_messages_in_python(batch, topic, partition, kind)


def read_messages_in_python(batch: PlainBatch, topic: str, partition: int, kind: type[M]) -> list[M]:
    """The twin of native/messages.c. Numbers of one byte, which most are, are read without a call."""
    body = bytes(batch.body)
    _, count, base_offset, base_timestamp, append_time, first, stop = batch
    timestamp_type = CREATE_TIME if append_time is None else LOG_APPEND_TIME
    size = len(body)
    if not 0 <= count * MIN_RECORD_BYTES <= size:
        raise ProtocolError(f"{count} records do not fit into {size} bytes")
    messages: list[M] = []
    pos = 0
    try:
        for _ in range(count):
            length, pos = read_varint(body, pos)
            end = pos + length
            delta = body[pos + 1]
            delta, pos = (_ZIGZAG[delta], pos + 2) if delta < 128 else read_varlong(body, pos + 1)
            timestamp = base_timestamp + delta if append_time is None else append_time
            delta = body[pos]
            delta, pos = (_ZIGZAG[delta], pos + 1) if delta < 128 else read_varint(body, pos)
            offset = base_offset + delta
            key_size = body[pos]
            key_size, pos = (_ZIGZAG[key_size], pos + 1) if key_size < 128 else read_varint(body, pos)
            key: bytes | None = None
            if key_size >= 0:
                key = body[pos : pos + key_size]
                pos += key_size
            value_size, pos = read_varint(body, pos)
            value: bytes | None = None
            if value_size >= 0:
                value = body[pos : pos + value_size]
                pos += value_size
            # Positions only grow: whatever led too far shows here, where the count of headers must still follow.
            if not pos < end <= size:
                raise ProtocolError(f"a record says {length} bytes and has others")
            headers = b""
            if (body[pos] or pos + 1 != end) and read_headers(body, pos, end):
                headers = body[pos:end]
            pos = end
            if not -_BEYOND_64_BITS <= timestamp < _BEYOND_64_BITS:
                timestamp = wrapped(timestamp)
            if first <= offset < stop:
                messages.append(
                    tuple.__new__(
                        kind, (topic, partition, offset, timestamp, timestamp_type, key, value, headers)
                    )
                )
    except IndexError:
        raise ProtocolError("a record is cut off") from None
    if pos != size:
        raise ProtocolError(f"{size - pos} bytes are left after the last record")
    return messages
