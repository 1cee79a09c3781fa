"""RemotePartitionDeleteMetadataRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, write_string_length, write_tags
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16si')
_S1 = Struct('>iqb')


class TopicIdPartitionEntry(Message):
    __slots__ = ('name', 'id', 'partition', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicIdPartitionEntry, int]:
        m = _new(TopicIdPartitionEntry)
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
        m.id, m.partition, = _S0.unpack_from(buf, pos)
        pos += 20
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
        if len(self.id) != 16:
            raise bad_length('Id', len(self.id))
        out += _S0.pack(self.id, self.partition)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_TopicIdPartitionEntry = frozen(TopicIdPartitionEntry())


class RemotePartitionDeleteMetadataRecord(Message):
    __slots__ = ('topic_id_partition', 'broker_id', 'event_timestamp_ms', 'remote_partition_delete_state', 'unknown_tags',)
    RECORD_KEY = 2
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        topic_id_partition: TopicIdPartitionEntry = UNSET,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        remote_partition_delete_state: int = 0,
    ) -> None:
        self.topic_id_partition = _default_TopicIdPartitionEntry if topic_id_partition is UNSET else topic_id_partition
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.remote_partition_delete_state = remote_partition_delete_state
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('RemotePartitionDeleteMetadataRecord', version)
        m = _new(RemotePartitionDeleteMetadataRecord)
        m.topic_id_partition, pos = TopicIdPartitionEntry.read(buf, pos, version)
        m.broker_id, m.event_timestamp_ms, m.remote_partition_delete_state, = _S1.unpack_from(buf, pos)
        pos += 13
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('RemotePartitionDeleteMetadataRecord', version)
        value_topic_id_partition = self.topic_id_partition
        value_topic_id_partition.write(out, version)
        out += _S1.pack(self.broker_id, self.event_timestamp_ms, self.remote_partition_delete_state)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
