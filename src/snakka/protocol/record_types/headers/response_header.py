"""ResponseHeader."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, read_unknown_tags, unsupported_version, write_tags

_new = object.__new__
_S0 = Struct('>i')


class ResponseHeader(Message):
    __slots__ = ('correlation_id', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        correlation_id: int = 0,
    ) -> None:
        self.correlation_id = correlation_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ResponseHeader, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('ResponseHeader', version)
        m = _new(ResponseHeader)
        if version >= 1:
            m.correlation_id, = _S0.unpack_from(buf, pos)
            pos += 4
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.correlation_id, = _S0.unpack_from(buf, pos)
        pos += 4
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('ResponseHeader', version)
        if version >= 1:
            out += _S0.pack(self.correlation_id)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.correlation_id)
