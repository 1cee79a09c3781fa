"""StreamsGroupHeartbeat: API key 88."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>ih')
_S1 = Struct('>i')
_S2 = Struct('>H')
_S3 = Struct('>iq')
_S4 = Struct('>ii')
_S5 = Struct('>?')
_S6 = Struct('>b')
_S7 = Struct('>iiii')


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
        m.partitions, m.replication_factor, = _S0.unpack_from(buf, pos)
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
        out += _S0.pack(self.partitions, self.replication_factor)
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


class CopartitionGroup(Message):
    __slots__ = ('source_topics', 'source_topic_regex', 'repartition_source_topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        source_topics: list[int] = UNSET,
        source_topic_regex: list[int] = UNSET,
        repartition_source_topics: list[int] = UNSET,
    ) -> None:
        self.source_topics = [] if source_topics is UNSET else source_topics
        self.source_topic_regex = [] if source_topic_regex is UNSET else source_topic_regex
        self.repartition_source_topics = [] if repartition_source_topics is UNSET else repartition_source_topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CopartitionGroup, int]:
        m = _new(CopartitionGroup)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 2 > len(buf) - pos:
            raise bad_length('SourceTopics', n)
        m.source_topics = list(unpack_from(f'>{n}h', buf, pos))
        pos += 2 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 2 > len(buf) - pos:
            raise bad_length('SourceTopicRegex', n)
        m.source_topic_regex = list(unpack_from(f'>{n}h', buf, pos))
        pos += 2 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 2 > len(buf) - pos:
            raise bad_length('RepartitionSourceTopics', n)
        m.repartition_source_topics = list(unpack_from(f'>{n}h', buf, pos))
        pos += 2 * n
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_source_topics = self.source_topics
        n = len(value_source_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_source_topics)}h', *value_source_topics)
        value_source_topic_regex = self.source_topic_regex
        n = len(value_source_topic_regex) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_source_topic_regex)}h', *value_source_topic_regex)
        value_repartition_source_topics = self.repartition_source_topics
        n = len(value_repartition_source_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_repartition_source_topics)}h', *value_repartition_source_topics)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class Subtopology(Message):
    __slots__ = ('subtopology_id', 'source_topics', 'source_topic_regex', 'state_changelog_topics', 'repartition_sink_topics', 'repartition_source_topics', 'copartition_groups', 'unknown_tags',)

    def __init__(
        self,
        *,
        subtopology_id: str = '',
        source_topics: list[str] = UNSET,
        source_topic_regex: list[str] = UNSET,
        state_changelog_topics: list[TopicInfo] = UNSET,
        repartition_sink_topics: list[str] = UNSET,
        repartition_source_topics: list[TopicInfo] = UNSET,
        copartition_groups: list[CopartitionGroup] = UNSET,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = [] if source_topics is UNSET else source_topics
        self.source_topic_regex = [] if source_topic_regex is UNSET else source_topic_regex
        self.state_changelog_topics = [] if state_changelog_topics is UNSET else state_changelog_topics
        self.repartition_sink_topics = [] if repartition_sink_topics is UNSET else repartition_sink_topics
        self.repartition_source_topics = [] if repartition_source_topics is UNSET else repartition_source_topics
        self.copartition_groups = [] if copartition_groups is UNSET else copartition_groups
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
            raise bad_length('SourceTopicRegex', n)
        m.source_topic_regex, pos = read_compact_strings(buf, pos, n)
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
            raise bad_length('RepartitionSinkTopics', n)
        m.repartition_sink_topics, pos = read_compact_strings(buf, pos, n)
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('CopartitionGroups', n)
        items_copartition_groups = []
        read_copartition_groups = CopartitionGroup.read
        for _ in range(n):
            item_copartition_groups, pos = read_copartition_groups(buf, pos, version)
            items_copartition_groups.append(item_copartition_groups)
        m.copartition_groups = items_copartition_groups
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
        value_source_topic_regex = self.source_topic_regex
        n = len(value_source_topic_regex) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_source_topic_regex)
        value_state_changelog_topics = self.state_changelog_topics
        n = len(value_state_changelog_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_state_changelog_topics in value_state_changelog_topics:
            item_state_changelog_topics.write(out, version)
        value_repartition_sink_topics = self.repartition_sink_topics
        n = len(value_repartition_sink_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_repartition_sink_topics)
        value_repartition_source_topics = self.repartition_source_topics
        n = len(value_repartition_source_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_repartition_source_topics in value_repartition_source_topics:
            item_repartition_source_topics.write(out, version)
        value_copartition_groups = self.copartition_groups
        n = len(value_copartition_groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_copartition_groups in value_copartition_groups:
            item_copartition_groups.write(out, version)
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
        subtopologies: list[Subtopology] = UNSET,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = [] if subtopologies is UNSET else subtopologies
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Topology, int]:
        m = _new(Topology)
        m.epoch, = _S1.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
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
        out += _S1.pack(self.epoch)
        value_subtopologies = self.subtopologies
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


class StreamsGroupHeartbeatRequestTaskIds(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupHeartbeatRequestTaskIds, int]:
        m = _new(StreamsGroupHeartbeatRequestTaskIds)
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


class StreamsGroupHeartbeatRequestEndpoint(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupHeartbeatRequestEndpoint, int]:
        m = _new(StreamsGroupHeartbeatRequestEndpoint)
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
        m.port, = _S2.unpack_from(buf, pos)
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
        out += _S2.pack(self.port)
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
        m.partition, m.offset, = _S3.unpack_from(buf, pos)
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
        out += _S3.pack(self.partition, self.offset)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class StreamsGroupHeartbeatRequest(Message):
    __slots__ = ('group_id', 'member_id', 'member_epoch', 'endpoint_information_epoch', 'instance_id', 'rack_id', 'rebalance_timeout_ms', 'topology', 'active_tasks', 'standby_tasks', 'warmup_tasks', 'process_id', 'user_endpoint', 'client_tags', 'task_offsets', 'task_end_offsets', 'shutdown_application', 'unknown_tags',)
    API_KEY = 88
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        group_id: str = '',
        member_id: str = '',
        member_epoch: int = 0,
        endpoint_information_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        topology: Topology | None = None,
        active_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        process_id: str | None = None,
        user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None = None,
        client_tags: list[KeyValue] | None = None,
        task_offsets: list[TaskOffset] | None = None,
        task_end_offsets: list[TaskOffset] | None = None,
        shutdown_application: bool = False,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.endpoint_information_epoch = endpoint_information_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology = topology
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.shutdown_application = shutdown_application
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupHeartbeatRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupHeartbeatRequest', version)
        m = _new(StreamsGroupHeartbeatRequest)
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
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.member_epoch, m.endpoint_information_epoch, = _S4.unpack_from(buf, pos)
        pos += 8
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
        m.rebalance_timeout_ms, = _S1.unpack_from(buf, pos)
        pos += 4
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
        if n == -1:
            m.active_tasks = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('ActiveTasks', n)
            items_active_tasks = []
            read_active_tasks = StreamsGroupHeartbeatRequestTaskIds.read
            for _ in range(n):
                item_active_tasks, pos = read_active_tasks(buf, pos, version)
                items_active_tasks.append(item_active_tasks)
            m.active_tasks = items_active_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.standby_tasks = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('StandbyTasks', n)
            items_standby_tasks = []
            read_standby_tasks = StreamsGroupHeartbeatRequestTaskIds.read
            for _ in range(n):
                item_standby_tasks, pos = read_standby_tasks(buf, pos, version)
                items_standby_tasks.append(item_standby_tasks)
            m.standby_tasks = items_standby_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.warmup_tasks = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('WarmupTasks', n)
            items_warmup_tasks = []
            read_warmup_tasks = StreamsGroupHeartbeatRequestTaskIds.read
            for _ in range(n):
                item_warmup_tasks, pos = read_warmup_tasks(buf, pos, version)
                items_warmup_tasks.append(item_warmup_tasks)
            m.warmup_tasks = items_warmup_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.process_id = None
        else:
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
            m.user_endpoint, pos = StreamsGroupHeartbeatRequestEndpoint.read(buf, pos, version)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.client_tags = None
        else:
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
        if n == -1:
            m.task_offsets = None
        else:
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
        if n == -1:
            m.task_end_offsets = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('TaskEndOffsets', n)
            items_task_end_offsets = []
            read_task_end_offsets = TaskOffset.read
            for _ in range(n):
                item_task_end_offsets, pos = read_task_end_offsets(buf, pos, version)
                items_task_end_offsets.append(item_task_end_offsets)
            m.task_end_offsets = items_task_end_offsets
        m.shutdown_application, = _S5.unpack_from(buf, pos)
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
            raise unsupported_version('StreamsGroupHeartbeatRequest', version)
        value_group_id = self.group_id
        data = value_group_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_member_id = self.member_id
        data = value_member_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S4.pack(self.member_epoch, self.endpoint_information_epoch)
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
        out += _S1.pack(self.rebalance_timeout_ms)
        value_topology = self.topology
        if value_topology is None:
            out += b'\xff'
        else:
            out.append(1)
            value_topology.write(out, version)
        value_active_tasks = self.active_tasks
        if value_active_tasks is None:
            out += b'\x00'
        else:
            n = len(value_active_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_active_tasks in value_active_tasks:
                item_active_tasks.write(out, version)
        value_standby_tasks = self.standby_tasks
        if value_standby_tasks is None:
            out += b'\x00'
        else:
            n = len(value_standby_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_standby_tasks in value_standby_tasks:
                item_standby_tasks.write(out, version)
        value_warmup_tasks = self.warmup_tasks
        if value_warmup_tasks is None:
            out += b'\x00'
        else:
            n = len(value_warmup_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_warmup_tasks in value_warmup_tasks:
                item_warmup_tasks.write(out, version)
        value_process_id = self.process_id
        if value_process_id is None:
            out += b'\x00'
        else:
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
        if value_client_tags is None:
            out += b'\x00'
        else:
            n = len(value_client_tags) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_client_tags in value_client_tags:
                item_client_tags.write(out, version)
        value_task_offsets = self.task_offsets
        if value_task_offsets is None:
            out += b'\x00'
        else:
            n = len(value_task_offsets) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_task_offsets in value_task_offsets:
                item_task_offsets.write(out, version)
        value_task_end_offsets = self.task_end_offsets
        if value_task_end_offsets is None:
            out += b'\x00'
        else:
            n = len(value_task_end_offsets) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_task_end_offsets in value_task_end_offsets:
                item_task_end_offsets.write(out, version)
        out += _S5.pack(self.shutdown_application)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class Status(Message):
    __slots__ = ('status_code', 'status_detail', 'unknown_tags',)

    def __init__(
        self,
        *,
        status_code: int = 0,
        status_detail: str = '',
    ) -> None:
        self.status_code = status_code
        self.status_detail = status_detail
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Status, int]:
        m = _new(Status)
        m.status_code, = _S6.unpack_from(buf, pos)
        pos += 1
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('StatusDetail', n)
        m.status_detail = str(buf[pos:end], 'utf-8')
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S6.pack(self.status_code)
        value_status_detail = self.status_detail
        data = value_status_detail.encode()
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


class StreamsGroupHeartbeatResponseTaskIds(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupHeartbeatResponseTaskIds, int]:
        m = _new(StreamsGroupHeartbeatResponseTaskIds)
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


class StreamsGroupHeartbeatResponseEndpoint(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupHeartbeatResponseEndpoint, int]:
        m = _new(StreamsGroupHeartbeatResponseEndpoint)
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
        m.port, = _S2.unpack_from(buf, pos)
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
        out += _S2.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_StreamsGroupHeartbeatResponseEndpoint = frozen(StreamsGroupHeartbeatResponseEndpoint())


class TopicPartition(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicPartition, int]:
        m = _new(TopicPartition)
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

    def write(self, out: Frame, version: int) -> None:
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


class EndpointToPartitions(Message):
    __slots__ = ('user_endpoint', 'active_partitions', 'standby_partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        user_endpoint: StreamsGroupHeartbeatResponseEndpoint = UNSET,
        active_partitions: list[TopicPartition] = UNSET,
        standby_partitions: list[TopicPartition] = UNSET,
    ) -> None:
        self.user_endpoint = _default_StreamsGroupHeartbeatResponseEndpoint if user_endpoint is UNSET else user_endpoint
        self.active_partitions = [] if active_partitions is UNSET else active_partitions
        self.standby_partitions = [] if standby_partitions is UNSET else standby_partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndpointToPartitions, int]:
        m = _new(EndpointToPartitions)
        m.user_endpoint, pos = StreamsGroupHeartbeatResponseEndpoint.read(buf, pos, version)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ActivePartitions', n)
        items_active_partitions = []
        read_active_partitions = TopicPartition.read
        for _ in range(n):
            item_active_partitions, pos = read_active_partitions(buf, pos, version)
            items_active_partitions.append(item_active_partitions)
        m.active_partitions = items_active_partitions
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('StandbyPartitions', n)
        items_standby_partitions = []
        read_standby_partitions = TopicPartition.read
        for _ in range(n):
            item_standby_partitions, pos = read_standby_partitions(buf, pos, version)
            items_standby_partitions.append(item_standby_partitions)
        m.standby_partitions = items_standby_partitions
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_user_endpoint = self.user_endpoint
        value_user_endpoint.write(out, version)
        value_active_partitions = self.active_partitions
        n = len(value_active_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_active_partitions in value_active_partitions:
            item_active_partitions.write(out, version)
        value_standby_partitions = self.standby_partitions
        n = len(value_standby_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_standby_partitions in value_standby_partitions:
            item_standby_partitions.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class StreamsGroupHeartbeatResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'member_id', 'member_epoch', 'heartbeat_interval_ms', 'acceptable_recovery_lag', 'task_offset_interval_ms', 'status', 'active_tasks', 'standby_tasks', 'warmup_tasks', 'endpoint_information_epoch', 'partitions_by_user_endpoint', 'unknown_tags',)
    API_KEY = 88
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str = '',
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        acceptable_recovery_lag: int = 0,
        task_offset_interval_ms: int = 0,
        status: list[Status] | None = UNSET,
        active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        endpoint_information_epoch: int = 0,
        partitions_by_user_endpoint: list[EndpointToPartitions] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.acceptable_recovery_lag = acceptable_recovery_lag
        self.task_offset_interval_ms = task_offset_interval_ms
        self.status = [] if status is UNSET else status
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.endpoint_information_epoch = endpoint_information_epoch
        self.partitions_by_user_endpoint = partitions_by_user_endpoint
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupHeartbeatResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupHeartbeatResponse', version)
        m = _new(StreamsGroupHeartbeatResponse)
        m.throttle_time_ms, m.error_code, = _S0.unpack_from(buf, pos)
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
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.member_epoch, m.heartbeat_interval_ms, m.acceptable_recovery_lag, m.task_offset_interval_ms, = _S7.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.status = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Status', n)
            items_status = []
            read_status = Status.read
            for _ in range(n):
                item_status, pos = read_status(buf, pos, version)
                items_status.append(item_status)
            m.status = items_status
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.active_tasks = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('ActiveTasks', n)
            items_active_tasks = []
            read_active_tasks = StreamsGroupHeartbeatResponseTaskIds.read
            for _ in range(n):
                item_active_tasks, pos = read_active_tasks(buf, pos, version)
                items_active_tasks.append(item_active_tasks)
            m.active_tasks = items_active_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.standby_tasks = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('StandbyTasks', n)
            items_standby_tasks = []
            read_standby_tasks = StreamsGroupHeartbeatResponseTaskIds.read
            for _ in range(n):
                item_standby_tasks, pos = read_standby_tasks(buf, pos, version)
                items_standby_tasks.append(item_standby_tasks)
            m.standby_tasks = items_standby_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.warmup_tasks = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('WarmupTasks', n)
            items_warmup_tasks = []
            read_warmup_tasks = StreamsGroupHeartbeatResponseTaskIds.read
            for _ in range(n):
                item_warmup_tasks, pos = read_warmup_tasks(buf, pos, version)
                items_warmup_tasks.append(item_warmup_tasks)
            m.warmup_tasks = items_warmup_tasks
        m.endpoint_information_epoch, = _S1.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.partitions_by_user_endpoint = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('PartitionsByUserEndpoint', n)
            items_partitions_by_user_endpoint = []
            read_partitions_by_user_endpoint = EndpointToPartitions.read
            for _ in range(n):
                item_partitions_by_user_endpoint, pos = read_partitions_by_user_endpoint(buf, pos, version)
                items_partitions_by_user_endpoint.append(item_partitions_by_user_endpoint)
            m.partitions_by_user_endpoint = items_partitions_by_user_endpoint
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupHeartbeatResponse', version)
        out += _S0.pack(self.throttle_time_ms, self.error_code)
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
        value_member_id = self.member_id
        data = value_member_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S7.pack(self.member_epoch, self.heartbeat_interval_ms, self.acceptable_recovery_lag, self.task_offset_interval_ms)
        value_status = self.status
        if value_status is None:
            out += b'\x00'
        else:
            n = len(value_status) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_status in value_status:
                item_status.write(out, version)
        value_active_tasks = self.active_tasks
        if value_active_tasks is None:
            out += b'\x00'
        else:
            n = len(value_active_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_active_tasks in value_active_tasks:
                item_active_tasks.write(out, version)
        value_standby_tasks = self.standby_tasks
        if value_standby_tasks is None:
            out += b'\x00'
        else:
            n = len(value_standby_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_standby_tasks in value_standby_tasks:
                item_standby_tasks.write(out, version)
        value_warmup_tasks = self.warmup_tasks
        if value_warmup_tasks is None:
            out += b'\x00'
        else:
            n = len(value_warmup_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_warmup_tasks in value_warmup_tasks:
                item_warmup_tasks.write(out, version)
        out += _S1.pack(self.endpoint_information_epoch)
        value_partitions_by_user_endpoint = self.partitions_by_user_endpoint
        if value_partitions_by_user_endpoint is None:
            out += b'\x00'
        else:
            n = len(value_partitions_by_user_endpoint) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_partitions_by_user_endpoint in value_partitions_by_user_endpoint:
                item_partitions_by_user_endpoint.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
