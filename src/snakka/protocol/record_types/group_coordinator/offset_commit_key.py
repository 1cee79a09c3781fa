"""OffsetCommitKey."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_version

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')


class OffsetCommitKey(Message):
    __slots__ = ('group', 'topic', 'partition', 'unknown_tags',)
    RECORD_KEY = 1
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        group: str = '',
        topic: str = '',
        partition: int = 0,
    ) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitKey, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('OffsetCommitKey', version)
        m = _new(OffsetCommitKey)
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('group', n)
        m.group = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
        pos = end
        m.partition, = _S1.unpack_from(buf, pos)
        pos += 4
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('OffsetCommitKey', version)
        value_group = self.group
        data = value_group.encode()
        out += _S0.pack(len(data))
        out += data
        value_topic = self.topic
        data = value_topic.encode()
        out += _S0.pack(len(data))
        out += data
        out += _S1.pack(self.partition)
