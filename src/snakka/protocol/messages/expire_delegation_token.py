"""ExpireDelegationToken: API key 40."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_version, uvarint_tail, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>q')
_S1 = Struct('>i')
_S2 = Struct('>hqi')


class ExpireDelegationTokenRequest(Message):
    __slots__ = ('hmac', 'expiry_time_period_ms', 'unknown_tags',)
    API_KEY = 40
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        hmac: bytes = b'',
        expiry_time_period_ms: int = 0,
    ) -> None:
        self.hmac = hmac
        self.expiry_time_period_ms = expiry_time_period_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ExpireDelegationTokenRequest, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('ExpireDelegationTokenRequest', version)
        m = _new(ExpireDelegationTokenRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Hmac', n)
            m.hmac = bytes(buf[pos:end])
            pos = end
            m.expiry_time_period_ms, = _S0.unpack_from(buf, pos)
            pos += 8
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Hmac', n)
        m.hmac = bytes(buf[pos:end])
        pos = end
        m.expiry_time_period_ms, = _S0.unpack_from(buf, pos)
        pos += 8
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('ExpireDelegationTokenRequest', version)
        if version >= 2:
            value_hmac = self.hmac
            n = len(value_hmac) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_hmac
            out += _S0.pack(self.expiry_time_period_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_hmac = self.hmac
            out += _S1.pack(len(value_hmac))
            out += value_hmac
            out += _S0.pack(self.expiry_time_period_ms)


class ExpireDelegationTokenResponse(Message):
    __slots__ = ('error_code', 'expiry_timestamp_ms', 'throttle_time_ms', 'unknown_tags',)
    API_KEY = 40
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        error_code: int = 0,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ExpireDelegationTokenResponse, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('ExpireDelegationTokenResponse', version)
        m = _new(ExpireDelegationTokenResponse)
        if version >= 2:
            m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 14
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms, = _S2.unpack_from(buf, pos)
        pos += 14
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('ExpireDelegationTokenResponse', version)
        if version >= 2:
            out += _S2.pack(self.error_code, self.expiry_timestamp_ms, self.throttle_time_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.error_code, self.expiry_timestamp_ms, self.throttle_time_ms)
