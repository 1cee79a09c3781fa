"""Kafka's zigzag variable-length integers, as records use them.

Small magnitudes of either sign are one byte. Reading is bounded: five bytes for a 32-bit number, ten for a 64-bit one, and
anything longer, or cut off, is a ProtocolError.
"""

from snakka.protocol.errors import ProtocolError

MAX_VARINT_BYTES = 5
MAX_VARLONG_BYTES = 10

_CUT_OFF = "a variable-length integer is cut off"
_ONE_BYTE = tuple(bytes((zigzag,)) for zigzag in range(128))


def varint(value: int) -> bytes:
    """The encoding of a signed number of up to 64 bits."""
    zigzag = (value << 1) ^ (value >> 63)
    if zigzag < 128:
        return _ONE_BYTE[zigzag]
    out = bytearray()
    while zigzag > 127:
        out.append((zigzag & 0x7F) | 0x80)
        zigzag >>= 7
    out.append(zigzag)
    return bytes(out)


def read_varint(buf: bytes | bytearray | memoryview, pos: int) -> tuple[int, int]:
    """A signed 32-bit number and the position after it."""
    try:
        low = buf[pos]
        if low < 128:
            return (low >> 1) ^ -(low & 1), pos + 1
        high = buf[pos + 1]
        if high < 128:
            return ((low & 0x7F | high << 7) >> 1) ^ -(low & 1), pos + 2
    except IndexError:
        raise ProtocolError(_CUT_OFF) from None
    return _read_long(buf, pos, MAX_VARINT_BYTES, 0xFFFFFFFF)


def read_varlong(buf: bytes | bytearray | memoryview, pos: int) -> tuple[int, int]:
    """A signed 64-bit number and the position after it."""
    return _read_long(buf, pos, MAX_VARLONG_BYTES, 0xFFFFFFFFFFFFFFFF)


def wrapped(number: int) -> int:
    """Beyond 64 bits it begins again at the other end, as in Java, where differences of timestamps are made this way."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _read_long(buf: bytes | bytearray | memoryview, pos: int, max_bytes: int, mask: int) -> tuple[int, int]:
    zigzag = 0
    shift = 0
    try:
        while shift < 7 * max_bytes:
            byte = buf[pos]
            pos += 1
            zigzag |= (byte & 0x7F) << shift
            if byte < 128:
                zigzag &= mask
                return (zigzag >> 1) ^ -(zigzag & 1), pos
            shift += 7
    except IndexError:
        raise ProtocolError(_CUT_OFF) from None
    raise ProtocolError(f"a variable-length integer is longer than {max_bytes} bytes")
