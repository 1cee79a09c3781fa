"""ShareGroupStatePartitionMetadataKey."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_version

_new = object.__new__
_S0 = Struct('>h')


class ShareGroupStatePartitionMetadataKey(Message):
    __slots__ = ('group_id', 'unknown_tags',)
    RECORD_KEY = 15
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        group_id: str = '',
    ) -> None:
        self.group_id = group_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareGroupStatePartitionMetadataKey, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupStatePartitionMetadataKey', version)
        m = _new(ShareGroupStatePartitionMetadataKey)
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupStatePartitionMetadataKey', version)
        value_group_id = self.group_id
        data = value_group_id.encode()
        out += _S0.pack(len(data))
        out += data
