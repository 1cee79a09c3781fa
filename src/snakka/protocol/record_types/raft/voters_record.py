"""VotersRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>H')
_S1 = Struct('>hh')
_S2 = Struct('>i16s')
_S3 = Struct('>h')


class Endpoint(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[Endpoint, int]:
        m = _new(Endpoint)
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


class Voter(Message):
    __slots__ = ('voter_id', 'voter_directory_id', 'endpoints', 'kraft_version_feature', 'unknown_tags',)

    def __init__(
        self,
        *,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        endpoints: list[Endpoint] = UNSET,
        kraft_version_feature: KRaftVersionFeature = UNSET,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.endpoints = [] if endpoints is UNSET else endpoints
        self.kraft_version_feature = _default_KRaftVersionFeature if kraft_version_feature is UNSET else kraft_version_feature
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Voter, int]:
        m = _new(Voter)
        m.voter_id, m.voter_directory_id, = _S2.unpack_from(buf, pos)
        pos += 20
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Endpoints', n)
        items_endpoints = []
        read_endpoints = Endpoint.read
        for _ in range(n):
            item_endpoints, pos = read_endpoints(buf, pos, version)
            items_endpoints.append(item_endpoints)
        m.endpoints = items_endpoints
        m.kraft_version_feature, pos = KRaftVersionFeature.read(buf, pos, version)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if len(self.voter_directory_id) != 16:
            raise bad_length('VoterDirectoryId', len(self.voter_directory_id))
        out += _S2.pack(self.voter_id, self.voter_directory_id)
        value_endpoints = self.endpoints
        n = len(value_endpoints) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_endpoints in value_endpoints:
            item_endpoints.write(out, version)
        value_kraft_version_feature = self.kraft_version_feature
        value_kraft_version_feature.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class VotersRecord(Message):
    __slots__ = ('version', 'voters', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        version: int = 0,
        voters: list[Voter] = UNSET,
    ) -> None:
        self.version = version
        self.voters = [] if voters is UNSET else voters
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[VotersRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('VotersRecord', version)
        m = _new(VotersRecord)
        m.version, = _S3.unpack_from(buf, pos)
        pos += 2
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Voters', n)
        items_voters = []
        read_voters = Voter.read
        for _ in range(n):
            item_voters, pos = read_voters(buf, pos, version)
            items_voters.append(item_voters)
        m.voters = items_voters
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('VotersRecord', version)
        out += _S3.pack(self.version)
        value_voters = self.voters
        n = len(value_voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_voters in value_voters:
            item_voters.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
