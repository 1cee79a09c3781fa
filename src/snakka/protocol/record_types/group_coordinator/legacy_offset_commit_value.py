"""LegacyOffsetCommitValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_version

_new = object.__new__
_S0 = Struct('>q')
_S1 = Struct('>h')


class LegacyOffsetCommitValue(Message):
    __slots__ = ('offset', 'metadata', 'commit_timestamp', 'unknown_tags',)
    RECORD_KEY = 0
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        offset: int = 0,
        metadata: str = '',
        commit_timestamp: int = 0,
    ) -> None:
        self.offset = offset
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LegacyOffsetCommitValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('LegacyOffsetCommitValue', version)
        m = _new(LegacyOffsetCommitValue)
        m.offset, = _S0.unpack_from(buf, pos)
        pos += 8
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('metadata', n)
        m.metadata = str(buf[pos:end], 'utf-8')
        pos = end
        m.commit_timestamp, = _S0.unpack_from(buf, pos)
        pos += 8
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('LegacyOffsetCommitValue', version)
        out += _S0.pack(self.offset)
        value_metadata = self.metadata
        data = value_metadata.encode()
        out += _S1.pack(len(data))
        out += data
        out += _S0.pack(self.commit_timestamp)
