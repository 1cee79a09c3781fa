"""ConsumerGroupPartitionMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>16s')


class PartitionMetadata(Message):
    __slots__ = ('partition', 'racks', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition: int = 0,
        racks: list[str] = UNSET,
    ) -> None:
        self.partition = partition
        self.racks = [] if racks is UNSET else racks
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionMetadata, int]:
        m = _new(PartitionMetadata)
        m.partition, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Racks', n)
        m.racks, pos = read_compact_strings(buf, pos, n)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.partition)
        value_racks = self.racks
        n = len(value_racks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_racks)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class TopicMetadata(Message):
    __slots__ = ('topic_id', 'topic_name', 'num_partitions', 'partition_metadata', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = '',
        num_partitions: int = 0,
        partition_metadata: list[PartitionMetadata] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.num_partitions = num_partitions
        self.partition_metadata = [] if partition_metadata is UNSET else partition_metadata
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicMetadata, int]:
        m = _new(TopicMetadata)
        m.topic_id, = _S1.unpack_from(buf, pos)
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
        m.num_partitions, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('PartitionMetadata', n)
        items_partition_metadata = []
        read_partition_metadata = PartitionMetadata.read
        for _ in range(n):
            item_partition_metadata, pos = read_partition_metadata(buf, pos, version)
            items_partition_metadata.append(item_partition_metadata)
        m.partition_metadata = items_partition_metadata
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
        value_topic_name = self.topic_name
        data = value_topic_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.num_partitions)
        value_partition_metadata = self.partition_metadata
        n = len(value_partition_metadata) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_partition_metadata in value_partition_metadata:
            item_partition_metadata.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ConsumerGroupPartitionMetadataValue(Message):
    __slots__ = ('topics', 'unknown_tags',)
    RECORD_KEY = 4
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        topics: list[TopicMetadata] = UNSET,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupPartitionMetadataValue', version)
        m = _new(ConsumerGroupPartitionMetadataValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = TopicMetadata.read
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
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupPartitionMetadataValue', version)
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
