"""RemoveRaftVoter: API key 81."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, write_string_length, write_tags
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i16s')
_S1 = Struct('>ih')


class RemoveRaftVoterRequest(Message):
    __slots__ = ('cluster_id', 'voter_id', 'voter_directory_id', 'unknown_tags',)
    API_KEY = 81
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        cluster_id: str | None = '',
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemoveRaftVoterRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveRaftVoterRequest', version)
        m = _new(RemoveRaftVoterRequest)
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
        m.voter_id, m.voter_directory_id, = _S0.unpack_from(buf, pos)
        pos += 20
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveRaftVoterRequest', version)
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
        out += _S0.pack(self.voter_id, self.voter_directory_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class RemoveRaftVoterResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'unknown_tags',)
    API_KEY = 81
    MIN_VERSION = 0
    MAX_VERSION = 0
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemoveRaftVoterResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveRaftVoterResponse', version)
        m = _new(RemoveRaftVoterResponse)
        m.throttle_time_ms, m.error_code, = _S1.unpack_from(buf, pos)
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
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveRaftVoterResponse', version)
        out += _S1.pack(self.throttle_time_ms, self.error_code)
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
