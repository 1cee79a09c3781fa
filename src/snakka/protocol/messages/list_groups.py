"""ListGroups: API key 16."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>ih')
_S2 = Struct('>i')


class ListGroupsRequest(Message):
    __slots__ = ('states_filter', 'types_filter', 'unknown_tags',)
    API_KEY = 16
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        states_filter: list[str] = UNSET,
        types_filter: list[str] = UNSET,
    ) -> None:
        self.states_filter = [] if states_filter is UNSET else states_filter
        self.types_filter = [] if types_filter is UNSET else types_filter
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListGroupsRequest, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('ListGroupsRequest', version)
        m = _new(ListGroupsRequest)
        if version >= 3:
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('StatesFilter', n)
                m.states_filter, pos = read_compact_strings(buf, pos, n)
            else:
                m.states_filter = []
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('TypesFilter', n)
                m.types_filter, pos = read_compact_strings(buf, pos, n)
            else:
                m.types_filter = []
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.states_filter = []
        m.types_filter = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('ListGroupsRequest', version)
        if version < 4 and not (not self.states_filter):
            raise unsupported_field('StatesFilter', version)
        if version < 5 and not (not self.types_filter):
            raise unsupported_field('TypesFilter', version)
        if version >= 3:
            if version >= 4:
                value_states_filter = self.states_filter
                n = len(value_states_filter) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                write_compact_strings(out, value_states_filter)
            if version >= 5:
                value_types_filter = self.types_filter
                n = len(value_types_filter) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                write_compact_strings(out, value_types_filter)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            pass


class ListedGroup(Message):
    __slots__ = ('group_id', 'protocol_type', 'group_state', 'group_type', 'unknown_tags',)

    def __init__(
        self,
        *,
        group_id: str = '',
        protocol_type: str = '',
        group_state: str = '',
        group_type: str = '',
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListedGroup, int]:
        m = _new(ListedGroup)
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('GroupId', n)
            m.group_id = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ProtocolType', n)
            m.protocol_type = str(buf[pos:end], 'utf-8')
            pos = end
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('GroupState', n)
                m.group_state = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.group_state = ''
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('GroupType', n)
                m.group_type = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.group_type = ''
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
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ProtocolType', n)
        m.protocol_type = str(buf[pos:end], 'utf-8')
        pos = end
        m.group_state = ''
        m.group_type = ''
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 3:
            value_group_id = self.group_id
            data = value_group_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_protocol_type = self.protocol_type
            data = value_protocol_type.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            if version >= 4:
                value_group_state = self.group_state
                data = value_group_state.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 5:
                value_group_type = self.group_type
                data = value_group_type.encode()
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
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_protocol_type = self.protocol_type
            data = value_protocol_type.encode()
            out += _S0.pack(len(data))
            out += data


class ListGroupsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'groups', 'unknown_tags',)
    API_KEY = 16
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        groups: list[ListedGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = [] if groups is UNSET else groups
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListGroupsResponse, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('ListGroupsResponse', version)
        m = _new(ListGroupsResponse)
        if version >= 3:
            m.throttle_time_ms, m.error_code, = _S1.unpack_from(buf, pos)
            pos += 6
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Groups', n)
            items_groups = []
            read_groups = ListedGroup.read
            for _ in range(n):
                item_groups, pos = read_groups(buf, pos, version)
                items_groups.append(item_groups)
            m.groups = items_groups
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        if version >= 1:
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Groups', n)
        items_groups = []
        read_groups = ListedGroup.read
        for _ in range(n):
            item_groups, pos = read_groups(buf, pos, version)
            items_groups.append(item_groups)
        m.groups = items_groups
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('ListGroupsResponse', version)
        if version >= 3:
            out += _S1.pack(self.throttle_time_ms, self.error_code)
            value_groups = self.groups
            n = len(value_groups) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_groups in value_groups:
                item_groups.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 1:
                out += _S2.pack(self.throttle_time_ms)
            out += _S0.pack(self.error_code)
            value_groups = self.groups
            out += _S2.pack(len(value_groups))
            for item_groups in value_groups:
                item_groups.write(out, version)
