"""StreamsGroupDescribe: API key 89."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>?')
_S1 = Struct('>ih')
_S2 = Struct('>i')
_S3 = Struct('>H')
_S4 = Struct('>iq')
_S5 = Struct('>h')
_S6 = Struct('>ii')


class StreamsGroupDescribeRequest(Message):
    __slots__ = ('group_ids', 'include_authorized_operations', 'unknown_tags',)
    API_KEY = 89
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        group_ids: list[str] = UNSET,
        include_authorized_operations: bool = False,
    ) -> None:
        self.group_ids = [] if group_ids is UNSET else group_ids
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupDescribeRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupDescribeRequest', version)
        m = _new(StreamsGroupDescribeRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('GroupIds', n)
        m.group_ids, pos = read_compact_strings(buf, pos, n)
        m.include_authorized_operations, = _S0.unpack_from(buf, pos)
        pos += 1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupDescribeRequest', version)
        value_group_ids = self.group_ids
        n = len(value_group_ids) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_group_ids)
        out += _S0.pack(self.include_authorized_operations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class KeyValue(Message):
    __slots__ = ('key', 'value', 'unknown_tags',)

    def __init__(
        self,
        *,
        key: str = '',
        value: str = '',
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[KeyValue, int]:
        m = _new(KeyValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Key', n)
        m.key = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
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

    def write(self, out: Frame, version: int) -> None:
        value_key = self.key
        data = value_key.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_value = self.value
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


class TopicInfo(Message):
    __slots__ = ('name', 'partitions', 'replication_factor', 'topic_configs', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: int = 0,
        replication_factor: int = 0,
        topic_configs: list[KeyValue] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = [] if topic_configs is UNSET else topic_configs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicInfo, int]:
        m = _new(TopicInfo)
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
        m.partitions, m.replication_factor, = _S1.unpack_from(buf, pos)
        pos += 6
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TopicConfigs', n)
        items_topic_configs = []
        read_topic_configs = KeyValue.read
        for _ in range(n):
            item_topic_configs, pos = read_topic_configs(buf, pos, version)
            items_topic_configs.append(item_topic_configs)
        m.topic_configs = items_topic_configs
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
        out += _S1.pack(self.partitions, self.replication_factor)
        value_topic_configs = self.topic_configs
        n = len(value_topic_configs) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topic_configs in value_topic_configs:
            item_topic_configs.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class Subtopology(Message):
    __slots__ = ('subtopology_id', 'source_topics', 'repartition_sink_topics', 'state_changelog_topics', 'repartition_source_topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        subtopology_id: str = '',
        source_topics: list[str] = UNSET,
        repartition_sink_topics: list[str] = UNSET,
        state_changelog_topics: list[TopicInfo] = UNSET,
        repartition_source_topics: list[TopicInfo] = UNSET,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = [] if source_topics is UNSET else source_topics
        self.repartition_sink_topics = [] if repartition_sink_topics is UNSET else repartition_sink_topics
        self.state_changelog_topics = [] if state_changelog_topics is UNSET else state_changelog_topics
        self.repartition_source_topics = [] if repartition_source_topics is UNSET else repartition_source_topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Subtopology, int]:
        m = _new(Subtopology)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('SubtopologyId', n)
        m.subtopology_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('SourceTopics', n)
        m.source_topics, pos = read_compact_strings(buf, pos, n)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('RepartitionSinkTopics', n)
        m.repartition_sink_topics, pos = read_compact_strings(buf, pos, n)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('StateChangelogTopics', n)
        items_state_changelog_topics = []
        read_state_changelog_topics = TopicInfo.read
        for _ in range(n):
            item_state_changelog_topics, pos = read_state_changelog_topics(buf, pos, version)
            items_state_changelog_topics.append(item_state_changelog_topics)
        m.state_changelog_topics = items_state_changelog_topics
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('RepartitionSourceTopics', n)
        items_repartition_source_topics = []
        read_repartition_source_topics = TopicInfo.read
        for _ in range(n):
            item_repartition_source_topics, pos = read_repartition_source_topics(buf, pos, version)
            items_repartition_source_topics.append(item_repartition_source_topics)
        m.repartition_source_topics = items_repartition_source_topics
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_subtopology_id = self.subtopology_id
        data = value_subtopology_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_source_topics = self.source_topics
        n = len(value_source_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_source_topics)
        value_repartition_sink_topics = self.repartition_sink_topics
        n = len(value_repartition_sink_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_repartition_sink_topics)
        value_state_changelog_topics = self.state_changelog_topics
        n = len(value_state_changelog_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_state_changelog_topics in value_state_changelog_topics:
            item_state_changelog_topics.write(out, version)
        value_repartition_source_topics = self.repartition_source_topics
        n = len(value_repartition_source_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_repartition_source_topics in value_repartition_source_topics:
            item_repartition_source_topics.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class Topology(Message):
    __slots__ = ('epoch', 'subtopologies', 'unknown_tags',)

    def __init__(
        self,
        *,
        epoch: int = 0,
        subtopologies: list[Subtopology] | None = None,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Topology, int]:
        m = _new(Topology)
        m.epoch, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.subtopologies = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Subtopologies', n)
            items_subtopologies = []
            read_subtopologies = Subtopology.read
            for _ in range(n):
                item_subtopologies, pos = read_subtopologies(buf, pos, version)
                items_subtopologies.append(item_subtopologies)
            m.subtopologies = items_subtopologies
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S2.pack(self.epoch)
        value_subtopologies = self.subtopologies
        if value_subtopologies is None:
            out += b'\x00'
        else:
            n = len(value_subtopologies) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_subtopologies in value_subtopologies:
                item_subtopologies.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class Endpoint(Message):
    __slots__ = ('host', 'port', 'unknown_tags',)

    def __init__(
        self,
        *,
        host: str = '',
        port: int = 0,
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Endpoint, int]:
        m = _new(Endpoint)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, = _S3.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S3.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class TaskOffset(Message):
    __slots__ = ('subtopology_id', 'partition', 'offset', 'unknown_tags',)

    def __init__(
        self,
        *,
        subtopology_id: str = '',
        partition: int = 0,
        offset: int = 0,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partition = partition
        self.offset = offset
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TaskOffset, int]:
        m = _new(TaskOffset)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('SubtopologyId', n)
        m.subtopology_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.partition, m.offset, = _S4.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_subtopology_id = self.subtopology_id
        data = value_subtopology_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S4.pack(self.partition, self.offset)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class TaskIds(Message):
    __slots__ = ('subtopology_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        subtopology_id: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TaskIds, int]:
        m = _new(TaskIds)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('SubtopologyId', n)
        m.subtopology_id = str(buf[pos:end], 'utf-8')
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

    def write(self, out: Frame, version: int) -> None:
        value_subtopology_id = self.subtopology_id
        data = value_subtopology_id.encode()
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


class Assignment(Message):
    __slots__ = ('active_tasks', 'standby_tasks', 'warmup_tasks', 'unknown_tags',)

    def __init__(
        self,
        *,
        active_tasks: list[TaskIds] = UNSET,
        standby_tasks: list[TaskIds] = UNSET,
        warmup_tasks: list[TaskIds] = UNSET,
    ) -> None:
        self.active_tasks = [] if active_tasks is UNSET else active_tasks
        self.standby_tasks = [] if standby_tasks is UNSET else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is UNSET else warmup_tasks
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Assignment, int]:
        m = _new(Assignment)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ActiveTasks', n)
        items_active_tasks = []
        read_active_tasks = TaskIds.read
        for _ in range(n):
            item_active_tasks, pos = read_active_tasks(buf, pos, version)
            items_active_tasks.append(item_active_tasks)
        m.active_tasks = items_active_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('StandbyTasks', n)
        items_standby_tasks = []
        read_standby_tasks = TaskIds.read
        for _ in range(n):
            item_standby_tasks, pos = read_standby_tasks(buf, pos, version)
            items_standby_tasks.append(item_standby_tasks)
        m.standby_tasks = items_standby_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('WarmupTasks', n)
        items_warmup_tasks = []
        read_warmup_tasks = TaskIds.read
        for _ in range(n):
            item_warmup_tasks, pos = read_warmup_tasks(buf, pos, version)
            items_warmup_tasks.append(item_warmup_tasks)
        m.warmup_tasks = items_warmup_tasks
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_active_tasks = self.active_tasks
        n = len(value_active_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_active_tasks in value_active_tasks:
            item_active_tasks.write(out, version)
        value_standby_tasks = self.standby_tasks
        n = len(value_standby_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_standby_tasks in value_standby_tasks:
            item_standby_tasks.write(out, version)
        value_warmup_tasks = self.warmup_tasks
        n = len(value_warmup_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_warmup_tasks in value_warmup_tasks:
            item_warmup_tasks.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_Assignment = frozen(Assignment())


class Member(Message):
    __slots__ = ('member_id', 'member_epoch', 'instance_id', 'rack_id', 'client_id', 'client_host', 'topology_epoch', 'process_id', 'user_endpoint', 'client_tags', 'task_offsets', 'task_end_offsets', 'assignment', 'target_assignment', 'is_classic', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        client_id: str = '',
        client_host: str = '',
        topology_epoch: int = 0,
        process_id: str = '',
        user_endpoint: Endpoint | None = None,
        client_tags: list[KeyValue] = UNSET,
        task_offsets: list[TaskOffset] = UNSET,
        task_end_offsets: list[TaskOffset] = UNSET,
        assignment: Assignment = UNSET,
        target_assignment: Assignment = UNSET,
        is_classic: bool = False,
    ) -> None:
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = [] if client_tags is UNSET else client_tags
        self.task_offsets = [] if task_offsets is UNSET else task_offsets
        self.task_end_offsets = [] if task_end_offsets is UNSET else task_end_offsets
        self.assignment = _default_Assignment if assignment is UNSET else assignment
        self.target_assignment = _default_Assignment if target_assignment is UNSET else target_assignment
        self.is_classic = is_classic
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Member, int]:
        m = _new(Member)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.member_epoch, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.instance_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('InstanceId', n)
            m.instance_id = str(buf[pos:end], 'utf-8')
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.rack_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('RackId', n)
            m.rack_id = str(buf[pos:end], 'utf-8')
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientId', n)
        m.client_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientHost', n)
        m.client_host = str(buf[pos:end], 'utf-8')
        pos = end
        m.topology_epoch, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ProcessId', n)
        m.process_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n == 255:
            m.user_endpoint = None
        else:
            m.user_endpoint, pos = Endpoint.read(buf, pos, version)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ClientTags', n)
        items_client_tags = []
        read_client_tags = KeyValue.read
        for _ in range(n):
            item_client_tags, pos = read_client_tags(buf, pos, version)
            items_client_tags.append(item_client_tags)
        m.client_tags = items_client_tags
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TaskOffsets', n)
        items_task_offsets = []
        read_task_offsets = TaskOffset.read
        for _ in range(n):
            item_task_offsets, pos = read_task_offsets(buf, pos, version)
            items_task_offsets.append(item_task_offsets)
        m.task_offsets = items_task_offsets
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TaskEndOffsets', n)
        items_task_end_offsets = []
        read_task_end_offsets = TaskOffset.read
        for _ in range(n):
            item_task_end_offsets, pos = read_task_end_offsets(buf, pos, version)
            items_task_end_offsets.append(item_task_end_offsets)
        m.task_end_offsets = items_task_end_offsets
        m.assignment, pos = Assignment.read(buf, pos, version)
        m.target_assignment, pos = Assignment.read(buf, pos, version)
        m.is_classic, = _S0.unpack_from(buf, pos)
        pos += 1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_member_id = self.member_id
        data = value_member_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.member_epoch)
        value_instance_id = self.instance_id
        if value_instance_id is None:
            out += b'\x00'
        else:
            data = value_instance_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        value_rack_id = self.rack_id
        if value_rack_id is None:
            out += b'\x00'
        else:
            data = value_rack_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        value_client_id = self.client_id
        data = value_client_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_client_host = self.client_host
        data = value_client_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.topology_epoch)
        value_process_id = self.process_id
        data = value_process_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_user_endpoint = self.user_endpoint
        if value_user_endpoint is None:
            out += b'\xff'
        else:
            out.append(1)
            value_user_endpoint.write(out, version)
        value_client_tags = self.client_tags
        n = len(value_client_tags) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_client_tags in value_client_tags:
            item_client_tags.write(out, version)
        value_task_offsets = self.task_offsets
        n = len(value_task_offsets) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_task_offsets in value_task_offsets:
            item_task_offsets.write(out, version)
        value_task_end_offsets = self.task_end_offsets
        n = len(value_task_end_offsets) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_task_end_offsets in value_task_end_offsets:
            item_task_end_offsets.write(out, version)
        value_assignment = self.assignment
        value_assignment.write(out, version)
        value_target_assignment = self.target_assignment
        value_target_assignment.write(out, version)
        out += _S0.pack(self.is_classic)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribedGroup(Message):
    __slots__ = ('error_code', 'error_message', 'group_id', 'group_state', 'group_epoch', 'assignment_epoch', 'topology', 'members', 'authorized_operations', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = '',
        group_state: str = '',
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        topology: Topology | None = None,
        members: list[Member] = UNSET,
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.topology = topology
        self.members = [] if members is UNSET else members
        self.authorized_operations = authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribedGroup, int]:
        m = _new(DescribedGroup)
        m.error_code, = _S5.unpack_from(buf, pos)
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupState', n)
        m.group_state = str(buf[pos:end], 'utf-8')
        pos = end
        m.group_epoch, m.assignment_epoch, = _S6.unpack_from(buf, pos)
        pos += 8
        n = buf[pos]
        pos += 1
        if n == 255:
            m.topology = None
        else:
            m.topology, pos = Topology.read(buf, pos, version)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Members', n)
        items_members = []
        read_members = Member.read
        for _ in range(n):
            item_members, pos = read_members(buf, pos, version)
            items_members.append(item_members)
        m.members = items_members
        m.authorized_operations, = _S2.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S5.pack(self.error_code)
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
        value_group_id = self.group_id
        data = value_group_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_group_state = self.group_state
        data = value_group_state.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S6.pack(self.group_epoch, self.assignment_epoch)
        value_topology = self.topology
        if value_topology is None:
            out += b'\xff'
        else:
            out.append(1)
            value_topology.write(out, version)
        value_members = self.members
        n = len(value_members) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_members in value_members:
            item_members.write(out, version)
        out += _S2.pack(self.authorized_operations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class StreamsGroupDescribeResponse(Message):
    __slots__ = ('throttle_time_ms', 'groups', 'unknown_tags',)
    API_KEY = 89
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[DescribedGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupDescribeResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupDescribeResponse', version)
        m = _new(StreamsGroupDescribeResponse)
        m.throttle_time_ms, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Groups', n)
        items_groups = []
        read_groups = DescribedGroup.read
        for _ in range(n):
            item_groups, pos = read_groups(buf, pos, version)
            items_groups.append(item_groups)
        m.groups = items_groups
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupDescribeResponse', version)
        out += _S2.pack(self.throttle_time_ms)
        value_groups = self.groups
        n = len(value_groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_groups in value_groups:
            item_groups.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
