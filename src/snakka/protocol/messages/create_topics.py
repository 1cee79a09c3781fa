"""CreateTopics: API key 19."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>h')
_S2 = Struct('>ih')
_S3 = Struct('>i?')
_S4 = Struct('>?b?')
_S5 = Struct('>16s')


class CreatableReplicaAssignment(Message):
    __slots__ = ('partition_index', 'broker_ids', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        broker_ids: list[int] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.broker_ids = [] if broker_ids is UNSET else broker_ids
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatableReplicaAssignment, int]:
        m = _new(CreatableReplicaAssignment)
        if version >= 5:
            m.partition_index, = _S0.unpack_from(buf, pos)
            pos += 4
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
        m.partition_index, = _S0.unpack_from(buf, pos)
        pos += 4
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('BrokerIds', n)
        m.broker_ids = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 5:
            out += _S0.pack(self.partition_index)
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
            out += _S0.pack(self.partition_index)
            value_broker_ids = self.broker_ids
            out += _S0.pack(len(value_broker_ids))
            out += pack(f'>{len(value_broker_ids)}i', *value_broker_ids)


class CreatableTopicConfig(Message):
    __slots__ = ('name', 'value', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        value: str | None = '',
    ) -> None:
        self.name = name
        self.value = value
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatableTopicConfig, int]:
        m = _new(CreatableTopicConfig)
        if version >= 5:
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
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.value = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Value', n)
                m.value = str(buf[pos:end], 'utf-8')
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
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.value = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Value', n)
            m.value = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 5:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_value = self.value
            if value_value is None:
                out += b'\x00'
            else:
                data = value_value.encode()
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
            value_value = self.value
            if value_value is None:
                out += b'\xff\xff'
            else:
                data = value_value.encode()
                out += _S1.pack(len(data))
                out += data


class CreatableTopic(Message):
    __slots__ = ('name', 'num_partitions', 'replication_factor', 'assignments', 'configs', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        num_partitions: int = 0,
        replication_factor: int = 0,
        assignments: list[CreatableReplicaAssignment] = UNSET,
        configs: list[CreatableTopicConfig] = UNSET,
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = [] if assignments is UNSET else assignments
        self.configs = [] if configs is UNSET else configs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatableTopic, int]:
        m = _new(CreatableTopic)
        if version >= 5:
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
            m.num_partitions, m.replication_factor, = _S2.unpack_from(buf, pos)
            pos += 6
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Assignments', n)
            items_assignments = []
            read_assignments = CreatableReplicaAssignment.read
            for _ in range(n):
                item_assignments, pos = read_assignments(buf, pos, version)
                items_assignments.append(item_assignments)
            m.assignments = items_assignments
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Configs', n)
            items_configs = []
            read_configs = CreatableTopicConfig.read
            for _ in range(n):
                item_configs, pos = read_configs(buf, pos, version)
                items_configs.append(item_configs)
            m.configs = items_configs
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
        m.num_partitions, m.replication_factor, = _S2.unpack_from(buf, pos)
        pos += 6
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Assignments', n)
        items_assignments = []
        read_assignments = CreatableReplicaAssignment.read
        for _ in range(n):
            item_assignments, pos = read_assignments(buf, pos, version)
            items_assignments.append(item_assignments)
        m.assignments = items_assignments
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Configs', n)
        items_configs = []
        read_configs = CreatableTopicConfig.read
        for _ in range(n):
            item_configs, pos = read_configs(buf, pos, version)
            items_configs.append(item_configs)
        m.configs = items_configs
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 5:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S2.pack(self.num_partitions, self.replication_factor)
            value_assignments = self.assignments
            n = len(value_assignments) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_assignments in value_assignments:
                item_assignments.write(out, version)
            value_configs = self.configs
            n = len(value_configs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_configs in value_configs:
                item_configs.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S2.pack(self.num_partitions, self.replication_factor)
            value_assignments = self.assignments
            out += _S0.pack(len(value_assignments))
            for item_assignments in value_assignments:
                item_assignments.write(out, version)
            value_configs = self.configs
            out += _S0.pack(len(value_configs))
            for item_configs in value_configs:
                item_configs.write(out, version)


class CreateTopicsRequest(Message):
    __slots__ = ('topics', 'timeout_ms', 'validate_only', 'unknown_tags',)
    API_KEY = 19
    MIN_VERSION = 2
    MAX_VERSION = 7
    FLEXIBLE_FROM = 5

    def __init__(
        self,
        *,
        topics: list[CreatableTopic] = UNSET,
        timeout_ms: int = 60000,
        validate_only: bool = False,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreateTopicsRequest, int]:
        if not 2 <= version <= 7:
            raise unsupported_version('CreateTopicsRequest', version)
        m = _new(CreateTopicsRequest)
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = CreatableTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            m.timeout_ms, m.validate_only, = _S3.unpack_from(buf, pos)
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
        read_topics = CreatableTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.timeout_ms, m.validate_only, = _S3.unpack_from(buf, pos)
        pos += 5
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 2 <= version <= 7:
            raise unsupported_version('CreateTopicsRequest', version)
        if version >= 5:
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            out += _S3.pack(self.timeout_ms, self.validate_only)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topics = self.topics
            out += _S0.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
            out += _S3.pack(self.timeout_ms, self.validate_only)


class CreatableTopicConfigs(Message):
    __slots__ = ('name', 'value', 'read_only', 'config_source', 'is_sensitive', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        value: str | None = '',
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatableTopicConfigs, int]:
        m = _new(CreatableTopicConfigs)
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
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.value = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Value', n)
            m.value = str(buf[pos:end], 'utf-8')
            pos = end
        m.read_only, m.config_source, m.is_sensitive, = _S4.unpack_from(buf, pos)
        pos += 3
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
        value_value = self.value
        if value_value is None:
            out += b'\x00'
        else:
            data = value_value.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        out += _S4.pack(self.read_only, self.config_source, self.is_sensitive)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class CreatableTopicResult(Message):
    __slots__ = ('name', 'topic_id', 'error_code', 'error_message', 'topic_config_error_code', 'num_partitions', 'replication_factor', 'configs', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = '',
        topic_config_error_code: int = 0,
        num_partitions: int = -1,
        replication_factor: int = -1,
        configs: list[CreatableTopicConfigs] | None = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.topic_config_error_code = topic_config_error_code
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = [] if configs is UNSET else configs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatableTopicResult, int]:
        m = _new(CreatableTopicResult)
        if version >= 5:
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
            if version >= 7:
                m.topic_id, = _S5.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
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
            m.num_partitions, m.replication_factor, = _S2.unpack_from(buf, pos)
            pos += 6
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.configs = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Configs', n)
                items_configs = []
                read_configs = CreatableTopicConfigs.read
                for _ in range(n):
                    item_configs, pos = read_configs(buf, pos, version)
                    items_configs.append(item_configs)
                m.configs = items_configs
            m.topic_config_error_code = 0
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0:
                        m.topic_config_error_code, = _S1.unpack_from(buf, pos)
                        pos += 2
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
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
        m.topic_id = ZERO_UUID
        m.topic_config_error_code = 0
        m.num_partitions = -1
        m.replication_factor = -1
        m.configs = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 5:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            if version >= 7:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S5.pack(self.topic_id)
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
            out += _S2.pack(self.num_partitions, self.replication_factor)
            value_configs = self.configs
            if value_configs is None:
                out += b'\x00'
            else:
                n = len(value_configs) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_configs in value_configs:
                    item_configs.write(out, version)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if not (self.topic_config_error_code == 0):
                value = Frame()
                value += _S1.pack(self.topic_config_error_code)
                if tags is None:
                    tags = {}
                tags[0] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
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


class CreateTopicsResponse(Message):
    __slots__ = ('throttle_time_ms', 'topics', 'unknown_tags',)
    API_KEY = 19
    MIN_VERSION = 2
    MAX_VERSION = 7
    FLEXIBLE_FROM = 5

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[CreatableTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreateTopicsResponse, int]:
        if not 2 <= version <= 7:
            raise unsupported_version('CreateTopicsResponse', version)
        m = _new(CreateTopicsResponse)
        if version >= 5:
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
            read_topics = CreatableTopicResult.read
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
        m.throttle_time_ms, = _S0.unpack_from(buf, pos)
        pos += 4
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = CreatableTopicResult.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 2 <= version <= 7:
            raise unsupported_version('CreateTopicsResponse', version)
        if version >= 5:
            out += _S0.pack(self.throttle_time_ms)
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
            out += _S0.pack(self.throttle_time_ms)
            value_topics = self.topics
            out += _S0.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
