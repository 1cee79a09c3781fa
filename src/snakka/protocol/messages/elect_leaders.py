"""ElectLeaders: API key 43."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>b')
_S3 = Struct('>ih')


class TopicPartitions(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicPartitions, int]:
        m = _new(TopicPartitions)
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


class ElectLeadersRequest(Message):
    __slots__ = ('election_type', 'topic_partitions', 'timeout_ms', 'unknown_tags',)
    API_KEY = 43
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        election_type: int = 0,
        topic_partitions: list[TopicPartitions] | None = UNSET,
        timeout_ms: int = 60000,
    ) -> None:
        self.election_type = election_type
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions
        self.timeout_ms = timeout_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ElectLeadersRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('ElectLeadersRequest', version)
        m = _new(ElectLeadersRequest)
        if version >= 2:
            m.election_type, = _S2.unpack_from(buf, pos)
            pos += 1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.topic_partitions = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('TopicPartitions', n)
                items_topic_partitions = []
                read_topic_partitions = TopicPartitions.read
                for _ in range(n):
                    item_topic_partitions, pos = read_topic_partitions(buf, pos, version)
                    items_topic_partitions.append(item_topic_partitions)
                m.topic_partitions = items_topic_partitions
            m.timeout_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        if version >= 1:
            m.election_type, = _S2.unpack_from(buf, pos)
            pos += 1
        else:
            m.election_type = 0
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.topic_partitions = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('TopicPartitions', n)
            items_topic_partitions = []
            read_topic_partitions = TopicPartitions.read
            for _ in range(n):
                item_topic_partitions, pos = read_topic_partitions(buf, pos, version)
                items_topic_partitions.append(item_topic_partitions)
            m.topic_partitions = items_topic_partitions
        m.timeout_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('ElectLeadersRequest', version)
        if version < 1 and not (self.election_type == 0):
            raise unsupported_field('ElectionType', version)
        if version >= 2:
            out += _S2.pack(self.election_type)
            value_topic_partitions = self.topic_partitions
            if value_topic_partitions is None:
                out += b'\x00'
            else:
                n = len(value_topic_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_topic_partitions in value_topic_partitions:
                    item_topic_partitions.write(out, version)
            out += _S1.pack(self.timeout_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 1:
                out += _S2.pack(self.election_type)
            value_topic_partitions = self.topic_partitions
            if value_topic_partitions is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S1.pack(len(value_topic_partitions))
                for item_topic_partitions in value_topic_partitions:
                    item_topic_partitions.write(out, version)
            out += _S1.pack(self.timeout_ms)


class PartitionResult(Message):
    __slots__ = ('partition_id', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_id: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
    ) -> None:
        self.partition_id = partition_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionResult, int]:
        m = _new(PartitionResult)
        if version >= 2:
            m.partition_id, m.error_code, = _S3.unpack_from(buf, pos)
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
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_id, m.error_code, = _S3.unpack_from(buf, pos)
        pos += 6
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S3.pack(self.partition_id, self.error_code)
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
        else:
            out += _S3.pack(self.partition_id, self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S0.pack(len(data))
                out += data


class ReplicaElectionResult(Message):
    __slots__ = ('topic', 'partition_result', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        partition_result: list[PartitionResult] = UNSET,
    ) -> None:
        self.topic = topic
        self.partition_result = [] if partition_result is UNSET else partition_result
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ReplicaElectionResult, int]:
        m = _new(ReplicaElectionResult)
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
            if n < 0 or n > len(buf) - pos:
                raise bad_length('PartitionResult', n)
            items_partition_result = []
            read_partition_result = PartitionResult.read
            for _ in range(n):
                item_partition_result, pos = read_partition_result(buf, pos, version)
                items_partition_result.append(item_partition_result)
            m.partition_result = items_partition_result
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
        if n < 0 or n > len(buf) - pos:
            raise bad_length('PartitionResult', n)
        items_partition_result = []
        read_partition_result = PartitionResult.read
        for _ in range(n):
            item_partition_result, pos = read_partition_result(buf, pos, version)
            items_partition_result.append(item_partition_result)
        m.partition_result = items_partition_result
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
            value_partition_result = self.partition_result
            n = len(value_partition_result) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_partition_result in value_partition_result:
                item_partition_result.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topic = self.topic
            data = value_topic.encode()
            out += _S0.pack(len(data))
            out += data
            value_partition_result = self.partition_result
            out += _S1.pack(len(value_partition_result))
            for item_partition_result in value_partition_result:
                item_partition_result.write(out, version)


class ElectLeadersResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'replica_election_results', 'unknown_tags',)
    API_KEY = 43
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        replica_election_results: list[ReplicaElectionResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results = [] if replica_election_results is UNSET else replica_election_results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ElectLeadersResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('ElectLeadersResponse', version)
        m = _new(ElectLeadersResponse)
        if version >= 2:
            m.throttle_time_ms, m.error_code, = _S3.unpack_from(buf, pos)
            pos += 6
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('ReplicaElectionResults', n)
            items_replica_election_results = []
            read_replica_election_results = ReplicaElectionResult.read
            for _ in range(n):
                item_replica_election_results, pos = read_replica_election_results(buf, pos, version)
                items_replica_election_results.append(item_replica_election_results)
            m.replica_election_results = items_replica_election_results
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        if version >= 1:
            m.error_code, = _S0.unpack_from(buf, pos)
            pos += 2
        else:
            m.error_code = 0
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ReplicaElectionResults', n)
        items_replica_election_results = []
        read_replica_election_results = ReplicaElectionResult.read
        for _ in range(n):
            item_replica_election_results, pos = read_replica_election_results(buf, pos, version)
            items_replica_election_results.append(item_replica_election_results)
        m.replica_election_results = items_replica_election_results
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('ElectLeadersResponse', version)
        if version < 1 and not (self.error_code == 0):
            raise unsupported_field('ErrorCode', version)
        if version >= 2:
            out += _S3.pack(self.throttle_time_ms, self.error_code)
            value_replica_election_results = self.replica_election_results
            n = len(value_replica_election_results) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_replica_election_results in value_replica_election_results:
                item_replica_election_results.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.throttle_time_ms)
            if version >= 1:
                out += _S0.pack(self.error_code)
            value_replica_election_results = self.replica_election_results
            out += _S1.pack(len(value_replica_election_results))
            for item_replica_election_results in value_replica_election_results:
                item_replica_election_results.write(out, version)
