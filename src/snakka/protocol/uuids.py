"""Kafka's UUIDs: 16 raw bytes in memory and on the wire, url-safe base64 without padding as text."""

from __future__ import annotations

import random
from base64 import urlsafe_b64decode, urlsafe_b64encode

from snakka.protocol.errors import ProtocolError

Uuid = bytes

ZERO_UUID: Uuid = bytes(16)
# Kafka sets the first hundred apart; one names the metadata topic, the others say things about log directories.
METADATA_TOPIC_ID: Uuid = (1).to_bytes(16, "big")
LOST_DIRECTORY: Uuid = (1).to_bytes(16, "big")
UNASSIGNED_DIRECTORY: Uuid = ZERO_UUID
MIGRATING_DIRECTORY: Uuid = (2).to_bytes(16, "big")
_RESERVED_COUNT = 100


def uuid_text(uuid: Uuid) -> str:
    """The 22 characters that Kafka's tools and files show."""
    return urlsafe_b64encode(uuid).decode("ascii").rstrip("=")


def uuid_from_text(text: str) -> Uuid:
    """Reads what `uuid_text` wrote; ProtocolError for anything else."""
    try:
        uuid = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError as error:
        raise ProtocolError(f"not a UUID: {text!r}") from error
    if len(uuid) != 16 or len(text) > 24:
        raise ProtocolError(f"not a UUID: {text!r}")
    return uuid


def random_uuid(source: random.Random) -> Uuid:
    """A version 4 UUID that is none of the reserved ones, and whose text no command line takes for an option."""
    while True:
        bits = source.getrandbits(128)
        bits = bits & ~(0xF000 << 64) | 0x4000 << 64
        bits = bits & ~(0xC000 << 48) | 0x8000 << 48
        uuid = bits.to_bytes(16, "big")
        if bits >= _RESERVED_COUNT and not uuid_text(uuid).startswith("-"):
            return uuid
