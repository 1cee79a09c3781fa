"""UpdateRaftVoter: API key 82."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>H')
_S1 = Struct('>hh')
_S2 = Struct('>ii16s')
_S3 = Struct('>ii')
_S4 = Struct('>i')
_S5 = Struct('>ih')


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


class KRaftVersionFeature(Message):
    __slots__ = ('min_supported_version', 'max_supported_version', 'unknown_tags',)

    def __init__(
        self,
        *,
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[KRaftVersionFeature, int]:
        m = _new(KRaftVersionFeature)
        m.min_supported_version, m.max_supported_version, = _S1.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.min_supported_version, self.max_supported_version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_KRaftVersionFeature = frozen(KRaftVersionFeature())


class UpdateRaftVoterRequest(Message):
    __slots__ = ('cluster_id', 'current_leader_epoch', 'voter_id', 'voter_directory_id', 'listeners', 'kraft_version_feature', 'unknown_tags',)
    API_KEY = 82
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        cluster_id: str | None = '',
        current_leader_epoch: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: list[Listener] = UNSET,
        kraft_version_feature: KRaftVersionFeature = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.current_leader_epoch = current_leader_epoch
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = [] if listeners is UNSET else listeners
        self.kraft_version_feature = _default_KRaftVersionFeature if kraft_version_feature is UNSET else kraft_version_feature
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UpdateRaftVoterRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('UpdateRaftVoterRequest', version)
        m = _new(UpdateRaftVoterRequest)
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
        m.current_leader_epoch, m.voter_id, m.voter_directory_id, = _S2.unpack_from(buf, pos)
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
        m.kraft_version_feature, pos = KRaftVersionFeature.read(buf, pos, version)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('UpdateRaftVoterRequest', version)
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
        out += _S2.pack(self.current_leader_epoch, self.voter_id, self.voter_directory_id)
        value_listeners = self.listeners
        n = len(value_listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_listeners in value_listeners:
            item_listeners.write(out, version)
        value_kraft_version_feature = self.kraft_version_feature
        value_kraft_version_feature.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class CurrentLeader(Message):
    __slots__ = ('leader_id', 'leader_epoch', 'host', 'port', 'unknown_tags',)

    def __init__(
        self,
        *,
        leader_id: int = -1,
        leader_epoch: int = -1,
        host: str = '',
        port: int = 0,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.host = host
        self.port = port
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CurrentLeader, int]:
        m = _new(CurrentLeader)
        m.leader_id, m.leader_epoch, = _S3.unpack_from(buf, pos)
        pos += 8
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
        m.port, = _S4.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S3.pack(self.leader_id, self.leader_epoch)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S4.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_CurrentLeader = frozen(CurrentLeader())


class UpdateRaftVoterResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'current_leader', 'unknown_tags',)
    API_KEY = 82
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        current_leader: CurrentLeader = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.current_leader = _default_CurrentLeader if current_leader is UNSET else current_leader
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UpdateRaftVoterResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('UpdateRaftVoterResponse', version)
        m = _new(UpdateRaftVoterResponse)
        m.throttle_time_ms, m.error_code, = _S5.unpack_from(buf, pos)
        pos += 6
        m.current_leader = _default_CurrentLeader
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    m.current_leader, pos = CurrentLeader.read(buf, pos, version)
                else:
                    if tags is None:
                        tags = {}
                    tags[tag] = bytes(buf[pos:end_of_tag])
                    pos = end_of_tag
                if pos != end_of_tag:
                    raise bad_tag(tag)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('UpdateRaftVoterResponse', version)
        out += _S5.pack(self.throttle_time_ms, self.error_code)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.current_leader is _default_CurrentLeader or self.current_leader == _default_CurrentLeader):
            value = Frame()
            value_current_leader = self.current_leader
            value_current_leader.write(value, version)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
