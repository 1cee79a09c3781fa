"""FindCoordinator: API key 10."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>b')
_S1 = Struct('>h')
_S2 = Struct('>i')
_S3 = Struct('>ih')


class FindCoordinatorRequest(Message):
    __slots__ = ('key', 'key_type', 'coordinator_keys', 'unknown_tags',)
    API_KEY = 10
    MIN_VERSION = 0
    MAX_VERSION = 6
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        key: str = '',
        key_type: int = 0,
        coordinator_keys: list[str] = UNSET,
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = [] if coordinator_keys is UNSET else coordinator_keys
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FindCoordinatorRequest, int]:
        if not 0 <= version <= 6:
            raise unsupported_version('FindCoordinatorRequest', version)
        m = _new(FindCoordinatorRequest)
        if version >= 3:
            if version <= 3:
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
            else:
                m.key = ''
            m.key_type, = _S0.unpack_from(buf, pos)
            pos += 1
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('CoordinatorKeys', n)
                m.coordinator_keys, pos = read_compact_strings(buf, pos, n)
            else:
                m.coordinator_keys = []
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
        if version >= 1:
            m.key_type, = _S0.unpack_from(buf, pos)
            pos += 1
        else:
            m.key_type = 0
        m.coordinator_keys = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 6:
            raise unsupported_version('FindCoordinatorRequest', version)
        if version > 3 and not (self.key == ''):
            raise unsupported_field('Key', version)
        if version < 1 and not (self.key_type == 0):
            raise unsupported_field('KeyType', version)
        if version < 4 and not (not self.coordinator_keys):
            raise unsupported_field('CoordinatorKeys', version)
        if version >= 3:
            if version <= 3:
                value_key = self.key
                data = value_key.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S0.pack(self.key_type)
            if version >= 4:
                value_coordinator_keys = self.coordinator_keys
                n = len(value_coordinator_keys) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                write_compact_strings(out, value_coordinator_keys)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_key = self.key
            data = value_key.encode()
            out += _S1.pack(len(data))
            out += data
            if version >= 1:
                out += _S0.pack(self.key_type)


class Coordinator(Message):
    __slots__ = ('key', 'node_id', 'host', 'port', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        key: str = '',
        node_id: int = 0,
        host: str = '',
        port: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Coordinator, int]:
        m = _new(Coordinator)
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
        m.node_id, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, m.error_code, = _S3.unpack_from(buf, pos)
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
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_key = self.key
        data = value_key.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.node_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S3.pack(self.port, self.error_code)
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
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class FindCoordinatorResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'node_id', 'host', 'port', 'coordinators', 'unknown_tags',)
    API_KEY = 10
    MIN_VERSION = 0
    MAX_VERSION = 6
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
        node_id: int = 0,
        host: str = '',
        port: int = 0,
        coordinators: list[Coordinator] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators = [] if coordinators is UNSET else coordinators
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FindCoordinatorResponse, int]:
        if not 0 <= version <= 6:
            raise unsupported_version('FindCoordinatorResponse', version)
        m = _new(FindCoordinatorResponse)
        if version >= 3:
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
            if version <= 3:
                m.error_code, = _S1.unpack_from(buf, pos)
                pos += 2
            else:
                m.error_code = 0
            if version <= 3:
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
                m.error_message = ''
            if version <= 3:
                m.node_id, = _S2.unpack_from(buf, pos)
                pos += 4
            else:
                m.node_id = 0
            if version <= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Host', n)
                m.host = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.host = ''
            if version <= 3:
                m.port, = _S2.unpack_from(buf, pos)
                pos += 4
            else:
                m.port = 0
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Coordinators', n)
                items_coordinators = []
                read_coordinators = Coordinator.read
                for _ in range(n):
                    item_coordinators, pos = read_coordinators(buf, pos, version)
                    items_coordinators.append(item_coordinators)
                m.coordinators = items_coordinators
            else:
                m.coordinators = []
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
        m.error_code, = _S1.unpack_from(buf, pos)
        pos += 2
        if version >= 1:
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
        else:
            m.error_message = ''
        m.node_id, = _S2.unpack_from(buf, pos)
        pos += 4
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, = _S2.unpack_from(buf, pos)
        pos += 4
        m.coordinators = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 6:
            raise unsupported_version('FindCoordinatorResponse', version)
        if version > 3 and not (self.error_code == 0):
            raise unsupported_field('ErrorCode', version)
        if version > 3 and not (self.node_id == 0):
            raise unsupported_field('NodeId', version)
        if version > 3 and not (self.host == ''):
            raise unsupported_field('Host', version)
        if version > 3 and not (self.port == 0):
            raise unsupported_field('Port', version)
        if version < 4 and not (not self.coordinators):
            raise unsupported_field('Coordinators', version)
        if version >= 3:
            out += _S2.pack(self.throttle_time_ms)
            if version <= 3:
                out += _S1.pack(self.error_code)
            if version <= 3:
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
            if version <= 3:
                out += _S2.pack(self.node_id)
            if version <= 3:
                value_host = self.host
                data = value_host.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version <= 3:
                out += _S2.pack(self.port)
            if version >= 4:
                value_coordinators = self.coordinators
                n = len(value_coordinators) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_coordinators in value_coordinators:
                    item_coordinators.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 1:
                out += _S2.pack(self.throttle_time_ms)
            out += _S1.pack(self.error_code)
            if version >= 1:
                value_error_message = self.error_message
                if value_error_message is None:
                    out += b'\xff\xff'
                else:
                    data = value_error_message.encode()
                    out += _S1.pack(len(data))
                    out += data
            out += _S2.pack(self.node_id)
            value_host = self.host
            data = value_host.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S2.pack(self.port)
