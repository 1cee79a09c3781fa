"""TransactionLogValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>qhib')
_S3 = Struct('>qq')
_S4 = Struct('>q')


class PartitionsSchema(Message):
    __slots__ = ('topic', 'partition_ids', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        partition_ids: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partition_ids = [] if partition_ids is UNSET else partition_ids
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionsSchema, int]:
        m = _new(PartitionsSchema)
        if version >= 1:
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
                raise bad_length('PartitionIds', n)
            m.partition_ids = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('PartitionIds', n)
        m.partition_ids = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            value_topic = self.topic
            data = value_topic.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_partition_ids = self.partition_ids
            n = len(value_partition_ids) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_partition_ids)}i', *value_partition_ids)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topic = self.topic
            data = value_topic.encode()
            out += _S0.pack(len(data))
            out += data
            value_partition_ids = self.partition_ids
            out += _S1.pack(len(value_partition_ids))
            out += pack(f'>{len(value_partition_ids)}i', *value_partition_ids)


class TransactionLogValue(Message):
    __slots__ = ('producer_id', 'previous_producer_id', 'next_producer_id', 'producer_epoch', 'next_producer_epoch', 'transaction_timeout_ms', 'transaction_status', 'transaction_partitions', 'transaction_last_update_timestamp_ms', 'transaction_start_timestamp_ms', 'client_transaction_version', 'unknown_tags',)
    RECORD_KEY = 0
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        producer_id: int = 0,
        previous_producer_id: int = -1,
        next_producer_id: int = -1,
        producer_epoch: int = 0,
        next_producer_epoch: int = -1,
        transaction_timeout_ms: int = 0,
        transaction_status: int = 0,
        transaction_partitions: list[PartitionsSchema] | None = UNSET,
        transaction_last_update_timestamp_ms: int = 0,
        transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.previous_producer_id = previous_producer_id
        self.next_producer_id = next_producer_id
        self.producer_epoch = producer_epoch
        self.next_producer_epoch = next_producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_status = transaction_status
        self.transaction_partitions = [] if transaction_partitions is UNSET else transaction_partitions
        self.transaction_last_update_timestamp_ms = transaction_last_update_timestamp_ms
        self.transaction_start_timestamp_ms = transaction_start_timestamp_ms
        self.client_transaction_version = client_transaction_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TransactionLogValue, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('TransactionLogValue', version)
        m = _new(TransactionLogValue)
        if version >= 1:
            m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, = _S2.unpack_from(buf, pos)
            pos += 15
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.transaction_partitions = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('TransactionPartitions', n)
                items_transaction_partitions = []
                read_transaction_partitions = PartitionsSchema.read
                for _ in range(n):
                    item_transaction_partitions, pos = read_transaction_partitions(buf, pos, version)
                    items_transaction_partitions.append(item_transaction_partitions)
                m.transaction_partitions = items_transaction_partitions
            m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms, = _S3.unpack_from(buf, pos)
            pos += 16
            m.previous_producer_id = -1
            m.next_producer_id = -1
            m.next_producer_epoch = -1
            m.client_transaction_version = 0
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0:
                        m.previous_producer_id, = _S4.unpack_from(buf, pos)
                        pos += 8
                    elif tag == 1:
                        m.next_producer_id, = _S4.unpack_from(buf, pos)
                        pos += 8
                    elif tag == 3:
                        m.next_producer_epoch, = _S0.unpack_from(buf, pos)
                        pos += 2
                    elif tag == 2:
                        m.client_transaction_version, = _S0.unpack_from(buf, pos)
                        pos += 2
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, = _S2.unpack_from(buf, pos)
        pos += 15
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.transaction_partitions = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('TransactionPartitions', n)
            items_transaction_partitions = []
            read_transaction_partitions = PartitionsSchema.read
            for _ in range(n):
                item_transaction_partitions, pos = read_transaction_partitions(buf, pos, version)
                items_transaction_partitions.append(item_transaction_partitions)
            m.transaction_partitions = items_transaction_partitions
        m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms, = _S3.unpack_from(buf, pos)
        pos += 16
        m.previous_producer_id = -1
        m.next_producer_id = -1
        m.next_producer_epoch = -1
        m.client_transaction_version = 0
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('TransactionLogValue', version)
        if version < 1 and not (self.previous_producer_id == -1):
            raise unsupported_field('PreviousProducerId', version)
        if version < 1 and not (self.next_producer_id == -1):
            raise unsupported_field('NextProducerId', version)
        if version < 1 and not (self.next_producer_epoch == -1):
            raise unsupported_field('NextProducerEpoch', version)
        if version < 1 and not (self.client_transaction_version == 0):
            raise unsupported_field('ClientTransactionVersion', version)
        if version >= 1:
            out += _S2.pack(self.producer_id, self.producer_epoch, self.transaction_timeout_ms, self.transaction_status)
            value_transaction_partitions = self.transaction_partitions
            if value_transaction_partitions is None:
                out += b'\x00'
            else:
                n = len(value_transaction_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_transaction_partitions in value_transaction_partitions:
                    item_transaction_partitions.write(out, version)
            out += _S3.pack(self.transaction_last_update_timestamp_ms, self.transaction_start_timestamp_ms)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if not (self.previous_producer_id == -1):
                value = Frame()
                value += _S4.pack(self.previous_producer_id)
                if tags is None:
                    tags = {}
                tags[0] = value
            if not (self.next_producer_id == -1):
                value = Frame()
                value += _S4.pack(self.next_producer_id)
                if tags is None:
                    tags = {}
                tags[1] = value
            if not (self.next_producer_epoch == -1):
                value = Frame()
                value += _S0.pack(self.next_producer_epoch)
                if tags is None:
                    tags = {}
                tags[3] = value
            if not (self.client_transaction_version == 0):
                value = Frame()
                value += _S0.pack(self.client_transaction_version)
                if tags is None:
                    tags = {}
                tags[2] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            out += _S2.pack(self.producer_id, self.producer_epoch, self.transaction_timeout_ms, self.transaction_status)
            value_transaction_partitions = self.transaction_partitions
            if value_transaction_partitions is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S1.pack(len(value_transaction_partitions))
                for item_transaction_partitions in value_transaction_partitions:
                    item_transaction_partitions.write(out, version)
            out += _S3.pack(self.transaction_last_update_timestamp_ms, self.transaction_start_timestamp_ms)
