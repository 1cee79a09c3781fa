"""DescribeLogDirs: API key 35."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>iqq?')
_S3 = Struct('>qq')
_S4 = Struct('>?')


class DescribableLogDirTopic(Message):
    __slots__ = ('topic', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribableLogDirTopic, int]:
        m = _new(DescribableLogDirTopic)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Topic', n)
            m.topic = str(buf[pos:end], 'utf-8')
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
            raise bad_length('Topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
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
            value_topic = self.topic
            data = value_topic.encode()
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
            value_topic = self.topic
            data = value_topic.encode()
            out += _S0.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S1.pack(len(value_partitions))
            out += pack(f'>{len(value_partitions)}i', *value_partitions)


class DescribeLogDirsRequest(Message):
    __slots__ = ('topics', 'unknown_tags',)
    API_KEY = 35
    MIN_VERSION = 1
    MAX_VERSION = 5
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        topics: list[DescribableLogDirTopic] | None = UNSET,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeLogDirsRequest, int]:
        if not 1 <= version <= 5:
            raise unsupported_version('DescribeLogDirsRequest', version)
        m = _new(DescribeLogDirsRequest)
        if version >= 2:
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
                read_topics = DescribableLogDirTopic.read
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
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.topics = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = DescribableLogDirTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 5:
            raise unsupported_version('DescribeLogDirsRequest', version)
        if version >= 2:
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
        else:
            value_topics = self.topics
            if value_topics is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S1.pack(len(value_topics))
                for item_topics in value_topics:
                    item_topics.write(out, version)


class DescribeLogDirsPartition(Message):
    __slots__ = ('partition_index', 'partition_size', 'offset_lag', 'is_future_key', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        partition_size: int = 0,
        offset_lag: int = 0,
        is_future_key: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeLogDirsPartition, int]:
        m = _new(DescribeLogDirsPartition)
        if version >= 2:
            m.partition_index, m.partition_size, m.offset_lag, m.is_future_key, = _S2.unpack_from(buf, pos)
            pos += 21
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.partition_size, m.offset_lag, m.is_future_key, = _S2.unpack_from(buf, pos)
        pos += 21
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S2.pack(self.partition_index, self.partition_size, self.offset_lag, self.is_future_key)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.partition_index, self.partition_size, self.offset_lag, self.is_future_key)


class DescribeLogDirsTopic(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[DescribeLogDirsPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeLogDirsTopic, int]:
        m = _new(DescribeLogDirsTopic)
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
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = DescribeLogDirsPartition.read
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
        read_partitions = DescribeLogDirsPartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
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


class DescribeLogDirsResult(Message):
    __slots__ = ('error_code', 'log_dir', 'topics', 'total_bytes', 'usable_bytes', 'is_cordoned', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        log_dir: str = '',
        topics: list[DescribeLogDirsTopic] = UNSET,
        total_bytes: int = -1,
        usable_bytes: int = -1,
        is_cordoned: bool = False,
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = [] if topics is UNSET else topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.is_cordoned = is_cordoned
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeLogDirsResult, int]:
        m = _new(DescribeLogDirsResult)
        if version >= 2:
            m.error_code, = _S0.unpack_from(buf, pos)
            pos += 2
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('LogDir', n)
            m.log_dir = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = DescribeLogDirsTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            if version >= 4:
                m.total_bytes, m.usable_bytes, = _S3.unpack_from(buf, pos)
                pos += 16
            else:
                m.total_bytes = -1
                m.usable_bytes = -1
            if version >= 5:
                m.is_cordoned, = _S4.unpack_from(buf, pos)
                pos += 1
            else:
                m.is_cordoned = False
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('LogDir', n)
        m.log_dir = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = DescribeLogDirsTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.total_bytes = -1
        m.usable_bytes = -1
        m.is_cordoned = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S0.pack(self.error_code)
            value_log_dir = self.log_dir
            data = value_log_dir.encode()
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
            if version >= 4:
                out += _S3.pack(self.total_bytes, self.usable_bytes)
            if version >= 5:
                out += _S4.pack(self.is_cordoned)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.error_code)
            value_log_dir = self.log_dir
            data = value_log_dir.encode()
            out += _S0.pack(len(data))
            out += data
            value_topics = self.topics
            out += _S1.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)


class DescribeLogDirsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'results', 'unknown_tags',)
    API_KEY = 35
    MIN_VERSION = 1
    MAX_VERSION = 5
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: list[DescribeLogDirsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeLogDirsResponse, int]:
        if not 1 <= version <= 5:
            raise unsupported_version('DescribeLogDirsResponse', version)
        m = _new(DescribeLogDirsResponse)
        if version >= 2:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            if version >= 3:
                m.error_code, = _S0.unpack_from(buf, pos)
                pos += 2
            else:
                m.error_code = 0
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Results', n)
            items_results = []
            read_results = DescribeLogDirsResult.read
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
        read_results = DescribeLogDirsResult.read
        for _ in range(n):
            item_results, pos = read_results(buf, pos, version)
            items_results.append(item_results)
        m.results = items_results
        m.error_code = 0
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 5:
            raise unsupported_version('DescribeLogDirsResponse', version)
        if version >= 2:
            out += _S1.pack(self.throttle_time_ms)
            if version >= 3:
                out += _S0.pack(self.error_code)
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
