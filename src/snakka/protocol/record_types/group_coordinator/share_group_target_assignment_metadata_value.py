"""ShareGroupTargetAssignmentMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_tag, read_tag, unsupported_version, uvarint_tail, write_tags

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>q')


class ShareGroupTargetAssignmentMetadataValue(Message):
    __slots__ = ('assignment_epoch', 'assignment_timestamp', 'unknown_tags',)
    RECORD_KEY = 12
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareGroupTargetAssignmentMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupTargetAssignmentMetadataValue', version)
        m = _new(ShareGroupTargetAssignmentMetadataValue)
        m.assignment_epoch, = _S0.unpack_from(buf, pos)
        pos += 4
        m.assignment_timestamp = 0
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    m.assignment_timestamp, = _S1.unpack_from(buf, pos)
                    pos += 8
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
            raise unsupported_version('ShareGroupTargetAssignmentMetadataValue', version)
        out += _S0.pack(self.assignment_epoch)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.assignment_timestamp == 0):
            value = Frame()
            value += _S1.pack(self.assignment_timestamp)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
