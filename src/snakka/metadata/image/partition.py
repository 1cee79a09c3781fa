"""One partition: who holds it, who is in sync, who leads. Frozen, so that images and deltas share it without a copy."""

from dataclasses import dataclass
from typing import Final

from snakka.protocol.record_types.metadata.partition_change_record import PartitionChangeRecord
from snakka.protocol.record_types.metadata.partition_record import PartitionRecord
from snakka.protocol.uuids import MIGRATING_DIRECTORY, Uuid

NO_LEADER: Final = -1
NO_LEADER_CHANGE: Final = -2

# Leader recovery states (KIP-704); in a change record -1 leaves the state as it is.
RECOVERED: Final = 0
RECOVERING: Final = 1
NO_RECOVERY_CHANGE: Final = -1

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PartitionImage:
    """The state that PartitionRecord and PartitionChangeRecord build. `directories` are parallel to `replicas`."""

    replicas: Ids
    directories: tuple[Uuid, ...]
    isr: Ids
    leader: int
    leader_epoch: int
    partition_epoch: int
    leader_recovery_state: int = RECOVERED
    removing: Ids = ()
    adding: Ids = ()
    elr: Ids = ()
    last_known_elr: Ids = ()

    @classmethod
    def from_record(cls, record: PartitionRecord) -> "PartitionImage":
        replicas = tuple(record.replicas)
        isr = tuple(record.isr)
        return cls(
            replicas,
            tuple(record.directories) or (MIGRATING_DIRECTORY,) * len(replicas),
            # Nearly always equal, and there are thousands: keep one tuple.
            replicas if isr == replicas else isr,
            record.leader,
            record.leader_epoch,
            record.partition_epoch,
            record.leader_recovery_state,
            tuple(record.removing_replicas),
            tuple(record.adding_replicas),
            tuple(record.eligible_leader_replicas or ()),
            tuple(record.last_known_elr or ()),
        )

    def to_record(
        self, topic_id: Uuid, partition: int, *, with_directories: bool, with_elr: bool
    ) -> PartitionRecord:
        return PartitionRecord(
            partition_id=partition,
            topic_id=topic_id,
            replicas=list(self.replicas),
            isr=list(self.isr),
            removing_replicas=list(self.removing),
            adding_replicas=list(self.adding),
            leader=self.leader,
            leader_recovery_state=self.leader_recovery_state,
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            directories=list(self.directories) if with_directories else [],
            eligible_leader_replicas=list(self.elr) if with_elr and self.elr else None,
            last_known_elr=list(self.last_known_elr) if with_elr and self.last_known_elr else None,
        )

    def merge(self, record: PartitionChangeRecord) -> "PartitionImage":
        """What the partition is after a change. Naming a leader, even the same one, opens a new leader epoch."""
        leader, leader_epoch = self.leader, self.leader_epoch
        if record.leader != NO_LEADER_CHANGE:
            leader, leader_epoch = record.leader, leader_epoch + 1
        recovery = record.leader_recovery_state
        replicas = _changed(record.replicas, self.replicas)
        directories = self.directories if record.directories is None else tuple(record.directories)
        return PartitionImage(
            replicas,
            directories or (MIGRATING_DIRECTORY,) * len(replicas),
            _changed(record.isr, self.isr),
            leader,
            leader_epoch,
            self.partition_epoch + 1,
            self.leader_recovery_state if recovery == NO_RECOVERY_CHANGE else recovery,
            _changed(record.removing_replicas, self.removing),
            _changed(record.adding_replicas, self.adding),
            _changed(record.eligible_leader_replicas, self.elr),
            _changed(record.last_known_elr, self.last_known_elr),
        )

    def directory_of(self, replica: int) -> Uuid:
        """The directory that holds the replica; KeyError if the broker is no replica."""
        try:
            return self.directories[self.replicas.index(replica)]
        except ValueError:
            raise KeyError(replica) from None

    @property
    def has_preferred_leader(self) -> bool:
        return self.leader == self.replicas[0]

    @property
    def is_reassigning(self) -> bool:
        return bool(self.removing or self.adding)


def _changed(new: list[int] | None, old: Ids) -> Ids:
    return old if new is None else tuple(new)
