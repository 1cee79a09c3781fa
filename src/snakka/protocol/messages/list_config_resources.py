"""ListConfigResources: API key 74."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>b')
_S1 = Struct('>ih')


class ListConfigResourcesRequest(Message):
    __slots__ = ('resource_types', 'unknown_tags',)
    API_KEY = 74
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        resource_types: list[int] = UNSET,
    ) -> None:
        self.resource_types = [] if resource_types is UNSET else resource_types
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListConfigResourcesRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('ListConfigResourcesRequest', version)
        m = _new(ListConfigResourcesRequest)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('ResourceTypes', n)
            m.resource_types = list(unpack_from(f'>{n}b', buf, pos))
            pos += n
        else:
            m.resource_types = []
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('ListConfigResourcesRequest', version)
        if version < 1 and not (not self.resource_types):
            raise unsupported_field('ResourceTypes', version)
        if version >= 1:
            value_resource_types = self.resource_types
            n = len(value_resource_types) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_resource_types)}b', *value_resource_types)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ConfigResource(Message):
    __slots__ = ('resource_name', 'resource_type', 'unknown_tags',)

    def __init__(
        self,
        *,
        resource_name: str = '',
        resource_type: int = 16,
    ) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ConfigResource, int]:
        m = _new(ConfigResource)
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
        if version >= 1:
            m.resource_type, = _S0.unpack_from(buf, pos)
            pos += 1
        else:
            m.resource_type = 16
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_resource_name = self.resource_name
        data = value_resource_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        if version >= 1:
            out += _S0.pack(self.resource_type)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ListConfigResourcesResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'config_resources', 'unknown_tags',)
    API_KEY = 74
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: list[ConfigResource] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = [] if config_resources is UNSET else config_resources
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListConfigResourcesResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('ListConfigResourcesResponse', version)
        m = _new(ListConfigResourcesResponse)
        m.throttle_time_ms, m.error_code, = _S1.unpack_from(buf, pos)
        pos += 6
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ConfigResources', n)
        items_config_resources = []
        read_config_resources = ConfigResource.read
        for _ in range(n):
            item_config_resources, pos = read_config_resources(buf, pos, version)
            items_config_resources.append(item_config_resources)
        m.config_resources = items_config_resources
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('ListConfigResourcesResponse', version)
        out += _S1.pack(self.throttle_time_ms, self.error_code)
        value_config_resources = self.config_resources
        n = len(value_config_resources) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_config_resources in value_config_resources:
            item_config_resources.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
