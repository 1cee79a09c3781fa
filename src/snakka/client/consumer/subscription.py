"""What a consumer wants to read, pure: topics, a pattern, or partitions that the application has chosen itself.

Rule: the three exclude each other until `unsubscribe`.
"""

import re
from collections.abc import Collection, Iterable
from enum import Enum

from snakka.client.errors import ClientConfigError
from snakka.client.topic_partition import TopicPartition


class Kind(Enum):
    NOTHING = "nothing"
    TOPICS = "topics"
    PATTERN = "a pattern"
    BROKERS_PATTERN = "a pattern that brokers match"
    PARTITIONS = "partitions"


class Subscription:
    """What is wanted at the moment. `version` grows with every change."""

    def __init__(self) -> None:
        self.kind = Kind.NOTHING
        self.version = 0
        self.topics: frozenset[str] = frozenset()  # of a pattern those that match
        self.pattern: re.Pattern[str] | None = None
        self.brokers_pattern: str | None = None
        self.partitions: tuple[TopicPartition, ...] = ()

    @property
    def uses_group(self) -> bool:
        """Whether somebody else decides which partitions are read."""
        return self.kind not in (Kind.NOTHING, Kind.PARTITIONS)

    def subscribe(self, topics: Collection[str]) -> None:
        if isinstance(topics, str):
            raise ClientConfigError(f"give a list of topics, such as [{topics!r}]")
        if not topics:
            self.clear()
            return
        self._become(Kind.TOPICS)
        self.topics = frozenset(topics)

    def subscribe_pattern(self, pattern: re.Pattern[str]) -> None:
        self._become(Kind.PATTERN)
        self.pattern = pattern
        self.topics = frozenset()

    def subscribe_brokers_pattern(self, pattern: str) -> None:
        self._become(Kind.BROKERS_PATTERN)
        self.brokers_pattern = pattern
        self.topics = frozenset()

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        wanted = tuple(dict.fromkeys(TopicPartition(*each) for each in partitions))
        if not wanted:
            self.clear()
            return
        self._become(Kind.PARTITIONS)
        self.partitions = wanted

    def match(self, topics: Iterable[tuple[str, bool]], exclude_internal: bool) -> bool:
        """Find the topics of the pattern among (name, is internal); True if they are others than before."""
        if self.pattern is None:
            return False
        found = frozenset(
            name
            for name, is_internal in topics
            if self.pattern.fullmatch(name) and not (is_internal and exclude_internal)
        )
        if found == self.topics:
            return False
        self.topics = found
        self.version += 1
        return True

    def clear(self) -> None:
        self.kind = Kind.NOTHING
        self._forget()

    def _become(self, kind: Kind) -> None:
        if self.kind not in (Kind.NOTHING, kind):
            raise ClientConfigError(
                f"the consumer reads {self.kind.value} already: call unsubscribe before it reads {kind.value}"
            )
        self.kind = kind
        self._forget()

    def _forget(self) -> None:
        self.version += 1
        self.topics = frozenset()
        self.pattern = None
        self.brokers_pattern = None
        self.partitions = ()
