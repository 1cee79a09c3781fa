"""What an assignor is told, and what it answers."""

from collections.abc import Mapping
from typing import NamedTuple

from snakka.protocol.uuids import Uuid

# The partitions of a member, by topic. Topics without partitions are left out.
Partitions = Mapping[Uuid, frozenset[int]]
# Everybody's partitions, by member id.
Assignment = dict[str, Partitions]


class Subscriber(NamedTuple):
    """A member as an assignor sees it."""

    # Those that exist; every one is in `Specification.partition_counts`.
    topics: frozenset[Uuid]
    # What it was to have so far; may name topics that it is not subscribed to any more, or that are gone.
    assigned: Partitions
    instance_id: str | None = None


class Specification(NamedTuple):
    """Who shares what."""

    # In the order in which partitions are dealt out where nothing else decides.
    members: Mapping[str, Subscriber]
    partition_counts: Mapping[Uuid, int]
