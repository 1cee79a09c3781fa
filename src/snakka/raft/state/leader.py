"""Leader: appends, watches how far the replicas have come, and says what is committed.

An offset is committed when a majority of the voters has it, and when it lies behind the first record of the leader's own
epoch: only then can no later leader lack it. The leader counts itself only while it is a voter, and only with what it has
synced: its own disk is a voter's disk like any other.
"""

from collections.abc import Iterator

from snakka.raft.state.election import ElectionState
from snakka.raft.state.progress import ReplicaProgress
from snakka.raft.state.voters import ReplicaKey, VoterSet

OBSERVER_SESSION_MS = 300_000


class Leader:
    """The leader's view of one epoch."""

    __slots__ = (
        "_observers",
        "_voters",
        "epoch",
        "epoch_start_offset",
        "granting_ids",
        "high_watermark",
        "local",
    )

    def __init__(
        self,
        epoch: int,
        local: ReplicaKey,
        epoch_start_offset: int,
        voters: VoterSet,
        granting_ids: tuple[int, ...] = (),
    ) -> None:
        self.epoch = epoch
        self.local = local
        self.epoch_start_offset = epoch_start_offset
        self.granting_ids = granting_ids
        self.high_watermark: int | None = None
        self._voters = {voter.key.node_id: ReplicaProgress(voter.key) for voter in voters.voters}
        self._observers: dict[ReplicaKey, ReplicaProgress] = {}

    @property
    def leader_id(self) -> int:
        return self.local.node_id

    @property
    def election(self) -> ElectionState:
        return ElectionState(self.epoch, self.local.node_id)

    @property
    def voters(self) -> tuple[ReplicaProgress, ...]:
        return tuple(self._voters.values())

    def observers(self, now_ms: int) -> Iterator[ReplicaProgress]:
        """Replicas that fetched lately without a vote; the leader itself if it has none."""
        self._forget_silent_observers(now_ms)
        yield from self._observers.values()

    def local_synced(self, end_offset: int) -> bool:
        """The leader's own disk has everything below `end_offset`. True if the high watermark moved."""
        progress = self._progress(self.local)
        if progress.end_offset is not None and end_offset < progress.end_offset:
            raise ValueError(f"the leader's log went back from {progress.end_offset} to {end_offset}")
        progress.end_offset = end_offset
        return self._advance()

    def replica_fetched(self, key: ReplicaKey, offset: int, now_ms: int) -> bool:
        """A replica fetched from `offset`. True if the high watermark moved."""
        if key.node_id == self.local.node_id:
            raise ValueError(f"node {key.node_id} fetches from itself")
        self._forget_silent_observers(now_ms)
        self._progress(key).fetched(offset, self._progress(self.local).end_offset, now_ms)
        return self._is_voter(key) and self._advance()

    def voters_changed(self, voters: VoterSet) -> bool:
        """Count with a new set from now on; what is known of a replica stays known when it gains or loses its vote."""
        known: dict[int, ReplicaProgress] = {}
        former = dict(self._voters)
        for voter in voters.voters:
            progress = self._find(voter.key) or ReplicaProgress(voter.key)
            if former.get(voter.key.node_id) is progress:
                del former[voter.key.node_id]
            self._observers.pop(progress.key, None)
            progress.key = voter.key
            known[voter.key.node_id] = progress
        self._voters = known
        for progress in former.values():
            self._observers.setdefault(progress.key, progress)
        return self._advance()

    def _advance(self) -> bool:
        ends = sorted(
            (-1 if p.end_offset is None else p.end_offset for p in self._voters.values()), reverse=True
        )
        if not ends:
            return False
        reached_by_majority = ends[len(ends) // 2]
        if reached_by_majority <= self.epoch_start_offset:
            return False
        # A change of voters can make the computed offset smaller; what was committed stays committed.
        if self.high_watermark is not None and reached_by_majority <= self.high_watermark:
            return False
        self.high_watermark = reached_by_majority
        return True

    def _is_voter(self, key: ReplicaKey) -> bool:
        progress = self._voters.get(key.node_id)
        return progress is not None and progress.key.names(key)

    def _find(self, key: ReplicaKey) -> ReplicaProgress | None:
        return self._voters[key.node_id] if self._is_voter(key) else self._observers.get(key)

    def _progress(self, key: ReplicaKey) -> ReplicaProgress:
        progress = self._find(key)
        if progress is None:
            progress = self._observers[key] = ReplicaProgress(key)
        return progress

    def _forget_silent_observers(self, now_ms: int) -> None:
        """Observers come and go, so the map is bounded by who fetched within the session time."""
        silent = [
            key
            for key, progress in self._observers.items()
            if now_ms - progress.last_fetch_ms >= OBSERVER_SESSION_MS and key != self.local
        ]
        for key in silent:
            del self._observers[key]
