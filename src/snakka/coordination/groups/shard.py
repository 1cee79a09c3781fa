"""The state of one partition of `__consumer_offsets`: its groups, and the offsets that they committed.

The state is here; what is done with it is in `classic`, `consumer` and `offsets`, as functions that take the shard. Rule:
whatever has to do with records of a group goes through `replay`, also for the one who has just decided.
"""

from collections.abc import Callable, Hashable
from typing import Any

from snakka.coordination.deadlines import Deadlines
from snakka.coordination.decision import Decision, Moment, Producer
from snakka.coordination.groups import classic, consumer, offsets
from snakka.coordination.groups.group import CLASSIC, Group
from snakka.coordination.groups.offsets.store import OffsetStore
from snakka.coordination.groups.settings import GroupSettings
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import KeyedRecord


class GroupShard:
    """Groups and offsets of one partition."""

    def __init__(self, settings: Callable[[], GroupSettings], image: Callable[[], ClusterImage]) -> None:
        self._settings = settings
        self._image = image
        self.groups: dict[str, Group] = {}
        self.offsets = OffsetStore()
        self.deadlines = Deadlines()

    @property
    def settings(self) -> GroupSettings:
        return self._settings()

    @property
    def image(self) -> ClusterImage:
        """The committed metadata: topics to subscribe to and assign, configs of groups, features."""
        return self._image()

    def replay(self, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
        handler = _REPLAY.get(record.key.RECORD_KEY)
        # Share and streams groups are not served here yet; their records stay in the log for whoever does.
        if handler is not None:
            handler(self, record, offset, producer)

    def replay_marker(self, producer_id: int, producer_epoch: int, committed: bool) -> None:
        self.offsets.end_transaction(producer_id, committed)

    def loaded(self, now: Moment) -> Decision[Any]:
        """Members get a whole session to show up at the new coordinator."""
        first = classic.loaded(self, now)
        second = consumer.loaded(self, now)
        return Decision(
            [*first.records, *second.records], answers=[*first.answers, *second.answers], atomic=False
        )

    def expire(self, key: Hashable, now: Moment) -> Decision[Any]:
        """A deadline's key begins with the kind of its group: (kind, group id, ...)."""
        assert isinstance(key, tuple)
        if key[0] == CLASSIC:
            return classic.expire(self, key, now)
        return consumer.expire(self, key, now)


_REPLAY: dict[int, Callable[[GroupShard, KeyedRecord, int, Producer | None], None]] = {
    0: offsets.replay,
    1: offsets.replay,
    2: classic.replay,
    **dict.fromkeys((3, 4, 5, 6, 7, 8, 16), consumer.replay),
}
