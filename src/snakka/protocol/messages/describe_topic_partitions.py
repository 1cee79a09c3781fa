"""DescribeTopicPartitions: API key 75."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>hiii')
_S2 = Struct('>h')
_S3 = Struct('>16s?')


class TopicRequest(Message):
    __slots__ = ('name', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
    ) -> None:
        self.name = name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicRequest, int]:
        m = _new(TopicRequest)
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
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
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


class DescribeTopicPartitionsRequestCursor(Message):
    __slots__ = ('topic_name', 'partition_index', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeTopicPartitionsRequestCursor, int]:
        m = _new(DescribeTopicPartitionsRequestCursor)
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
        m.partition_index, = _S0.unpack_from(buf, pos)
        pos += 4
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
        out += _S0.pack(self.partition_index)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeTopicPartitionsRequest(Message):
    __slots__ = ('topics', 'response_partition_limit', 'cursor', 'unknown_tags',)
    API_KEY = 75
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        topics: list[TopicRequest] = UNSET,
        response_partition_limit: int = 2000,
        cursor: DescribeTopicPartitionsRequestCursor | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeTopicPartitionsRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('DescribeTopicPartitionsRequest', version)
        m = _new(DescribeTopicPartitionsRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = TopicRequest.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.response_partition_limit, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n == 255:
            m.cursor = None
        else:
            m.cursor, pos = DescribeTopicPartitionsRequestCursor.read(buf, pos, version)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('DescribeTopicPartitionsRequest', version)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        out += _S0.pack(self.response_partition_limit)
        value_cursor = self.cursor
        if value_cursor is None:
            out += b'\xff'
        else:
            out.append(1)
            value_cursor.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeTopicPartitionsResponsePartition(Message):
    __slots__ = ('error_code', 'partition_index', 'leader_id', 'leader_epoch', 'replica_nodes', 'isr_nodes', 'eligible_leader_replicas', 'last_known_elr', 'offline_replicas', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: list[int] = UNSET,
        isr_nodes: list[int] = UNSET,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        offline_replicas: list[int] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is UNSET else replica_nodes
        self.isr_nodes = [] if isr_nodes is UNSET else isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = [] if offline_replicas is UNSET else offline_replicas
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeTopicPartitionsResponsePartition, int]:
        m = _new(DescribeTopicPartitionsResponsePartition)
        m.error_code, m.partition_index, m.leader_id, m.leader_epoch, = _S1.unpack_from(buf, pos)
        pos += 14
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('ReplicaNodes', n)
        m.replica_nodes = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('IsrNodes', n)
        m.isr_nodes = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.eligible_leader_replicas = None
        else:
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('EligibleLeaderReplicas', n)
            m.eligible_leader_replicas = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.last_known_elr = None
        else:
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('LastKnownElr', n)
            m.last_known_elr = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('OfflineReplicas', n)
        m.offline_replicas = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.error_code, self.partition_index, self.leader_id, self.leader_epoch)
        value_replica_nodes = self.replica_nodes
        n = len(value_replica_nodes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_replica_nodes)}i', *value_replica_nodes)
        value_isr_nodes = self.isr_nodes
        n = len(value_isr_nodes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_isr_nodes)}i', *value_isr_nodes)
        value_eligible_leader_replicas = self.eligible_leader_replicas
        if value_eligible_leader_replicas is None:
            out += b'\x00'
        else:
            n = len(value_eligible_leader_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_eligible_leader_replicas)}i', *value_eligible_leader_replicas)
        value_last_known_elr = self.last_known_elr
        if value_last_known_elr is None:
            out += b'\x00'
        else:
            n = len(value_last_known_elr) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_last_known_elr)}i', *value_last_known_elr)
        value_offline_replicas = self.offline_replicas
        n = len(value_offline_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_offline_replicas)}i', *value_offline_replicas)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeTopicPartitionsResponseTopic(Message):
    __slots__ = ('error_code', 'name', 'topic_id', 'is_internal', 'partitions', 'topic_authorized_operations', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        name: str | None = '',
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[DescribeTopicPartitionsResponsePartition] = UNSET,
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = [] if partitions is UNSET else partitions
        self.topic_authorized_operations = topic_authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeTopicPartitionsResponseTopic, int]:
        m = _new(DescribeTopicPartitionsResponseTopic)
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.name = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Name', n)
            m.name = str(buf[pos:end], 'utf-8')
            pos = end
        m.topic_id, m.is_internal, = _S3.unpack_from(buf, pos)
        pos += 17
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = DescribeTopicPartitionsResponsePartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.topic_authorized_operations, = _S0.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S2.pack(self.error_code)
        value_name = self.name
        if value_name is None:
            out += b'\x00'
        else:
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S3.pack(self.topic_id, self.is_internal)
        value_partitions = self.partitions
        n = len(value_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_partitions in value_partitions:
            item_partitions.write(out, version)
        out += _S0.pack(self.topic_authorized_operations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeTopicPartitionsResponseCursor(Message):
    __slots__ = ('topic_name', 'partition_index', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeTopicPartitionsResponseCursor, int]:
        m = _new(DescribeTopicPartitionsResponseCursor)
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
        m.partition_index, = _S0.unpack_from(buf, pos)
        pos += 4
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
        out += _S0.pack(self.partition_index)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeTopicPartitionsResponse(Message):
    __slots__ = ('throttle_time_ms', 'topics', 'next_cursor', 'unknown_tags',)
    API_KEY = 75
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[DescribeTopicPartitionsResponseTopic] = UNSET,
        next_cursor: DescribeTopicPartitionsResponseCursor | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.next_cursor = next_cursor
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeTopicPartitionsResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('DescribeTopicPartitionsResponse', version)
        m = _new(DescribeTopicPartitionsResponse)
        m.throttle_time_ms, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = DescribeTopicPartitionsResponseTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        n = buf[pos]
        pos += 1
        if n == 255:
            m.next_cursor = None
        else:
            m.next_cursor, pos = DescribeTopicPartitionsResponseCursor.read(buf, pos, version)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('DescribeTopicPartitionsResponse', version)
        out += _S0.pack(self.throttle_time_ms)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        value_next_cursor = self.next_cursor
        if value_next_cursor is None:
            out += b'\xff'
        else:
            out.append(1)
            value_next_cursor.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
