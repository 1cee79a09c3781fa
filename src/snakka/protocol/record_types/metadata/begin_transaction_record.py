"""BeginTransactionRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags

_new = object.__new__


class BeginTransactionRecord(Message):
    __slots__ = ('name', 'unknown_tags',)
    RECORD_KEY = 23
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None:
        self.name = name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BeginTransactionRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('BeginTransactionRecord', version)
        m = _new(BeginTransactionRecord)
        m.name = None
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = string_length_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.name = None
                    else:
                        end = pos + n
                        if n < 0 or end > len(buf):
                            raise bad_length('Name', n)
                        m.name = str(buf[pos:end], 'utf-8')
                        pos = end
                else:
                    if tags is None:
                        tags = {}
                    tags[tag] = bytes(buf[pos:end_of_tag])
                    pos = end_of_tag
                if pos != end_of_tag:
                    raise bad_tag(tag)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('BeginTransactionRecord', version)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.name is None):
            value = Frame()
            value_name = self.name
            if value_name is None:
                value += b'\x00'
            else:
                data = value_name.encode()
                n = len(data) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_string_length(value, n)
                value += data
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
