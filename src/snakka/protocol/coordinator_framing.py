"""How coordinators' records are framed in the keys and values of internal topics.

A key is the number of its record type and the body; a value is its version and the body. Both numbers are int16.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from struct import Struct
from typing import NamedTuple

from snakka.protocol.errors import ProtocolError
from snakka.protocol.message import Message
from snakka.protocol.record_types.keys import COORDINATOR_RECORDS

GROUP_RECORDS = "group_coordinator"
SHARE_RECORDS = "share_coordinator"
TRANSACTION_RECORDS = "transaction_coordinator"

_INT16 = Struct(">h")
_KEY_VERSION = 0


class KeyedRecord(NamedTuple):
    """A record of an internal topic. Without a value it is a tombstone; `version` is the value's."""

    key: Message
    value: Message | None
    version: int = 0


# Key and value as they are in a log; None if it is of a type that is not known here, from a newer version perhaps.
Decode = Callable[[bytes, bytes | None], KeyedRecord | None]


def encode_key(record: KeyedRecord) -> bytes:
    return _INT16.pack(record.key.RECORD_KEY) + record.key.encode(_KEY_VERSION)


def encode_value(record: KeyedRecord) -> bytes | None:
    if record.value is None:
        return None
    return _INT16.pack(record.version) + record.value.encode(record.version)


def decoder(coordinator: str) -> Decode:
    """How to read the records of one coordinator's topic; what it returns raises ProtocolError on garbage."""

    def decode(key: bytes, value: bytes | None) -> KeyedRecord | None:
        if len(key) < _INT16.size or (value is not None and len(value) < _INT16.size):
            raise ProtocolError("a coordinator's record that ends within its frame")
        kind = _record_class(coordinator, _INT16.unpack_from(key)[0])
        if kind is None:
            return None
        key_class, value_class = kind
        decoded = key_class.decode_whole(key, _KEY_VERSION, _INT16.size)
        if value is None:
            return KeyedRecord(decoded, None)
        version = _INT16.unpack_from(value)[0]
        return KeyedRecord(decoded, value_class.decode_whole(value, version, _INT16.size), version)

    return decode


@cache
def _record_class(coordinator: str, record_key: int) -> tuple[type[Message], type[Message]] | None:
    known = COORDINATOR_RECORDS[coordinator].get(record_key)
    if known is None:
        return None
    module, name = known
    place = f"snakka.protocol.record_types.{coordinator}.{module}"
    return (
        getattr(import_module(f"{place}_key"), f"{name}Key"),
        getattr(import_module(f"{place}_value"), f"{name}Value"),
    )
