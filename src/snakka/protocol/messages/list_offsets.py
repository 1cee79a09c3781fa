"""ListOffsets: API key 2."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>iiq')
_S1 = Struct('>i')
_S2 = Struct('>q')
_S3 = Struct('>h')
_S4 = Struct('>ib')
_S5 = Struct('>b')
_S6 = Struct('>ihqqi')
_S7 = Struct('>ihqq')


class ListOffsetsPartition(Message):
    __slots__ = ('partition_index', 'current_leader_epoch', 'timestamp', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        current_leader_epoch: int = -1,
        timestamp: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListOffsetsPartition, int]:
        m = _new(ListOffsetsPartition)
        if version >= 6:
            m.partition_index, m.current_leader_epoch, m.timestamp, = _S0.unpack_from(buf, pos)
            pos += 16
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, = _S1.unpack_from(buf, pos)
        pos += 4
        if version >= 4:
            m.current_leader_epoch, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.current_leader_epoch = -1
        m.timestamp, = _S2.unpack_from(buf, pos)
        pos += 8
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 6:
            out += _S0.pack(self.partition_index, self.current_leader_epoch, self.timestamp)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.partition_index)
            if version >= 4:
                out += _S1.pack(self.current_leader_epoch)
            out += _S2.pack(self.timestamp)


class ListOffsetsTopic(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[ListOffsetsPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListOffsetsTopic, int]:
        m = _new(ListOffsetsTopic)
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
            read_partitions = ListOffsetsPartition.read
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
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = ListOffsetsPartition.read
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
            out += _S3.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S1.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class ListOffsetsRequest(Message):
    __slots__ = ('replica_id', 'isolation_level', 'topics', 'timeout_ms', 'unknown_tags',)
    API_KEY = 2
    MIN_VERSION = 1
    MAX_VERSION = 11
    FLEXIBLE_FROM = 6

    def __init__(
        self,
        *,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: list[ListOffsetsTopic] = UNSET,
        timeout_ms: int = 0,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListOffsetsRequest, int]:
        if not 1 <= version <= 11:
            raise unsupported_version('ListOffsetsRequest', version)
        m = _new(ListOffsetsRequest)
        if version >= 6:
            m.replica_id, m.isolation_level, = _S4.unpack_from(buf, pos)
            pos += 5
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = ListOffsetsTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            if version >= 10:
                m.timeout_ms, = _S1.unpack_from(buf, pos)
                pos += 4
            else:
                m.timeout_ms = 0
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.replica_id, = _S1.unpack_from(buf, pos)
        pos += 4
        if version >= 2:
            m.isolation_level, = _S5.unpack_from(buf, pos)
            pos += 1
        else:
            m.isolation_level = 0
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = ListOffsetsTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.timeout_ms = 0
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 11:
            raise unsupported_version('ListOffsetsRequest', version)
        if version < 2 and not (self.isolation_level == 0):
            raise unsupported_field('IsolationLevel', version)
        if version >= 6:
            out += _S4.pack(self.replica_id, self.isolation_level)
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            if version >= 10:
                out += _S1.pack(self.timeout_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.replica_id)
            if version >= 2:
                out += _S5.pack(self.isolation_level)
            value_topics = self.topics
            out += _S1.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)


class ListOffsetsPartitionResponse(Message):
    __slots__ = ('partition_index', 'error_code', 'timestamp', 'offset', 'leader_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
        timestamp: int = -1,
        offset: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListOffsetsPartitionResponse, int]:
        m = _new(ListOffsetsPartitionResponse)
        if version >= 6:
            m.partition_index, m.error_code, m.timestamp, m.offset, m.leader_epoch, = _S6.unpack_from(buf, pos)
            pos += 26
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.error_code, m.timestamp, m.offset, = _S7.unpack_from(buf, pos)
        pos += 22
        if version >= 4:
            m.leader_epoch, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.leader_epoch = -1
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 4 and not (self.leader_epoch == -1):
            raise unsupported_field('LeaderEpoch', version)
        if version >= 6:
            out += _S6.pack(self.partition_index, self.error_code, self.timestamp, self.offset, self.leader_epoch)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S7.pack(self.partition_index, self.error_code, self.timestamp, self.offset)
            if version >= 4:
                out += _S1.pack(self.leader_epoch)


class ListOffsetsTopicResponse(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[ListOffsetsPartitionResponse] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListOffsetsTopicResponse, int]:
        m = _new(ListOffsetsTopicResponse)
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
            read_partitions = ListOffsetsPartitionResponse.read
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
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = ListOffsetsPartitionResponse.read
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
            out += _S3.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S1.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class ListOffsetsResponse(Message):
    __slots__ = ('throttle_time_ms', 'topics', 'unknown_tags',)
    API_KEY = 2
    MIN_VERSION = 1
    MAX_VERSION = 11
    FLEXIBLE_FROM = 6

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[ListOffsetsTopicResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListOffsetsResponse, int]:
        if not 1 <= version <= 11:
            raise unsupported_version('ListOffsetsResponse', version)
        m = _new(ListOffsetsResponse)
        if version >= 6:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = ListOffsetsTopicResponse.read
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
        if version >= 2:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = ListOffsetsTopicResponse.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 11:
            raise unsupported_version('ListOffsetsResponse', version)
        if version >= 6:
            out += _S1.pack(self.throttle_time_ms)
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
            if version >= 2:
                out += _S1.pack(self.throttle_time_ms)
            value_topics = self.topics
            out += _S1.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
