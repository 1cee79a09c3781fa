"""OffsetDelete: API key 47."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_version

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>h')
_S2 = Struct('>ih')
_S3 = Struct('>hi')


class OffsetDeleteRequestPartition(Message):
    __slots__ = ('partition_index', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetDeleteRequestPartition, int]:
        m = _new(OffsetDeleteRequestPartition)
        m.partition_index, = _S0.unpack_from(buf, pos)
        pos += 4
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.partition_index)


class OffsetDeleteRequestTopic(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[OffsetDeleteRequestPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetDeleteRequestTopic, int]:
        m = _new(OffsetDeleteRequestTopic)
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = OffsetDeleteRequestPartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
        out += _S1.pack(len(data))
        out += data
        value_partitions = self.partitions
        out += _S0.pack(len(value_partitions))
        for item_partitions in value_partitions:
            item_partitions.write(out, version)


class OffsetDeleteRequest(Message):
    __slots__ = ('group_id', 'topics', 'unknown_tags',)
    API_KEY = 47
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        group_id: str = '',
        topics: list[OffsetDeleteRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetDeleteRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('OffsetDeleteRequest', version)
        m = _new(OffsetDeleteRequest)
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = OffsetDeleteRequestTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('OffsetDeleteRequest', version)
        value_group_id = self.group_id
        data = value_group_id.encode()
        out += _S1.pack(len(data))
        out += data
        value_topics = self.topics
        out += _S0.pack(len(value_topics))
        for item_topics in value_topics:
            item_topics.write(out, version)


class OffsetDeleteResponsePartition(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetDeleteResponsePartition, int]:
        m = _new(OffsetDeleteResponsePartition)
        m.partition_index, m.error_code, = _S2.unpack_from(buf, pos)
        pos += 6
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S2.pack(self.partition_index, self.error_code)


class OffsetDeleteResponseTopic(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[OffsetDeleteResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetDeleteResponseTopic, int]:
        m = _new(OffsetDeleteResponseTopic)
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = OffsetDeleteResponsePartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
        out += _S1.pack(len(data))
        out += data
        value_partitions = self.partitions
        out += _S0.pack(len(value_partitions))
        for item_partitions in value_partitions:
            item_partitions.write(out, version)


class OffsetDeleteResponse(Message):
    __slots__ = ('error_code', 'throttle_time_ms', 'topics', 'unknown_tags',)
    API_KEY = 47
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: list[OffsetDeleteResponseTopic] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OffsetDeleteResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('OffsetDeleteResponse', version)
        m = _new(OffsetDeleteResponse)
        m.error_code, m.throttle_time_ms, = _S3.unpack_from(buf, pos)
        pos += 6
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = OffsetDeleteResponseTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('OffsetDeleteResponse', version)
        out += _S3.pack(self.error_code, self.throttle_time_ms)
        value_topics = self.topics
        out += _S0.pack(len(value_topics))
        for item_topics in value_topics:
            item_topics.write(out, version)
