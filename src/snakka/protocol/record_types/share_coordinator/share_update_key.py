"""ShareUpdateKey."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_version
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>16si')


class ShareUpdateKey(Message):
    __slots__ = ('group_id', 'topic_id', 'partition', 'unknown_tags',)
    RECORD_KEY = 1
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        group_id: str = '',
        topic_id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareUpdateKey, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareUpdateKey', version)
        m = _new(ShareUpdateKey)
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.topic_id, m.partition, = _S1.unpack_from(buf, pos)
        pos += 20
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareUpdateKey', version)
        value_group_id = self.group_id
        data = value_group_id.encode()
        out += _S0.pack(len(data))
        out += data
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S1.pack(self.topic_id, self.partition)
