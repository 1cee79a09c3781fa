"""QuorumStateData."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>iii')
_S2 = Struct('>16s')
_S3 = Struct('>q')


class Voter(Message):
    __slots__ = ('voter_id', 'unknown_tags',)

    def __init__(
        self,
        *,
        voter_id: int = 0,
    ) -> None:
        self.voter_id = voter_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Voter, int]:
        m = _new(Voter)
        m.voter_id, = _S0.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.voter_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class QuorumStateData(Message):
    __slots__ = ('cluster_id', 'leader_id', 'leader_epoch', 'voted_id', 'voted_directory_id', 'applied_offset', 'current_voters', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        cluster_id: str = '',
        leader_id: int = -1,
        leader_epoch: int = -1,
        voted_id: int = -1,
        voted_directory_id: bytes = ZERO_UUID,
        applied_offset: int = 0,
        current_voters: list[Voter] | None = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.voted_id = voted_id
        self.voted_directory_id = voted_directory_id
        self.applied_offset = applied_offset
        self.current_voters = [] if current_voters is UNSET else current_voters
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[QuorumStateData, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('QuorumStateData', version)
        m = _new(QuorumStateData)
        if version <= 0:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClusterId', n)
            m.cluster_id = str(buf[pos:end], 'utf-8')
            pos = end
        else:
            m.cluster_id = ''
        m.leader_id, m.leader_epoch, m.voted_id, = _S1.unpack_from(buf, pos)
        pos += 12
        if version >= 1:
            m.voted_directory_id, = _S2.unpack_from(buf, pos)
            pos += 16
        else:
            m.voted_directory_id = ZERO_UUID
        if version <= 0:
            m.applied_offset, = _S3.unpack_from(buf, pos)
            pos += 8
        else:
            m.applied_offset = 0
        if version <= 0:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.current_voters = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('CurrentVoters', n)
                items_current_voters = []
                read_current_voters = Voter.read
                for _ in range(n):
                    item_current_voters, pos = read_current_voters(buf, pos, version)
                    items_current_voters.append(item_current_voters)
                m.current_voters = items_current_voters
        else:
            m.current_voters = []
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('QuorumStateData', version)
        if version > 0 and not (self.cluster_id == ''):
            raise unsupported_field('ClusterId', version)
        if version < 1 and not (self.voted_directory_id == ZERO_UUID):
            raise unsupported_field('VotedDirectoryId', version)
        if version > 0 and not (self.applied_offset == 0):
            raise unsupported_field('AppliedOffset', version)
        if version > 0 and not (self.current_voters == []):
            raise unsupported_field('CurrentVoters', version)
        if version <= 0:
            value_cluster_id = self.cluster_id
            data = value_cluster_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        out += _S1.pack(self.leader_id, self.leader_epoch, self.voted_id)
        if version >= 1:
            if len(self.voted_directory_id) != 16:
                raise bad_length('VotedDirectoryId', len(self.voted_directory_id))
            out += _S2.pack(self.voted_directory_id)
        if version <= 0:
            out += _S3.pack(self.applied_offset)
        if version <= 0:
            value_current_voters = self.current_voters
            if value_current_voters is None:
                out += b'\x00'
            else:
                n = len(value_current_voters) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_current_voters in value_current_voters:
                    item_current_voters.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
