"""JoinGroup: API key 11."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, null_field, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>ii')
_S3 = Struct('>ihi')
_S4 = Struct('>?')
_S5 = Struct('>hi')


class JoinGroupRequestProtocol(Message):
    __slots__ = ('name', 'metadata', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        metadata: bytes = b'',
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[JoinGroupRequestProtocol, int]:
        m = _new(JoinGroupRequestProtocol)
        if version >= 6:
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
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Metadata', n)
            m.metadata = bytes(buf[pos:end])
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
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Metadata', n)
        m.metadata = bytes(buf[pos:end])
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 6:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_metadata = self.metadata
            n = len(value_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_metadata
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S0.pack(len(data))
            out += data
            value_metadata = self.metadata
            out += _S1.pack(len(value_metadata))
            out += value_metadata


class JoinGroupRequest(Message):
    __slots__ = ('group_id', 'session_timeout_ms', 'rebalance_timeout_ms', 'member_id', 'group_instance_id', 'protocol_type', 'protocols', 'reason', 'unknown_tags',)
    API_KEY = 11
    MIN_VERSION = 0
    MAX_VERSION = 9
    FLEXIBLE_FROM = 6

    def __init__(
        self,
        *,
        group_id: str = '',
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = '',
        group_instance_id: str | None = None,
        protocol_type: str = '',
        protocols: list[JoinGroupRequestProtocol] = UNSET,
        reason: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols = [] if protocols is UNSET else protocols
        self.reason = reason
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[JoinGroupRequest, int]:
        if not 0 <= version <= 9:
            raise unsupported_version('JoinGroupRequest', version)
        m = _new(JoinGroupRequest)
        if version >= 6:
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
            m.session_timeout_ms, m.rebalance_timeout_ms, = _S2.unpack_from(buf, pos)
            pos += 8
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
                raise bad_length('ProtocolType', n)
            m.protocol_type = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Protocols', n)
            items_protocols = []
            read_protocols = JoinGroupRequestProtocol.read
            for _ in range(n):
                item_protocols, pos = read_protocols(buf, pos, version)
                items_protocols.append(item_protocols)
            m.protocols = items_protocols
            if version >= 8:
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
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.session_timeout_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        if version >= 1:
            m.rebalance_timeout_ms, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.rebalance_timeout_ms = -1
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        if version >= 5:
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
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ProtocolType', n)
        m.protocol_type = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Protocols', n)
        items_protocols = []
        read_protocols = JoinGroupRequestProtocol.read
        for _ in range(n):
            item_protocols, pos = read_protocols(buf, pos, version)
            items_protocols.append(item_protocols)
        m.protocols = items_protocols
        m.reason = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 9:
            raise unsupported_version('JoinGroupRequest', version)
        if version < 5 and not (self.group_instance_id is None):
            raise unsupported_field('GroupInstanceId', version)
        if version >= 6:
            value_group_id = self.group_id
            data = value_group_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S2.pack(self.session_timeout_ms, self.rebalance_timeout_ms)
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
            value_protocol_type = self.protocol_type
            data = value_protocol_type.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_protocols = self.protocols
            n = len(value_protocols) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_protocols in value_protocols:
                item_protocols.write(out, version)
            if version >= 8:
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
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S0.pack(len(data))
            out += data
            out += _S1.pack(self.session_timeout_ms)
            if version >= 1:
                out += _S1.pack(self.rebalance_timeout_ms)
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S0.pack(len(data))
            out += data
            if version >= 5:
                value_group_instance_id = self.group_instance_id
                if value_group_instance_id is None:
                    out += b'\xff\xff'
                else:
                    data = value_group_instance_id.encode()
                    out += _S0.pack(len(data))
                    out += data
            value_protocol_type = self.protocol_type
            data = value_protocol_type.encode()
            out += _S0.pack(len(data))
            out += data
            value_protocols = self.protocols
            out += _S1.pack(len(value_protocols))
            for item_protocols in value_protocols:
                item_protocols.write(out, version)


class JoinGroupResponseMember(Message):
    __slots__ = ('member_id', 'group_instance_id', 'metadata', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        group_instance_id: str | None = None,
        metadata: bytes = b'',
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[JoinGroupResponseMember, int]:
        m = _new(JoinGroupResponseMember)
        if version >= 6:
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
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Metadata', n)
            m.metadata = bytes(buf[pos:end])
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
        if version >= 5:
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
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Metadata', n)
        m.metadata = bytes(buf[pos:end])
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 6:
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
            value_metadata = self.metadata
            n = len(value_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_metadata
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S0.pack(len(data))
            out += data
            if version >= 5:
                value_group_instance_id = self.group_instance_id
                if value_group_instance_id is None:
                    out += b'\xff\xff'
                else:
                    data = value_group_instance_id.encode()
                    out += _S0.pack(len(data))
                    out += data
            value_metadata = self.metadata
            out += _S1.pack(len(value_metadata))
            out += value_metadata


class JoinGroupResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'generation_id', 'protocol_type', 'protocol_name', 'leader', 'skip_assignment', 'member_id', 'members', 'unknown_tags',)
    API_KEY = 11
    MIN_VERSION = 0
    MAX_VERSION = 9
    FLEXIBLE_FROM = 6

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = '',
        leader: str = '',
        skip_assignment: bool = False,
        member_id: str = '',
        members: list[JoinGroupResponseMember] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members = [] if members is UNSET else members
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[JoinGroupResponse, int]:
        if not 0 <= version <= 9:
            raise unsupported_version('JoinGroupResponse', version)
        m = _new(JoinGroupResponse)
        if version >= 6:
            m.throttle_time_ms, m.error_code, m.generation_id, = _S3.unpack_from(buf, pos)
            pos += 10
            if version >= 7:
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1 and not (version >= 7):
                raise null_field('ProtocolName')
            if n == -1:
                m.protocol_name = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('ProtocolName', n)
                m.protocol_name = str(buf[pos:end], 'utf-8')
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Leader', n)
            m.leader = str(buf[pos:end], 'utf-8')
            pos = end
            if version >= 9:
                m.skip_assignment, = _S4.unpack_from(buf, pos)
                pos += 1
            else:
                m.skip_assignment = False
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
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Members', n)
            items_members = []
            read_members = JoinGroupResponseMember.read
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
        if version >= 2:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        m.error_code, m.generation_id, = _S5.unpack_from(buf, pos)
        pos += 6
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ProtocolName', n)
        m.protocol_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Leader', n)
        m.leader = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Members', n)
        items_members = []
        read_members = JoinGroupResponseMember.read
        for _ in range(n):
            item_members, pos = read_members(buf, pos, version)
            items_members.append(item_members)
        m.members = items_members
        m.protocol_type = None
        m.skip_assignment = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 9:
            raise unsupported_version('JoinGroupResponse', version)
        if version < 9 and not (self.skip_assignment == False):
            raise unsupported_field('SkipAssignment', version)
        if version >= 6:
            out += _S3.pack(self.throttle_time_ms, self.error_code, self.generation_id)
            if version >= 7:
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
            value_protocol_name = self.protocol_name
            if value_protocol_name is None:
                if not (version >= 7):
                    raise null_field('ProtocolName')
                out += b'\x00'
            else:
                data = value_protocol_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            value_leader = self.leader
            data = value_leader.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            if version >= 9:
                out += _S4.pack(self.skip_assignment)
            value_member_id = self.member_id
            data = value_member_id.encode()
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
            if version >= 2:
                out += _S1.pack(self.throttle_time_ms)
            out += _S5.pack(self.error_code, self.generation_id)
            value_protocol_name = self.protocol_name
            if value_protocol_name is None:
                raise null_field('ProtocolName')
            else:
                data = value_protocol_name.encode()
                out += _S0.pack(len(data))
                out += data
            value_leader = self.leader
            data = value_leader.encode()
            out += _S0.pack(len(data))
            out += data
            value_member_id = self.member_id
            data = value_member_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_members = self.members
            out += _S1.pack(len(value_members))
            for item_members in value_members:
                item_members.write(out, version)
