"""Candidate: has begun a new epoch, voted for itself, and asks the others."""

from dataclasses import dataclass

from snakka.raft.state.election import ElectionState
from snakka.raft.state.voters import ReplicaKey
from snakka.raft.state.votes import VoteTally


@dataclass(frozen=True, slots=True)
class Candidate:
    """Collects votes. A lost round waits for its timeout before the next one, so that rivals do not lock step."""

    epoch: int
    election_deadline_ms: int
    tally: VoteTally
    local: ReplicaKey

    @property
    def leader_id(self) -> None:
        return None

    @property
    def election(self) -> ElectionState:
        return ElectionState(self.epoch, None, self.local)
