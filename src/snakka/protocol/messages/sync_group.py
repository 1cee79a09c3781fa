"""SyncGroup: API key 14."""
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


class SyncGroupRequestAssignment(Message):
    __slots__ = ('member_id', 'assignment', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        assignment: bytes = b'',
    ) -> None:
        self.member_id = member_id
        self.assignment = assignment
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SyncGroupRequestAssignment, int]:
        m = _new(SyncGroupRequestAssignment)
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
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Assignment', n)
            m.assignment = bytes(buf[pos:end])
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
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Assignment', n)
        m.assignment = bytes(buf[pos:end])
        pos = end
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
            value_assignment = self.assignment
            n = len(value_assignment) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_assignment
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_assignment = self.assignment
            out += _S1.pack(len(value_assignment))
            out += value_assignment


class SyncGroupRequest(Message):
    __slots__ = ('group_id', 'generation_id', 'member_id', 'group_instance_id', 'protocol_type', 'protocol_name', 'assignments', 'unknown_tags',)
    API_KEY = 14
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        group_id: str = '',
        generation_id: int = 0,
        member_id: str = '',
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: list[SyncGroupRequestAssignment] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = [] if assignments is UNSET else assignments
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SyncGroupRequest, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('SyncGroupRequest', version)
        m = _new(SyncGroupRequest)
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
            m.generation_id, = _S1.unpack_from(buf, pos)
            pos += 4
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
                    m.protocol_type = None
                else:
                    end = pos + n
                    if n < 0 or end > len(buf):
                        raise bad_length('ProtocolType', n)
                    m.protocol_type = str(buf[pos:end], 'utf-8')
                    pos = end
            else:
                m.protocol_type = None
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                if n == -1:
                    m.protocol_name = None
                else:
                    end = pos + n
                    if n < 0 or end > len(buf):
                        raise bad_length('ProtocolName', n)
                    m.protocol_name = str(buf[pos:end], 'utf-8')
                    pos = end
            else:
                m.protocol_name = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Assignments', n)
            items_assignments = []
            read_assignments = SyncGroupRequestAssignment.read
            for _ in range(n):
                item_assignments, pos = read_assignments(buf, pos, version)
                items_assignments.append(item_assignments)
            m.assignments = items_assignments
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
        m.generation_id, = _S1.unpack_from(buf, pos)
        pos += 4
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        if version >= 3:
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
        else:
            m.group_instance_id = None
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Assignments', n)
        items_assignments = []
        read_assignments = SyncGroupRequestAssignment.read
        for _ in range(n):
            item_assignments, pos = read_assignments(buf, pos, version)
            items_assignments.append(item_assignments)
        m.assignments = items_assignments
        m.protocol_type = None
        m.protocol_name = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('SyncGroupRequest', version)
        if version < 3 and not (self.group_instance_id is None):
            raise unsupported_field('GroupInstanceId', version)
        if version >= 4:
            value_group_id = self.group_id
            data = value_group_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S1.pack(self.generation_id)
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
                value_protocol_type = self.protocol_type
                if value_protocol_type is None:
                    out += b'\x00'
                else:
                    data = value_protocol_type.encode()
                    n = len(data) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_string_length(out, n)
                    out += data
            if version >= 5:
                value_protocol_name = self.protocol_name
                if value_protocol_name is None:
                    out += b'\x00'
                else:
                    data = value_protocol_name.encode()
                    n = len(data) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_string_length(out, n)
                    out += data
            value_assignments = self.assignments
            n = len(value_assignments) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_assignments in value_assignments:
                item_assignments.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S0.pack(len(data))
            out += data
            out += _S1.pack(self.generation_id)
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S0.pack(len(data))
            out += data
            if version >= 3:
                value_group_instance_id = self.group_instance_id
                if value_group_instance_id is None:
                    out += b'\xff\xff'
                else:
                    data = value_group_instance_id.encode()
                    out += _S0.pack(len(data))
                    out += data
            value_assignments = self.assignments
            out += _S1.pack(len(value_assignments))
            for item_assignments in value_assignments:
                item_assignments.write(out, version)


class SyncGroupResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'protocol_type', 'protocol_name', 'assignment', 'unknown_tags',)
    API_KEY = 14
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b'',
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SyncGroupResponse, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('SyncGroupResponse', version)
        m = _new(SyncGroupResponse)
        if version >= 4:
            m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
            pos += 6
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                if n == -1:
                    m.protocol_type = None
                else:
                    end = pos + n
                    if n < 0 or end > len(buf):
                        raise bad_length('ProtocolType', n)
                    m.protocol_type = str(buf[pos:end], 'utf-8')
                    pos = end
            else:
                m.protocol_type = None
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                if n == -1:
                    m.protocol_name = None
                else:
                    end = pos + n
                    if n < 0 or end > len(buf):
                        raise bad_length('ProtocolName', n)
                    m.protocol_name = str(buf[pos:end], 'utf-8')
                    pos = end
            else:
                m.protocol_name = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Assignment', n)
            m.assignment = bytes(buf[pos:end])
            pos = end
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
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Assignment', n)
        m.assignment = bytes(buf[pos:end])
        pos = end
        m.protocol_type = None
        m.protocol_name = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('SyncGroupResponse', version)
        if version >= 4:
            out += _S2.pack(self.throttle_time_ms, self.error_code)
            if version >= 5:
                value_protocol_type = self.protocol_type
                if value_protocol_type is None:
                    out += b'\x00'
                else:
                    data = value_protocol_type.encode()
                    n = len(data) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_string_length(out, n)
                    out += data
            if version >= 5:
                value_protocol_name = self.protocol_name
                if value_protocol_name is None:
                    out += b'\x00'
                else:
                    data = value_protocol_name.encode()
                    n = len(data) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_string_length(out, n)
                    out += data
            value_assignment = self.assignment
            n = len(value_assignment) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_assignment
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 1:
                out += _S1.pack(self.throttle_time_ms)
            out += _S0.pack(self.error_code)
            value_assignment = self.assignment
            out += _S1.pack(len(value_assignment))
            out += value_assignment
