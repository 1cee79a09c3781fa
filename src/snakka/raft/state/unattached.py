"""Unattached: the epoch is known, its leader cannot be followed (yet)."""

from dataclasses import dataclass

from snakka.raft.state.election import ElectionState
from snakka.raft.state.voters import ReplicaKey


@dataclass(frozen=True, slots=True)
class Unattached:
    """Waits for a leader to make itself known; a voter seeks election itself after the timeout."""

    epoch: int
    election_deadline_ms: int
    leader_id: int | None = None
    voted: ReplicaKey | None = None

    @property
    def election(self) -> ElectionState:
        return ElectionState(self.epoch, self.leader_id, self.voted)
