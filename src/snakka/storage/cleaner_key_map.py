"""Keys and their last offsets in memory that is bounded to the byte: what a cleaning knows of the dirty part of a log.

A key is remembered by 16 bytes of its digest and the offset by 8, as Kafka does, in one table with open addressing: a dict
would take eight times as much, and the fewer keys fit, the more often a log must be rewritten. Two keys with the same digest
would lose a record; with 128 bits that does not happen.
"""

from hashlib import blake2b
from struct import Struct

ENTRY_BYTES = 24
_DIGEST_BYTES = 16
_PROBES = Struct(">QQ")
_OFFSET = Struct(">q")
_EMPTY = bytes(_DIGEST_BYTES)
_NO_OFFSET = -1


class KeyMap:
    """The last offset of each key. `latest_offset` is how far the log was read into it."""

    __slots__ = ("_size", "_slots", "_table", "capacity", "latest_offset")

    def __init__(self, memory_bytes: int, load_factor: float, most_keys: int) -> None:
        """At most `memory_bytes`, and less if the log cannot have more than `most_keys`."""
        allowed = max(memory_bytes // ENTRY_BYTES, 3)
        # Twice as many places as keys keep searches short; a prime lets every step visit every place.
        self._slots = _prime_at_most(max(min(allowed, 2 * most_keys + 1), 3))
        self.capacity = max(min(int(allowed * load_factor), self._slots - 1), 1)
        self._table = bytearray(self._slots * ENTRY_BYTES)
        self._size = 0
        self.latest_offset = _NO_OFFSET

    def __len__(self) -> int:
        return self._size

    @property
    def memory_bytes(self) -> int:
        return len(self._table)

    @property
    def is_full(self) -> bool:
        return self._size >= self.capacity

    def put(self, key: bytes, offset: int) -> None:
        """`offset` is the key's last one now. The map must not be full."""
        digest = blake2b(key, digest_size=_DIGEST_BYTES).digest()
        position = self._find(digest)
        if self._table[position : position + _DIGEST_BYTES] != digest:
            self._table[position : position + _DIGEST_BYTES] = digest
            self._size += 1
        _OFFSET.pack_into(self._table, position + _DIGEST_BYTES, offset)
        self.latest_offset = offset

    def get(self, key: bytes) -> int:
        """The key's last offset; -1 if it is not known."""
        digest = blake2b(key, digest_size=_DIGEST_BYTES).digest()
        position = self._find(digest)
        if self._table[position : position + _DIGEST_BYTES] != digest:
            return _NO_OFFSET
        offset: int = _OFFSET.unpack_from(self._table, position + _DIGEST_BYTES)[0]
        return offset

    def _find(self, digest: bytes) -> int:
        """Where the digest is, or the free place where it would be. One place is always free."""
        table = self._table
        slots = self._slots
        first, second = _PROBES.unpack(digest)
        slot: int = first % slots
        step: int = 1 + second % (slots - 1)
        while True:
            position = slot * ENTRY_BYTES
            found = table[position : position + _DIGEST_BYTES]
            if found in (digest, _EMPTY):
                return position
            slot = (slot + step) % slots


def _prime_at_most(number: int) -> int:
    while any(number % divisor == 0 for divisor in range(2, int(number**0.5) + 1)):
        number -= 1
    return number
