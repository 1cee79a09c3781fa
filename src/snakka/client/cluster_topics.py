"""What is known of topics: pure, with one rule: nothing goes back to an older leader epoch, an older topic or nothing."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.metadata import MetadataResponsePartition, MetadataResponseTopic
from snakka.protocol.uuids import ZERO_UUID, Uuid

NO_LEADER = -1
# A broker may lag behind the others and tell of a topic that was replaced. After this long it is rather us who are wrong.
LAG_SECONDS = 10.0
_MOST_EARLIER = 1000


@dataclass(frozen=True, slots=True)
class PartitionView:
    """One partition; the leader is -1 while there is none."""

    index: int
    leader_id: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    offline_replicas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicView:
    """One topic and its partitions, in order."""

    name: str
    topic_id: Uuid
    is_internal: bool
    partitions: tuple[PartitionView, ...]


class LeaderHint(NamedTuple):
    """Who leads a partition, as the answer to a Produce or Fetch tells. Either the name or the id of the topic is enough."""

    name: str
    topic_id: Uuid
    partition: int
    leader_id: int
    leader_epoch: int


class _Earlier(NamedTuple):
    topic: TopicView
    dropped_at: float


class Topics:
    """The topics by name and by id, and what brokers said of those that they do not know."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.by_name: dict[str, TopicView] = {}
        self._monotonic = monotonic
        self._names_by_id: dict[Uuid, str] = {}
        self._earlier: dict[Uuid, _Earlier] = {}  # what was known, of ids that are not known now
        self._errors: dict[str, ErrorCode] = {}

    def by_id(self, topic_id: Uuid) -> TopicView | None:
        name = self._names_by_id.get(topic_id)
        return None if name is None else self.by_name.get(name)

    def error(self, name: str) -> ApiError | None:
        """Why a topic is not known; None if nobody has said anything of it."""
        code = self._errors.get(name)
        if code is None:
            return None
        texts = {
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: f"topic {name} does not exist",
            ErrorCode.LEADER_NOT_AVAILABLE: f"topic {name} has no leaders yet",
            ErrorCode.TOPIC_AUTHORIZATION_FAILED: f"topic {name} may not be used by us: it needs an ACL",
            ErrorCode.INVALID_TOPIC_EXCEPTION: f"{name!r} can't be the name of a topic",
        }
        return ApiError(code, texts.get(code, f"topic {name}"))

    def take(self, row: MetadataResponseTopic) -> None:
        """One topic of a Metadata response."""
        if row.error_code:
            self._take_error(row)
            return
        name = row.name or ""
        known = self.by_name.get(name)
        if known is None or known.topic_id != row.topic_id:
            if known is not None and self._is_replaced(row.topic_id):
                return
            self.forget(name)  # deleted and made anew: its epochs have begun again
            earlier = self._earlier.pop(row.topic_id, None)
            known = None if earlier is None else earlier.topic
        self._errors.pop(name, None)
        rows = sorted(row.partitions, key=lambda partition: partition.partition_index)
        partitions = tuple(
            _newer(known, _partition(each)) if known is not None else _partition(each) for each in rows
        )
        self.by_name[name] = TopicView(name, row.topic_id, row.is_internal, partitions)
        if row.topic_id != ZERO_UUID:
            self._names_by_id[row.topic_id] = name

    def apply_hint(self, hint: LeaderHint) -> bool:
        """True if the hint is newer than what is known."""
        topic = self.by_id(hint.topic_id) if hint.topic_id != ZERO_UUID else self.by_name.get(hint.name)
        if topic is None or not 0 <= hint.partition < len(topic.partitions):
            return False
        partition = topic.partitions[hint.partition]
        if hint.leader_id < 0 or hint.leader_epoch <= partition.leader_epoch:
            return False
        partitions = list(topic.partitions)
        partitions[hint.partition] = replace(
            partition, leader_id=hint.leader_id, leader_epoch=hint.leader_epoch
        )
        self.by_name[topic.name] = replace(topic, partitions=tuple(partitions))
        return True

    def forget(self, name: str) -> bool:
        """True if it was known."""
        self._errors.pop(name, None)
        topic = self.by_name.pop(name, None)
        if topic is None:
            return False
        if topic.topic_id != ZERO_UUID:
            self._names_by_id.pop(topic.topic_id, None)
            self._earlier[topic.topic_id] = _Earlier(topic, self._monotonic())
            if len(self._earlier) > _MOST_EARLIER:
                del self._earlier[next(iter(self._earlier))]
        return True

    def keep_only(self, names: set[str]) -> None:
        """All others do not exist any more."""
        for name in self.by_name.keys() - names:
            self.forget(name)
        self._errors.clear()

    def _is_replaced(self, topic_id: Uuid) -> bool:
        """Whether another topic has taken its name, only lately."""
        earlier = self._earlier.get(topic_id)
        return earlier is not None and self._monotonic() - earlier.dropped_at < LAG_SECONDS

    def _take_error(self, row: MetadataResponseTopic) -> None:
        name = row.name or self._names_by_id.get(row.topic_id, "")
        code = ErrorCode(row.error_code)
        if code is not ErrorCode.LEADER_NOT_AVAILABLE:
            self.forget(name)
        if name:
            self._errors[name] = code


def _partition(row: MetadataResponsePartition) -> PartitionView:
    return PartitionView(
        row.partition_index,
        row.leader_id,
        row.leader_epoch,
        tuple(row.replica_nodes),
        tuple(row.isr_nodes),
        tuple(row.offline_replicas),
    )


def _newer(known: TopicView, partition: PartitionView) -> PartitionView:
    """The one of the higher epoch; a broker that lags behind may tell an old one. -1 is told where there are no epochs."""
    if 0 <= partition.index < len(known.partitions):
        before = known.partitions[partition.index]
        if -1 < partition.leader_epoch < before.leader_epoch:
            return before
    return partition
