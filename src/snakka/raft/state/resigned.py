"""Resigned: was the leader of this epoch and is so no more.

A leader that restarts begins here too: it must not vote in an epoch that it led, nor append to it again, since records that
it lost unsynced would then exist twice with one offset and epoch.
"""

from dataclasses import dataclass

from snakka.raft.state.election import ElectionState


@dataclass(frozen=True, slots=True)
class Resigned:
    """Leaves the field to others until the timeout."""

    epoch: int
    election_deadline_ms: int
    local_id: int

    @property
    def leader_id(self) -> int:
        return self.local_id

    @property
    def election(self) -> ElectionState:
        return ElectionState(self.epoch, self.local_id)
