"""ShareGroupStatePartitionMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16s')


class TopicPartitionsInfo(Message):
    __slots__ = ('topic_id', 'topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicPartitionsInfo, int]:
        m = _new(TopicPartitionsInfo)
        m.topic_id, = _S0.unpack_from(buf, pos)
        pos += 16
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
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S0.pack(self.topic_id)
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
        out += pack(f'>{len(value_partitions)}i', *value_partitions)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class TopicInfo(Message):
    __slots__ = ('topic_id', 'topic_name', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = '',
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicInfo, int]:
        m = _new(TopicInfo)
        m.topic_id, = _S0.unpack_from(buf, pos)
        pos += 16
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
        out += _S0.pack(self.topic_id)
        value_topic_name = self.topic_name
        data = value_topic_name.encode()
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


class ShareGroupStatePartitionMetadataValue(Message):
    __slots__ = ('initializing_topics', 'initialized_topics', 'deleting_topics', 'unknown_tags',)
    RECORD_KEY = 15
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        initializing_topics: list[TopicPartitionsInfo] = UNSET,
        initialized_topics: list[TopicPartitionsInfo] = UNSET,
        deleting_topics: list[TopicInfo] = UNSET,
    ) -> None:
        self.initializing_topics = [] if initializing_topics is UNSET else initializing_topics
        self.initialized_topics = [] if initialized_topics is UNSET else initialized_topics
        self.deleting_topics = [] if deleting_topics is UNSET else deleting_topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareGroupStatePartitionMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupStatePartitionMetadataValue', version)
        m = _new(ShareGroupStatePartitionMetadataValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('InitializingTopics', n)
        items_initializing_topics = []
        read_initializing_topics = TopicPartitionsInfo.read
        for _ in range(n):
            item_initializing_topics, pos = read_initializing_topics(buf, pos, version)
            items_initializing_topics.append(item_initializing_topics)
        m.initializing_topics = items_initializing_topics
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('InitializedTopics', n)
        items_initialized_topics = []
        read_initialized_topics = TopicPartitionsInfo.read
        for _ in range(n):
            item_initialized_topics, pos = read_initialized_topics(buf, pos, version)
            items_initialized_topics.append(item_initialized_topics)
        m.initialized_topics = items_initialized_topics
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('DeletingTopics', n)
        items_deleting_topics = []
        read_deleting_topics = TopicInfo.read
        for _ in range(n):
            item_deleting_topics, pos = read_deleting_topics(buf, pos, version)
            items_deleting_topics.append(item_deleting_topics)
        m.deleting_topics = items_deleting_topics
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupStatePartitionMetadataValue', version)
        value_initializing_topics = self.initializing_topics
        n = len(value_initializing_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_initializing_topics in value_initializing_topics:
            item_initializing_topics.write(out, version)
        value_initialized_topics = self.initialized_topics
        n = len(value_initialized_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_initialized_topics in value_initialized_topics:
            item_initialized_topics.write(out, version)
        value_deleting_topics = self.deleting_topics
        n = len(value_deleting_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_deleting_topics in value_deleting_topics:
            item_deleting_topics.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
