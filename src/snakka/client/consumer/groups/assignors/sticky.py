"""sticky: evenly, and members get back what they had before; all stop reading while it changes."""

from collections.abc import Collection
from struct import Struct, error

from snakka.client.consumer.groups.assignors.balance import Claim, share_out
from snakka.client.consumer.groups.assignors.members import NO_GENERATION, Assignment, Members, Topics
from snakka.client.topic_partition import TopicPartition

_INT16 = Struct(">h")
_INT32 = Struct(">i")


class StickyAssignor:
    """Members have given up everything when they join, so what they had is in their user data."""

    name = "sticky"
    is_cooperative = False

    def user_data(self, owned: Collection[TopicPartition], generation: int) -> bytes | None:
        if generation == NO_GENERATION:
            return None
        return write_claim(Claim(tuple(owned), generation))

    def assign(self, topics: Topics, members: Members) -> Assignment:
        return share_out(
            topics, members, {name: read_claim(each.user_data) for name, each in members.items()}
        )


def write_claim(claim: Claim) -> bytes:
    """Topics with their partitions, then the generation."""
    topics: dict[str, list[int]] = {}
    for topic, index in sorted(claim.partitions):
        topics.setdefault(topic, []).append(index)
    out = bytearray(_INT32.pack(len(topics)))
    for topic, indexes in topics.items():
        name = topic.encode()
        out += _INT16.pack(len(name)) + name + _INT32.pack(len(indexes))
        out += Struct(f">{len(indexes)}i").pack(*indexes)
    return bytes(out + _INT32.pack(claim.generation))


def read_claim(data: bytes | None) -> Claim:
    """What another member has written; before there were generations it ended without one. Garbage claims nothing."""
    try:
        return _read_claim(data or b"")
    except (error, ValueError):
        return Claim((), NO_GENERATION)


def _read_claim(data: bytes) -> Claim:
    (count,), position = _INT32.unpack_from(data), 4
    partitions: list[TopicPartition] = []
    for _ in range(count):
        (size,) = _INT16.unpack_from(data, position)
        position += 2
        name = data[position : position + size].decode()
        position += size
        (indexes,) = _INT32.unpack_from(data, position)
        if indexes < 0 or indexes * 4 > len(data):
            raise ValueError("more partitions than bytes")
        found = Struct(f">{indexes}i").unpack_from(data, position + 4)
        position += 4 + 4 * indexes
        partitions += [TopicPartition(name, index) for index in found]
    generation = _INT32.unpack_from(data, position)[0] if len(data) >= position + 4 else NO_GENERATION
    return Claim(tuple(partitions), generation)
