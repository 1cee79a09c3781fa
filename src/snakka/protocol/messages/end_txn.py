"""EndTxn: API key 26."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, write_string_length, write_tags

_new = object.__new__
_S0 = Struct('>qh?')
_S1 = Struct('>h')
_S2 = Struct('>ih')
_S3 = Struct('>qh')


class EndTxnRequest(Message):
    __slots__ = ('transactional_id', 'producer_id', 'producer_epoch', 'committed', 'unknown_tags',)
    API_KEY = 26
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        transactional_id: str = '',
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndTxnRequest, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('EndTxnRequest', version)
        m = _new(EndTxnRequest)
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('TransactionalId', n)
            m.transactional_id = str(buf[pos:end], 'utf-8')
            pos = end
            m.producer_id, m.producer_epoch, m.committed, = _S0.unpack_from(buf, pos)
            pos += 11
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TransactionalId', n)
        m.transactional_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.producer_id, m.producer_epoch, m.committed, = _S0.unpack_from(buf, pos)
        pos += 11
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('EndTxnRequest', version)
        if version >= 3:
            value_transactional_id = self.transactional_id
            data = value_transactional_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S0.pack(self.producer_id, self.producer_epoch, self.committed)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_transactional_id = self.transactional_id
            data = value_transactional_id.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S0.pack(self.producer_id, self.producer_epoch, self.committed)


class EndTxnResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'producer_id', 'producer_epoch', 'unknown_tags',)
    API_KEY = 26
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndTxnResponse, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('EndTxnResponse', version)
        m = _new(EndTxnResponse)
        if version >= 3:
            m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
            pos += 6
            if version >= 5:
                m.producer_id, m.producer_epoch, = _S3.unpack_from(buf, pos)
                pos += 10
            else:
                m.producer_id = -1
                m.producer_epoch = -1
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
        pos += 6
        m.producer_id = -1
        m.producer_epoch = -1
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('EndTxnResponse', version)
        if version >= 3:
            out += _S2.pack(self.throttle_time_ms, self.error_code)
            if version >= 5:
                out += _S3.pack(self.producer_id, self.producer_epoch)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.throttle_time_ms, self.error_code)
