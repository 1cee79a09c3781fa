"""What generated messages call when a value is not of the common short form.

Reading trusts nothing: a length is compared with what the buffer holds before anything is allocated. Where a slice reaches
beyond the end, so does the position, and the next read fails, or `Message.decode` after the last.
"""

from __future__ import annotations

from struct import Struct

from snakka.protocol.errors import ProtocolError
from snakka.protocol.file_region import FileRegion
from snakka.protocol.frame import Frame

Buffer = bytes | bytearray | memoryview
Records = bytes | bytearray | memoryview | FileRegion

# Copying fewer bytes than this into the frame is cheaper than sending them as a part of their own.
SPLICE_FROM = 4096
LONGEST_STRING = 0x7FFF

_read_int16 = Struct(">h").unpack_from
_pack_int32 = Struct(">i").pack


def uvarint_tail(buf: Buffer, pos: int, first: int) -> tuple[int, int]:
    """The value of an unsigned varint whose first byte, already read, says that there are more."""
    value = first & 0x7F
    for shift in (7, 14, 21, 28):
        byte = buf[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > 0xFFFFFFFF:
                break
            return value, pos
    raise ProtocolError("a varint of more than 32 bits")


def read_uvarint(buf: Buffer, pos: int) -> tuple[int, int]:
    """An unsigned varint of up to 32 bits."""
    first = buf[pos]
    if first < 0x80:
        return first, pos + 1
    return uvarint_tail(buf, pos + 1, first)


def write_uvarint(out: bytearray, value: int) -> None:
    """Appends an unsigned varint."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def string_length_tail(buf: Buffer, pos: int, first: int) -> tuple[int, int]:
    """As `uvarint_tail`, for a compact string, which Kafka lets be no longer than the old form could be."""
    value, pos = uvarint_tail(buf, pos, first)
    if value > LONGEST_STRING + 1:
        raise ProtocolError(f"a string of {value - 1} bytes")
    return value, pos


def write_string_length(out: bytearray, length_and_one: int) -> None:
    """Appends the length of a compact string that does not fit into one byte."""
    if length_and_one > LONGEST_STRING + 1:
        raise ProtocolError(f"a string of {length_and_one - 1} bytes")
    write_uvarint(out, length_and_one)


def read_strings(buf: Buffer, pos: int, count: int) -> tuple[list[str], int]:
    """The elements of an array of strings."""
    if count * 2 > len(buf) - pos:
        raise ProtocolError(f"an array of {count} strings in {len(buf) - pos} bytes")
    strings = []
    for _ in range(count):
        (length,) = _read_int16(buf, pos)
        if length < 0:
            raise ProtocolError("a null or negative length in an array of strings")
        pos += 2
        strings.append(str(buf[pos : pos + length], "utf-8"))
        pos += length
    return strings, pos


def read_compact_strings(buf: Buffer, pos: int, count: int) -> tuple[list[str], int]:
    """The elements of an array of compact strings."""
    if count > len(buf) - pos:
        raise ProtocolError(f"an array of {count} strings in {len(buf) - pos} bytes")
    strings = []
    for _ in range(count):
        length = buf[pos]
        pos += 1
        if length > 127:
            length, pos = string_length_tail(buf, pos, length)
        elif length == 0:
            raise ProtocolError("a null in an array of strings")
        end = pos + length - 1
        strings.append(str(buf[pos:end], "utf-8"))
        pos = end
    return strings, pos


def write_compact_strings(out: bytearray, strings: list[str]) -> None:
    """The elements of an array of compact strings."""
    for string in strings:
        data = string.encode()
        write_string_length(out, len(data) + 1)
        out += data


def read_uuids(buf: Buffer, pos: int, count: int) -> tuple[list[bytes], int]:
    """The elements of an array of UUIDs."""
    end = pos + 16 * count
    if end > len(buf):
        raise ProtocolError(f"an array of {count} UUIDs in {len(buf) - pos} bytes")
    return [bytes(buf[start : start + 16]) for start in range(pos, end, 16)], end


def read_tag(buf: Buffer, pos: int) -> tuple[int, int, int]:
    """A tagged field's number, where its value begins and where it ends."""
    tag, pos = read_uvarint(buf, pos)
    size, pos = read_uvarint(buf, pos)
    if size > len(buf) - pos:
        raise ProtocolError(f"a tagged field of {size} bytes in {len(buf) - pos}")
    return tag, pos, pos + size


def read_unknown_tags(buf: Buffer, pos: int, count: int) -> tuple[dict[int, bytes] | None, int]:
    """The tagged fields of a struct that knows none; `count` is the first byte of their number."""
    if count > 127:
        count, pos = uvarint_tail(buf, pos, count)
    tags = {}
    for _ in range(count):
        tag, pos, end = read_tag(buf, pos)
        tags[tag] = bytes(buf[pos:end])
        pos = end
    return tags or None, pos


def write_tags(out: bytearray, tags: dict[int, bytes] | dict[int, bytes | bytearray]) -> None:
    """The number of tagged fields, and the fields in the order of their numbers."""
    write_uvarint(out, len(tags))
    for tag, value in sorted(tags.items()):
        write_uvarint(out, tag)
        write_uvarint(out, len(value))
        out += value


def write_records(out: Frame, records: Records) -> None:
    """A records field with its length, in the form of versions that are not flexible."""
    out += _pack_int32(len(records))
    _append_records(out, records)


def write_compact_records(out: Frame, records: Records) -> None:
    """A records field with its length, in the form of flexible versions."""
    write_uvarint(out, len(records) + 1)
    _append_records(out, records)


def _append_records(out: Frame, records: Records) -> None:
    if len(records) < SPLICE_FROM and isinstance(records, (bytes, bytearray, memoryview)):
        out += records
    else:
        out.splice(records)


def null_field(name: str) -> ProtocolError:
    """The field may not be null in this version."""
    return ProtocolError(f"{name} is null")


def bad_length(name: str, length: int) -> ProtocolError:
    """The length is negative, or more than the buffer holds."""
    return ProtocolError(f"{name} has length {length}")


def unsupported_version(name: str, version: int) -> ProtocolError:
    """The message has no such version."""
    return ProtocolError(f"{name} has no version {version}")


def unsupported_field(name: str, version: int) -> ProtocolError:
    """The field is set, and this version of the message cannot carry it."""
    return ProtocolError(f"version {version} has no {name}")


def bad_tag(tag: int) -> ProtocolError:
    """The value of a tagged field ends elsewhere than its size says."""
    return ProtocolError(f"tagged field {tag} has a wrong size")
