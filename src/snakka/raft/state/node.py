"""One replica's part in the quorum: which role it has, and what makes it take another.

    Unattached   -> Prospective   the election timeout passed without a leader
    Prospective  -> Candidate     a majority would vote for this replica
    Prospective  -> Unattached    too many would not, or the timeout passed
    Candidate    -> Leader        a majority voted for it
    Candidate    -> Prospective   the timeout passed
    Leader       -> Resigned      it stops
    Resigned     -> Unattached    the timeout passed; in the next epoch
    any          -> Unattached    somebody is in a newer epoch

Each input returns the effects that its driver carries out in order. Time, chance and the log's end come in as a `Moment`.
A replica that is its only voter wins each round by its own vote, hence is leader when `start` returns.
"""

from typing import NamedTuple

from snakka.raft.state.candidate import Candidate
from snakka.raft.state.effects import (
    AdvanceHighWatermark,
    AppendEpochStart,
    Effect,
    PersistElection,
    RequestVotes,
)
from snakka.raft.state.election import ElectionState
from snakka.raft.state.leader import Leader
from snakka.raft.state.prospective import Prospective
from snakka.raft.state.resigned import Resigned
from snakka.raft.state.unattached import Unattached
from snakka.raft.state.voters import QuorumHistory, ReplicaKey, Voter, VoterSet
from snakka.raft.state.votes import VoteTally

Role = Unattached | Prospective | Candidate | Leader | Resigned

# A voters record at this offset came from the snapshot that formatting writes: the log itself has none yet.
_WRITTEN_BY_FORMATTING = -1


class Moment(NamedTuple):
    """The world as a step sees it."""

    now_ms: int
    election_timeout_ms: int  # drawn anew for each step, between once and twice the configured timeout
    log_end_offset: int

    @property
    def election_deadline_ms(self) -> int:
        return self.now_ms + self.election_timeout_ms


