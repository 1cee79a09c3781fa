"""A member by KIP-848, pure: what its heartbeats say, and what their answers mean for it.

Rule: a heartbeat says what has changed since the last one that was answered; after a failure it says everything again.
"""

from collections.abc import Mapping
from enum import Enum

from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
    ConsumerGroupHeartbeatResponse,
)
from snakka.protocol.uuids import Uuid

JOIN_EPOCH = 0
LEAVE_EPOCH = -1
LEAVE_AND_RETURN_EPOCH = -2  # a static member that will be back

TopicIds = Mapping[Uuid, frozenset[int]]


class Standing(Enum):
    OUT = "not in the group"
    JOINING = "the first heartbeat is due, or under way"
    IN = "a member"


class Wish:
    """What a member asks its group for."""

    __slots__ = ("assignor", "pattern", "topics")

    def __init__(self, topics: frozenset[str], pattern: str | None, assignor: str | None) -> None:
        self.topics = topics
        self.pattern = pattern
        self.assignor = assignor

    def fields(self) -> tuple[tuple[str, ...], str, str | None]:
        return tuple(sorted(self.topics)), self.pattern or "", self.assignor


class ModernState:
    """The member that the broker knows."""

    def __init__(
        self,
        group_id: str,
        member_id: str,
        *,
        instance_id: str | None,
        rack: str | None,
        rebalance_timeout_ms: int,
    ) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.standing = Standing.OUT
        self.epoch = JOIN_EPOCH
        self.target: TopicIds = {}  # what the broker wants us to have
        self.owned: TopicIds = {}  # what we have
        self._group_id = group_id
        self._rack = rack
        self._rebalance_timeout_ms = rebalance_timeout_ms
        self._told_wish: object = None  # what the broker has heard
        self._told_owned: TopicIds | None = None

    def join(self) -> None:
        self.standing = Standing.JOINING
        self.epoch = JOIN_EPOCH
        self.target = {}
        self.owned = {}
        self.forget_told()

    def leave(self) -> int:
        """The epoch of the last heartbeat."""
        self.standing = Standing.OUT
        self.epoch = LEAVE_EPOCH if self.instance_id is None else LEAVE_AND_RETURN_EPOCH
        self.target = {}
        return self.epoch

    def forget_told(self) -> None:
        """Nobody knows what the broker has heard."""
        self._told_wish = None
        self._told_owned = None

    def has_news(self, wish: Wish) -> bool:
        """Whether the broker should hear of something before the next heartbeat is due."""
        return self._told_wish != wish.fields() or self._told_owned != self.owned

    def heartbeat(self, wish: Wish) -> ConsumerGroupHeartbeatRequest:
        is_first = self._told_wish is None
        request = ConsumerGroupHeartbeatRequest(
            group_id=self._group_id,
            member_id=self.member_id,
            member_epoch=self.epoch,
            instance_id=self.instance_id,
        )
        if is_first:
            request.rack_id = self._rack
            request.rebalance_timeout_ms = self._rebalance_timeout_ms
        if self._told_wish != wish.fields():
            topics, pattern, assignor = wish.fields()
            request.subscribed_topic_names = list(topics)
            # An empty pattern takes an earlier one back; brokers that have no patterns are not told of any.
            if pattern or not is_first:
                request.subscribed_topic_regex = pattern
            request.server_assignor = assignor
        if is_first or self._told_owned != self.owned:
            request.topic_partitions = [
                ConsumerGroupHeartbeatRequestTopicPartitions(topic_id=topic_id, partitions=sorted(indexes))
                for topic_id, indexes in sorted(self.owned.items())
            ]
        self._told_wish = wish.fields()
        self._told_owned = self.owned
        return request

    def answered(self, response: ConsumerGroupHeartbeatResponse) -> bool:
        """True if the broker wants us to have something else now."""
        if response.member_id:
            self.member_id = response.member_id
        self.epoch = response.member_epoch
        self.standing = Standing.IN
        if response.assignment is None:
            return False
        target = {each.topic_id: frozenset(each.partitions) for each in response.assignment.topic_partitions}
        has_changed = target != self.target
        self.target = target
        if has_changed:
            # It waits to hear that we have it, even if what we have is what we said we had before: a partition may be
            # taken from us that went with its topic.
            self._told_owned = None
        return has_changed

    def fenced(self) -> None:
        """The broker has given what we had to others: join again."""
        self.join()
