"""roundrobin: all partitions of all topics, one after the other, to the members in turn."""

from collections.abc import Collection
from itertools import cycle

from snakka.client.consumer.groups.assignors.members import (
    Assignment,
    Members,
    Topics,
    all_partitions,
    in_order,
)
from snakka.client.topic_partition import TopicPartition


class RoundRobinAssignor:
    """The turn goes on over members that do not want a topic."""

    name = "roundrobin"
    is_cooperative = False

    def user_data(self, owned: Collection[TopicPartition], generation: int) -> bytes | None:
        return None

    def assign(self, topics: Topics, members: Members) -> Assignment:
        assignment: Assignment = {member: [] for member in members}
        wanted = frozenset[str]().union(*(each.topics for each in members.values()))
        turn = cycle(in_order(members))
        for partition in all_partitions({topic: topics[topic] for topic in wanted if topic in topics}):
            member = next(each for each in turn if partition.topic in members[each].topics)
            assignment[member].append(partition)
        return assignment
