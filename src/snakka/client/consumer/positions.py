"""Where one partition is read: pure, what the application has and where fetching goes on.

Rule: `position` moves only past what the application was given, `fetch_offset` past what has been fetched for it. Whoever
moves both elsewhere changes the `fence`, and all that was asked for before is worth nothing.
"""

from enum import Enum
from typing import NamedTuple

from snakka.client.consumer.messages import OffsetAndMetadata
from snakka.client.retry_policy import Backoff
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.uuids import ZERO_UUID, Uuid

EARLIEST, LATEST = -2, -1
UNKNOWN = -1
NO_STOP = (1 << 63) - 1


class Phase(Enum):
    """What must happen before a partition can be fetched."""

    NEW = "nobody has said where to begin"
    RESETTING = "the offset of a time, or of an end of the log, is looked for"
    VALIDATING = "another leader must say whether it has what was read"
    READY = "fetching"


class Truncation(NamedTuple):
    """The log has ended before the position: how far it goes together with what was read, -1 if nobody knows."""

    position: int
    end_offset: int


class AssignedPartition:
    """One partition that is read."""

    __slots__ = (
        "buffered_parts",
        "committed",
        "epoch",
        "failures",
        "fence",
        "fetch_epoch",
        "fetch_offset",
        "has_failed",
        "high_watermark",
        "is_looked_up",
        "is_missing",
        "is_paused",
        "is_revoking",
        "last_stable_offset",
        "leader_epoch",
        "log_start_offset",
        "not_before",
        "partition",
        "phase",
        "position",
        "read_replica",
        "read_replica_until",
        "reset_timestamp",
        "source",
        "stop_offset",
        "topic_id",
        "waits_for_application",
    )

    def __init__(self, partition: TopicPartition) -> None:
        self.partition = partition
        self.topic_id: Uuid = ZERO_UUID  # of the topic that the position is in
        self.phase = Phase.NEW
        self.fence = 0
        self.position = UNKNOWN  # of the next record that the application gets
        self.epoch = UNKNOWN  # of the record before it
        self.fetch_offset = UNKNOWN
        self.fetch_epoch = UNKNOWN
        self.leader_epoch = UNKNOWN  # of the leader that is known to have what was read
        self.stop_offset = NO_STOP  # nothing from here on is wanted
        self.reset_timestamp = LATEST
        self.committed = UNKNOWN  # what the group has, as far as we know
        self.high_watermark = UNKNOWN
        self.last_stable_offset = UNKNOWN
        self.log_start_offset = UNKNOWN
        self.is_paused = False
        self.is_revoking = False  # it will be somebody else's: nothing more is given to the application
        self.has_failed = False  # the application must hear of an error before anything is tried again
        self.is_looked_up = False  # somebody asks for its position just now
        self.is_missing = False  # the cluster does not know it, or nobody who leads it
        self.waits_for_application = False  # it must have taken what is buffered before fetching goes on
        self.buffered_parts = 0
        self.failures = 0
        self.not_before = 0.0
        self.source = UNKNOWN  # the broker that it is fetched from
        self.read_replica = UNKNOWN  # who the leader says should be asked instead
        self.read_replica_until = 0.0

    def __repr__(self) -> str:
        return f"<{self.partition} at {self.position}: {self.phase.name}>"

    # -- where to read ------------------------------------------------------------------------------------------------

    def seek(self, offset: int, leader_epoch: int = UNKNOWN) -> None:
        """Go on at this offset; with the epoch of the record before it, the leader must know it."""
        self._move(offset, leader_epoch)
        self.phase = Phase.READY if leader_epoch < 0 else Phase.VALIDATING

    def seek_to_time(self, timestamp: int) -> None:
        """Go on with the first record of this time or later; EARLIEST and LATEST are times too."""
        self.fence += 1
        self._forget_troubles()
        self.reset_timestamp = timestamp
        self.phase = Phase.RESETTING

    def seek_to_committed(self) -> None:
        """Go on where the group has committed."""
        self.fence += 1
        self._forget_troubles()
        self.phase = Phase.NEW

    def found(self, offset: int, leader_epoch: int = UNKNOWN) -> None:
        """The offset of the time that was looked for."""
        self._move(offset, leader_epoch)
        self.phase = Phase.READY

    def bind(self, topic_id: Uuid, leader_epoch: int) -> bool:
        """The cluster knows the partition so, now; False if it is of another topic of the same name.

        A new leader must be asked first whether it has what was read, if it is known under which leader that was (KIP-320).
        """
        if self.topic_id == ZERO_UUID:
            self.topic_id = topic_id
        elif topic_id not in (self.topic_id, ZERO_UUID):
            return False
        if leader_epoch != self.leader_epoch:
            if self.phase is Phase.READY and self.fetch_epoch >= 0 and leader_epoch > self.leader_epoch >= 0:
                self.phase = Phase.VALIDATING
            if self.phase is not Phase.VALIDATING:
                self.leader_epoch = leader_epoch
        return True

    def recreated(self, topic_id: Uuid) -> None:
        """The topic was deleted and made anew: all that is in it has come after what was read."""
        self.topic_id = topic_id
        self.leader_epoch = UNKNOWN
        self.seek_to_time(EARLIEST)

    def validated(self, leader_epoch: int, end_epoch: int, end_offset: int) -> Truncation | None:
        """The leader's log has the epoch of what was read up to `end_offset`; the result says if that is too little."""
        if end_offset < 0 or end_epoch < 0:
            return Truncation(self.position, UNKNOWN)
        self.leader_epoch = leader_epoch
        self.phase = Phase.READY
        if end_offset >= self.fetch_offset:
            return None
        if end_offset >= self.position:
            self._move(self.position, self.epoch)  # the rest is fetched again, as it is now
            return None
        return Truncation(self.position, end_offset)

    def truncated(self, end_epoch: int, end_offset: int) -> None:
        """Go on where the log goes on now."""
        self._move(end_offset, end_epoch)
        self.phase = Phase.READY

    def _move(self, offset: int, epoch: int) -> None:
        self.fence += 1
        self.position = self.fetch_offset = offset
        self.epoch = self.fetch_epoch = epoch
        self._forget_troubles()

    def _forget_troubles(self) -> None:
        self.has_failed = False
        self.waits_for_application = False
        self.failures = 0
        self.not_before = 0.0
        self.read_replica = UNKNOWN

    # -- fetching -----------------------------------------------------------------------------------------------------

    def fetched(self, next_offset: int, epoch: int) -> None:
        """Records up to `next_offset` wait for the application."""
        self.fetch_offset = next_offset
        self.fetch_epoch = epoch
        self.failures = 0

    def rewind(self) -> None:
        """What was fetched and not given to the application is fetched again."""
        self.fence += 1
        self.fetch_offset, self.fetch_epoch = self.position, self.epoch
        self.waits_for_application = False

    def postpone(self, now: float, backoff: Backoff) -> None:
        """Something failed that may succeed later."""
        self.failures += 1
        self.not_before = now + backoff.seconds(self.failures)

    # -- what is known ------------------------------------------------------------------------------------------------

    @property
    def has_position(self) -> bool:
        return self.phase in (Phase.READY, Phase.VALIDATING)

    @property
    def is_at_stop(self) -> bool:
        """Whether the application has all that is wanted."""
        return self.position >= self.stop_offset

    @property
    def committable(self) -> OffsetAndMetadata:
        return OffsetAndMetadata(self.position, "", self.epoch)
