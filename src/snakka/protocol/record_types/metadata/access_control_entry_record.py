"""AccessControlEntryRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, write_string_length, write_tags
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16sb')
_S1 = Struct('>b')
_S2 = Struct('>bb')


class AccessControlEntryRecord(Message):
    __slots__ = ('id', 'resource_type', 'resource_name', 'pattern_type', 'principal', 'host', 'operation', 'permission_type', 'unknown_tags',)
    RECORD_KEY = 18
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        id: bytes = ZERO_UUID,
        resource_type: int = 0,
        resource_name: str = '',
        pattern_type: int = 0,
        principal: str = '',
        host: str = '',
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.id = id
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AccessControlEntryRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('AccessControlEntryRecord', version)
        m = _new(AccessControlEntryRecord)
        m.id, m.resource_type, = _S0.unpack_from(buf, pos)
        pos += 17
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ResourceName', n)
        m.resource_name = str(buf[pos:end], 'utf-8')
        pos = end
        m.pattern_type, = _S1.unpack_from(buf, pos)
        pos += 1
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Principal', n)
        m.principal = str(buf[pos:end], 'utf-8')
        pos = end
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
        m.operation, m.permission_type, = _S2.unpack_from(buf, pos)
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
            raise unsupported_version('AccessControlEntryRecord', version)
        if len(self.id) != 16:
            raise bad_length('Id', len(self.id))
        out += _S0.pack(self.id, self.resource_type)
        value_resource_name = self.resource_name
        data = value_resource_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S1.pack(self.pattern_type)
        value_principal = self.principal
        data = value_principal.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.operation, self.permission_type)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
