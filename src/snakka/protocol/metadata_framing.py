"""How metadata records are framed inside the values of a log.

Metadata and remote-log metadata: frame version 1, the record's key and its version as unsigned varints, then the body.
"""

from __future__ import annotations

from importlib import import_module

from snakka.protocol.errors import ProtocolError
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, read_uvarint, write_uvarint
from snakka.protocol.record_types.keys import METADATA_RECORDS

FRAME_VERSION = 1


def encode_record(record: Message, version: int | None = None) -> bytes:
    """A metadata record with its frame, in the newest version unless told otherwise."""
    if version is None:
        version = record.MAX_VERSION
    out = Frame()
    write_uvarint(out, FRAME_VERSION)
    write_uvarint(out, record.RECORD_KEY)
    write_uvarint(out, version)
    return bytes(out) + record.encode(version)


def decode_record(data: Buffer) -> Message:
    """The metadata record in a frame; ProtocolError if it is none that we know."""
    try:
        frame_version, position = read_uvarint(data, 0)
        key, position = read_uvarint(data, position)
        version, position = read_uvarint(data, position)
    except IndexError as error:
        raise ProtocolError("a metadata record that ends within its frame") from error
    if frame_version != FRAME_VERSION:
        raise ProtocolError(f"a metadata record with frame version {frame_version}")
    return metadata_record_class(key).decode_whole(data, version, position)


def metadata_record_class(key: int) -> type[Message]:
    """The class of a metadata record, imported on first use."""
    known = METADATA_RECORDS.get(key)
    if known is None:
        raise ProtocolError(f"no metadata record has key {key}")
    module, name = known
    return getattr(import_module(f"snakka.protocol.record_types.metadata.{module}"), name)  # type: ignore[no-any-return]
