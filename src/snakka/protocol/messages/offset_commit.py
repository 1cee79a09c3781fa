"""OffsetCommit: API key 8."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>iqi')
_S1 = Struct('>iq')
_S2 = Struct('>i')
_S3 = Struct('>h')
_S4 = Struct('>16s')
_S5 = Struct('>q')
_S6 = Struct('>ih')


class OffsetCommitRequestPartition(Message):
    __slots__ = ('partition_index', 'committed_offset', 'committed_leader_epoch', 'committed_metadata', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = '',
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitRequestPartition, int]:
        m = _new(OffsetCommitRequestPartition)
        if version >= 8:
            m.partition_index, m.committed_offset, m.committed_leader_epoch, = _S0.unpack_from(buf, pos)
            pos += 16
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.committed_metadata = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('CommittedMetadata', n)
                m.committed_metadata = str(buf[pos:end], 'utf-8')
                pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.committed_offset, = _S1.unpack_from(buf, pos)
        pos += 12
        if version >= 6:
            m.committed_leader_epoch, = _S2.unpack_from(buf, pos)
            pos += 4
        else:
            m.committed_leader_epoch = -1
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.committed_metadata = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('CommittedMetadata', n)
            m.committed_metadata = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 8:
            out += _S0.pack(self.partition_index, self.committed_offset, self.committed_leader_epoch)
            value_committed_metadata = self.committed_metadata
            if value_committed_metadata is None:
                out += b'\x00'
            else:
                data = value_committed_metadata.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.partition_index, self.committed_offset)
            if version >= 6:
                out += _S2.pack(self.committed_leader_epoch)
            value_committed_metadata = self.committed_metadata
            if value_committed_metadata is None:
                out += b'\xff\xff'
            else:
                data = value_committed_metadata.encode()
                out += _S3.pack(len(data))
                out += data


class OffsetCommitRequestTopic(Message):
    __slots__ = ('name', 'topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        topic_id: bytes = ZERO_UUID,
        partitions: list[OffsetCommitRequestPartition] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitRequestTopic, int]:
        m = _new(OffsetCommitRequestTopic)
        if version >= 8:
            if version <= 9:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Name', n)
                m.name = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.name = ''
            if version >= 10:
                m.topic_id, = _S4.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = OffsetCommitRequestPartition.read
            for _ in range(n):
                item_partitions, pos = read_partitions(buf, pos, version)
                items_partitions.append(item_partitions)
            m.partitions = items_partitions
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = OffsetCommitRequestPartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 8:
            if version <= 9:
                value_name = self.name
                data = value_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 10:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S4.pack(self.topic_id)
            value_partitions = self.partitions
            n = len(value_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_partitions in value_partitions:
                item_partitions.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S3.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S2.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class OffsetCommitRequest(Message):
    __slots__ = ('group_id', 'generation_id_or_member_epoch', 'member_id', 'group_instance_id', 'retention_time_ms', 'topics', 'unknown_tags',)
    API_KEY = 8
    MIN_VERSION = 2
    MAX_VERSION = 10
    FLEXIBLE_FROM = 8

    def __init__(
        self,
        *,
        group_id: str = '',
        generation_id_or_member_epoch: int = -1,
        member_id: str = '',
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: list[OffsetCommitRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitRequest, int]:
        if not 2 <= version <= 10:
            raise unsupported_version('OffsetCommitRequest', version)
        m = _new(OffsetCommitRequest)
        if version >= 8:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('GroupId', n)
            m.group_id = str(buf[pos:end], 'utf-8')
            pos = end
            m.generation_id_or_member_epoch, = _S2.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('MemberId', n)
            m.member_id = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.group_instance_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('GroupInstanceId', n)
                m.group_instance_id = str(buf[pos:end], 'utf-8')
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = OffsetCommitRequestTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            m.retention_time_ms = -1
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.generation_id_or_member_epoch, = _S2.unpack_from(buf, pos)
        pos += 4
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        if version >= 7:
            n, = _S3.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.group_instance_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('GroupInstanceId', n)
                m.group_instance_id = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.group_instance_id = None
        if version <= 4:
            m.retention_time_ms, = _S5.unpack_from(buf, pos)
            pos += 8
        else:
            m.retention_time_ms = -1
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = OffsetCommitRequestTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 2 <= version <= 10:
            raise unsupported_version('OffsetCommitRequest', version)
        if version < 7 and not (self.group_instance_id is None):
            raise unsupported_field('GroupInstanceId', version)
        if version >= 8:
            value_group_id = self.group_id
            data = value_group_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S2.pack(self.generation_id_or_member_epoch)
            value_member_id = self.member_id
            data = value_member_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_group_instance_id = self.group_instance_id
            if value_group_instance_id is None:
                out += b'\x00'
            else:
                data = value_group_instance_id.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S3.pack(len(data))
            out += data
            out += _S2.pack(self.generation_id_or_member_epoch)
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S3.pack(len(data))
            out += data
            if version >= 7:
                value_group_instance_id = self.group_instance_id
                if value_group_instance_id is None:
                    out += b'\xff\xff'
                else:
                    data = value_group_instance_id.encode()
                    out += _S3.pack(len(data))
                    out += data
            if version <= 4:
                out += _S5.pack(self.retention_time_ms)
            value_topics = self.topics
            out += _S2.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)


class OffsetCommitResponsePartition(Message):
    __slots__ = ('partition_index', 'error_code', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitResponsePartition, int]:
        m = _new(OffsetCommitResponsePartition)
        if version >= 8:
            m.partition_index, m.error_code, = _S6.unpack_from(buf, pos)
            pos += 6
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.error_code, = _S6.unpack_from(buf, pos)
        pos += 6
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 8:
            out += _S6.pack(self.partition_index, self.error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S6.pack(self.partition_index, self.error_code)


class OffsetCommitResponseTopic(Message):
    __slots__ = ('name', 'topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        topic_id: bytes = ZERO_UUID,
        partitions: list[OffsetCommitResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitResponseTopic, int]:
        m = _new(OffsetCommitResponseTopic)
        if version >= 8:
            if version <= 9:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Name', n)
                m.name = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.name = ''
            if version >= 10:
                m.topic_id, = _S4.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = OffsetCommitResponsePartition.read
            for _ in range(n):
                item_partitions, pos = read_partitions(buf, pos, version)
                items_partitions.append(item_partitions)
            m.partitions = items_partitions
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = OffsetCommitResponsePartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 8:
            if version <= 9:
                value_name = self.name
                data = value_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 10:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S4.pack(self.topic_id)
            value_partitions = self.partitions
            n = len(value_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_partitions in value_partitions:
                item_partitions.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S3.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S2.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class OffsetCommitResponse(Message):
    __slots__ = ('throttle_time_ms', 'topics', 'unknown_tags',)
    API_KEY = 8
    MIN_VERSION = 2
    MAX_VERSION = 10
    FLEXIBLE_FROM = 8

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[OffsetCommitResponseTopic] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetCommitResponse, int]:
        if not 2 <= version <= 10:
            raise unsupported_version('OffsetCommitResponse', version)
        m = _new(OffsetCommitResponse)
        if version >= 8:
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = OffsetCommitResponseTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        if version >= 3:
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = OffsetCommitResponseTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 2 <= version <= 10:
            raise unsupported_version('OffsetCommitResponse', version)
        if version >= 8:
            out += _S2.pack(self.throttle_time_ms)
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 3:
                out += _S2.pack(self.throttle_time_ms)
            value_topics = self.topics
            out += _S2.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
