"""Envelope: API key 58."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_version, uvarint_tail, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')


class EnvelopeRequest(Message):
    __slots__ = ('request_data', 'request_principal', 'client_host_address', 'unknown_tags',)
    API_KEY = 58
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        request_data: bytes = b'',
        request_principal: bytes | None = b'',
        client_host_address: bytes = b'',
    ) -> None:
        self.request_data = request_data
        self.request_principal = request_principal
        self.client_host_address = client_host_address
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EnvelopeRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('EnvelopeRequest', version)
        m = _new(EnvelopeRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('RequestData', n)
        m.request_data = bytes(buf[pos:end])
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.request_principal = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('RequestPrincipal', n)
            m.request_principal = bytes(buf[pos:end])
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientHostAddress', n)
        m.client_host_address = bytes(buf[pos:end])
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('EnvelopeRequest', version)
        value_request_data = self.request_data
        n = len(value_request_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_request_data
        value_request_principal = self.request_principal
        if value_request_principal is None:
            out += b'\x00'
        else:
            n = len(value_request_principal) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_request_principal
        value_client_host_address = self.client_host_address
        n = len(value_client_host_address) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_client_host_address
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class EnvelopeResponse(Message):
    __slots__ = ('response_data', 'error_code', 'unknown_tags',)
    API_KEY = 58
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        response_data: bytes | None = None,
        error_code: int = 0,
    ) -> None:
        self.response_data = response_data
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EnvelopeResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('EnvelopeResponse', version)
        m = _new(EnvelopeResponse)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.response_data = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ResponseData', n)
            m.response_data = bytes(buf[pos:end])
            pos = end
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('EnvelopeResponse', version)
        value_response_data = self.response_data
        if value_response_data is None:
            out += b'\x00'
        else:
            n = len(value_response_data) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_response_data
        out += _S0.pack(self.error_code)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
