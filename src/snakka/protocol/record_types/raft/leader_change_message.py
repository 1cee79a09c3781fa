"""LeaderChangeMessage."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_field, unsupported_version, uvarint_tail, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>16s')
_S2 = Struct('>hi')


class Voter(Message):
    __slots__ = ('voter_id', 'voter_directory_id', 'unknown_tags',)

    def __init__(
        self,
        *,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Voter, int]:
        m = _new(Voter)
        m.voter_id, = _S0.unpack_from(buf, pos)
        pos += 4
        if version >= 1:
            m.voter_directory_id, = _S1.unpack_from(buf, pos)
            pos += 16
        else:
            m.voter_directory_id = ZERO_UUID
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 1 and not (self.voter_directory_id == ZERO_UUID):
            raise unsupported_field('VoterDirectoryId', version)
        out += _S0.pack(self.voter_id)
        if version >= 1:
            if len(self.voter_directory_id) != 16:
                raise bad_length('VoterDirectoryId', len(self.voter_directory_id))
            out += _S1.pack(self.voter_directory_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class LeaderChangeMessage(Message):
    __slots__ = ('version', 'leader_id', 'voters', 'granting_voters', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        version: int = 0,
        leader_id: int = 0,
        voters: list[Voter] = UNSET,
        granting_voters: list[Voter] = UNSET,
    ) -> None:
        self.version = version
        self.leader_id = leader_id
        self.voters = [] if voters is UNSET else voters
        self.granting_voters = [] if granting_voters is UNSET else granting_voters
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaderChangeMessage, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('LeaderChangeMessage', version)
        m = _new(LeaderChangeMessage)
        m.version, m.leader_id, = _S2.unpack_from(buf, pos)
        pos += 6
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('GrantingVoters', n)
        items_granting_voters = []
        read_granting_voters = Voter.read
        for _ in range(n):
            item_granting_voters, pos = read_granting_voters(buf, pos, version)
            items_granting_voters.append(item_granting_voters)
        m.granting_voters = items_granting_voters
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('LeaderChangeMessage', version)
        out += _S2.pack(self.version, self.leader_id)
        value_voters = self.voters
        n = len(value_voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_voters in value_voters:
            item_voters.write(out, version)
        value_granting_voters = self.granting_voters
        n = len(value_granting_voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_granting_voters in value_granting_voters:
            item_granting_voters.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
