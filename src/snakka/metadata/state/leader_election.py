"""How one partition changes: who leads next, what becomes of ISR and ELR, when a reassignment is complete.

A `PartitionEdit` starts from a partition as it is; the caller sets what it wants, `build` works out the consequences and
returns the one record that makes them true, or None when nothing changes. Eligible leader replicas are those of KIP-966:
replicas that left the ISR while it was below min.insync.replicas, so they hold every record that was ever acknowledged.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from snakka.metadata.image.partition import NO_LEADER, NO_LEADER_CHANGE, RECOVERING, PartitionImage
from snakka.protocol.record_types.metadata.partition_change_record import PartitionChangeRecord
from snakka.protocol.uuids import Uuid


class Election(Enum):
    """Which leaders a change may choose."""

    # The first replica if it is in sync, even when the present leader is fine.
    PREFERRED = "preferred"
    # The present leader while it is fine, else any replica in sync.
    ONLINE = "online"
    # As ONLINE, and if nobody is in sync any live replica, at the price of records.
    UNCLEAN = "unclean"


@dataclass(frozen=True, slots=True)
class ElectionRules:
    """What a change depends on beside the partition itself."""

    is_acceptable_leader: Callable[[int], bool]
    default_directory: Callable[[int], Uuid]
    min_isr: int = 1
    elr_enabled: bool = True
    names_directories: bool = True
    # Brokers before 3.6 mistook a shrunken ISR for the old one unless the leader epoch rose (KAFKA-15021).
    shrink_bumps_leader_epoch: bool = False


class _Elected(NamedTuple):
    leader: int
    unclean: bool


class PartitionEdit:
    """One change of one partition, in the making."""

    def __init__(
        self, topic_id: Uuid, number: int, partition: PartitionImage, rules: ElectionRules, election: Election
    ) -> None:
        self._topic_id = topic_id
        self._number = number
        self._partition = partition
        self._rules = rules
        self._election = election
        self.isr = list(partition.isr)
        self.replicas = list(partition.replicas)
        self.removing = list(partition.removing)
        self.adding = list(partition.adding)
        self.leader_recovery_state = partition.leader_recovery_state
        self.directories = dict(zip(partition.replicas, partition.directories, strict=False))
        # Replicas whose logs may have lost their tails: neither in sync nor eligible until they have caught up.
        self.unclean_shutdowns: tuple[int, ...] = ()
        self._elr = list(partition.elr)

    def build(self) -> PartitionChangeRecord | None:
        record = PartitionChangeRecord(partition_id=self._number, topic_id=self._topic_id)
        self._complete_reassignment()
        self._extend_elr()
        self._elect(record)
        self._bump_for_lost_replicas(record)
        self._set_elr(record)
        if (
            record.isr is None
            and self.isr != list(self._partition.isr)
            and (self.isr or self._rules.elr_enabled)
        ):
            # Without ELR the last ISR stays on record when its members are gone: it says whom to wait for.
            record.isr = list(self.isr)
        self._bump_for_shrink(record)
        self._remember_last_leader(record)
        self._set_assignment(record)
        if self.leader_recovery_state != self._partition.leader_recovery_state:
            record.leader_recovery_state = self.leader_recovery_state
        unchanged = PartitionChangeRecord(partition_id=self._number, topic_id=self._topic_id)
        return None if record == unchanged else record

    def _complete_reassignment(self) -> None:
        """Drops the leaving replicas once the new ones are in sync; fewer replicas than before must all be."""
        if not self.removing and not self.adding:
            return
        isr = [replica for replica in self.isr if replica not in self.removing]
        replicas = [replica for replica in self.replicas if replica not in self.removing]
        if self.removing and not (isr and replicas):
            return
        awaited = replicas if len(self.adding) < len(self.removing) else self.adding
        if set(awaited) | set(self.adding) <= set(isr):
            self.isr, self.replicas, self.removing, self.adding = isr, replicas, [], []

    def _extend_elr(self) -> None:
        if not self._rules.elr_enabled:
            return
        if len(self.isr) >= self._rules.min_isr:
            self._elr = []
            return
        candidates = {*self._elr, *self._partition.isr}
        self._elr = sorted(candidates.difference(self.isr, self.unclean_shutdowns))

    def _elect(self, record: PartitionChangeRecord) -> None:
        elected = self._choose()
        if elected.leader == self._partition.leader:
            return
        if elected.leader in self._elr:
            self.isr = [elected.leader]
            self._elr.remove(elected.leader)
        record.leader = elected.leader
        if elected.unclean:
            # Nobody else can be said to hold what this one holds.
            record.isr = [elected.leader]
            if self._partition.leader_recovery_state != RECOVERING:
                record.leader_recovery_state = RECOVERING

    def _choose(self) -> _Elected:
        current = self._partition.leader
        if self._election is Election.PREFERRED and self._may_lead(self.replicas[0]):
            return _Elected(self.replicas[0], False)
        if self._may_lead(current):
            return _Elected(current, False)
        for replica in self.replicas:
            if self._may_lead(replica):
                return _Elected(replica, False)
        if self._may_lead_as_last_known():
            return _Elected(self._partition.last_known_elr[0], True)
        if self._election is Election.UNCLEAN:
            for replica in self.replicas:
                if self._rules.is_acceptable_leader(replica):
                    return _Elected(replica, True)
        return _Elected(NO_LEADER, False)

    def _may_lead(self, replica: int) -> bool:
        in_sync = replica in self.isr or (not self.isr and replica in self._elr)
        return in_sync and self._rules.is_acceptable_leader(replica)

    def _may_lead_as_last_known(self) -> bool:
        """When all else is gone the last leader is the best bet, and `last_known_elr` names it."""
        last = self._partition.last_known_elr
        return (
            self._rules.elr_enabled
            and not self._elr
            and not self.isr
            and len(last) == 1
            and self._rules.is_acceptable_leader(last[0])
        )

    def _bump_for_lost_replicas(self, record: PartitionChangeRecord) -> None:
        # A replica that is no longer assigned must be fenced off by a new leader epoch.
        if record.leader == NO_LEADER_CHANGE and not set(self._partition.replicas) <= set(self.replicas):
            record.leader = self._partition.leader

    def _bump_for_shrink(self, record: PartitionChangeRecord) -> None:
        if (
            self._rules.shrink_bumps_leader_epoch
            and record.leader == NO_LEADER_CHANGE
            and record.isr is not None
            and not set(self._partition.isr) <= set(record.isr)
        ):
            record.leader = self._partition.leader

    def _set_elr(self, record: PartitionChangeRecord) -> None:
        was_unclean = record.isr is not None
        if was_unclean or not self._rules.elr_enabled:
            self._elr = []
        if self._elr != list(self._partition.elr):
            record.eligible_leader_replicas = list(self._elr)

    def _remember_last_leader(self, record: PartitionChangeRecord) -> None:
        if not self._rules.elr_enabled:
            return
        last = self._partition.last_known_elr
        if record.leader == NO_LEADER and not last and self._partition.leader != NO_LEADER:
            record.last_known_elr = [self._partition.leader]
        elif record.leader >= 0 and last:
            record.last_known_elr = []

    def _set_assignment(self, record: PartitionChangeRecord) -> None:
        partition = self._partition
        if self.replicas:
            if self._rules.names_directories:
                directories = [
                    self.directories.get(replica) or self._rules.default_directory(replica)
                    for replica in self.replicas
                ]
                if directories != list(partition.directories):
                    record.directories = directories
            if self.replicas != list(partition.replicas):
                record.replicas = list(self.replicas)
        if self.removing != list(partition.removing):
            record.removing_replicas = list(self.removing)
        if self.adding != list(partition.adding):
            record.adding_replicas = list(self.adding)
