"""ShareGroupMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, read_unknown_tags, unsupported_version, write_tags

_new = object.__new__
_S0 = Struct('>iq')


class ShareGroupMetadataValue(Message):
    __slots__ = ('epoch', 'metadata_hash', 'unknown_tags',)
    RECORD_KEY = 11
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        epoch: int = 0,
        metadata_hash: int = 0,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareGroupMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupMetadataValue', version)
        m = _new(ShareGroupMetadataValue)
        m.epoch, m.metadata_hash, = _S0.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupMetadataValue', version)
        out += _S0.pack(self.epoch, self.metadata_hash)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
