"""OffsetFetch: API key 9."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, null_field, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>16s')
_S3 = Struct('>?')
_S4 = Struct('>iqi')
_S5 = Struct('>iq')


class OffsetFetchRequestTopic(Message):
    __slots__ = ('name', 'partition_indexes', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchRequestTopic, int]:
        m = _new(OffsetFetchRequestTopic)
        if version >= 6:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('PartitionIndexes', n)
            m.partition_indexes = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('PartitionIndexes', n)
        m.partition_indexes = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 6:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_partition_indexes = self.partition_indexes
            n = len(value_partition_indexes) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_partition_indexes)}i', *value_partition_indexes)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S0.pack(len(data))
            out += data
            value_partition_indexes = self.partition_indexes
            out += _S1.pack(len(value_partition_indexes))
            out += pack(f'>{len(value_partition_indexes)}i', *value_partition_indexes)


class OffsetFetchRequestTopics(Message):
    __slots__ = ('name', 'topic_id', 'partition_indexes', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        topic_id: bytes = ZERO_UUID,
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchRequestTopics, int]:
        m = _new(OffsetFetchRequestTopics)
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
            m.topic_id, = _S2.unpack_from(buf, pos)
            pos += 16
        else:
            m.topic_id = ZERO_UUID
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('PartitionIndexes', n)
        m.partition_indexes = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
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
            out += _S2.pack(self.topic_id)
        value_partition_indexes = self.partition_indexes
        n = len(value_partition_indexes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_partition_indexes)}i', *value_partition_indexes)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class OffsetFetchRequestGroup(Message):
    __slots__ = ('group_id', 'member_id', 'member_epoch', 'topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        group_id: str = '',
        member_id: str | None = None,
        member_epoch: int = -1,
        topics: list[OffsetFetchRequestTopics] | None = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchRequestGroup, int]:
        m = _new(OffsetFetchRequestGroup)
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
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.member_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('MemberId', n)
                m.member_id = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.member_id = None
        if version >= 9:
            m.member_epoch, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.member_epoch = -1
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.topics = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = OffsetFetchRequestTopics.read
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

    def write(self, out: Frame, version: int) -> None:
        value_group_id = self.group_id
        data = value_group_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        if version >= 9:
            value_member_id = self.member_id
            if value_member_id is None:
                out += b'\x00'
            else:
                data = value_member_id.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
        if version >= 9:
            out += _S1.pack(self.member_epoch)
        value_topics = self.topics
        if value_topics is None:
            out += b'\x00'
        else:
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


class OffsetFetchRequest(Message):
    __slots__ = ('group_id', 'topics', 'groups', 'require_stable', 'unknown_tags',)
    API_KEY = 9
    MIN_VERSION = 1
    MAX_VERSION = 10
    FLEXIBLE_FROM = 6

    def __init__(
        self,
        *,
        group_id: str = '',
        topics: list[OffsetFetchRequestTopic] | None = UNSET,
        groups: list[OffsetFetchRequestGroup] = UNSET,
        require_stable: bool = False,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.groups = [] if groups is UNSET else groups
        self.require_stable = require_stable
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchRequest, int]:
        if not 1 <= version <= 10:
            raise unsupported_version('OffsetFetchRequest', version)
        m = _new(OffsetFetchRequest)
        if version >= 6:
            if version <= 7:
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
            else:
                m.group_id = ''
            if version <= 7:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n == -1:
                    m.topics = None
                else:
                    if n < 0 or n > len(buf) - pos:
                        raise bad_length('Topics', n)
                    items_topics = []
                    read_topics = OffsetFetchRequestTopic.read
                    for _ in range(n):
                        item_topics, pos = read_topics(buf, pos, version)
                        items_topics.append(item_topics)
                    m.topics = items_topics
            else:
                m.topics = []
            if version >= 8:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Groups', n)
                items_groups = []
                read_groups = OffsetFetchRequestGroup.read
                for _ in range(n):
                    item_groups, pos = read_groups(buf, pos, version)
                    items_groups.append(item_groups)
                m.groups = items_groups
            else:
                m.groups = []
            if version >= 7:
                m.require_stable, = _S3.unpack_from(buf, pos)
                pos += 1
            else:
                m.require_stable = False
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n == -1 and not (version >= 2):
            raise null_field('Topics')
        if n == -1:
            m.topics = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = OffsetFetchRequestTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
        m.groups = []
        m.require_stable = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 10:
            raise unsupported_version('OffsetFetchRequest', version)
        if version > 7 and not (self.group_id == ''):
            raise unsupported_field('GroupId', version)
        if version > 7 and not (self.topics == []):
            raise unsupported_field('Topics', version)
        if version < 8 and not (not self.groups):
            raise unsupported_field('Groups', version)
        if version < 7 and not (self.require_stable == False):
            raise unsupported_field('RequireStable', version)
        if version >= 6:
            if version <= 7:
                value_group_id = self.group_id
                data = value_group_id.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version <= 7:
                value_topics = self.topics
                if value_topics is None:
                    out += b'\x00'
                else:
                    n = len(value_topics) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for item_topics in value_topics:
                        item_topics.write(out, version)
            if version >= 8:
                value_groups = self.groups
                n = len(value_groups) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_groups in value_groups:
                    item_groups.write(out, version)
            if version >= 7:
                out += _S3.pack(self.require_stable)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_topics = self.topics
            if value_topics is None:
                if not (version >= 2):
                    raise null_field('Topics')
                out += b'\xff\xff\xff\xff'
            else:
                out += _S1.pack(len(value_topics))
                for item_topics in value_topics:
                    item_topics.write(out, version)


class OffsetFetchResponsePartition(Message):
    __slots__ = ('partition_index', 'committed_offset', 'committed_leader_epoch', 'metadata', 'error_code', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = '',
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchResponsePartition, int]:
        m = _new(OffsetFetchResponsePartition)
        if version >= 6:
            m.partition_index, m.committed_offset, m.committed_leader_epoch, = _S4.unpack_from(buf, pos)
            pos += 16
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.metadata = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Metadata', n)
                m.metadata = str(buf[pos:end], 'utf-8')
                pos = end
            m.error_code, = _S0.unpack_from(buf, pos)
            pos += 2
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.committed_offset, = _S5.unpack_from(buf, pos)
        pos += 12
        if version >= 5:
            m.committed_leader_epoch, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.committed_leader_epoch = -1
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.metadata = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Metadata', n)
            m.metadata = str(buf[pos:end], 'utf-8')
            pos = end
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 6:
            out += _S4.pack(self.partition_index, self.committed_offset, self.committed_leader_epoch)
            value_metadata = self.metadata
            if value_metadata is None:
                out += b'\x00'
            else:
                data = value_metadata.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S0.pack(self.error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S5.pack(self.partition_index, self.committed_offset)
            if version >= 5:
                out += _S1.pack(self.committed_leader_epoch)
            value_metadata = self.metadata
            if value_metadata is None:
                out += b'\xff\xff'
            else:
                data = value_metadata.encode()
                out += _S0.pack(len(data))
                out += data
            out += _S0.pack(self.error_code)


class OffsetFetchResponseTopic(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[OffsetFetchResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchResponseTopic, int]:
        m = _new(OffsetFetchResponseTopic)
        if version >= 6:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = OffsetFetchResponsePartition.read
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
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = OffsetFetchResponsePartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 6:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
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
            out += _S0.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S1.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class OffsetFetchResponsePartitions(Message):
    __slots__ = ('partition_index', 'committed_offset', 'committed_leader_epoch', 'metadata', 'error_code', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = '',
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchResponsePartitions, int]:
        m = _new(OffsetFetchResponsePartitions)
        m.partition_index, m.committed_offset, m.committed_leader_epoch, = _S4.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.metadata = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Metadata', n)
            m.metadata = str(buf[pos:end], 'utf-8')
            pos = end
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S4.pack(self.partition_index, self.committed_offset, self.committed_leader_epoch)
        value_metadata = self.metadata
        if value_metadata is None:
            out += b'\x00'
        else:
            data = value_metadata.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        out += _S0.pack(self.error_code)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class OffsetFetchResponseTopics(Message):
    __slots__ = ('name', 'topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        topic_id: bytes = ZERO_UUID,
        partitions: list[OffsetFetchResponsePartitions] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchResponseTopics, int]:
        m = _new(OffsetFetchResponseTopics)
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
            m.topic_id, = _S2.unpack_from(buf, pos)
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
        read_partitions = OffsetFetchResponsePartitions.read
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

    def write(self, out: Frame, version: int) -> None:
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
            out += _S2.pack(self.topic_id)
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


class OffsetFetchResponseGroup(Message):
    __slots__ = ('group_id', 'topics', 'error_code', 'unknown_tags',)

    def __init__(
        self,
        *,
        group_id: str = '',
        topics: list[OffsetFetchResponseTopics] = UNSET,
        error_code: int = 0,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchResponseGroup, int]:
        m = _new(OffsetFetchResponseGroup)
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = OffsetFetchResponseTopics.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_group_id = self.group_id
        data = value_group_id.encode()
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
        out += _S0.pack(self.error_code)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class OffsetFetchResponse(Message):
    __slots__ = ('throttle_time_ms', 'topics', 'error_code', 'groups', 'unknown_tags',)
    API_KEY = 9
    MIN_VERSION = 1
    MAX_VERSION = 10
    FLEXIBLE_FROM = 6

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[OffsetFetchResponseTopic] = UNSET,
        error_code: int = 0,
        groups: list[OffsetFetchResponseGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.groups = [] if groups is UNSET else groups
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetFetchResponse, int]:
        if not 1 <= version <= 10:
            raise unsupported_version('OffsetFetchResponse', version)
        m = _new(OffsetFetchResponse)
        if version >= 6:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            if version <= 7:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Topics', n)
                items_topics = []
                read_topics = OffsetFetchResponseTopic.read
                for _ in range(n):
                    item_topics, pos = read_topics(buf, pos, version)
                    items_topics.append(item_topics)
                m.topics = items_topics
            else:
                m.topics = []
            if version <= 7:
                m.error_code, = _S0.unpack_from(buf, pos)
                pos += 2
            else:
                m.error_code = 0
            if version >= 8:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Groups', n)
                items_groups = []
                read_groups = OffsetFetchResponseGroup.read
                for _ in range(n):
                    item_groups, pos = read_groups(buf, pos, version)
                    items_groups.append(item_groups)
                m.groups = items_groups
            else:
                m.groups = []
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        if version >= 3:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = OffsetFetchResponseTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        if version >= 2:
            m.error_code, = _S0.unpack_from(buf, pos)
            pos += 2
        else:
            m.error_code = 0
        m.groups = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 10:
            raise unsupported_version('OffsetFetchResponse', version)
        if version > 7 and not (not self.topics):
            raise unsupported_field('Topics', version)
        if version < 8 and not (not self.groups):
            raise unsupported_field('Groups', version)
        if version >= 6:
            out += _S1.pack(self.throttle_time_ms)
            if version <= 7:
                value_topics = self.topics
                n = len(value_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_topics in value_topics:
                    item_topics.write(out, version)
            if version <= 7:
                out += _S0.pack(self.error_code)
            if version >= 8:
                value_groups = self.groups
                n = len(value_groups) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_groups in value_groups:
                    item_groups.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 3:
                out += _S1.pack(self.throttle_time_ms)
            value_topics = self.topics
            out += _S1.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
            if version >= 2:
                out += _S0.pack(self.error_code)
