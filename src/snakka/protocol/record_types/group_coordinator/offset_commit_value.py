"""OffsetCommitValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>qi')
_S1 = Struct('>q')
_S2 = Struct('>16s')
_S3 = Struct('>i')
_S4 = Struct('>h')


class OffsetCommitValue(Message):
    __slots__ = ('offset', 'leader_epoch', 'metadata', 'commit_timestamp', 'expire_timestamp', 'topic_id', 'unknown_tags',)
    RECORD_KEY = 1
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        offset: int = 0,
        leader_epoch: int = -1,
        metadata: str = '',
        commit_timestamp: int = 0,
        expire_timestamp: int = -1,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.expire_timestamp = expire_timestamp
        self.topic_id = topic_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitValue, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('OffsetCommitValue', version)
        m = _new(OffsetCommitValue)
        if version >= 4:
            m.offset, m.leader_epoch, = _S0.unpack_from(buf, pos)
            pos += 12
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('metadata', n)
            m.metadata = str(buf[pos:end], 'utf-8')
            pos = end
            m.commit_timestamp, = _S1.unpack_from(buf, pos)
            pos += 8
            m.expire_timestamp = -1
            m.topic_id = ZERO_UUID
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0:
                        m.topic_id, = _S2.unpack_from(buf, pos)
                        pos += 16
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        m.offset, = _S1.unpack_from(buf, pos)
        pos += 8
        if version >= 3:
            m.leader_epoch, = _S3.unpack_from(buf, pos)
            pos += 4
        else:
            m.leader_epoch = -1
        n, = _S4.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('metadata', n)
        m.metadata = str(buf[pos:end], 'utf-8')
        pos = end
        m.commit_timestamp, = _S1.unpack_from(buf, pos)
        pos += 8
        if 1 <= version <= 1:
            m.expire_timestamp, = _S1.unpack_from(buf, pos)
            pos += 8
        else:
            m.expire_timestamp = -1
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('OffsetCommitValue', version)
        if version >= 4:
            out += _S0.pack(self.offset, self.leader_epoch)
            value_metadata = self.metadata
            data = value_metadata.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S1.pack(self.commit_timestamp)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if not (self.topic_id == ZERO_UUID):
                value = Frame()
                if len(self.topic_id) != 16:
                    raise bad_length('topicId', len(self.topic_id))
                value += _S2.pack(self.topic_id)
                if tags is None:
                    tags = {}
                tags[0] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            out += _S1.pack(self.offset)
            if version >= 3:
                out += _S3.pack(self.leader_epoch)
            value_metadata = self.metadata
            data = value_metadata.encode()
            out += _S4.pack(len(data))
            out += data
            out += _S1.pack(self.commit_timestamp)
            if 1 <= version <= 1:
                out += _S1.pack(self.expire_timestamp)
