"""The name of one partition, as all of the client's calls take and give it."""

from collections.abc import Iterable
from typing import NamedTuple


class TopicPartition(NamedTuple):
    """A topic's name and the number of one of its partitions."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """The numbers of the partitions by their topics, as requests want them."""
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        topics.setdefault(topic, []).append(partition)
    return topics