class Node:
    """The state machine. `history` is shared with the driver, which adds the control records that it appends or reads."""

    def __init__(self, local: Voter, history: QuorumHistory) -> None:
        self.local = local
        self.history = history
        self.role: Role = Unattached(0, 0)

    @property
    def epoch(self) -> int:
        return self.role.epoch

    @property
    def leader_id(self) -> int | None:
        return self.role.leader_id

    @property
    def leader(self) -> Leader | None:
        """The leader's view, if this replica leads."""
        return self.role if isinstance(self.role, Leader) else None

    @property
    def is_voter(self) -> bool:
        return self.history.voters.is_voter(self.local.key)

    def start(self, persisted: ElectionState | None, log_epoch: int, moment: Moment) -> list[Effect]:
        """Take up where the files left off. `log_epoch` is the epoch of the newest record or snapshot."""
        self.role = self._role_after_restart(persisted or ElectionState(0), log_epoch, moment)
        effects: list[Effect] = []
        if self.role.election != persisted:
            self._persist(effects)
        if isinstance(self.role, Candidate):
            self._ask_for_votes(effects, moment)
        elif self.history.voters.is_only_voter(self.local.key):
            self._become_prospective(effects, moment)
        return effects

    def tick(self, moment: Moment) -> list[Effect]:
        """Time has passed."""
        effects: list[Effect] = []
        role = self.role
        if isinstance(role, Leader) or moment.now_ms < role.election_deadline_ms or not self.is_voter:
            return effects
        if isinstance(role, Resigned):
            self._become_unattached(effects, role.epoch + 1, moment)
        elif isinstance(role, Prospective):
            self.role = Unattached(role.epoch, moment.election_deadline_ms, role.leader_id, role.voted)
        else:
            self._become_prospective(effects, moment)
        return effects

    def vote_answered(
        self, node_id: int, epoch: int, *, is_pre_vote: bool, granted: bool, moment: Moment
    ) -> list[Effect]:
        """A voter's answer to RequestVotes. One from an older round is of no interest any more."""
        effects: list[Effect] = []
        role = self.role
        if epoch > role.epoch:
            self._become_unattached(effects, epoch, moment)
        elif epoch == role.epoch and isinstance(role, Prospective if is_pre_vote else Candidate):
            role.tally.record(node_id, granted)
            self._count_votes(effects, moment)
        return effects

    def epoch_seen(self, epoch: int, moment: Moment) -> list[Effect]:
        """Somebody is in a newer epoch: this replica's leader, election or leadership is history."""
        effects: list[Effect] = []
        if epoch > self.role.epoch:
            self._become_unattached(effects, epoch, moment)
        return effects

    def log_synced(self, end_offset: int) -> list[Effect]:
        """This replica's own disk has everything below `end_offset`."""
        leader = self.leader
        if leader is None:
            return []
        moved = leader.voters_changed(self.history.voters)
        moved = leader.local_synced(end_offset) or moved
        return self._committed(leader) if moved else []

    def replica_fetched(self, key: ReplicaKey, offset: int, now_ms: int) -> list[Effect]:
        """Another replica has everything below `offset`."""
        leader = self.leader
        if leader is None or not leader.replica_fetched(key, offset, now_ms):
            return []
        return self._committed(leader)

    def resign(self, moment: Moment) -> None:
        """Stop leading. Nothing is written: a leader that restarts resigns by itself."""
        if isinstance(self.role, Leader):
            self.role = Resigned(self.role.epoch, moment.election_deadline_ms, self.local.key.node_id)

    def _role_after_restart(self, persisted: ElectionState, log_epoch: int, moment: Moment) -> Role:
        deadline_ms = moment.election_deadline_ms
        if persisted.epoch < log_epoch:
            # The file is older than the log, or is gone: whom it voted for is of no matter in a newer epoch.
            return Unattached(log_epoch, deadline_ms)
        if persisted.leader_id == self.local.key.node_id:
            return Resigned(persisted.epoch, deadline_ms, self.local.key.node_id)
        if persisted.voted is not None and persisted.voted.names(self.local.key) and self.is_voter:
            return Candidate(persisted.epoch, deadline_ms, self._own_tally(), self.local.key)
        return Unattached(persisted.epoch, deadline_ms, persisted.leader_id, persisted.voted)

    def _become_unattached(self, effects: list[Effect], epoch: int, moment: Moment) -> None:
        # Whoever was already waiting for an election keeps its deadline: news of epochs must not delay elections.
        if isinstance(self.role, Unattached | Prospective | Candidate):
            deadline_ms = self.role.election_deadline_ms
        else:
            deadline_ms = moment.election_deadline_ms
        self.role = Unattached(epoch, deadline_ms)
        self._persist(effects)

    def _become_prospective(self, effects: list[Effect], moment: Moment) -> None:
        before = self.role.election
        self.role = Prospective(
            before.epoch, moment.election_deadline_ms, self._own_tally(), before.leader_id, before.voted
        )
        self._ask_for_votes(effects, moment)

    def _become_candidate(self, effects: list[Effect], moment: Moment) -> None:
        self.role = Candidate(
            self.role.epoch + 1, moment.election_deadline_ms, self._own_tally(), self.local.key
        )
        self._persist(effects)
        self._ask_for_votes(effects, moment)

    def _become_leader(self, effects: list[Effect], granting: set[int], moment: Moment) -> None:
        history = self.history
        voters = history.voters
        granting_ids = tuple(sorted(granting))
        self.role = Leader(self.role.epoch, self.local.key, moment.log_end_offset, voters, granting_ids)
        self._persist(effects)
        # With kraft.version 1 the log itself says who votes, and where: if it does not say so yet, or not any more.
        is_due = history.kraft_version > 0 and (
            history.voters_offset == _WRITTEN_BY_FORMATTING or voters.needs_update(self.local)
        )
        effects.append(
            AppendEpochStart(
                epoch=self.role.epoch,
                leader_id=self.local.key.node_id,
                voter_ids=voters.ids,
                granting_ids=granting_ids,
                kraft_version=history.kraft_version if is_due else None,
                voters=voters.with_updated(self.local) if is_due else VoterSet(),
            )
        )

    def _ask_for_votes(self, effects: list[Effect], moment: Moment) -> None:
        role = self.role
        if isinstance(role, Prospective | Candidate) and role.tally.unanswered:
            is_pre_vote = isinstance(role, Prospective)
            effects.append(RequestVotes(role.epoch, is_pre_vote, role.tally.unanswered))
        self._count_votes(effects, moment)

    def _count_votes(self, effects: list[Effect], moment: Moment) -> None:
        role = self.role
        if isinstance(role, Candidate) and role.tally.is_won:
            self._become_leader(effects, role.tally.granted, moment)
        elif isinstance(role, Prospective) and role.tally.is_won:
            self._become_candidate(effects, moment)
        elif isinstance(role, Prospective) and role.tally.is_lost:
            self.role = Unattached(role.epoch, role.election_deadline_ms, role.leader_id, role.voted)

    def _own_tally(self) -> VoteTally:
        tally = VoteTally(self.history.voters)
        tally.record(self.local.key.node_id, True)
        return tally

    def _persist(self, effects: list[Effect]) -> None:
        # A state that nothing relied upon (no effect came after it) need not reach the disk before the one that replaces it.
        if effects and isinstance(effects[-1], PersistElection):
            effects.pop()
        effects.append(PersistElection(self.role.election))

    @staticmethod
    def _committed(leader: Leader) -> list[Effect]:
        return [] if leader.high_watermark is None else [AdvanceHighWatermark(leader.high_watermark)]
