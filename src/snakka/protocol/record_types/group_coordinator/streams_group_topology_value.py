"""StreamsGroupTopologyValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>ih')
_S1 = Struct('>i')


class TopicConfig(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicConfig, int]:
        m = _new(TopicConfig)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('key', n)
        m.key = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('value', n)
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
        topic_configs: list[TopicConfig] = UNSET,
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
        read_topic_configs = TopicConfig.read
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


class StreamsGroupTopologyValue(Message):
    __slots__ = ('epoch', 'subtopologies', 'unknown_tags',)
    RECORD_KEY = 23
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

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
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupTopologyValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupTopologyValue', version)
        m = _new(StreamsGroupTopologyValue)
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
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupTopologyValue', version)
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
