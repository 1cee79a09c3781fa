"""AddRaftVoter: API key 80."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>H')
_S1 = Struct('>ii16s')
_S2 = Struct('>?')
_S3 = Struct('>ih')


class Listener(Message):
    __slots__ = ('name', 'host', 'port', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        host: str = '',
        port: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Listener, int]:
        m = _new(Listener)
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
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, = _S0.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AddRaftVoterRequest(Message):
    __slots__ = ('cluster_id', 'timeout_ms', 'voter_id', 'voter_directory_id', 'listeners', 'ack_when_committed', 'unknown_tags',)
    API_KEY = 80
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        cluster_id: str | None = '',
        timeout_ms: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: list[Listener] = UNSET,
        ack_when_committed: bool = True,
    ) -> None:
        self.cluster_id = cluster_id
        self.timeout_ms = timeout_ms
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = [] if listeners is UNSET else listeners
        self.ack_when_committed = ack_when_committed
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddRaftVoterRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('AddRaftVoterRequest', version)
        m = _new(AddRaftVoterRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.cluster_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClusterId', n)
            m.cluster_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.timeout_ms, m.voter_id, m.voter_directory_id, = _S1.unpack_from(buf, pos)
        pos += 24
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Listeners', n)
        items_listeners = []
        read_listeners = Listener.read
        for _ in range(n):
            item_listeners, pos = read_listeners(buf, pos, version)
            items_listeners.append(item_listeners)
        m.listeners = items_listeners
        if version >= 1:
            m.ack_when_committed, = _S2.unpack_from(buf, pos)
            pos += 1
        else:
            m.ack_when_committed = True
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('AddRaftVoterRequest', version)
        if version < 1 and not (self.ack_when_committed == True):
            raise unsupported_field('AckWhenCommitted', version)
        value_cluster_id = self.cluster_id
        if value_cluster_id is None:
            out += b'\x00'
        else:
            data = value_cluster_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        if len(self.voter_directory_id) != 16:
            raise bad_length('VoterDirectoryId', len(self.voter_directory_id))
        out += _S1.pack(self.timeout_ms, self.voter_id, self.voter_directory_id)
        value_listeners = self.listeners
        n = len(value_listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_listeners in value_listeners:
            item_listeners.write(out, version)
        if version >= 1:
            out += _S2.pack(self.ack_when_committed)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AddRaftVoterResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'unknown_tags',)
    API_KEY = 80
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddRaftVoterResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('AddRaftVoterResponse', version)
        m = _new(AddRaftVoterResponse)
        m.throttle_time_ms, m.error_code, = _S3.unpack_from(buf, pos)
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
        if not 0 <= version <= 1:
            raise unsupported_version('AddRaftVoterResponse', version)
        out += _S3.pack(self.throttle_time_ms, self.error_code)
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
