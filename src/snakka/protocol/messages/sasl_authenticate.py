"""SaslAuthenticate: API key 36."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>h')
_S2 = Struct('>q')


class SaslAuthenticateRequest(Message):
    __slots__ = ('auth_bytes', 'unknown_tags',)
    API_KEY = 36
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        auth_bytes: bytes = b'',
    ) -> None:
        self.auth_bytes = auth_bytes
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SaslAuthenticateRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('SaslAuthenticateRequest', version)
        m = _new(SaslAuthenticateRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('AuthBytes', n)
            m.auth_bytes = bytes(buf[pos:end])
            pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('AuthBytes', n)
        m.auth_bytes = bytes(buf[pos:end])
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('SaslAuthenticateRequest', version)
        if version >= 2:
            value_auth_bytes = self.auth_bytes
            n = len(value_auth_bytes) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_auth_bytes
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_auth_bytes = self.auth_bytes
            out += _S0.pack(len(value_auth_bytes))
            out += value_auth_bytes


class SaslAuthenticateResponse(Message):
    __slots__ = ('error_code', 'error_message', 'auth_bytes', 'session_lifetime_ms', 'unknown_tags',)
    API_KEY = 36
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
        auth_bytes: bytes = b'',
        session_lifetime_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SaslAuthenticateResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('SaslAuthenticateResponse', version)
        m = _new(SaslAuthenticateResponse)
        if version >= 2:
            m.error_code, = _S1.unpack_from(buf, pos)
            pos += 2
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('AuthBytes', n)
            m.auth_bytes = bytes(buf[pos:end])
            pos = end
            m.session_lifetime_ms, = _S2.unpack_from(buf, pos)
            pos += 8
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, = _S1.unpack_from(buf, pos)
        pos += 2
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('AuthBytes', n)
        m.auth_bytes = bytes(buf[pos:end])
        pos = end
        if version >= 1:
            m.session_lifetime_ms, = _S2.unpack_from(buf, pos)
            pos += 8
        else:
            m.session_lifetime_ms = 0
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('SaslAuthenticateResponse', version)
        if version >= 2:
            out += _S1.pack(self.error_code)
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
            value_auth_bytes = self.auth_bytes
            n = len(value_auth_bytes) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_auth_bytes
            out += _S2.pack(self.session_lifetime_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S1.pack(len(data))
                out += data
            value_auth_bytes = self.auth_bytes
            out += _S0.pack(len(value_auth_bytes))
            out += value_auth_bytes
            if version >= 1:
                out += _S2.pack(self.session_lifetime_ms)
