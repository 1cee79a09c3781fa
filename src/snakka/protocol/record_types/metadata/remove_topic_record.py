"""RemoveTopicRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_version, write_tags
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16s')


class RemoveTopicRecord(Message):
    __slots__ = ('topic_id', 'unknown_tags',)
    RECORD_KEY = 9
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id = topic_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemoveTopicRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveTopicRecord', version)
        m = _new(RemoveTopicRecord)
        m.topic_id, = _S0.unpack_from(buf, pos)
        pos += 16
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveTopicRecord', version)
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S0.pack(self.topic_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
