"""KRaftVersionRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, read_unknown_tags, unsupported_version, write_tags

_new = object.__new__
_S0 = Struct('>hh')


class KRaftVersionRecord(Message):
    __slots__ = ('version', 'kraft_version', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        version: int = 0,
        kraft_version: int = 0,
    ) -> None:
        self.version = version
        self.kraft_version = kraft_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[KRaftVersionRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('KRaftVersionRecord', version)
        m = _new(KRaftVersionRecord)
        m.version, m.kraft_version, = _S0.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('KRaftVersionRecord', version)
        out += _S0.pack(self.version, self.kraft_version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
