"""UserScramCredentialRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>b')
_S1 = Struct('>i')


class UserScramCredentialRecord(Message):
    __slots__ = ('name', 'mechanism', 'salt', 'stored_key', 'server_key', 'iterations', 'unknown_tags',)
    RECORD_KEY = 11
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        name: str = '',
        mechanism: int = 0,
        salt: bytes = b'',
        stored_key: bytes = b'',
        server_key: bytes = b'',
        iterations: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.salt = salt
        self.stored_key = stored_key
        self.server_key = server_key
        self.iterations = iterations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UserScramCredentialRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('UserScramCredentialRecord', version)
        m = _new(UserScramCredentialRecord)
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
        m.mechanism, = _S0.unpack_from(buf, pos)
        pos += 1
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Salt', n)
        m.salt = bytes(buf[pos:end])
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('StoredKey', n)
        m.stored_key = bytes(buf[pos:end])
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ServerKey', n)
        m.server_key = bytes(buf[pos:end])
        pos = end
        m.iterations, = _S1.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('UserScramCredentialRecord', version)
        value_name = self.name
        data = value_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.mechanism)
        value_salt = self.salt
        n = len(value_salt) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_salt
        value_stored_key = self.stored_key
        n = len(value_stored_key) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_stored_key
        value_server_key = self.server_key
        n = len(value_server_key) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_server_key
        out += _S1.pack(self.iterations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
