"""Heartbeat: API key 12."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, write_string_length, write_tags

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>h')
_S2 = Struct('>ih')


class HeartbeatRequest(Message):
    __slots__ = ('group_id', 'generation_id', 'member_id', 'group_instance_id', 'unknown_tags',)
    API_KEY = 12
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        group_id: str = '',
        generation_id: int = 0,
        member_id: str = '',
        group_instance_id: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[HeartbeatRequest, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('HeartbeatRequest', version)
        m = _new(HeartbeatRequest)
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
            m.generation_id, = _S0.unpack_from(buf, pos)
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
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.generation_id, = _S0.unpack_from(buf, pos)
        pos += 4
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
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
                    raise bad_length('GroupInstanceId', n)
                m.group_instance_id = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.group_instance_id = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('HeartbeatRequest', version)
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
            out += _S0.pack(self.generation_id)
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
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_group_id = self.group_id
            data = value_group_id.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S0.pack(self.generation_id)
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


class HeartbeatResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'unknown_tags',)
    API_KEY = 12
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[HeartbeatResponse, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('HeartbeatResponse', version)
        m = _new(HeartbeatResponse)
        if version >= 4:
            m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
            pos += 6
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        if version >= 1:
            m.throttle_time_ms, = _S0.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        m.error_code, = _S1.unpack_from(buf, pos)
        pos += 2
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('HeartbeatResponse', version)
        if version >= 4:
            out += _S2.pack(self.throttle_time_ms, self.error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 1:
                out += _S0.pack(self.throttle_time_ms)
            out += _S1.pack(self.error_code)
