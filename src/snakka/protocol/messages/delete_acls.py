"""DeleteAcls: API key 31."""
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


class DeleteAclsFilter(Message):
    __slots__ = ('resource_type_filter', 'resource_name_filter', 'pattern_type_filter', 'principal_filter', 'host_filter', 'operation', 'permission_type', 'unknown_tags',)

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
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteAclsFilter, int]:
        m = _new(DeleteAclsFilter)
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


class DeleteAclsRequest(Message):
    __slots__ = ('filters', 'unknown_tags',)
    API_KEY = 31
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        filters: list[DeleteAclsFilter] = UNSET,
    ) -> None:
        self.filters = [] if filters is UNSET else filters
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteAclsRequest, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('DeleteAclsRequest', version)
        m = _new(DeleteAclsRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Filters', n)
            items_filters = []
            read_filters = DeleteAclsFilter.read
            for _ in range(n):
                item_filters, pos = read_filters(buf, pos, version)
                items_filters.append(item_filters)
            m.filters = items_filters
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
            raise bad_length('Filters', n)
        items_filters = []
        read_filters = DeleteAclsFilter.read
        for _ in range(n):
            item_filters, pos = read_filters(buf, pos, version)
            items_filters.append(item_filters)
        m.filters = items_filters
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('DeleteAclsRequest', version)
        if version >= 2:
            value_filters = self.filters
            n = len(value_filters) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_filters in value_filters:
                item_filters.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_filters = self.filters
            out += _S3.pack(len(value_filters))
            for item_filters in value_filters:
                item_filters.write(out, version)


class DeleteAclsMatchingAcl(Message):
    __slots__ = ('error_code', 'error_message', 'resource_type', 'resource_name', 'pattern_type', 'principal', 'host', 'operation', 'permission_type', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
        resource_type: int = 0,
        resource_name: str = '',
        pattern_type: int = 3,
        principal: str = '',
        host: str = '',
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteAclsMatchingAcl, int]:
        m = _new(DeleteAclsMatchingAcl)
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
            out += _S2.pack(self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S2.pack(len(data))
                out += data
            out += _S0.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            out += _S2.pack(len(data))
            out += data
            out += _S0.pack(self.pattern_type)
            value_principal = self.principal
            data = value_principal.encode()
            out += _S2.pack(len(data))
            out += data
            value_host = self.host
            data = value_host.encode()
            out += _S2.pack(len(data))
            out += data
            out += _S1.pack(self.operation, self.permission_type)


class DeleteAclsFilterResult(Message):
    __slots__ = ('error_code', 'error_message', 'matching_acls', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
        matching_acls: list[DeleteAclsMatchingAcl] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.matching_acls = [] if matching_acls is UNSET else matching_acls
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteAclsFilterResult, int]:
        m = _new(DeleteAclsFilterResult)
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('MatchingAcls', n)
            items_matching_acls = []
            read_matching_acls = DeleteAclsMatchingAcl.read
            for _ in range(n):
                item_matching_acls, pos = read_matching_acls(buf, pos, version)
                items_matching_acls.append(item_matching_acls)
            m.matching_acls = items_matching_acls
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
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('MatchingAcls', n)
        items_matching_acls = []
        read_matching_acls = DeleteAclsMatchingAcl.read
        for _ in range(n):
            item_matching_acls, pos = read_matching_acls(buf, pos, version)
            items_matching_acls.append(item_matching_acls)
        m.matching_acls = items_matching_acls
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
            value_matching_acls = self.matching_acls
            n = len(value_matching_acls) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_matching_acls in value_matching_acls:
                item_matching_acls.write(out, version)
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
            value_matching_acls = self.matching_acls
            out += _S3.pack(len(value_matching_acls))
            for item_matching_acls in value_matching_acls:
                item_matching_acls.write(out, version)


class DeleteAclsResponse(Message):
    __slots__ = ('throttle_time_ms', 'filter_results', 'unknown_tags',)
    API_KEY = 31
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        filter_results: list[DeleteAclsFilterResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results = [] if filter_results is UNSET else filter_results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteAclsResponse, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('DeleteAclsResponse', version)
        m = _new(DeleteAclsResponse)
        if version >= 2:
            m.throttle_time_ms, = _S3.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('FilterResults', n)
            items_filter_results = []
            read_filter_results = DeleteAclsFilterResult.read
            for _ in range(n):
                item_filter_results, pos = read_filter_results(buf, pos, version)
                items_filter_results.append(item_filter_results)
            m.filter_results = items_filter_results
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
            raise bad_length('FilterResults', n)
        items_filter_results = []
        read_filter_results = DeleteAclsFilterResult.read
        for _ in range(n):
            item_filter_results, pos = read_filter_results(buf, pos, version)
            items_filter_results.append(item_filter_results)
        m.filter_results = items_filter_results
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('DeleteAclsResponse', version)
        if version >= 2:
            out += _S3.pack(self.throttle_time_ms)
            value_filter_results = self.filter_results
            n = len(value_filter_results) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_filter_results in value_filter_results:
                item_filter_results.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S3.pack(self.throttle_time_ms)
            value_filter_results = self.filter_results
            out += _S3.pack(len(value_filter_results))
            for item_filter_results in value_filter_results:
                item_filter_results.write(out, version)
