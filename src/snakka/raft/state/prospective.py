"""Prospective: asks whether an election would be won, without a new epoch that would disturb a working leader (KIP-996)."""

from dataclasses import dataclass

from snakka.raft.state.election import ElectionState
from snakka.raft.state.voters import ReplicaKey
from snakka.raft.state.votes import VoteTally


@dataclass(frozen=True, slots=True)
class Prospective:
    """Collects pre-votes. Nothing changes on disk: epoch, leader and vote stay as they were."""

    epoch: int
    election_deadline_ms: int
    tally: VoteTally
    leader_id: int | None = None
    voted: ReplicaKey | None = None

    @property
    def election(self) -> ElectionState:
        return ElectionState(self.epoch, self.leader_id, self.voted)
