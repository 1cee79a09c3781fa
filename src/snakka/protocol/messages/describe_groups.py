"""DescribeGroups: API key 15."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_strings, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>?')
_S1 = Struct('>i')
_S2 = Struct('>h')


class DescribeGroupsRequest(Message):
    __slots__ = ('groups', 'include_authorized_operations', 'unknown_tags',)
    API_KEY = 15
    MIN_VERSION = 0
    MAX_VERSION = 6
    FLEXIBLE_FROM = 5

    def __init__(
        self,
        *,
        groups: list[str] = UNSET,
        include_authorized_operations: bool = False,
    ) -> None:
        self.groups = [] if groups is UNSET else groups
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeGroupsRequest, int]:
        if not 0 <= version <= 6:
            raise unsupported_version('DescribeGroupsRequest', version)
        m = _new(DescribeGroupsRequest)
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Groups', n)
            m.groups, pos = read_compact_strings(buf, pos, n)
            m.include_authorized_operations, = _S0.unpack_from(buf, pos)
            pos += 1
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Groups', n)
        m.groups, pos = read_strings(buf, pos, n)
        if version >= 3:
            m.include_authorized_operations, = _S0.unpack_from(buf, pos)
            pos += 1
        else:
            m.include_authorized_operations = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 6:
            raise unsupported_version('DescribeGroupsRequest', version)
        if version < 3 and not (self.include_authorized_operations == False):
            raise unsupported_field('IncludeAuthorizedOperations', version)
        if version >= 5:
            value_groups = self.groups
            n = len(value_groups) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            write_compact_strings(out, value_groups)
            out += _S0.pack(self.include_authorized_operations)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_groups = self.groups
            out += _S1.pack(len(value_groups))
            for text in value_groups:
                data = text.encode()
                out += _S2.pack(len(data)) + data
            if version >= 3:
                out += _S0.pack(self.include_authorized_operations)


class DescribedGroupMember(Message):
    __slots__ = ('member_id', 'group_instance_id', 'client_id', 'client_host', 'member_metadata', 'member_assignment', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        group_instance_id: str | None = None,
        client_id: str = '',
        client_host: str = '',
        member_metadata: bytes = b'',
        member_assignment: bytes = b'',
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribedGroupMember, int]:
        m = _new(DescribedGroupMember)
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('MemberId', n)
            m.member_id = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.group_instance_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('GroupInstanceId', n)
                m.group_instance_id = str(buf[pos:end], 'utf-8')
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClientId', n)
            m.client_id = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClientHost', n)
            m.client_host = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('MemberMetadata', n)
            m.member_metadata = bytes(buf[pos:end])
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('MemberAssignment', n)
            m.member_assignment = bytes(buf[pos:end])
            pos = end
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
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        if version >= 4:
            n, = _S2.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.group_instance_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('GroupInstanceId', n)
                m.group_instance_id = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.group_instance_id = None
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientId', n)
        m.client_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientHost', n)
        m.client_host = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberMetadata', n)
        m.member_metadata = bytes(buf[pos:end])
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberAssignment', n)
        m.member_assignment = bytes(buf[pos:end])
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 5:
            value_member_id = self.member_id
            data = value_member_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_group_instance_id = self.group_instance_id
            if value_group_instance_id is None:
                out += b'\x00'
            else:
                data = value_group_instance_id.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            value_client_id = self.client_id
            data = value_client_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_client_host = self.client_host
            data = value_client_host.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_member_metadata = self.member_metadata
            n = len(value_member_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_member_metadata
            value_member_assignment = self.member_assignment
            n = len(value_member_assignment) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_member_assignment
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S2.pack(len(data))
            out += data
            if version >= 4:
                value_group_instance_id = self.group_instance_id
                if value_group_instance_id is None:
                    out += b'\xff\xff'
                else:
                    data = value_group_instance_id.encode()
                    out += _S2.pack(len(data))
                    out += data
            value_client_id = self.client_id
            data = value_client_id.encode()
            out += _S2.pack(len(data))
            out += data
            value_client_host = self.client_host
            data = value_client_host.encode()
            out += _S2.pack(len(data))
            out += data
            value_member_metadata = self.member_metadata
            out += _S1.pack(len(value_member_metadata))
            out += value_member_metadata
            value_member_assignment = self.member_assignment
            out += _S1.pack(len(value_member_assignment))
            out += value_member_assignment


class DescribedGroup(Message):
    __slots__ = ('error_code', 'error_message', 'group_id', 'group_state', 'protocol_type', 'protocol_data', 'members', 'authorized_operations', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = '',
        group_state: str = '',
        protocol_type: str = '',
        protocol_data: str = '',
        members: list[DescribedGroupMember] = UNSET,
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = [] if members is UNSET else members
        self.authorized_operations = authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribedGroup, int]:
        m = _new(DescribedGroup)
        if version >= 5:
            m.error_code, = _S2.unpack_from(buf, pos)
            pos += 2
            if version >= 6:
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
            else:
                m.error_message = None
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
                raise bad_length('GroupState', n)
            m.group_state = str(buf[pos:end], 'utf-8')
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ProtocolData', n)
            m.protocol_data = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Members', n)
            items_members = []
            read_members = DescribedGroupMember.read
            for _ in range(n):
                item_members, pos = read_members(buf, pos, version)
                items_members.append(item_members)
            m.members = items_members
            m.authorized_operations, = _S1.unpack_from(buf, pos)
            pos += 4
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
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupState', n)
        m.group_state = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ProtocolType', n)
        m.protocol_type = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ProtocolData', n)
        m.protocol_data = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Members', n)
        items_members = []
        read_members = DescribedGroupMember.read
        for _ in range(n):
            item_members, pos = read_members(buf, pos, version)
            items_members.append(item_members)
        m.members = items_members
        if version >= 3:
            m.authorized_operations, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.authorized_operations = -2147483648
        m.error_message = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 6 and not (self.error_message is None):
            raise unsupported_field('ErrorMessage', version)
        if version < 3 and not (self.authorized_operations == -2147483648):
            raise unsupported_field('AuthorizedOperations', version)
        if version >= 5:
            out += _S2.pack(self.error_code)
            if version >= 6:
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
            value_group_id = self.group_id
            data = value_group_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_group_state = self.group_state
            data = value_group_state.encode()
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
            value_protocol_data = self.protocol_data
            data = value_protocol_data.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_members = self.members
            n = len(value_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_members in value_members:
                item_members.write(out, version)
            out += _S1.pack(self.authorized_operations)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S2.pack(self.error_code)
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S2.pack(len(data))
            out += data
            value_group_state = self.group_state
            data = value_group_state.encode()
            out += _S2.pack(len(data))
            out += data
            value_protocol_type = self.protocol_type
            data = value_protocol_type.encode()
            out += _S2.pack(len(data))
            out += data
            value_protocol_data = self.protocol_data
            data = value_protocol_data.encode()
            out += _S2.pack(len(data))
            out += data
            value_members = self.members
            out += _S1.pack(len(value_members))
            for item_members in value_members:
                item_members.write(out, version)
            if version >= 3:
                out += _S1.pack(self.authorized_operations)


class DescribeGroupsResponse(Message):
    __slots__ = ('throttle_time_ms', 'groups', 'unknown_tags',)
    API_KEY = 15
    MIN_VERSION = 0
    MAX_VERSION = 6
    FLEXIBLE_FROM = 5

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[DescribedGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeGroupsResponse, int]:
        if not 0 <= version <= 6:
            raise unsupported_version('DescribeGroupsResponse', version)
        m = _new(DescribeGroupsResponse)
        if version >= 5:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Groups', n)
            items_groups = []
            read_groups = DescribedGroup.read
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
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Groups', n)
        items_groups = []
        read_groups = DescribedGroup.read
        for _ in range(n):
            item_groups, pos = read_groups(buf, pos, version)
            items_groups.append(item_groups)
        m.groups = items_groups
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 6:
            raise unsupported_version('DescribeGroupsResponse', version)
        if version >= 5:
            out += _S1.pack(self.throttle_time_ms)
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
                out += _S1.pack(self.throttle_time_ms)
            value_groups = self.groups
            out += _S1.pack(len(value_groups))
            for item_groups in value_groups:
                item_groups.write(out, version)
