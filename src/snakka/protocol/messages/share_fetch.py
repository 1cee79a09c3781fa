"""ShareFetch: API key 78."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, Records, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_records, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>qq')
_S1 = Struct('>i')
_S2 = Struct('>16s')
_S3 = Struct('>iiiiii')
_S4 = Struct('>b?')
_S5 = Struct('>ii')
_S6 = Struct('>qqh')
_S7 = Struct('>ih')
_S8 = Struct('>h')


class AcknowledgementBatch(Message):
    __slots__ = ('first_offset', 'last_offset', 'acknowledge_types', 'unknown_tags',)

    def __init__(
        self,
        *,
        first_offset: int = 0,
        last_offset: int = 0,
        acknowledge_types: list[int] = UNSET,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = [] if acknowledge_types is UNSET else acknowledge_types
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AcknowledgementBatch, int]:
        m = _new(AcknowledgementBatch)
        m.first_offset, m.last_offset, = _S0.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AcknowledgeTypes', n)
        m.acknowledge_types = list(unpack_from(f'>{n}b', buf, pos))
        pos += n
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.first_offset, self.last_offset)
        value_acknowledge_types = self.acknowledge_types
        n = len(value_acknowledge_types) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_acknowledge_types)}b', *value_acknowledge_types)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class FetchPartition(Message):
    __slots__ = ('partition_index', 'acknowledgement_batches', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        acknowledgement_batches: list[AcknowledgementBatch] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = [] if acknowledgement_batches is UNSET else acknowledgement_batches
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchPartition, int]:
        m = _new(FetchPartition)
        m.partition_index, = _S1.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AcknowledgementBatches', n)
        items_acknowledgement_batches = []
        read_acknowledgement_batches = AcknowledgementBatch.read
        for _ in range(n):
            item_acknowledgement_batches, pos = read_acknowledgement_batches(buf, pos, version)
            items_acknowledgement_batches.append(item_acknowledgement_batches)
        m.acknowledgement_batches = items_acknowledgement_batches
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.partition_index)
        value_acknowledgement_batches = self.acknowledgement_batches
        n = len(value_acknowledgement_batches) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_acknowledgement_batches in value_acknowledgement_batches:
            item_acknowledgement_batches.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class FetchTopic(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[FetchPartition] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchTopic, int]:
        m = _new(FetchTopic)
        m.topic_id, = _S2.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = FetchPartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
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
        out += _S2.pack(self.topic_id)
        value_partitions = self.partitions
        n = len(value_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_partitions in value_partitions:
            item_partitions.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ForgottenTopic(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ForgottenTopic, int]:
        m = _new(ForgottenTopic)
        m.topic_id, = _S2.unpack_from(buf, pos)
        pos += 16
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
        out += _S2.pack(self.topic_id)
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


class ShareFetchRequest(Message):
    __slots__ = ('group_id', 'member_id', 'share_session_epoch', 'max_wait_ms', 'min_bytes', 'max_bytes', 'max_records', 'batch_size', 'share_acquire_mode', 'is_renew_ack', 'topics', 'forgotten_topics_data', 'unknown_tags',)
    API_KEY = 78
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = '',
        share_session_epoch: int = 0,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        max_records: int = 0,
        batch_size: int = 0,
        share_acquire_mode: int = 0,
        is_renew_ack: bool = False,
        topics: list[FetchTopic] = UNSET,
        forgotten_topics_data: list[ForgottenTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_records = max_records
        self.batch_size = batch_size
        self.share_acquire_mode = share_acquire_mode
        self.is_renew_ack = is_renew_ack
        self.topics = [] if topics is UNSET else topics
        self.forgotten_topics_data = [] if forgotten_topics_data is UNSET else forgotten_topics_data
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareFetchRequest, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('ShareFetchRequest', version)
        m = _new(ShareFetchRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.group_id = None
        else:
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
        if n == -1:
            m.member_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('MemberId', n)
            m.member_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size, = _S3.unpack_from(buf, pos)
        pos += 24
        if version >= 2:
            m.share_acquire_mode, m.is_renew_ack, = _S4.unpack_from(buf, pos)
            pos += 2
        else:
            m.share_acquire_mode = 0
            m.is_renew_ack = False
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = FetchTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ForgottenTopicsData', n)
        items_forgotten_topics_data = []
        read_forgotten_topics_data = ForgottenTopic.read
        for _ in range(n):
            item_forgotten_topics_data, pos = read_forgotten_topics_data(buf, pos, version)
            items_forgotten_topics_data.append(item_forgotten_topics_data)
        m.forgotten_topics_data = items_forgotten_topics_data
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('ShareFetchRequest', version)
        if version < 2 and not (self.is_renew_ack == False):
            raise unsupported_field('IsRenewAck', version)
        value_group_id = self.group_id
        if value_group_id is None:
            out += b'\x00'
        else:
            data = value_group_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        value_member_id = self.member_id
        if value_member_id is None:
            out += b'\x00'
        else:
            data = value_member_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        out += _S3.pack(self.share_session_epoch, self.max_wait_ms, self.min_bytes, self.max_bytes, self.max_records, self.batch_size)
        if version >= 2:
            out += _S4.pack(self.share_acquire_mode, self.is_renew_ack)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        value_forgotten_topics_data = self.forgotten_topics_data
        n = len(value_forgotten_topics_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_forgotten_topics_data in value_forgotten_topics_data:
            item_forgotten_topics_data.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class LeaderIdAndEpoch(Message):
    __slots__ = ('leader_id', 'leader_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaderIdAndEpoch, int]:
        m = _new(LeaderIdAndEpoch)
        m.leader_id, m.leader_epoch, = _S5.unpack_from(buf, pos)
        pos += 8
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S5.pack(self.leader_id, self.leader_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class AcquiredRecords(Message):
    __slots__ = ('first_offset', 'last_offset', 'delivery_count', 'unknown_tags',)

    def __init__(
        self,
        *,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_count = delivery_count
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AcquiredRecords, int]:
        m = _new(AcquiredRecords)
        m.first_offset, m.last_offset, m.delivery_count, = _S6.unpack_from(buf, pos)
        pos += 18
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S6.pack(self.first_offset, self.last_offset, self.delivery_count)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class PartitionData(Message):
    __slots__ = ('partition_index', 'error_code', 'error_message', 'acknowledge_error_code', 'acknowledge_error_message', 'current_leader', 'records', 'acquired_records', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acknowledge_error_code: int = 0,
        acknowledge_error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = UNSET,
        records: Records = b'',
        acquired_records: list[AcquiredRecords] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.acknowledge_error_code = acknowledge_error_code
        self.acknowledge_error_message = acknowledge_error_message
        self.current_leader = _default_LeaderIdAndEpoch if current_leader is UNSET else current_leader
        self.records = records
        self.acquired_records = [] if acquired_records is UNSET else acquired_records
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionData, int]:
        m = _new(PartitionData)
        m.partition_index, m.error_code, = _S7.unpack_from(buf, pos)
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
        m.acknowledge_error_code, = _S8.unpack_from(buf, pos)
        pos += 2
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.acknowledge_error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('AcknowledgeErrorMessage', n)
            m.acknowledge_error_message = str(buf[pos:end], 'utf-8')
            pos = end
        m.current_leader, pos = LeaderIdAndEpoch.read(buf, pos, version)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Records', n)
        m.records = memoryview(buf)[pos:end]
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AcquiredRecords', n)
        items_acquired_records = []
        read_acquired_records = AcquiredRecords.read
        for _ in range(n):
            item_acquired_records, pos = read_acquired_records(buf, pos, version)
            items_acquired_records.append(item_acquired_records)
        m.acquired_records = items_acquired_records
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S7.pack(self.partition_index, self.error_code)
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
        out += _S8.pack(self.acknowledge_error_code)
        value_acknowledge_error_message = self.acknowledge_error_message
        if value_acknowledge_error_message is None:
            out += b'\x00'
        else:
            data = value_acknowledge_error_message.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        value_current_leader = self.current_leader
        value_current_leader.write(out, version)
        value_records = self.records
        write_compact_records(out, value_records)
        value_acquired_records = self.acquired_records
        n = len(value_acquired_records) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_acquired_records in value_acquired_records:
            item_acquired_records.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ShareFetchableTopicResponse(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareFetchableTopicResponse, int]:
        m = _new(ShareFetchableTopicResponse)
        m.topic_id, = _S2.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = PartitionData.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
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
        out += _S2.pack(self.topic_id)
        value_partitions = self.partitions
        n = len(value_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_partitions in value_partitions:
            item_partitions.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class NodeEndpoint(Message):
    __slots__ = ('node_id', 'host', 'port', 'rack', 'unknown_tags',)

    def __init__(
        self,
        *,
        node_id: int = 0,
        host: str = '',
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[NodeEndpoint, int]:
        m = _new(NodeEndpoint)
        m.node_id, = _S1.unpack_from(buf, pos)
        pos += 4
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
        m.port, = _S1.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.rack = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Rack', n)
            m.rack = str(buf[pos:end], 'utf-8')
            pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.node_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S1.pack(self.port)
        value_rack = self.rack
        if value_rack is None:
            out += b'\x00'
        else:
            data = value_rack.encode()
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


class ShareFetchResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'acquisition_lock_timeout_ms', 'responses', 'node_endpoints', 'unknown_tags',)
    API_KEY = 78
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareFetchableTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareFetchResponse, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('ShareFetchResponse', version)
        m = _new(ShareFetchResponse)
        m.throttle_time_ms, m.error_code, = _S7.unpack_from(buf, pos)
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
        m.acquisition_lock_timeout_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Responses', n)
        items_responses = []
        read_responses = ShareFetchableTopicResponse.read
        for _ in range(n):
            item_responses, pos = read_responses(buf, pos, version)
            items_responses.append(item_responses)
        m.responses = items_responses
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('NodeEndpoints', n)
        items_node_endpoints = []
        read_node_endpoints = NodeEndpoint.read
        for _ in range(n):
            item_node_endpoints, pos = read_node_endpoints(buf, pos, version)
            items_node_endpoints.append(item_node_endpoints)
        m.node_endpoints = items_node_endpoints
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('ShareFetchResponse', version)
        out += _S7.pack(self.throttle_time_ms, self.error_code)
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
        out += _S1.pack(self.acquisition_lock_timeout_ms)
        value_responses = self.responses
        n = len(value_responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_responses in value_responses:
            item_responses.write(out, version)
        value_node_endpoints = self.node_endpoints
        n = len(value_node_endpoints) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_node_endpoints in value_node_endpoints:
            item_node_endpoints.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
