"""InitProducerId: API key 22."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, write_string_length, write_tags

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>qh')
_S2 = Struct('>??')
_S3 = Struct('>h')
_S4 = Struct('>ihqh')


class InitProducerIdRequest(Message):
    __slots__ = ('transactional_id', 'transaction_timeout_ms', 'producer_id', 'producer_epoch', 'enable_2pc', 'keep_prepared_txn', 'unknown_tags',)
    API_KEY = 22
    MIN_VERSION = 0
    MAX_VERSION = 6
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        transactional_id: str | None = '',
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        enable_2pc: bool = False,
        keep_prepared_txn: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.enable_2pc = enable_2pc
        self.keep_prepared_txn = keep_prepared_txn
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[InitProducerIdRequest, int]:
        if not 0 <= version <= 6:
            raise unsupported_version('InitProducerIdRequest', version)
        m = _new(InitProducerIdRequest)
        if version >= 2:
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
            m.transaction_timeout_ms, = _S0.unpack_from(buf, pos)
            pos += 4
            if version >= 3:
                m.producer_id, m.producer_epoch, = _S1.unpack_from(buf, pos)
                pos += 10
            else:
                m.producer_id = -1
                m.producer_epoch = -1
            if version >= 6:
                m.enable_2pc, m.keep_prepared_txn, = _S2.unpack_from(buf, pos)
                pos += 2
            else:
                m.enable_2pc = False
                m.keep_prepared_txn = False
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.transactional_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('TransactionalId', n)
            m.transactional_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.transaction_timeout_ms, = _S0.unpack_from(buf, pos)
        pos += 4
        m.producer_id = -1
        m.producer_epoch = -1
        m.enable_2pc = False
        m.keep_prepared_txn = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 6:
            raise unsupported_version('InitProducerIdRequest', version)
        if version < 3 and not (self.producer_id == -1):
            raise unsupported_field('ProducerId', version)
        if version < 3 and not (self.producer_epoch == -1):
            raise unsupported_field('ProducerEpoch', version)
        if version < 6 and not (self.enable_2pc == False):
            raise unsupported_field('Enable2Pc', version)
        if version < 6 and not (self.keep_prepared_txn == False):
            raise unsupported_field('KeepPreparedTxn', version)
        if version >= 2:
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
            out += _S0.pack(self.transaction_timeout_ms)
            if version >= 3:
                out += _S1.pack(self.producer_id, self.producer_epoch)
            if version >= 6:
                out += _S2.pack(self.enable_2pc, self.keep_prepared_txn)
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
                out += _S3.pack(len(data))
                out += data
            out += _S0.pack(self.transaction_timeout_ms)


class InitProducerIdResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'producer_id', 'producer_epoch', 'ongoing_txn_producer_id', 'ongoing_txn_producer_epoch', 'unknown_tags',)
    API_KEY = 22
    MIN_VERSION = 0
    MAX_VERSION = 6
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1,
        ongoing_txn_producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.ongoing_txn_producer_id = ongoing_txn_producer_id
        self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[InitProducerIdResponse, int]:
        if not 0 <= version <= 6:
            raise unsupported_version('InitProducerIdResponse', version)
        m = _new(InitProducerIdResponse)
        if version >= 2:
            m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, = _S4.unpack_from(buf, pos)
            pos += 16
            if version >= 6:
                m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch, = _S1.unpack_from(buf, pos)
                pos += 10
            else:
                m.ongoing_txn_producer_id = -1
                m.ongoing_txn_producer_epoch = -1
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, = _S4.unpack_from(buf, pos)
        pos += 16
        m.ongoing_txn_producer_id = -1
        m.ongoing_txn_producer_epoch = -1
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 6:
            raise unsupported_version('InitProducerIdResponse', version)
        if version < 6 and not (self.ongoing_txn_producer_id == -1):
            raise unsupported_field('OngoingTxnProducerId', version)
        if version < 6 and not (self.ongoing_txn_producer_epoch == -1):
            raise unsupported_field('OngoingTxnProducerEpoch', version)
        if version >= 2:
            out += _S4.pack(self.throttle_time_ms, self.error_code, self.producer_id, self.producer_epoch)
            if version >= 6:
                out += _S1.pack(self.ongoing_txn_producer_id, self.ongoing_txn_producer_epoch)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S4.pack(self.throttle_time_ms, self.error_code, self.producer_id, self.producer_epoch)
