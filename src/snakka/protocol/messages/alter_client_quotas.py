"""AlterClientQuotas: API key 49."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>d?')
_S2 = Struct('>i')
_S3 = Struct('>?')


class AlterClientQuotasRequestEntityData(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterClientQuotasRequestEntityData, int]:
        m = _new(AlterClientQuotasRequestEntityData)
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
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('EntityType', n)
        m.entity_type = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
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
            out += _S0.pack(len(data))
            out += data
            value_entity_name = self.entity_name
            if value_entity_name is None:
                out += b'\xff\xff'
            else:
                data = value_entity_name.encode()
                out += _S0.pack(len(data))
                out += data


class OpData(Message):
    __slots__ = ('key', 'value', 'remove', 'unknown_tags',)

    def __init__(
        self,
        *,
        key: str = '',
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[OpData, int]:
        m = _new(OpData)
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
            m.value, m.remove, = _S1.unpack_from(buf, pos)
            pos += 9
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
            raise bad_length('Key', n)
        m.key = str(buf[pos:end], 'utf-8')
        pos = end
        m.value, m.remove, = _S1.unpack_from(buf, pos)
        pos += 9
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
            out += _S1.pack(self.value, self.remove)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_key = self.key
            data = value_key.encode()
            out += _S0.pack(len(data))
            out += data
            out += _S1.pack(self.value, self.remove)


class AlterClientQuotasRequestEntryData(Message):
    __slots__ = ('entity', 'ops', 'unknown_tags',)

    def __init__(
        self,
        *,
        entity: list[AlterClientQuotasRequestEntityData] = UNSET,
        ops: list[OpData] = UNSET,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.ops = [] if ops is UNSET else ops
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterClientQuotasRequestEntryData, int]:
        m = _new(AlterClientQuotasRequestEntryData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Entity', n)
            items_entity = []
            read_entity = AlterClientQuotasRequestEntityData.read
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
                raise bad_length('Ops', n)
            items_ops = []
            read_ops = OpData.read
            for _ in range(n):
                item_ops, pos = read_ops(buf, pos, version)
                items_ops.append(item_ops)
            m.ops = items_ops
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
            raise bad_length('Entity', n)
        items_entity = []
        read_entity = AlterClientQuotasRequestEntityData.read
        for _ in range(n):
            item_entity, pos = read_entity(buf, pos, version)
            items_entity.append(item_entity)
        m.entity = items_entity
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Ops', n)
        items_ops = []
        read_ops = OpData.read
        for _ in range(n):
            item_ops, pos = read_ops(buf, pos, version)
            items_ops.append(item_ops)
        m.ops = items_ops
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
            value_ops = self.ops
            n = len(value_ops) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_ops in value_ops:
                item_ops.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_entity = self.entity
            out += _S2.pack(len(value_entity))
            for item_entity in value_entity:
                item_entity.write(out, version)
            value_ops = self.ops
            out += _S2.pack(len(value_ops))
            for item_ops in value_ops:
                item_ops.write(out, version)


class AlterClientQuotasRequest(Message):
    __slots__ = ('entries', 'validate_only', 'unknown_tags',)
    API_KEY = 49
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        entries: list[AlterClientQuotasRequestEntryData] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.entries = [] if entries is UNSET else entries
        self.validate_only = validate_only
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterClientQuotasRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('AlterClientQuotasRequest', version)
        m = _new(AlterClientQuotasRequest)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Entries', n)
            items_entries = []
            read_entries = AlterClientQuotasRequestEntryData.read
            for _ in range(n):
                item_entries, pos = read_entries(buf, pos, version)
                items_entries.append(item_entries)
            m.entries = items_entries
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
            raise bad_length('Entries', n)
        items_entries = []
        read_entries = AlterClientQuotasRequestEntryData.read
        for _ in range(n):
            item_entries, pos = read_entries(buf, pos, version)
            items_entries.append(item_entries)
        m.entries = items_entries
        m.validate_only, = _S3.unpack_from(buf, pos)
        pos += 1
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('AlterClientQuotasRequest', version)
        if version >= 1:
            value_entries = self.entries
            n = len(value_entries) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_entries in value_entries:
                item_entries.write(out, version)
            out += _S3.pack(self.validate_only)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_entries = self.entries
            out += _S2.pack(len(value_entries))
            for item_entries in value_entries:
                item_entries.write(out, version)
            out += _S3.pack(self.validate_only)


class AlterClientQuotasResponseEntityData(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterClientQuotasResponseEntityData, int]:
        m = _new(AlterClientQuotasResponseEntityData)
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
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('EntityType', n)
        m.entity_type = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
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
            out += _S0.pack(len(data))
            out += data
            value_entity_name = self.entity_name
            if value_entity_name is None:
                out += b'\xff\xff'
            else:
                data = value_entity_name.encode()
                out += _S0.pack(len(data))
                out += data


class AlterClientQuotasResponseEntryData(Message):
    __slots__ = ('error_code', 'error_message', 'entity', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
        entity: list[AlterClientQuotasResponseEntityData] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = [] if entity is UNSET else entity
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterClientQuotasResponseEntryData, int]:
        m = _new(AlterClientQuotasResponseEntryData)
        if version >= 1:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Entity', n)
            items_entity = []
            read_entity = AlterClientQuotasResponseEntityData.read
            for _ in range(n):
                item_entity, pos = read_entity(buf, pos, version)
                items_entity.append(item_entity)
            m.entity = items_entity
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
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Entity', n)
        items_entity = []
        read_entity = AlterClientQuotasResponseEntityData.read
        for _ in range(n):
            item_entity, pos = read_entity(buf, pos, version)
            items_entity.append(item_entity)
        m.entity = items_entity
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
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
            value_entity = self.entity
            n = len(value_entity) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_entity in value_entity:
                item_entity.write(out, version)
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
            value_entity = self.entity
            out += _S2.pack(len(value_entity))
            for item_entity in value_entity:
                item_entity.write(out, version)


class AlterClientQuotasResponse(Message):
    __slots__ = ('throttle_time_ms', 'entries', 'unknown_tags',)
    API_KEY = 49
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        entries: list[AlterClientQuotasResponseEntryData] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = [] if entries is UNSET else entries
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterClientQuotasResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('AlterClientQuotasResponse', version)
        m = _new(AlterClientQuotasResponse)
        if version >= 1:
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Entries', n)
            items_entries = []
            read_entries = AlterClientQuotasResponseEntryData.read
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
        m.throttle_time_ms, = _S2.unpack_from(buf, pos)
        pos += 4
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Entries', n)
        items_entries = []
        read_entries = AlterClientQuotasResponseEntryData.read
        for _ in range(n):
            item_entries, pos = read_entries(buf, pos, version)
            items_entries.append(item_entries)
        m.entries = items_entries
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('AlterClientQuotasResponse', version)
        if version >= 1:
            out += _S2.pack(self.throttle_time_ms)
            value_entries = self.entries
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
            out += _S2.pack(self.throttle_time_ms)
            value_entries = self.entries
            out += _S2.pack(len(value_entries))
            for item_entries in value_entries:
                item_entries.write(out, version)
