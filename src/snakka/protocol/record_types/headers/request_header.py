"""RequestHeader."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_version, write_tags

_new = object.__new__
_S0 = Struct('>hhi')
_S1 = Struct('>h')


class RequestHeader(Message):
    __slots__ = ('request_api_key', 'request_api_version', 'correlation_id', 'client_id', 'unknown_tags',)
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        request_api_key: int = 0,
        request_api_version: int = 0,
        correlation_id: int = 0,
        client_id: str | None = '',
    ) -> None:
        self.request_api_key = request_api_key
        self.request_api_version = request_api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RequestHeader, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('RequestHeader', version)
        m = _new(RequestHeader)
        if version >= 2:
            m.request_api_key, m.request_api_version, m.correlation_id, = _S0.unpack_from(buf, pos)
            pos += 8
            n, = _S1.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.client_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('ClientId', n)
                m.client_id = str(buf[pos:end], 'utf-8')
                pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.request_api_key, m.request_api_version, m.correlation_id, = _S0.unpack_from(buf, pos)
        pos += 8
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.client_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClientId', n)
            m.client_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('RequestHeader', version)
        if version >= 2:
            out += _S0.pack(self.request_api_key, self.request_api_version, self.correlation_id)
            value_client_id = self.client_id
            if value_client_id is None:
                out += b'\xff\xff'
            else:
                data = value_client_id.encode()
                out += _S1.pack(len(data))
                out += data
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.request_api_key, self.request_api_version, self.correlation_id)
            value_client_id = self.client_id
            if value_client_id is None:
                out += b'\xff\xff'
            else:
                data = value_client_id.encode()
                out += _S1.pack(len(data))
                out += data
