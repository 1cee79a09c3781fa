"""AlterConfigs: API key 33."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>b')
_S2 = Struct('>i')
_S3 = Struct('>?')


class AlterableConfig(Message):
    __slots__ = ('name', 'value', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        value: str | None = '',
    ) -> None:
        self.name = name
        self.value = value
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterableConfig, int]:
        m = _new(AlterableConfig)
        if version >= 2:
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
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.value = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Value', n)
            m.value = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
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
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S0.pack(len(data))
            out += data
            value_value = self.value
            if value_value is None:
                out += b'\xff\xff'
            else:
                data = value_value.encode()
                out += _S0.pack(len(data))
                out += data


class AlterConfigsResource(Message):
    __slots__ = ('resource_type', 'resource_name', 'configs', 'unknown_tags',)

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = '',
        configs: list[AlterableConfig] = UNSET,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = [] if configs is UNSET else configs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterConfigsResource, int]:
        m = _new(AlterConfigsResource)
        if version >= 2:
            m.resource_type, = _S1.unpack_from(buf, pos)
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
            read_configs = AlterableConfig.read
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
        m.resource_type, = _S1.unpack_from(buf, pos)
        pos += 1
        n, = _S0.unpack_from(buf, pos)
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
        read_configs = AlterableConfig.read
        for _ in range(n):
            item_configs, pos = read_configs(buf, pos, version)
            items_configs.append(item_configs)
        m.configs = items_configs
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S1.pack(self.resource_type)
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
            out += _S1.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            out += _S0.pack(len(data))
            out += data
            value_configs = self.configs
            out += _S2.pack(len(value_configs))
            for item_configs in value_configs:
                item_configs.write(out, version)


class AlterConfigsRequest(Message):
    __slots__ = ('resources', 'validate_only', 'unknown_tags',)
    API_KEY = 33
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        resources: list[AlterConfigsResource] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.resources = [] if resources is UNSET else resources
        self.validate_only = validate_only
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterConfigsRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('AlterConfigsRequest', version)
        m = _new(AlterConfigsRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Resources', n)
            items_resources = []
            read_resources = AlterConfigsResource.read
            for _ in range(n):
                item_resources, pos = read_resources(buf, pos, version)
                items_resources.append(item_resources)
            m.resources = items_resources
            m.validate_only, = _S3.unpack_from(buf, pos)
            pos += 1
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
        read_resources = AlterConfigsResource.read
        for _ in range(n):
            item_resources, pos = read_resources(buf, pos, version)
            items_resources.append(item_resources)
        m.resources = items_resources
        m.validate_only, = _S3.unpack_from(buf, pos)
        pos += 1
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('AlterConfigsRequest', version)
        if version >= 2:
            value_resources = self.resources
            n = len(value_resources) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_resources in value_resources:
                item_resources.write(out, version)
            out += _S3.pack(self.validate_only)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_resources = self.resources
            out += _S2.pack(len(value_resources))
            for item_resources in value_resources:
                item_resources.write(out, version)
            out += _S3.pack(self.validate_only)


class AlterConfigsResourceResponse(Message):
    __slots__ = ('error_code', 'error_message', 'resource_type', 'resource_name', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
        resource_type: int = 0,
        resource_name: str = '',
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterConfigsResourceResponse, int]:
        m = _new(AlterConfigsResourceResponse)
        if version >= 2:
            m.error_code, = _S0.unpack_from(buf, pos)
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
            m.resource_type, = _S1.unpack_from(buf, pos)
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
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        m.resource_type, = _S1.unpack_from(buf, pos)
        pos += 1
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ResourceName', n)
        m.resource_name = str(buf[pos:end], 'utf-8')
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            out += _S0.pack(self.error_code)
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
            out += _S1.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
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
            out += _S0.pack(self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S0.pack(len(data))
                out += data
            out += _S1.pack(self.resource_type)
            value_resource_name = self.resource_name
            data = value_resource_name.encode()
            out += _S0.pack(len(data))
            out += data


class AlterConfigsResponse(Message):
    __slots__ = ('throttle_time_ms', 'responses', 'unknown_tags',)
    API_KEY = 33
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        responses: list[AlterConfigsResourceResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = [] if responses is UNSET else responses
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterConfigsResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('AlterConfigsResponse', version)
        m = _new(AlterConfigsResponse)
        if version >= 2:
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Responses', n)
            items_responses = []
            read_responses = AlterConfigsResourceResponse.read
            for _ in range(n):
                item_responses, pos = read_responses(buf, pos, version)
                items_responses.append(item_responses)
            m.responses = items_responses
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
            raise bad_length('Responses', n)
        items_responses = []
        read_responses = AlterConfigsResourceResponse.read
        for _ in range(n):
            item_responses, pos = read_responses(buf, pos, version)
            items_responses.append(item_responses)
        m.responses = items_responses
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('AlterConfigsResponse', version)
        if version >= 2:
            out += _S2.pack(self.throttle_time_ms)
            value_responses = self.responses
            n = len(value_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_responses in value_responses:
                item_responses.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.throttle_time_ms)
            value_responses = self.responses
            out += _S2.pack(len(value_responses))
            for item_responses in value_responses:
                item_responses.write(out, version)
