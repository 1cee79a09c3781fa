"""DescribeConfigs: API key 32."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_strings, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>b')
_S1 = Struct('>h')
_S2 = Struct('>i')
_S3 = Struct('>??')
_S4 = Struct('>?')
_S5 = Struct('>?b?')


class DescribeConfigsResource(Message):
    __slots__ = ('resource_type', 'resource_name', 'configuration_keys', 'unknown_tags',)

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = '',
        configuration_keys: list[str] | None = UNSET,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = [] if configuration_keys is UNSET else configuration_keys
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeConfigsResource, int]:
        m = _new(DescribeConfigsResource)
        if version >= 4:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.configuration_keys = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('ConfigurationKeys', n)
                m.configuration_keys, pos = read_compact_strings(buf, pos, n)
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.resource_type, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ResourceName', n)
        m.resource_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.configuration_keys = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('ConfigurationKeys', n)
            m.configuration_keys, pos = read_strings(buf, pos, n)
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 4:
            out += _S0.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_configuration_keys = self.configuration_keys
            if value_configuration_keys is None:
                out += b'\x00'
            else:
                n = len(value_configuration_keys) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                write_compact_strings(out, value_configuration_keys)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            out += _S1.pack(len(data))
            out += data
            value_configuration_keys = self.configuration_keys
            if value_configuration_keys is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S2.pack(len(value_configuration_keys))
                for text in value_configuration_keys:
                    data = text.encode()
                    out += _S1.pack(len(data)) + data


class DescribeConfigsRequest(Message):
    __slots__ = ('resources', 'include_synonyms', 'include_documentation', 'unknown_tags',)
    API_KEY = 32
    MIN_VERSION = 1
    MAX_VERSION = 4
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        resources: list[DescribeConfigsResource] = UNSET,
        include_synonyms: bool = False,
        include_documentation: bool = False,
    ) -> None:
        self.resources = [] if resources is UNSET else resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeConfigsRequest, int]:
        if not 1 <= version <= 4:
            raise unsupported_version('DescribeConfigsRequest', version)
        m = _new(DescribeConfigsRequest)
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Resources', n)
            items_resources = []
            read_resources = DescribeConfigsResource.read
            for _ in range(n):
                item_resources, pos = read_resources(buf, pos, version)
                items_resources.append(item_resources)
            m.resources = items_resources
            m.include_synonyms, m.include_documentation, = _S3.unpack_from(buf, pos)
            pos += 2
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Resources', n)
        items_resources = []
        read_resources = DescribeConfigsResource.read
        for _ in range(n):
            item_resources, pos = read_resources(buf, pos, version)
            items_resources.append(item_resources)
        m.resources = items_resources
        m.include_synonyms, = _S4.unpack_from(buf, pos)
        pos += 1
        if version >= 3:
            m.include_documentation, = _S4.unpack_from(buf, pos)
            pos += 1
        else:
            m.include_documentation = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 4:
            raise unsupported_version('DescribeConfigsRequest', version)
        if version < 3 and not (self.include_documentation == False):
            raise unsupported_field('IncludeDocumentation', version)
        if version >= 4:
            value_resources = self.resources
            n = len(value_resources) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_resources in value_resources:
                item_resources.write(out, version)
            out += _S3.pack(self.include_synonyms, self.include_documentation)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_resources = self.resources
            out += _S2.pack(len(value_resources))
            for item_resources in value_resources:
                item_resources.write(out, version)
            out += _S4.pack(self.include_synonyms)
            if version >= 3:
                out += _S4.pack(self.include_documentation)


class DescribeConfigsSynonym(Message):
    __slots__ = ('name', 'value', 'source', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        value: str | None = '',
        source: int = 0,
    ) -> None:
        self.name = name
        self.value = value
        self.source = source
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeConfigsSynonym, int]:
        m = _new(DescribeConfigsSynonym)
        if version >= 4:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.value = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Value', n)
                m.value = str(buf[pos:end], 'utf-8')
                pos = end
            m.source, = _S0.unpack_from(buf, pos)
            pos += 1
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
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.value = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Value', n)
            m.value = str(buf[pos:end], 'utf-8')
            pos = end
        m.source, = _S0.unpack_from(buf, pos)
        pos += 1
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 4:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_value = self.value
            if value_value is None:
                out += b'\x00'
            else:
                data = value_value.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S0.pack(self.source)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S1.pack(len(data))
            out += data
            value_value = self.value
            if value_value is None:
                out += b'\xff\xff'
            else:
                data = value_value.encode()
                out += _S1.pack(len(data))
                out += data
            out += _S0.pack(self.source)


class DescribeConfigsResourceResult(Message):
    __slots__ = ('name', 'value', 'read_only', 'config_source', 'is_sensitive', 'synonyms', 'config_type', 'documentation', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        value: str | None = '',
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        synonyms: list[DescribeConfigsSynonym] = UNSET,
        config_type: int = 0,
        documentation: str | None = '',
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = [] if synonyms is UNSET else synonyms
        self.config_type = config_type
        self.documentation = documentation
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeConfigsResourceResult, int]:
        m = _new(DescribeConfigsResourceResult)
        if version >= 4:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.value = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Value', n)
                m.value = str(buf[pos:end], 'utf-8')
                pos = end
            m.read_only, m.config_source, m.is_sensitive, = _S5.unpack_from(buf, pos)
            pos += 3
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Synonyms', n)
            items_synonyms = []
            read_synonyms = DescribeConfigsSynonym.read
            for _ in range(n):
                item_synonyms, pos = read_synonyms(buf, pos, version)
                items_synonyms.append(item_synonyms)
            m.synonyms = items_synonyms
            m.config_type, = _S0.unpack_from(buf, pos)
            pos += 1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.documentation = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Documentation', n)
                m.documentation = str(buf[pos:end], 'utf-8')
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
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.value = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Value', n)
            m.value = str(buf[pos:end], 'utf-8')
            pos = end
        m.read_only, m.config_source, m.is_sensitive, = _S5.unpack_from(buf, pos)
        pos += 3
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Synonyms', n)
        items_synonyms = []
        read_synonyms = DescribeConfigsSynonym.read
        for _ in range(n):
            item_synonyms, pos = read_synonyms(buf, pos, version)
            items_synonyms.append(item_synonyms)
        m.synonyms = items_synonyms
        if version >= 3:
            m.config_type, = _S0.unpack_from(buf, pos)
            pos += 1
        else:
            m.config_type = 0
        if version >= 3:
            n, = _S1.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.documentation = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Documentation', n)
                m.documentation = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.documentation = ''
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 4:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_value = self.value
            if value_value is None:
                out += b'\x00'
            else:
                data = value_value.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S5.pack(self.read_only, self.config_source, self.is_sensitive)
            value_synonyms = self.synonyms
            n = len(value_synonyms) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_synonyms in value_synonyms:
                item_synonyms.write(out, version)
            out += _S0.pack(self.config_type)
            value_documentation = self.documentation
            if value_documentation is None:
                out += b'\x00'
            else:
                data = value_documentation.encode()
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
            value_name = self.name
            data = value_name.encode()
            out += _S1.pack(len(data))
            out += data
            value_value = self.value
            if value_value is None:
                out += b'\xff\xff'
            else:
                data = value_value.encode()
                out += _S1.pack(len(data))
                out += data
            out += _S5.pack(self.read_only, self.config_source, self.is_sensitive)
            value_synonyms = self.synonyms
            out += _S2.pack(len(value_synonyms))
            for item_synonyms in value_synonyms:
                item_synonyms.write(out, version)
            if version >= 3:
                out += _S0.pack(self.config_type)
            if version >= 3:
                value_documentation = self.documentation
                if value_documentation is None:
                    out += b'\xff\xff'
                else:
                    data = value_documentation.encode()
                    out += _S1.pack(len(data))
                    out += data


class DescribeConfigsResult(Message):
    __slots__ = ('error_code', 'error_message', 'resource_type', 'resource_name', 'configs', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
        resource_type: int = 0,
        resource_name: str = '',
        configs: list[DescribeConfigsResourceResult] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = [] if configs is UNSET else configs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeConfigsResult, int]:
        m = _new(DescribeConfigsResult)
        if version >= 4:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Configs', n)
            items_configs = []
            read_configs = DescribeConfigsResourceResult.read
            for _ in range(n):
                item_configs, pos = read_configs(buf, pos, version)
                items_configs.append(item_configs)
            m.configs = items_configs
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
        m.resource_type, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ResourceName', n)
        m.resource_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Configs', n)
        items_configs = []
        read_configs = DescribeConfigsResourceResult.read
        for _ in range(n):
            item_configs, pos = read_configs(buf, pos, version)
            items_configs.append(item_configs)
        m.configs = items_configs
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 4:
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
            out += _S0.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_configs = self.configs
            n = len(value_configs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_configs in value_configs:
                item_configs.write(out, version)
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
            out += _S0.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            out += _S1.pack(len(data))
            out += data
            value_configs = self.configs
            out += _S2.pack(len(value_configs))
            for item_configs in value_configs:
                item_configs.write(out, version)


class DescribeConfigsResponse(Message):
    __slots__ = ('throttle_time_ms', 'results', 'unknown_tags',)
    API_KEY = 32
    MIN_VERSION = 1
    MAX_VERSION = 4
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[DescribeConfigsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeConfigsResponse, int]:
        if not 1 <= version <= 4:
            raise unsupported_version('DescribeConfigsResponse', version)
        m = _new(DescribeConfigsResponse)
        if version >= 4:
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Results', n)
            items_results = []
            read_results = DescribeConfigsResult.read
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
        m.throttle_time_ms, = _S2.unpack_from(buf, pos)
        pos += 4
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Results', n)
        items_results = []
        read_results = DescribeConfigsResult.read
        for _ in range(n):
            item_results, pos = read_results(buf, pos, version)
            items_results.append(item_results)
        m.results = items_results
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 4:
            raise unsupported_version('DescribeConfigsResponse', version)
        if version >= 4:
            out += _S2.pack(self.throttle_time_ms)
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
            out += _S2.pack(self.throttle_time_ms)
            value_results = self.results
            out += _S2.pack(len(value_results))
            for item_results in value_results:
                item_results.write(out, version)
