"""ListPartitionReassignments: API key 46."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>ih')


class ListPartitionReassignmentsTopics(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListPartitionReassignmentsTopics, int]:
        m = _new(ListPartitionReassignmentsTopics)
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

    def write(self, out: Frame, version: int) -> None:
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


class ListPartitionReassignmentsRequest(Message):
    __slots__ = ('timeout_ms', 'topics', 'unknown_tags',)
    API_KEY = 46
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        topics: list[ListPartitionReassignmentsTopics] | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.topics = topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListPartitionReassignmentsRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ListPartitionReassignmentsRequest', version)
        m = _new(ListPartitionReassignmentsRequest)
        m.timeout_ms, = _S0.unpack_from(buf, pos)
        pos += 4
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
            read_topics = ListPartitionReassignmentsTopics.read
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
        if not 0 <= version <= 0:
            raise unsupported_version('ListPartitionReassignmentsRequest', version)
        out += _S0.pack(self.timeout_ms)
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


class OngoingPartitionReassignment(Message):
    __slots__ = ('partition_index', 'replicas', 'adding_replicas', 'removing_replicas', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        replicas: list[int] = UNSET,
        adding_replicas: list[int] = UNSET,
        removing_replicas: list[int] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.replicas = [] if replicas is UNSET else replicas
        self.adding_replicas = [] if adding_replicas is UNSET else adding_replicas
        self.removing_replicas = [] if removing_replicas is UNSET else removing_replicas
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OngoingPartitionReassignment, int]:
        m = _new(OngoingPartitionReassignment)
        m.partition_index, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Replicas', n)
        m.replicas = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('AddingReplicas', n)
        m.adding_replicas = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('RemovingReplicas', n)
        m.removing_replicas = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.partition_index)
        value_replicas = self.replicas
        n = len(value_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_replicas)}i', *value_replicas)
        value_adding_replicas = self.adding_replicas
        n = len(value_adding_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_adding_replicas)}i', *value_adding_replicas)
        value_removing_replicas = self.removing_replicas
        n = len(value_removing_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_removing_replicas)}i', *value_removing_replicas)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class OngoingTopicReassignment(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[OngoingPartitionReassignment] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OngoingTopicReassignment, int]:
        m = _new(OngoingTopicReassignment)
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
        read_partitions = OngoingPartitionReassignment.read
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


class ListPartitionReassignmentsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'topics', 'unknown_tags',)
    API_KEY = 46
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
        topics: list[OngoingTopicReassignment] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListPartitionReassignmentsResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ListPartitionReassignmentsResponse', version)
        m = _new(ListPartitionReassignmentsResponse)
        m.throttle_time_ms, m.error_code, = _S1.unpack_from(buf, pos)
        pos += 6
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = OngoingTopicReassignment.read
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
        if not 0 <= version <= 0:
            raise unsupported_version('ListPartitionReassignmentsResponse', version)
        out += _S1.pack(self.throttle_time_ms, self.error_code)
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
