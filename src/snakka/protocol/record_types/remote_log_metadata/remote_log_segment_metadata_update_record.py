"""RemoteLogSegmentMetadataUpdateRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16si')
_S1 = Struct('>16s')
_S2 = Struct('>iq')
_S3 = Struct('>b')


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


class RemoteLogSegmentIdEntry(Message):
    __slots__ = ('topic_id_partition', 'id', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id_partition: TopicIdPartitionEntry = UNSET,
        id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id_partition = _default_TopicIdPartitionEntry if topic_id_partition is UNSET else topic_id_partition
        self.id = id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemoteLogSegmentIdEntry, int]:
        m = _new(RemoteLogSegmentIdEntry)
        m.topic_id_partition, pos = TopicIdPartitionEntry.read(buf, pos, version)
        m.id, = _S1.unpack_from(buf, pos)
        pos += 16
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_topic_id_partition = self.topic_id_partition
        value_topic_id_partition.write(out, version)
        if len(self.id) != 16:
            raise bad_length('Id', len(self.id))
        out += _S1.pack(self.id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_RemoteLogSegmentIdEntry = frozen(RemoteLogSegmentIdEntry())


class RemoteLogSegmentMetadataUpdateRecord(Message):
    __slots__ = ('remote_log_segment_id', 'broker_id', 'event_timestamp_ms', 'custom_metadata', 'remote_log_segment_state', 'unknown_tags',)
    RECORD_KEY = 1
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        remote_log_segment_id: RemoteLogSegmentIdEntry = UNSET,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
    ) -> None:
        self.remote_log_segment_id = _default_RemoteLogSegmentIdEntry if remote_log_segment_id is UNSET else remote_log_segment_id
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoteLogSegmentMetadataUpdateRecord', version)
        m = _new(RemoteLogSegmentMetadataUpdateRecord)
        m.remote_log_segment_id, pos = RemoteLogSegmentIdEntry.read(buf, pos, version)
        m.broker_id, m.event_timestamp_ms, = _S2.unpack_from(buf, pos)
        pos += 12
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.custom_metadata = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('CustomMetadata', n)
            m.custom_metadata = bytes(buf[pos:end])
            pos = end
        m.remote_log_segment_state, = _S3.unpack_from(buf, pos)
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
            raise unsupported_version('RemoteLogSegmentMetadataUpdateRecord', version)
        value_remote_log_segment_id = self.remote_log_segment_id
        value_remote_log_segment_id.write(out, version)
        out += _S2.pack(self.broker_id, self.event_timestamp_ms)
        value_custom_metadata = self.custom_metadata
        if value_custom_metadata is None:
            out += b'\x00'
        else:
            n = len(value_custom_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_custom_metadata
        out += _S3.pack(self.remote_log_segment_state)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
