"""DescribeShareGroupOffsets: API key 90."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>iqi')
_S1 = Struct('>q')
_S2 = Struct('>h')
_S3 = Struct('>16s')
_S4 = Struct('>i')


class DescribeShareGroupOffsetsRequestTopic(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeShareGroupOffsetsRequestTopic, int]:
        m = _new(DescribeShareGroupOffsetsRequestTopic)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Partitions', n)
        m.partitions = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_topic_name = self.topic_name
        data = value_topic_name.encode()
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
        out += pack(f'>{len(value_partitions)}i', *value_partitions)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeShareGroupOffsetsRequestGroup(Message):
    __slots__ = ('group_id', 'topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        group_id: str = '',
        topics: list[DescribeShareGroupOffsetsRequestTopic] | None = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeShareGroupOffsetsRequestGroup, int]:
        m = _new(DescribeShareGroupOffsetsRequestGroup)
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
        if n == -1:
            m.topics = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = DescribeShareGroupOffsetsRequestTopic.read
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


class DescribeShareGroupOffsetsRequest(Message):
    __slots__ = ('groups', 'unknown_tags',)
    API_KEY = 90
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        groups: list[DescribeShareGroupOffsetsRequestGroup] = UNSET,
    ) -> None:
        self.groups = [] if groups is UNSET else groups
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeShareGroupOffsetsRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeShareGroupOffsetsRequest', version)
        m = _new(DescribeShareGroupOffsetsRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Groups', n)
        items_groups = []
        read_groups = DescribeShareGroupOffsetsRequestGroup.read
        for _ in range(n):
            item_groups, pos = read_groups(buf, pos, version)
            items_groups.append(item_groups)
        m.groups = items_groups
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeShareGroupOffsetsRequest', version)
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


class DescribeShareGroupOffsetsResponsePartition(Message):
    __slots__ = ('partition_index', 'start_offset', 'leader_epoch', 'lag', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        start_offset: int = 0,
        leader_epoch: int = 0,
        lag: int = -1,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.leader_epoch = leader_epoch
        self.lag = lag
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeShareGroupOffsetsResponsePartition, int]:
        m = _new(DescribeShareGroupOffsetsResponsePartition)
        m.partition_index, m.start_offset, m.leader_epoch, = _S0.unpack_from(buf, pos)
        pos += 16
        if version >= 1:
            m.lag, = _S1.unpack_from(buf, pos)
            pos += 8
        else:
            m.lag = -1
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.partition_index, self.start_offset, self.leader_epoch)
        if version >= 1:
            out += _S1.pack(self.lag)
        out += _S2.pack(self.error_code)
        value_error_message = self.error_message
        if value_error_message is None:
            out += b'\x00'
        else:
            data = value_error_message.encode()
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


class DescribeShareGroupOffsetsResponseTopic(Message):
    __slots__ = ('topic_name', 'topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        topic_id: bytes = ZERO_UUID,
        partitions: list[DescribeShareGroupOffsetsResponsePartition] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeShareGroupOffsetsResponseTopic, int]:
        m = _new(DescribeShareGroupOffsetsResponseTopic)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
        pos = end
        m.topic_id, = _S3.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = DescribeShareGroupOffsetsResponsePartition.read
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
        value_topic_name = self.topic_name
        data = value_topic_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S3.pack(self.topic_id)
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


class DescribeShareGroupOffsetsResponseGroup(Message):
    __slots__ = ('group_id', 'topics', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        group_id: str = '',
        topics: list[DescribeShareGroupOffsetsResponseTopic] = UNSET,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeShareGroupOffsetsResponseGroup, int]:
        m = _new(DescribeShareGroupOffsetsResponseGroup)
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
        read_topics = DescribeShareGroupOffsetsResponseTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
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
        out += _S2.pack(self.error_code)
        value_error_message = self.error_message
        if value_error_message is None:
            out += b'\x00'
        else:
            data = value_error_message.encode()
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


class DescribeShareGroupOffsetsResponse(Message):
    __slots__ = ('throttle_time_ms', 'groups', 'unknown_tags',)
    API_KEY = 90
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[DescribeShareGroupOffsetsResponseGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeShareGroupOffsetsResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeShareGroupOffsetsResponse', version)
        m = _new(DescribeShareGroupOffsetsResponse)
        m.throttle_time_ms, = _S4.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Groups', n)
        items_groups = []
        read_groups = DescribeShareGroupOffsetsResponseGroup.read
        for _ in range(n):
            item_groups, pos = read_groups(buf, pos, version)
            items_groups.append(item_groups)
        m.groups = items_groups
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeShareGroupOffsetsResponse', version)
        out += _S4.pack(self.throttle_time_ms)
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
