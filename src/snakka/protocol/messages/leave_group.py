"""LeaveGroup: API key 13."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>ih')


class MemberIdentity(Message):
    __slots__ = ('member_id', 'group_instance_id', 'reason', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        group_instance_id: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MemberIdentity, int]:
        m = _new(MemberIdentity)
        if version >= 4:
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
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                if n == -1:
                    m.reason = None
                else:
                    end = pos + n
                    if n < 0 or end > len(buf):
                        raise bad_length('Reason', n)
                    m.reason = str(buf[pos:end], 'utf-8')
                    pos = end
            else:
                m.reason = None
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
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.group_instance_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('GroupInstanceId', n)
            m.group_instance_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.reason = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 4:
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
            if version >= 5:
                value_reason = self.reason
                if value_reason is None:
                    out += b'\x00'
                else:
                    data = value_reason.encode()
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
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_group_instance_id = self.group_instance_id
            if value_group_instance_id is None:
                out += b'\xff\xff'
            else:
                data = value_group_instance_id.encode()
                out += _S0.pack(len(data))
                out += data


class LeaveGroupRequest(Message):
    __slots__ = ('group_id', 'member_id', 'members', 'unknown_tags',)
    API_KEY = 13
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        group_id: str = '',
        member_id: str = '',
        members: list[MemberIdentity] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members = [] if members is UNSET else members
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaveGroupRequest, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('LeaveGroupRequest', version)
        m = _new(LeaveGroupRequest)
        if version >= 4:
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
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Members', n)
            items_members = []
            read_members = MemberIdentity.read
            for _ in range(n):
                item_members, pos = read_members(buf, pos, version)
                items_members.append(item_members)
            m.members = items_members
            m.member_id = ''
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
        if version <= 2:
            n, = _S0.unpack_from(buf, pos)
            pos += 2
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('MemberId', n)
            m.member_id = str(buf[pos:end], 'utf-8')
            pos = end
        else:
            m.member_id = ''
        if version >= 3:
            n, = _S1.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Members', n)
            items_members = []
            read_members = MemberIdentity.read
            for _ in range(n):
                item_members, pos = read_members(buf, pos, version)
                items_members.append(item_members)
            m.members = items_members
        else:
            m.members = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('LeaveGroupRequest', version)
        if version > 2 and not (self.member_id == ''):
            raise unsupported_field('MemberId', version)
        if version < 3 and not (not self.members):
            raise unsupported_field('Members', version)
        if version >= 4:
            value_group_id = self.group_id
            data = value_group_id.encode()
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
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S0.pack(len(data))
            out += data
            if version <= 2:
                value_member_id = self.member_id
                data = value_member_id.encode()
                out += _S0.pack(len(data))
                out += data
            if version >= 3:
                value_members = self.members
                out += _S1.pack(len(value_members))
                for item_members in value_members:
                    item_members.write(out, version)


class MemberResponse(Message):
    __slots__ = ('member_id', 'group_instance_id', 'error_code', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        group_instance_id: str | None = '',
        error_code: int = 0,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MemberResponse, int]:
        m = _new(MemberResponse)
        if version >= 4:
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
            m.error_code, = _S0.unpack_from(buf, pos)
            pos += 2
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
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.group_instance_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('GroupInstanceId', n)
            m.group_instance_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 4:
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
            out += _S0.pack(self.error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_group_instance_id = self.group_instance_id
            if value_group_instance_id is None:
                out += b'\xff\xff'
            else:
                data = value_group_instance_id.encode()
                out += _S0.pack(len(data))
                out += data
            out += _S0.pack(self.error_code)


class LeaveGroupResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'members', 'unknown_tags',)
    API_KEY = 13
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: list[MemberResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = [] if members is UNSET else members
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaveGroupResponse, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('LeaveGroupResponse', version)
        m = _new(LeaveGroupResponse)
        if version >= 4:
            m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
            pos += 6
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Members', n)
            items_members = []
            read_members = MemberResponse.read
            for _ in range(n):
                item_members, pos = read_members(buf, pos, version)
                items_members.append(item_members)
            m.members = items_members
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
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        if version >= 3:
            n, = _S1.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Members', n)
            items_members = []
            read_members = MemberResponse.read
            for _ in range(n):
                item_members, pos = read_members(buf, pos, version)
                items_members.append(item_members)
            m.members = items_members
        else:
            m.members = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('LeaveGroupResponse', version)
        if version < 3 and not (not self.members):
            raise unsupported_field('Members', version)
        if version >= 4:
            out += _S2.pack(self.throttle_time_ms, self.error_code)
            value_members = self.members
            n = len(value_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_members in value_members:
                item_members.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 1:
                out += _S1.pack(self.throttle_time_ms)
            out += _S0.pack(self.error_code)
            if version >= 3:
                value_members = self.members
                out += _S1.pack(len(value_members))
                for item_members in value_members:
                    item_members.write(out, version)
