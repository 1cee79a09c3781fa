"""What a step of the state machine asks its driver to do, in this order."""

from typing import NamedTuple

from snakka.raft.state.election import ElectionState
from snakka.raft.state.voters import VoterSet


class PersistElection(NamedTuple):
    """Have this in `quorum-state`, synced, before the effects that follow."""

    election: ElectionState


class RequestVotes(NamedTuple):
    """Ask these voters for their votes; with `is_pre_vote` only whether they would give it (KIP-996)."""

    epoch: int
    is_pre_vote: bool
    voter_ids: tuple[int, ...]


class AppendEpochStart(NamedTuple):
    """Append the new leader's first control batch: LeaderChange, and the quorum's own records if they are due."""

    epoch: int
    leader_id: int
    voter_ids: tuple[int, ...]
    granting_ids: tuple[int, ...]
    kraft_version: int | None  # None: neither kraft.version nor voters are written
    voters: VoterSet


class AdvanceHighWatermark(NamedTuple):
    """Everything below this offset is committed."""

    offset: int


Effect = PersistElection | RequestVotes | AppendEpochStart | AdvanceHighWatermark
