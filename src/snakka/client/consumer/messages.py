"""What an application and a consumer give each other: messages, partitions, and offsets with what is said of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from snakka.client.errors import DeserializationError
from snakka.protocol.fetched_batches import PlainBatch
from snakka.protocol.record_objects import Message, read_messages

__all__ = [
    "Message",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "message_decoder",
    "offset_and_metadata",
]

Deserializer = Callable[[bytes], Any]
Decode = Callable[[PlainBatch, str, int], list[Message]]


class OffsetAndMetadata(NamedTuple):
    """An offset to go on at, as it is committed; the epoch is that of the record before it, -1 if nobody knows."""

    offset: int
    metadata: str = ""
    leader_epoch: int = -1


class OffsetAndTimestamp(NamedTuple):
    """The offset of a record that was looked for by its time, and its time."""

    offset: int
    timestamp: int
    leader_epoch: int = -1


def offset_and_metadata(given: "int | tuple[int, str] | OffsetAndMetadata") -> OffsetAndMetadata:
    """An offset as it may be given: alone, with a text, or with its epoch too."""
    if isinstance(given, OffsetAndMetadata):
        return given
    return OffsetAndMetadata(given) if isinstance(given, int) else OffsetAndMetadata(*given)


def message_decoder(key: Deserializer | None, value: Deserializer | None) -> Decode:
    """Makes messages of a batch, keys and values as the application wants them. Nothing is called for a null."""
    if key is None and value is None:
        return lambda batch, topic, partition: read_messages(batch, topic, partition, Message)

    def decode(batch: PlainBatch, topic: str, partition: int) -> list[Message]:
        decoded: list[Message] = []
        for message in read_messages(batch, topic, partition, Message):
            _, _, offset, timestamp, timestamp_type, key_bytes, value_bytes, headers = message
            try:
                made_key = key_bytes if key is None or key_bytes is None else key(key_bytes)
                made_value = value_bytes if value is None or value_bytes is None else value(value_bytes)
            except Exception as error:
                raise DeserializationError(topic, partition, offset, error) from error
            fields = (topic, partition, offset, timestamp, timestamp_type, made_key, made_value, headers)
            decoded.append(tuple.__new__(Message, fields))
        return decoded

    return decode
