"""CreatePartitions: API key 37."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>h')
_S2 = Struct('>i?')


class CreatePartitionsAssignment(Message):
    __slots__ = ('broker_ids', 'unknown_tags',)

    def __init__(
        self,
        *,
        broker_ids: list[int] = UNSET,
    ) -> None:
        self.broker_ids = [] if broker_ids is UNSET else broker_ids
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatePartitionsAssignment, int]:
        m = _new(CreatePartitionsAssignment)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('BrokerIds', n)
            m.broker_ids = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('BrokerIds', n)
        m.broker_ids = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            value_broker_ids = self.broker_ids
            n = len(value_broker_ids) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_broker_ids)}i', *value_broker_ids)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_broker_ids = self.broker_ids
            out += _S0.pack(len(value_broker_ids))
            out += pack(f'>{len(value_broker_ids)}i', *value_broker_ids)


class CreatePartitionsTopic(Message):
    __slots__ = ('name', 'count', 'assignments', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        count: int = 0,
        assignments: list[CreatePartitionsAssignment] | None = UNSET,
    ) -> None:
        self.name = name
        self.count = count
        self.assignments = [] if assignments is UNSET else assignments
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatePartitionsTopic, int]:
        m = _new(CreatePartitionsTopic)
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
            m.count, = _S0.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.assignments = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Assignments', n)
                items_assignments = []
                read_assignments = CreatePartitionsAssignment.read
                for _ in range(n):
                    item_assignments, pos = read_assignments(buf, pos, version)
                    items_assignments.append(item_assignments)
                m.assignments = items_assignments
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        m.count, = _S0.unpack_from(buf, pos)
        pos += 4
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.assignments = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Assignments', n)
            items_assignments = []
            read_assignments = CreatePartitionsAssignment.read
            for _ in range(n):
                item_assignments, pos = read_assignments(buf, pos, version)
                items_assignments.append(item_assignments)
            m.assignments = items_assignments
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
            out += _S0.pack(self.count)
            value_assignments = self.assignments
            if value_assignments is None:
                out += b'\x00'
            else:
                n = len(value_assignments) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_assignments in value_assignments:
                    item_assignments.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S0.pack(self.count)
            value_assignments = self.assignments
            if value_assignments is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S0.pack(len(value_assignments))
                for item_assignments in value_assignments:
                    item_assignments.write(out, version)


class CreatePartitionsRequest(Message):
    __slots__ = ('topics', 'timeout_ms', 'validate_only', 'unknown_tags',)
    API_KEY = 37
    MIN_VERSION = 0
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        topics: list[CreatePartitionsTopic] = UNSET,
        timeout_ms: int = 0,
        validate_only: bool = False,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatePartitionsRequest, int]:
        if not 0 <= version <= 3:
            raise unsupported_version('CreatePartitionsRequest', version)
        m = _new(CreatePartitionsRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = CreatePartitionsTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            m.timeout_ms, m.validate_only, = _S2.unpack_from(buf, pos)
            pos += 5
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = CreatePartitionsTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.timeout_ms, m.validate_only, = _S2.unpack_from(buf, pos)
        pos += 5
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 3:
            raise unsupported_version('CreatePartitionsRequest', version)
        if version >= 2:
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            out += _S2.pack(self.timeout_ms, self.validate_only)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topics = self.topics
            out += _S0.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
            out += _S2.pack(self.timeout_ms, self.validate_only)


class CreatePartitionsTopicResult(Message):
    __slots__ = ('name', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatePartitionsTopicResult, int]:
        m = _new(CreatePartitionsTopicResult)
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
            m.error_code, = _S1.unpack_from(buf, pos)
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
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        m.error_code, = _S1.unpack_from(buf, pos)
        pos += 2
        n, = _S1.unpack_from(buf, pos)
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
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S1.pack(self.error_code)
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
            value_name = self.name
            data = value_name.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S1.pack(self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S1.pack(len(data))
                out += data


class CreatePartitionsResponse(Message):
    __slots__ = ('throttle_time_ms', 'results', 'unknown_tags',)
    API_KEY = 37
    MIN_VERSION = 0
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[CreatePartitionsTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatePartitionsResponse, int]:
        if not 0 <= version <= 3:
            raise unsupported_version('CreatePartitionsResponse', version)
        m = _new(CreatePartitionsResponse)
        if version >= 2:
            m.throttle_time_ms, = _S0.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Results', n)
            items_results = []
            read_results = CreatePartitionsTopicResult.read
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
        m.throttle_time_ms, = _S0.unpack_from(buf, pos)
        pos += 4
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Results', n)
        items_results = []
        read_results = CreatePartitionsTopicResult.read
        for _ in range(n):
            item_results, pos = read_results(buf, pos, version)
            items_results.append(item_results)
        m.results = items_results
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 3:
            raise unsupported_version('CreatePartitionsResponse', version)
        if version >= 2:
            out += _S0.pack(self.throttle_time_ms)
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
            out += _S0.pack(self.throttle_time_ms)
            value_results = self.results
            out += _S0.pack(len(value_results))
            for item_results in value_results:
                item_results.write(out, version)
