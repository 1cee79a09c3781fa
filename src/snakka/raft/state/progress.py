"""How far each replica has come, as its fetches tell the leader."""

from dataclasses import dataclass

from snakka.raft.state.voters import ReplicaKey

NEVER_MS = -1


@dataclass(slots=True)
class ReplicaProgress:
    """One replica as the leader sees it."""

    key: ReplicaKey
    end_offset: int | None = None  # None: it has not fetched in this epoch
    last_fetch_ms: int = NEVER_MS
    last_caught_up_ms: int = NEVER_MS
    leader_end_at_last_fetch: int = -1

    def fetched(self, offset: int, leader_end_offset: int | None, now_ms: int) -> None:
        """A fetch from `offset` says that everything before it is on the replica's disk."""
        if leader_end_offset is not None:
            if offset >= leader_end_offset:
                self.last_caught_up_ms = max(self.last_caught_up_ms, now_ms)
            elif 0 < self.leader_end_at_last_fetch <= offset:
                # It has all that there was at its previous fetch, so it was caught up then.
                self.last_caught_up_ms = max(self.last_caught_up_ms, self.last_fetch_ms)
            self.leader_end_at_last_fetch = leader_end_offset
        self.last_fetch_ms = max(self.last_fetch_ms, now_ms)
        self.end_offset = offset
