"""What the runtime asks of a coordinator's state: the state machine of one partition of an internal topic."""

from collections.abc import Hashable
from typing import Any, Protocol

from snakka.coordination.deadlines import Deadlines
from snakka.coordination.decision import Decision, Moment, Producer
from snakka.protocol.coordinator_framing import KeyedRecord


class Shard(Protocol):
    """Built from nothing by replaying its partition, and dropped whole when the partition's leadership goes."""

    deadlines: Deadlines

    def replay(self, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
        """Take over a record that is in the log at `offset`; with `producer` it counts when its transaction is committed.

        Never fails: a record that makes no sense is one that somebody else wrote, and is left out.
        """

    def replay_marker(self, producer_id: int, producer_epoch: int, committed: bool) -> None:
        """A transaction that wrote to this partition has ended."""

    def loaded(self, now: Moment) -> Decision[Any]:
        """The whole log has been replayed: sessions begin anew, and what was left half done goes on."""

    def expire(self, key: Hashable, now: Moment) -> Decision[Any]:
        """A deadline is due."""
