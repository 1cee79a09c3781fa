"""AssignReplicasToDirs: API key 73."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_version, uvarint_tail, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>16s')
_S2 = Struct('>iq')
_S3 = Struct('>ih')


class AssignReplicasToDirsRequestPartitionData(Message):
    __slots__ = ('partition_index', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsRequestPartitionData, int]:
        m = _new(AssignReplicasToDirsRequestPartitionData)
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
        out += _S0.pack(self.partition_index)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AssignReplicasToDirsRequestTopicData(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AssignReplicasToDirsRequestPartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsRequestTopicData, int]:
        m = _new(AssignReplicasToDirsRequestTopicData)
        m.topic_id, = _S1.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = AssignReplicasToDirsRequestPartitionData.read
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
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S1.pack(self.topic_id)
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


class AssignReplicasToDirsRequestDirectoryData(Message):
    __slots__ = ('id', 'topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        id: bytes = ZERO_UUID,
        topics: list[AssignReplicasToDirsRequestTopicData] = UNSET,
    ) -> None:
        self.id = id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsRequestDirectoryData, int]:
        m = _new(AssignReplicasToDirsRequestDirectoryData)
        m.id, = _S1.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = AssignReplicasToDirsRequestTopicData.read
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
        if len(self.id) != 16:
            raise bad_length('Id', len(self.id))
        out += _S1.pack(self.id)
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


class AssignReplicasToDirsRequest(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'directories', 'unknown_tags',)
    API_KEY = 73
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        directories: list[AssignReplicasToDirsRequestDirectoryData] = UNSET,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.directories = [] if directories is UNSET else directories
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('AssignReplicasToDirsRequest', version)
        m = _new(AssignReplicasToDirsRequest)
        m.broker_id, m.broker_epoch, = _S2.unpack_from(buf, pos)
        pos += 12
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Directories', n)
        items_directories = []
        read_directories = AssignReplicasToDirsRequestDirectoryData.read
        for _ in range(n):
            item_directories, pos = read_directories(buf, pos, version)
            items_directories.append(item_directories)
        m.directories = items_directories
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('AssignReplicasToDirsRequest', version)
        out += _S2.pack(self.broker_id, self.broker_epoch)
        value_directories = self.directories
        n = len(value_directories) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_directories in value_directories:
            item_directories.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AssignReplicasToDirsResponsePartitionData(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsResponsePartitionData, int]:
        m = _new(AssignReplicasToDirsResponsePartitionData)
        m.partition_index, m.error_code, = _S3.unpack_from(buf, pos)
        pos += 6
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S3.pack(self.partition_index, self.error_code)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AssignReplicasToDirsResponseTopicData(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AssignReplicasToDirsResponsePartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsResponseTopicData, int]:
        m = _new(AssignReplicasToDirsResponseTopicData)
        m.topic_id, = _S1.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = AssignReplicasToDirsResponsePartitionData.read
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
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S1.pack(self.topic_id)
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


class AssignReplicasToDirsResponseDirectoryData(Message):
    __slots__ = ('id', 'topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        id: bytes = ZERO_UUID,
        topics: list[AssignReplicasToDirsResponseTopicData] = UNSET,
    ) -> None:
        self.id = id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsResponseDirectoryData, int]:
        m = _new(AssignReplicasToDirsResponseDirectoryData)
        m.id, = _S1.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = AssignReplicasToDirsResponseTopicData.read
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
        if len(self.id) != 16:
            raise bad_length('Id', len(self.id))
        out += _S1.pack(self.id)
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


class AssignReplicasToDirsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'directories', 'unknown_tags',)
    API_KEY = 73
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        directories: list[AssignReplicasToDirsResponseDirectoryData] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.directories = [] if directories is UNSET else directories
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AssignReplicasToDirsResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('AssignReplicasToDirsResponse', version)
        m = _new(AssignReplicasToDirsResponse)
        m.throttle_time_ms, m.error_code, = _S3.unpack_from(buf, pos)
        pos += 6
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Directories', n)
        items_directories = []
        read_directories = AssignReplicasToDirsResponseDirectoryData.read
        for _ in range(n):
            item_directories, pos = read_directories(buf, pos, version)
            items_directories.append(item_directories)
        m.directories = items_directories
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('AssignReplicasToDirsResponse', version)
        out += _S3.pack(self.throttle_time_ms, self.error_code)
        value_directories = self.directories
        n = len(value_directories) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_directories in value_directories:
            item_directories.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
