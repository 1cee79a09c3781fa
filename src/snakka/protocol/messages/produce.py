"""Produce: API key 0."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, Records, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_records, write_records, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>16s')
_S2 = Struct('>h')
_S3 = Struct('>hi')
_S4 = Struct('>ii')
_S5 = Struct('>ihqqq')
_S6 = Struct('>ihqq')
_S7 = Struct('>q')


class PartitionProduceData(Message):
    __slots__ = ('index', 'records', 'unknown_tags',)

    def __init__(
        self,
        *,
        index: int = 0,
        records: Records | None = b'',
    ) -> None:
        self.index = index
        self.records = records
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionProduceData, int]:
        m = _new(PartitionProduceData)
        if version >= 9:
            m.index, = _S0.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.records = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Records', n)
                m.records = memoryview(buf)[pos:end]
                pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.index, = _S0.unpack_from(buf, pos)
        pos += 4
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.records = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Records', n)
            m.records = memoryview(buf)[pos:end]
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 9:
            out += _S0.pack(self.index)
            value_records = self.records
            if value_records is None:
                out += b'\x00'
            else:
                write_compact_records(out, value_records)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.index)
            value_records = self.records
            if value_records is None:
                out += b'\xff\xff\xff\xff'
            else:
                write_records(out, value_records)


class TopicProduceData(Message):
    __slots__ = ('name', 'topic_id', 'partition_data', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        topic_id: bytes = ZERO_UUID,
        partition_data: list[PartitionProduceData] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_data = [] if partition_data is UNSET else partition_data
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicProduceData, int]:
        m = _new(TopicProduceData)
        if version >= 9:
            if version <= 12:
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
            else:
                m.name = ''
            if version >= 13:
                m.topic_id, = _S1.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('PartitionData', n)
            items_partition_data = []
            read_partition_data = PartitionProduceData.read
            for _ in range(n):
                item_partition_data, pos = read_partition_data(buf, pos, version)
                items_partition_data.append(item_partition_data)
            m.partition_data = items_partition_data
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('PartitionData', n)
        items_partition_data = []
        read_partition_data = PartitionProduceData.read
        for _ in range(n):
            item_partition_data, pos = read_partition_data(buf, pos, version)
            items_partition_data.append(item_partition_data)
        m.partition_data = items_partition_data
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 9:
            if version <= 12:
                value_name = self.name
                data = value_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 13:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S1.pack(self.topic_id)
            value_partition_data = self.partition_data
            n = len(value_partition_data) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_partition_data in value_partition_data:
                item_partition_data.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S2.pack(len(data))
            out += data
            value_partition_data = self.partition_data
            out += _S0.pack(len(value_partition_data))
            for item_partition_data in value_partition_data:
                item_partition_data.write(out, version)


class ProduceRequest(Message):
    __slots__ = ('transactional_id', 'acks', 'timeout_ms', 'topic_data', 'unknown_tags',)
    API_KEY = 0
    MIN_VERSION = 3
    MAX_VERSION = 13
    FLEXIBLE_FROM = 9

    def __init__(
        self,
        *,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: list[TopicProduceData] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = [] if topic_data is UNSET else topic_data
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ProduceRequest, int]:
        if not 3 <= version <= 13:
            raise unsupported_version('ProduceRequest', version)
        m = _new(ProduceRequest)
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.transactional_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('TransactionalId', n)
                m.transactional_id = str(buf[pos:end], 'utf-8')
                pos = end
            m.acks, m.timeout_ms, = _S3.unpack_from(buf, pos)
            pos += 6
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('TopicData', n)
            items_topic_data = []
            read_topic_data = TopicProduceData.read
            for _ in range(n):
                item_topic_data, pos = read_topic_data(buf, pos, version)
                items_topic_data.append(item_topic_data)
            m.topic_data = items_topic_data
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.transactional_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('TransactionalId', n)
            m.transactional_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.acks, m.timeout_ms, = _S3.unpack_from(buf, pos)
        pos += 6
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TopicData', n)
        items_topic_data = []
        read_topic_data = TopicProduceData.read
        for _ in range(n):
            item_topic_data, pos = read_topic_data(buf, pos, version)
            items_topic_data.append(item_topic_data)
        m.topic_data = items_topic_data
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 3 <= version <= 13:
            raise unsupported_version('ProduceRequest', version)
        if version >= 9:
            value_transactional_id = self.transactional_id
            if value_transactional_id is None:
                out += b'\x00'
            else:
                data = value_transactional_id.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S3.pack(self.acks, self.timeout_ms)
            value_topic_data = self.topic_data
            n = len(value_topic_data) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topic_data in value_topic_data:
                item_topic_data.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_transactional_id = self.transactional_id
            if value_transactional_id is None:
                out += b'\xff\xff'
            else:
                data = value_transactional_id.encode()
                out += _S2.pack(len(data))
                out += data
            out += _S3.pack(self.acks, self.timeout_ms)
            value_topic_data = self.topic_data
            out += _S0.pack(len(value_topic_data))
            for item_topic_data in value_topic_data:
                item_topic_data.write(out, version)


class BatchIndexAndErrorMessage(Message):
    __slots__ = ('batch_index', 'batch_index_error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        batch_index: int = 0,
        batch_index_error_message: str | None = None,
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BatchIndexAndErrorMessage, int]:
        m = _new(BatchIndexAndErrorMessage)
        if version >= 9:
            m.batch_index, = _S0.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.batch_index_error_message = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('BatchIndexErrorMessage', n)
                m.batch_index_error_message = str(buf[pos:end], 'utf-8')
                pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.batch_index, = _S0.unpack_from(buf, pos)
        pos += 4
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.batch_index_error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('BatchIndexErrorMessage', n)
            m.batch_index_error_message = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 9:
            out += _S0.pack(self.batch_index)
            value_batch_index_error_message = self.batch_index_error_message
            if value_batch_index_error_message is None:
                out += b'\x00'
            else:
                data = value_batch_index_error_message.encode()
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
            out += _S0.pack(self.batch_index)
            value_batch_index_error_message = self.batch_index_error_message
            if value_batch_index_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_batch_index_error_message.encode()
                out += _S2.pack(len(data))
                out += data


class LeaderIdAndEpoch(Message):
    __slots__ = ('leader_id', 'leader_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaderIdAndEpoch, int]:
        m = _new(LeaderIdAndEpoch)
        m.leader_id, m.leader_epoch, = _S4.unpack_from(buf, pos)
        pos += 8
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S4.pack(self.leader_id, self.leader_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class PartitionProduceResponse(Message):
    __slots__ = ('index', 'error_code', 'base_offset', 'log_append_time_ms', 'log_start_offset', 'record_errors', 'error_message', 'current_leader', 'unknown_tags',)

    def __init__(
        self,
        *,
        index: int = 0,
        error_code: int = 0,
        base_offset: int = 0,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: list[BatchIndexAndErrorMessage] = UNSET,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = UNSET,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = [] if record_errors is UNSET else record_errors
        self.error_message = error_message
        self.current_leader = _default_LeaderIdAndEpoch if current_leader is UNSET else current_leader
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionProduceResponse, int]:
        m = _new(PartitionProduceResponse)
        if version >= 9:
            m.index, m.error_code, m.base_offset, m.log_append_time_ms, m.log_start_offset, = _S5.unpack_from(buf, pos)
            pos += 30
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('RecordErrors', n)
            items_record_errors = []
            read_record_errors = BatchIndexAndErrorMessage.read
            for _ in range(n):
                item_record_errors, pos = read_record_errors(buf, pos, version)
                items_record_errors.append(item_record_errors)
            m.record_errors = items_record_errors
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
            m.current_leader = _default_LeaderIdAndEpoch
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0 and version >= 10:
                        m.current_leader, pos = LeaderIdAndEpoch.read(buf, pos, version)
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        m.index, m.error_code, m.base_offset, m.log_append_time_ms, = _S6.unpack_from(buf, pos)
        pos += 22
        if version >= 5:
            m.log_start_offset, = _S7.unpack_from(buf, pos)
            pos += 8
        else:
            m.log_start_offset = -1
        if version >= 8:
            n, = _S0.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('RecordErrors', n)
            items_record_errors = []
            read_record_errors = BatchIndexAndErrorMessage.read
            for _ in range(n):
                item_record_errors, pos = read_record_errors(buf, pos, version)
                items_record_errors.append(item_record_errors)
            m.record_errors = items_record_errors
        else:
            m.record_errors = []
        if version >= 8:
            n, = _S2.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.error_message = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('ErrorMessage', n)
                m.error_message = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.error_message = None
        m.current_leader = _default_LeaderIdAndEpoch
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 10 and not (self.current_leader is _default_LeaderIdAndEpoch or self.current_leader == _default_LeaderIdAndEpoch):
            raise unsupported_field('CurrentLeader', version)
        if version >= 9:
            out += _S5.pack(self.index, self.error_code, self.base_offset, self.log_append_time_ms, self.log_start_offset)
            value_record_errors = self.record_errors
            n = len(value_record_errors) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_record_errors in value_record_errors:
                item_record_errors.write(out, version)
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
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if version >= 10 and not (self.current_leader is _default_LeaderIdAndEpoch or self.current_leader == _default_LeaderIdAndEpoch):
                value = Frame()
                value_current_leader = self.current_leader
                value_current_leader.write(value, version)
                if tags is None:
                    tags = {}
                tags[0] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            out += _S6.pack(self.index, self.error_code, self.base_offset, self.log_append_time_ms)
            if version >= 5:
                out += _S7.pack(self.log_start_offset)
            if version >= 8:
                value_record_errors = self.record_errors
                out += _S0.pack(len(value_record_errors))
                for item_record_errors in value_record_errors:
                    item_record_errors.write(out, version)
            if version >= 8:
                value_error_message = self.error_message
                if value_error_message is None:
                    out += b'\xff\xff'
                else:
                    data = value_error_message.encode()
                    out += _S2.pack(len(data))
                    out += data


class TopicProduceResponse(Message):
    __slots__ = ('name', 'topic_id', 'partition_responses', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        topic_id: bytes = ZERO_UUID,
        partition_responses: list[PartitionProduceResponse] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_responses = [] if partition_responses is UNSET else partition_responses
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicProduceResponse, int]:
        m = _new(TopicProduceResponse)
        if version >= 9:
            if version <= 12:
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
            else:
                m.name = ''
            if version >= 13:
                m.topic_id, = _S1.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('PartitionResponses', n)
            items_partition_responses = []
            read_partition_responses = PartitionProduceResponse.read
            for _ in range(n):
                item_partition_responses, pos = read_partition_responses(buf, pos, version)
                items_partition_responses.append(item_partition_responses)
            m.partition_responses = items_partition_responses
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('PartitionResponses', n)
        items_partition_responses = []
        read_partition_responses = PartitionProduceResponse.read
        for _ in range(n):
            item_partition_responses, pos = read_partition_responses(buf, pos, version)
            items_partition_responses.append(item_partition_responses)
        m.partition_responses = items_partition_responses
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 9:
            if version <= 12:
                value_name = self.name
                data = value_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 13:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S1.pack(self.topic_id)
            value_partition_responses = self.partition_responses
            n = len(value_partition_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_partition_responses in value_partition_responses:
                item_partition_responses.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S2.pack(len(data))
            out += data
            value_partition_responses = self.partition_responses
            out += _S0.pack(len(value_partition_responses))
            for item_partition_responses in value_partition_responses:
                item_partition_responses.write(out, version)


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
        m.node_id, = _S0.unpack_from(buf, pos)
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
        m.port, = _S0.unpack_from(buf, pos)
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
        out += _S0.pack(self.node_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.port)
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


class ProduceResponse(Message):
    __slots__ = ('responses', 'throttle_time_ms', 'node_endpoints', 'unknown_tags',)
    API_KEY = 0
    MIN_VERSION = 3
    MAX_VERSION = 13
    FLEXIBLE_FROM = 9

    def __init__(
        self,
        *,
        responses: list[TopicProduceResponse] = UNSET,
        throttle_time_ms: int = 0,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.responses = [] if responses is UNSET else responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ProduceResponse, int]:
        if not 3 <= version <= 13:
            raise unsupported_version('ProduceResponse', version)
        m = _new(ProduceResponse)
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Responses', n)
            items_responses = []
            read_responses = TopicProduceResponse.read
            for _ in range(n):
                item_responses, pos = read_responses(buf, pos, version)
                items_responses.append(item_responses)
            m.responses = items_responses
            m.throttle_time_ms, = _S0.unpack_from(buf, pos)
            pos += 4
            m.node_endpoints = []
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0 and version >= 10:
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
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Responses', n)
        items_responses = []
        read_responses = TopicProduceResponse.read
        for _ in range(n):
            item_responses, pos = read_responses(buf, pos, version)
            items_responses.append(item_responses)
        m.responses = items_responses
        m.throttle_time_ms, = _S0.unpack_from(buf, pos)
        pos += 4
        m.node_endpoints = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 3 <= version <= 13:
            raise unsupported_version('ProduceResponse', version)
        if version < 10 and not (not self.node_endpoints):
            raise unsupported_field('NodeEndpoints', version)
        if version >= 9:
            value_responses = self.responses
            n = len(value_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_responses in value_responses:
                item_responses.write(out, version)
            out += _S0.pack(self.throttle_time_ms)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if version >= 10 and not (not self.node_endpoints):
                value = Frame()
                value_node_endpoints = self.node_endpoints
                n = len(value_node_endpoints) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                for item_node_endpoints in value_node_endpoints:
                    item_node_endpoints.write(value, version)
                if tags is None:
                    tags = {}
                tags[0] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            value_responses = self.responses
            out += _S0.pack(len(value_responses))
            for item_responses in value_responses:
                item_responses.write(out, version)
            out += _S0.pack(self.throttle_time_ms)
