"""CRC-32C over views, in C and without copying what is large.

Our own compiled function takes any buffer. Where it is not there (native/checksum.c says where it is), google_crc32c takes
only objects whose memory cannot move (bytes, but neither bytearray nor memoryview). A ctypes array laid over the view is
such an object, so whole blocks are checksummed where they lie; only the tail, at most a block, is copied.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from snakka.protocol.record_engine import IS_COMPILED

BLOCK_BYTES = 128 * 1024
_Block = ctypes.c_char * BLOCK_BYTES


def _table() -> tuple[int, ...]:
    entries = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        entries.append(crc)
    return tuple(entries)


def table_extend() -> Callable[[int, bytes], int]:
    """The same function in Python, for a machine that has no compiled one: correct, and slow."""
    table = _table()

    def extend(crc: int, data: bytes) -> int:
        crc ^= 0xFFFFFFFF
        for byte in bytes(data):
            crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
        return crc ^ 0xFFFFFFFF

    return extend


_extend: Callable[[int, Any], int]
try:
    from google_crc32c import extend as _extend
except ImportError:
    _extend = table_extend()


def crc32c_of_blocks(data: bytes | bytearray | memoryview) -> int:
    """The same as `crc32c`, block by block."""
    size = len(data)
    if size <= BLOCK_BYTES:
        return _extend(0, bytes(data))
    if isinstance(data, bytes):
        return _extend(0, data)
    view = memoryview(data)
    if view.readonly:
        return _extend(0, view.tobytes())
    crc = 0
    tail = size - size % BLOCK_BYTES
    for position in range(0, tail, BLOCK_BYTES):
        crc = _extend(crc, _Block.from_buffer(view, position))
    return _extend(crc, view[tail:].tobytes())


def _chosen() -> Callable[[bytes | bytearray | memoryview], int]:
    if IS_COMPILED:
        from snakka.protocol import _records

        if _records.HAS_CRC32C:
            return _records.crc32c
    return crc32c_of_blocks


# CRC-32C (Castagnoli) of the whole of a buffer.
crc32c = _chosen()
