"""RemoteLogSegmentMetadataRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16si')
_S1 = Struct('>16s')
_S2 = Struct('>iq')
_S3 = Struct('>qqiqq')
_S4 = Struct('>i')
_S5 = Struct('>b')
_S6 = Struct('>?')


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


class SegmentLeaderEpochEntry(Message):
    __slots__ = ('leader_epoch', 'offset', 'unknown_tags',)

    def __init__(
        self,
        *,
        leader_epoch: int = 0,
        offset: int = 0,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SegmentLeaderEpochEntry, int]:
        m = _new(SegmentLeaderEpochEntry)
        m.leader_epoch, m.offset, = _S2.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S2.pack(self.leader_epoch, self.offset)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class RemoteLogSegmentMetadataRecord(Message):
    __slots__ = ('remote_log_segment_id', 'start_offset', 'end_offset', 'broker_id', 'max_timestamp_ms', 'event_timestamp_ms', 'segment_leader_epochs', 'segment_size_in_bytes', 'custom_metadata', 'remote_log_segment_state', 'txn_index_empty', 'unknown_tags',)
    RECORD_KEY = 0
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        remote_log_segment_id: RemoteLogSegmentIdEntry = UNSET,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[SegmentLeaderEpochEntry] = UNSET,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
    ) -> None:
        self.remote_log_segment_id = _default_RemoteLogSegmentIdEntry if remote_log_segment_id is UNSET else remote_log_segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = [] if segment_leader_epochs is UNSET else segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemoteLogSegmentMetadataRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoteLogSegmentMetadataRecord', version)
        m = _new(RemoteLogSegmentMetadataRecord)
        m.remote_log_segment_id, pos = RemoteLogSegmentIdEntry.read(buf, pos, version)
        m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms, = _S3.unpack_from(buf, pos)
        pos += 36
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('SegmentLeaderEpochs', n)
        items_segment_leader_epochs = []
        read_segment_leader_epochs = SegmentLeaderEpochEntry.read
        for _ in range(n):
            item_segment_leader_epochs, pos = read_segment_leader_epochs(buf, pos, version)
            items_segment_leader_epochs.append(item_segment_leader_epochs)
        m.segment_leader_epochs = items_segment_leader_epochs
        m.segment_size_in_bytes, = _S4.unpack_from(buf, pos)
        pos += 4
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
        m.remote_log_segment_state, = _S5.unpack_from(buf, pos)
        pos += 1
        m.txn_index_empty = False
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    m.txn_index_empty, = _S6.unpack_from(buf, pos)
                    pos += 1
                else:
                    if tags is None:
                        tags = {}
                    tags[tag] = bytes(buf[pos:end_of_tag])
                    pos = end_of_tag
                if pos != end_of_tag:
                    raise bad_tag(tag)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoteLogSegmentMetadataRecord', version)
        value_remote_log_segment_id = self.remote_log_segment_id
        value_remote_log_segment_id.write(out, version)
        out += _S3.pack(self.start_offset, self.end_offset, self.broker_id, self.max_timestamp_ms, self.event_timestamp_ms)
        value_segment_leader_epochs = self.segment_leader_epochs
        n = len(value_segment_leader_epochs) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_segment_leader_epochs in value_segment_leader_epochs:
            item_segment_leader_epochs.write(out, version)
        out += _S4.pack(self.segment_size_in_bytes)
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
        out += _S5.pack(self.remote_log_segment_state)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.txn_index_empty == False):
            value = Frame()
            value += _S6.pack(self.txn_index_empty)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
