"""AlterReplicaLogDirs: API key 34."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>ih')


class AlterReplicaLogDirTopic(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterReplicaLogDirTopic, int]:
        m = _new(AlterReplicaLogDirTopic)
        if version >= 2:
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
            raise bad_length('Partitions', n)
        m.partitions = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
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
            out += pack(f'>{len(value_partitions)}i', *value_partitions)
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
            out += pack(f'>{len(value_partitions)}i', *value_partitions)


class AlterReplicaLogDir(Message):
    __slots__ = ('path', 'topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        path: str = '',
        topics: list[AlterReplicaLogDirTopic] = UNSET,
    ) -> None:
        self.path = path
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterReplicaLogDir, int]:
        m = _new(AlterReplicaLogDir)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Path', n)
            m.path = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = AlterReplicaLogDirTopic.read
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
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Path', n)
        m.path = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = AlterReplicaLogDirTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            value_path = self.path
            data = value_path.encode()
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
            value_path = self.path
            data = value_path.encode()
            out += _S0.pack(len(data))
            out += data
            value_topics = self.topics
            out += _S1.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)


class AlterReplicaLogDirsRequest(Message):
    __slots__ = ('dirs', 'unknown_tags',)
    API_KEY = 34
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        dirs: list[AlterReplicaLogDir] = UNSET,
    ) -> None:
        self.dirs = [] if dirs is UNSET else dirs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterReplicaLogDirsRequest, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('AlterReplicaLogDirsRequest', version)
        m = _new(AlterReplicaLogDirsRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Dirs', n)
            items_dirs = []
            read_dirs = AlterReplicaLogDir.read
            for _ in range(n):
                item_dirs, pos = read_dirs(buf, pos, version)
                items_dirs.append(item_dirs)
            m.dirs = items_dirs
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Dirs', n)
        items_dirs = []
        read_dirs = AlterReplicaLogDir.read
        for _ in range(n):
            item_dirs, pos = read_dirs(buf, pos, version)
            items_dirs.append(item_dirs)
        m.dirs = items_dirs
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('AlterReplicaLogDirsRequest', version)
        if version >= 2:
            value_dirs = self.dirs
            n = len(value_dirs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_dirs in value_dirs:
                item_dirs.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_dirs = self.dirs
            out += _S1.pack(len(value_dirs))
            for item_dirs in value_dirs:
                item_dirs.write(out, version)


class AlterReplicaLogDirPartitionResult(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterReplicaLogDirPartitionResult, int]:
        m = _new(AlterReplicaLogDirPartitionResult)
        if version >= 2:
            m.partition_index, m.error_code, = _S2.unpack_from(buf, pos)
            pos += 6
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.error_code, = _S2.unpack_from(buf, pos)
        pos += 6
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S2.pack(self.partition_index, self.error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.partition_index, self.error_code)


class AlterReplicaLogDirTopicResult(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[AlterReplicaLogDirPartitionResult] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterReplicaLogDirTopicResult, int]:
        m = _new(AlterReplicaLogDirTopicResult)
        if version >= 2:
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
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = AlterReplicaLogDirPartitionResult.read
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
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = AlterReplicaLogDirPartitionResult.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
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
            for item_partitions in value_partitions:
                item_partitions.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topic_name = self.topic_name
            data = value_topic_name.encode()
            out += _S0.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S1.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class AlterReplicaLogDirsResponse(Message):
    __slots__ = ('throttle_time_ms', 'results', 'unknown_tags',)
    API_KEY = 34
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[AlterReplicaLogDirTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterReplicaLogDirsResponse, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('AlterReplicaLogDirsResponse', version)
        m = _new(AlterReplicaLogDirsResponse)
        if version >= 2:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Results', n)
            items_results = []
            read_results = AlterReplicaLogDirTopicResult.read
            for _ in range(n):
                item_results, pos = read_results(buf, pos, version)
                items_results.append(item_results)
            m.results = items_results
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Results', n)
        items_results = []
        read_results = AlterReplicaLogDirTopicResult.read
        for _ in range(n):
            item_results, pos = read_results(buf, pos, version)
            items_results.append(item_results)
        m.results = items_results
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('AlterReplicaLogDirsResponse', version)
        if version >= 2:
            out += _S1.pack(self.throttle_time_ms)
            value_results = self.results
            n = len(value_results) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_results in value_results:
                item_results.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.throttle_time_ms)
            value_results = self.results
            out += _S1.pack(len(value_results))
            for item_results in value_results:
                item_results.write(out, version)
