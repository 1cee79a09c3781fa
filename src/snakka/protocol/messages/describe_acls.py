"""DescribeAcls: API key 29."""
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
_S4 = Struct('>ih')


class DescribeAclsRequest(Message):
    __slots__ = ('resource_type_filter', 'resource_name_filter', 'pattern_type_filter', 'principal_filter', 'host_filter', 'operation', 'permission_type', 'unknown_tags',)
    API_KEY = 29
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        resource_type_filter: int = 0,
        resource_name_filter: str | None = '',
        pattern_type_filter: int = 3,
        principal_filter: str | None = '',
        host_filter: str | None = '',
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeAclsRequest, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeAclsRequest', version)
        m = _new(DescribeAclsRequest)
        if version >= 2:
            m.resource_type_filter, = _S0.unpack_from(buf, pos)
            pos += 1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.resource_name_filter = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('ResourceNameFilter', n)
                m.resource_name_filter = str(buf[pos:end], 'utf-8')
                pos = end
            m.pattern_type_filter, = _S0.unpack_from(buf, pos)
            pos += 1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.principal_filter = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('PrincipalFilter', n)
                m.principal_filter = str(buf[pos:end], 'utf-8')
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.host_filter = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('HostFilter', n)
                m.host_filter = str(buf[pos:end], 'utf-8')
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
        m.resource_type_filter, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.resource_name_filter = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ResourceNameFilter', n)
            m.resource_name_filter = str(buf[pos:end], 'utf-8')
            pos = end
        m.pattern_type_filter, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.principal_filter = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('PrincipalFilter', n)
            m.principal_filter = str(buf[pos:end], 'utf-8')
            pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.host_filter = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('HostFilter', n)
            m.host_filter = str(buf[pos:end], 'utf-8')
            pos = end
        m.operation, m.permission_type, = _S1.unpack_from(buf, pos)
        pos += 2
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeAclsRequest', version)
        if version >= 2:
            out += _S0.pack(self.resource_type_filter)
            value_resource_name_filter = self.resource_name_filter
            if value_resource_name_filter is None:
                out += b'\x00'
            else:
                data = value_resource_name_filter.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S0.pack(self.pattern_type_filter)
            value_principal_filter = self.principal_filter
            if value_principal_filter is None:
                out += b'\x00'
            else:
                data = value_principal_filter.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            value_host_filter = self.host_filter
            if value_host_filter is None:
                out += b'\x00'
            else:
                data = value_host_filter.encode()
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
            out += _S0.pack(self.resource_type_filter)
            value_resource_name_filter = self.resource_name_filter
            if value_resource_name_filter is None:
                out += b'\xff\xff'
            else:
                data = value_resource_name_filter.encode()
                out += _S2.pack(len(data))
                out += data
            out += _S0.pack(self.pattern_type_filter)
            value_principal_filter = self.principal_filter
            if value_principal_filter is None:
                out += b'\xff\xff'
            else:
                data = value_principal_filter.encode()
                out += _S2.pack(len(data))
                out += data
            value_host_filter = self.host_filter
            if value_host_filter is None:
                out += b'\xff\xff'
            else:
                data = value_host_filter.encode()
                out += _S2.pack(len(data))
                out += data
            out += _S1.pack(self.operation, self.permission_type)


class AclDescription(Message):
    __slots__ = ('principal', 'host', 'operation', 'permission_type', 'unknown_tags',)

    def __init__(
        self,
        *,
        principal: str = '',
        host: str = '',
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AclDescription, int]:
        m = _new(AclDescription)
        if version >= 2:
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
            value_principal = self.principal
            data = value_principal.encode()
            out += _S2.pack(len(data))
            out += data
            value_host = self.host
            data = value_host.encode()
            out += _S2.pack(len(data))
            out += data
            out += _S1.pack(self.operation, self.permission_type)


class DescribeAclsResource(Message):
    __slots__ = ('resource_type', 'resource_name', 'pattern_type', 'acls', 'unknown_tags',)

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = '',
        pattern_type: int = 3,
        acls: list[AclDescription] = UNSET,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.acls = [] if acls is UNSET else acls
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeAclsResource, int]:
        m = _new(DescribeAclsResource)
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
            m.pattern_type, = _S0.unpack_from(buf, pos)
            pos += 1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Acls', n)
            items_acls = []
            read_acls = AclDescription.read
            for _ in range(n):
                item_acls, pos = read_acls(buf, pos, version)
                items_acls.append(item_acls)
            m.acls = items_acls
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
        m.pattern_type, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Acls', n)
        items_acls = []
        read_acls = AclDescription.read
        for _ in range(n):
            item_acls, pos = read_acls(buf, pos, version)
            items_acls.append(item_acls)
        m.acls = items_acls
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
            out += _S0.pack(self.pattern_type)
            value_acls = self.acls
            n = len(value_acls) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_acls in value_acls:
                item_acls.write(out, version)
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
            out += _S0.pack(self.pattern_type)
            value_acls = self.acls
            out += _S3.pack(len(value_acls))
            for item_acls in value_acls:
                item_acls.write(out, version)


class DescribeAclsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'resources', 'unknown_tags',)
    API_KEY = 29
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
        resources: list[DescribeAclsResource] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.resources = [] if resources is UNSET else resources
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeAclsResponse, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeAclsResponse', version)
        m = _new(DescribeAclsResponse)
        if version >= 2:
            m.throttle_time_ms, m.error_code, = _S4.unpack_from(buf, pos)
            pos += 6
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
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Resources', n)
            items_resources = []
            read_resources = DescribeAclsResource.read
            for _ in range(n):
                item_resources, pos = read_resources(buf, pos, version)
                items_resources.append(item_resources)
            m.resources = items_resources
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, m.error_code, = _S4.unpack_from(buf, pos)
        pos += 6
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
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Resources', n)
        items_resources = []
        read_resources = DescribeAclsResource.read
        for _ in range(n):
            item_resources, pos = read_resources(buf, pos, version)
            items_resources.append(item_resources)
        m.resources = items_resources
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeAclsResponse', version)
        if version >= 2:
            out += _S4.pack(self.throttle_time_ms, self.error_code)
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
            value_resources = self.resources
            n = len(value_resources) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_resources in value_resources:
                item_resources.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S4.pack(self.throttle_time_ms, self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S2.pack(len(data))
                out += data
            value_resources = self.resources
            out += _S3.pack(len(value_resources))
            for item_resources in value_resources:
                item_resources.write(out, version)
