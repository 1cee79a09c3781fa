"""AddOffsetsToTxn: API key 25."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, write_string_length, write_tags

_new = object.__new__
_S0 = Struct('>qh')
_S1 = Struct('>h')
_S2 = Struct('>ih')


class AddOffsetsToTxnRequest(Message):
    __slots__ = ('transactional_id', 'producer_id', 'producer_epoch', 'group_id', 'unknown_tags',)
    API_KEY = 25
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        transactional_id: str = '',
        producer_id: int = 0,
        producer_epoch: int = 0,
        group_id: str = '',
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.group_id = group_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddOffsetsToTxnRequest, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('AddOffsetsToTxnRequest', version)
        m = _new(AddOffsetsToTxnRequest)
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
            m.producer_id, m.producer_epoch, = _S0.unpack_from(buf, pos)
            pos += 10
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('GroupId', n)
            m.group_id = str(buf[pos:end], 'utf-8')
            pos = end
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
        m.producer_id, m.producer_epoch, = _S0.unpack_from(buf, pos)
        pos += 10
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('AddOffsetsToTxnRequest', version)
        if version >= 3:
            value_transactional_id = self.transactional_id
            data = value_transactional_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S0.pack(self.producer_id, self.producer_epoch)
            value_group_id = self.group_id
            data = value_group_id.encode()
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
            value_transactional_id = self.transactional_id
            data = value_transactional_id.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S0.pack(self.producer_id, self.producer_epoch)
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S1.pack(len(data))
            out += data


class AddOffsetsToTxnResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'unknown_tags',)
    API_KEY = 25
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddOffsetsToTxnResponse, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('AddOffsetsToTxnResponse', version)
        m = _new(AddOffsetsToTxnResponse)
        if version >= 3:
            m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
            pos += 6
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
        pos += 6
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('AddOffsetsToTxnResponse', version)
        if version >= 3:
            out += _S2.pack(self.throttle_time_ms, self.error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.throttle_time_ms, self.error_code)
