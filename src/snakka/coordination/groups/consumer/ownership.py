"""Which member has a partition. Nobody else is given it before its owner has let go of it."""

from collections.abc import Mapping

from snakka.coordination.groups.consumer.member import ConsumerMember
from snakka.protocol.uuids import Uuid


class Ownership:
    """Owners by topic and partition. A copy shares a topic's owners with its origin until one of the two changes them."""

    __slots__ = ("_owners", "_shared")

    def __init__(self, owners: dict[Uuid, dict[int, str]] | None = None) -> None:
        self._owners = {} if owners is None else owners
        # The topics whose owners another one may be looking at.
        self._shared: set[Uuid] = set(self._owners)

    def copy(self) -> "Ownership":
        self._shared = set(self._owners)
        return Ownership(dict(self._owners))

    def owner(self, topic_id: Uuid, partition: int) -> str | None:
        owners = self._owners.get(topic_id)
        return None if owners is None else owners.get(partition)

    def replace(self, old: ConsumerMember | None, new: ConsumerMember | None) -> None:
        """A member has become another, or has come, or has gone."""
        if old is not None:
            for partitions in (old.assigned, old.revoking):
                self._release(partitions, old.member_id)
        if new is not None:
            for partitions in (new.assigned, new.revoking):
                for topic_id, numbers in partitions.items():
                    self._of(topic_id).update(dict.fromkeys(numbers, new.member_id))

    def _release(self, partitions: Mapping[Uuid, Mapping[int, int]], member_id: str) -> None:
        for topic_id, numbers in partitions.items():
            owners = self._of(topic_id)
            for number in numbers:
                # Another may have it by now: then that one's record was replayed first.
                if owners.get(number) == member_id:
                    del owners[number]
            if not owners:
                del self._owners[topic_id]

    def _of(self, topic_id: Uuid) -> dict[int, str]:
        """A topic's owners, to be changed."""
        owners = self._owners.get(topic_id)
        if owners is None:
            owners = self._owners[topic_id] = {}
        elif topic_id in self._shared:
            owners = self._owners[topic_id] = dict(owners)
        self._shared.discard(topic_id)
        return owners

    def as_dict(self) -> Mapping[Uuid, Mapping[int, str]]:
        return self._owners
