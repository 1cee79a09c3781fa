"""What a replica must never forget about elections: the newest epoch, its leader, and whom this replica voted for."""

from typing import NamedTuple

from snakka.raft.state.voters import ReplicaKey


class ElectionState(NamedTuple):
    """The content of `quorum-state`. It is on disk before anything is done that relies on it."""

    epoch: int
    leader_id: int | None = None
    voted: ReplicaKey | None = None
