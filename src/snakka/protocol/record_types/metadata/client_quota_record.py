"""ClientQuotaRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>d?')


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

    def write(self, out: Frame, version: int) -> None:
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


class ClientQuotaRecord(Message):
    __slots__ = ('entity', 'key', 'value', 'remove', 'unknown_tags',)
    RECORD_KEY = 14
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        entity: list[EntityData] = UNSET,
        key: str = '',
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ClientQuotaRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ClientQuotaRecord', version)
        m = _new(ClientQuotaRecord)
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
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Key', n)
        m.key = str(buf[pos:end], 'utf-8')
        pos = end
        m.value, m.remove, = _S0.unpack_from(buf, pos)
        pos += 9
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ClientQuotaRecord', version)
        value_entity = self.entity
        n = len(value_entity) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_entity in value_entity:
            item_entity.write(out, version)
        value_key = self.key
        data = value_key.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.value, self.remove)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
