"""GroupMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>ii')
_S1 = Struct('>h')
_S2 = Struct('>i')
_S3 = Struct('>q')


class MemberMetadata(Message):
    __slots__ = ('member_id', 'group_instance_id', 'client_id', 'client_host', 'rebalance_timeout', 'session_timeout', 'subscription', 'assignment', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        group_instance_id: str | None = None,
        client_id: str = '',
        client_host: str = '',
        rebalance_timeout: int = -1,
        session_timeout: int = 0,
        subscription: bytes = b'',
        assignment: bytes = b'',
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout = rebalance_timeout
        self.session_timeout = session_timeout
        self.subscription = subscription
        self.assignment = assignment
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MemberMetadata, int]:
        m = _new(MemberMetadata)
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('memberId', n)
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
                    raise bad_length('groupInstanceId', n)
                m.group_instance_id = str(buf[pos:end], 'utf-8')
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('clientId', n)
            m.client_id = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('clientHost', n)
            m.client_host = str(buf[pos:end], 'utf-8')
            pos = end
            m.rebalance_timeout, m.session_timeout, = _S0.unpack_from(buf, pos)
            pos += 8
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('subscription', n)
            m.subscription = bytes(buf[pos:end])
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('assignment', n)
            m.assignment = bytes(buf[pos:end])
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
            raise bad_length('memberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        if version >= 3:
            n, = _S1.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.group_instance_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('groupInstanceId', n)
                m.group_instance_id = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.group_instance_id = None
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('clientId', n)
        m.client_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('clientHost', n)
        m.client_host = str(buf[pos:end], 'utf-8')
        pos = end
        if version >= 1:
            m.rebalance_timeout, = _S2.unpack_from(buf, pos)
            pos += 4
        else:
            m.rebalance_timeout = -1
        m.session_timeout, = _S2.unpack_from(buf, pos)
        pos += 4
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('subscription', n)
        m.subscription = bytes(buf[pos:end])
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('assignment', n)
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
            out += _S0.pack(self.rebalance_timeout, self.session_timeout)
            value_subscription = self.subscription
            n = len(value_subscription) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_subscription
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
            out += _S1.pack(len(data))
            out += data
            if version >= 3:
                value_group_instance_id = self.group_instance_id
                if value_group_instance_id is None:
                    out += b'\xff\xff'
                else:
                    data = value_group_instance_id.encode()
                    out += _S1.pack(len(data))
                    out += data
            value_client_id = self.client_id
            data = value_client_id.encode()
            out += _S1.pack(len(data))
            out += data
            value_client_host = self.client_host
            data = value_client_host.encode()
            out += _S1.pack(len(data))
            out += data
            if version >= 1:
                out += _S2.pack(self.rebalance_timeout)
            out += _S2.pack(self.session_timeout)
            value_subscription = self.subscription
            out += _S2.pack(len(value_subscription))
            out += value_subscription
            value_assignment = self.assignment
            out += _S2.pack(len(value_assignment))
            out += value_assignment


class GroupMetadataValue(Message):
    __slots__ = ('protocol_type', 'generation', 'protocol', 'leader', 'current_state_timestamp', 'members', 'unknown_tags',)
    RECORD_KEY = 2
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        protocol_type: str = '',
        generation: int = 0,
        protocol: str | None = '',
        leader: str | None = '',
        current_state_timestamp: int = -1,
        members: list[MemberMetadata] = UNSET,
    ) -> None:
        self.protocol_type = protocol_type
        self.generation = generation
        self.protocol = protocol
        self.leader = leader
        self.current_state_timestamp = current_state_timestamp
        self.members = [] if members is UNSET else members
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[GroupMetadataValue, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('GroupMetadataValue', version)
        m = _new(GroupMetadataValue)
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('protocolType', n)
            m.protocol_type = str(buf[pos:end], 'utf-8')
            pos = end
            m.generation, = _S2.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.protocol = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('protocol', n)
                m.protocol = str(buf[pos:end], 'utf-8')
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.leader = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('leader', n)
                m.leader = str(buf[pos:end], 'utf-8')
                pos = end
            m.current_state_timestamp, = _S3.unpack_from(buf, pos)
            pos += 8
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('members', n)
            items_members = []
            read_members = MemberMetadata.read
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
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('protocolType', n)
        m.protocol_type = str(buf[pos:end], 'utf-8')
        pos = end
        m.generation, = _S2.unpack_from(buf, pos)
        pos += 4
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.protocol = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('protocol', n)
            m.protocol = str(buf[pos:end], 'utf-8')
            pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.leader = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('leader', n)
            m.leader = str(buf[pos:end], 'utf-8')
            pos = end
        if version >= 2:
            m.current_state_timestamp, = _S3.unpack_from(buf, pos)
            pos += 8
        else:
            m.current_state_timestamp = -1
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('members', n)
        items_members = []
        read_members = MemberMetadata.read
        for _ in range(n):
            item_members, pos = read_members(buf, pos, version)
            items_members.append(item_members)
        m.members = items_members
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('GroupMetadataValue', version)
        if version >= 4:
            value_protocol_type = self.protocol_type
            data = value_protocol_type.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S2.pack(self.generation)
            value_protocol = self.protocol
            if value_protocol is None:
                out += b'\x00'
            else:
                data = value_protocol.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            value_leader = self.leader
            if value_leader is None:
                out += b'\x00'
            else:
                data = value_leader.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S3.pack(self.current_state_timestamp)
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
            value_protocol_type = self.protocol_type
            data = value_protocol_type.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S2.pack(self.generation)
            value_protocol = self.protocol
            if value_protocol is None:
                out += b'\xff\xff'
            else:
                data = value_protocol.encode()
                out += _S1.pack(len(data))
                out += data
            value_leader = self.leader
            if value_leader is None:
                out += b'\xff\xff'
            else:
                data = value_leader.encode()
                out += _S1.pack(len(data))
                out += data
            if version >= 2:
                out += _S3.pack(self.current_state_timestamp)
            value_members = self.members
            out += _S2.pack(len(value_members))
            for item_members in value_members:
                item_members.write(out, version)
