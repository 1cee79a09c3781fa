"""DescribeClientQuotas: API key 48."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>b')
_S1 = Struct('>h')
_S2 = Struct('>?')
_S3 = Struct('>i')
_S4 = Struct('>d')
_S5 = Struct('>ih')


class ComponentData(Message):
    __slots__ = ('entity_type', 'match_type', 'match', 'unknown_tags',)

    def __init__(
        self,
        *,
        entity_type: str = '',
        match_type: int = 0,
        match: str | None = '',
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ComponentData, int]:
        m = _new(ComponentData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('EntityType', n)
            m.entity_type = str(buf[pos:end], 'utf-8')
            pos = end
            m.match_type, = _S0.unpack_from(buf, pos)
            pos += 1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.match = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Match', n)
                m.match = str(buf[pos:end], 'utf-8')
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
            raise bad_length('EntityType', n)
        m.entity_type = str(buf[pos:end], 'utf-8')
        pos = end
        m.match_type, = _S0.unpack_from(buf, pos)
        pos += 1
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.match = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Match', n)
            m.match = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            value_entity_type = self.entity_type
            data = value_entity_type.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S0.pack(self.match_type)
            value_match = self.match
            if value_match is None:
                out += b'\x00'
            else:
                data = value_match.encode()
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
            value_entity_type = self.entity_type
            data = value_entity_type.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S0.pack(self.match_type)
            value_match = self.match
            if value_match is None:
                out += b'\xff\xff'
            else:
                data = value_match.encode()
                out += _S1.pack(len(data))
                out += data


class DescribeClientQuotasRequest(Message):
    __slots__ = ('components', 'strict', 'unknown_tags',)
    API_KEY = 48
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        components: list[ComponentData] = UNSET,
        strict: bool = False,
    ) -> None:
        self.components = [] if components is UNSET else components
        self.strict = strict
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeClientQuotasRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeClientQuotasRequest', version)
        m = _new(DescribeClientQuotasRequest)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Components', n)
            items_components = []
            read_components = ComponentData.read
            for _ in range(n):
                item_components, pos = read_components(buf, pos, version)
                items_components.append(item_components)
            m.components = items_components
            m.strict, = _S2.unpack_from(buf, pos)
            pos += 1
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
            raise bad_length('Components', n)
        items_components = []
        read_components = ComponentData.read
        for _ in range(n):
            item_components, pos = read_components(buf, pos, version)
            items_components.append(item_components)
        m.components = items_components
        m.strict, = _S2.unpack_from(buf, pos)
        pos += 1
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeClientQuotasRequest', version)
        if version >= 1:
            value_components = self.components
            n = len(value_components) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_components in value_components:
                item_components.write(out, version)
            out += _S2.pack(self.strict)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_components = self.components
            out += _S3.pack(len(value_components))
            for item_components in value_components:
                item_components.write(out, version)
            out += _S2.pack(self.strict)


class EntityData(Message):
    __slots__ = ('entity_type', 'entity_name', 'unknown_tags',)

    def __init__(
        self,
        *,
        entity_type: str = '',
        entity_name: str | None = '',
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EntityData, int]:
        m = _new(EntityData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('EntityType', n)
            m.entity_type = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.entity_name = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('EntityName', n)
                m.entity_name = str(buf[pos:end], 'utf-8')
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
            raise bad_length('EntityType', n)
        m.entity_type = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.entity_name = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('EntityName', n)
            m.entity_name = str(buf[pos:end], 'utf-8')
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            value_entity_type = self.entity_type
            data = value_entity_type.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_entity_name = self.entity_name
            if value_entity_name is None:
                out += b'\x00'
            else:
                data = value_entity_name.encode()
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
            value_entity_type = self.entity_type
            data = value_entity_type.encode()
            out += _S1.pack(len(data))
            out += data
            value_entity_name = self.entity_name
            if value_entity_name is None:
                out += b'\xff\xff'
            else:
                data = value_entity_name.encode()
                out += _S1.pack(len(data))
                out += data


class ValueData(Message):
    __slots__ = ('key', 'value', 'unknown_tags',)

    def __init__(
        self,
        *,
        key: str = '',
        value: float = 0.0,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ValueData, int]:
        m = _new(ValueData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Key', n)
            m.key = str(buf[pos:end], 'utf-8')
            pos = end
            m.value, = _S4.unpack_from(buf, pos)
            pos += 8
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
            raise bad_length('Key', n)
        m.key = str(buf[pos:end], 'utf-8')
        pos = end
        m.value, = _S4.unpack_from(buf, pos)
        pos += 8
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            value_key = self.key
            data = value_key.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S4.pack(self.value)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_key = self.key
            data = value_key.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S4.pack(self.value)


class EntryData(Message):
    __slots__ = ('entity', 'values', 'unknown_tags',)

    def __init__(
        self,
        *,
        entity: list[EntityData] = UNSET,
        values: list[ValueData] = UNSET,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.values = [] if values is UNSET else values
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EntryData, int]:
        m = _new(EntryData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Entity', n)
            items_entity = []
            read_entity = EntityData.read
            for _ in range(n):
                item_entity, pos = read_entity(buf, pos, version)
                items_entity.append(item_entity)
            m.entity = items_entity
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Values', n)
            items_values = []
            read_values = ValueData.read
            for _ in range(n):
                item_values, pos = read_values(buf, pos, version)
                items_values.append(item_values)
            m.values = items_values
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
            raise bad_length('Entity', n)
        items_entity = []
        read_entity = EntityData.read
        for _ in range(n):
            item_entity, pos = read_entity(buf, pos, version)
            items_entity.append(item_entity)
        m.entity = items_entity
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Values', n)
        items_values = []
        read_values = ValueData.read
        for _ in range(n):
            item_values, pos = read_values(buf, pos, version)
            items_values.append(item_values)
        m.values = items_values
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            value_entity = self.entity
            n = len(value_entity) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_entity in value_entity:
                item_entity.write(out, version)
            value_values = self.values
            n = len(value_values) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_values in value_values:
                item_values.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_entity = self.entity
            out += _S3.pack(len(value_entity))
            for item_entity in value_entity:
                item_entity.write(out, version)
            value_values = self.values
            out += _S3.pack(len(value_values))
            for item_values in value_values:
                item_values.write(out, version)


class DescribeClientQuotasResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'entries', 'unknown_tags',)
    API_KEY = 48
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
        entries: list[EntryData] | None = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries = [] if entries is UNSET else entries
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeClientQuotasResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeClientQuotasResponse', version)
        m = _new(DescribeClientQuotasResponse)
        if version >= 1:
            m.throttle_time_ms, m.error_code, = _S5.unpack_from(buf, pos)
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
            if n == -1:
                m.entries = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Entries', n)
                items_entries = []
                read_entries = EntryData.read
                for _ in range(n):
                    item_entries, pos = read_entries(buf, pos, version)
                    items_entries.append(item_entries)
                m.entries = items_entries
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, m.error_code, = _S5.unpack_from(buf, pos)
        pos += 6
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
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.entries = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Entries', n)
            items_entries = []
            read_entries = EntryData.read
            for _ in range(n):
                item_entries, pos = read_entries(buf, pos, version)
                items_entries.append(item_entries)
            m.entries = items_entries
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('DescribeClientQuotasResponse', version)
        if version >= 1:
            out += _S5.pack(self.throttle_time_ms, self.error_code)
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
            value_entries = self.entries
            if value_entries is None:
                out += b'\x00'
            else:
                n = len(value_entries) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_entries in value_entries:
                    item_entries.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S5.pack(self.throttle_time_ms, self.error_code)
            value_error_message = self.error_message
            if value_error_message is None:
                out += b'\xff\xff'
            else:
                data = value_error_message.encode()
                out += _S1.pack(len(data))
                out += data
            value_entries = self.entries
            if value_entries is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S3.pack(len(value_entries))
                for item_entries in value_entries:
                    item_entries.write(out, version)
