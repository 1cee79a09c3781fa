"""CreateAcls: API key 30."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>b')
_S1 = Struct('>bb')
_S2 = Struct('>h')
_S3 = Struct('>i')


class AclCreation(Message):
    __slots__ = ('resource_type', 'resource_name', 'resource_pattern_type', 'principal', 'host', 'operation', 'permission_type', 'unknown_tags',)

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = '',
        resource_pattern_type: int = 3,
        principal: str = '',
        host: str = '',
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AclCreation, int]:
        m = _new(AclCreation)
        if version >= 2:
            m.resource_type, = _S0.unpack_from(buf, pos)
            pos += 1
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
            m.resource_pattern_type, = _S0.unpack_from(buf, pos)
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
            m.operation, m.permission_type, = _S1.unpack_from(buf, pos)
            pos += 2
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.resource_type, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ResourceName', n)
        m.resource_name = str(buf[pos:end], 'utf-8')
        pos = end
        m.resource_pattern_type, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Principal', n)
        m.principal = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.operation, m.permission_type, = _S1.unpack_from(buf, pos)
        pos += 2
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S0.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S0.pack(self.resource_pattern_type)
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
            out += _S1.pack(self.operation, self.permission_type)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            out += _S2.pack(len(data))
            out += data
            out += _S0.pack(self.resource_pattern_type)
            value_principal = self.principal
            data = value_principal.encode()
            out += _S2.pack(len(data))
            out += data
            value_host = self.host
            data = value_host.encode()
            out += _S2.pack(len(data))
            out += data
            out += _S1.pack(self.operation, self.permission_type)


class CreateAclsRequest(Message):
    __slots__ = ('creations', 'unknown_tags',)
    API_KEY = 30
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        creations: list[AclCreation] = UNSET,
    ) -> None:
        self.creations = [] if creations is UNSET else creations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreateAclsRequest, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateAclsRequest', version)
        m = _new(CreateAclsRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Creations', n)
            items_creations = []
            read_creations = AclCreation.read
            for _ in range(n):
                item_creations, pos = read_creations(buf, pos, version)
                items_creations.append(item_creations)
            m.creations = items_creations
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Creations', n)
        items_creations = []
        read_creations = AclCreation.read
        for _ in range(n):
            item_creations, pos = read_creations(buf, pos, version)
            items_creations.append(item_creations)
        m.creations = items_creations
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateAclsRequest', version)
        if version >= 2:
            value_creations = self.creations
            n = len(value_creations) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_creations in value_creations:
                item_creations.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_creations = self.creations
            out += _S3.pack(len(value_creations))
            for item_creations in value_creations:
                item_creations.write(out, version)


class AclCreationResult(Message):
    __slots__ = ('error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AclCreationResult, int]:
        m = _new(AclCreationResult)
        if version >= 2:
            m.error_code, = _S2.unpack_from(buf, pos)
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
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S2.pack(self.error_code)
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
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S2.pack(len(data))
                out += data


class CreateAclsResponse(Message):
    __slots__ = ('throttle_time_ms', 'results', 'unknown_tags',)
    API_KEY = 30
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[AclCreationResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreateAclsResponse, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateAclsResponse', version)
        m = _new(CreateAclsResponse)
        if version >= 2:
            m.throttle_time_ms, = _S3.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Results', n)
            items_results = []
            read_results = AclCreationResult.read
            for _ in range(n):
                item_results, pos = read_results(buf, pos, version)
                items_results.append(item_results)
            m.results = items_results
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, = _S3.unpack_from(buf, pos)
        pos += 4
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Results', n)
        items_results = []
        read_results = AclCreationResult.read
        for _ in range(n):
            item_results, pos = read_results(buf, pos, version)
            items_results.append(item_results)
        m.results = items_results
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateAclsResponse', version)
        if version >= 2:
            out += _S3.pack(self.throttle_time_ms)
            value_results = self.results
            n = len(value_results) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_results in value_results:
                item_results.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S3.pack(self.throttle_time_ms)
            value_results = self.results
            out += _S3.pack(len(value_results))
            for item_results in value_results:
                item_results.write(out, version)
