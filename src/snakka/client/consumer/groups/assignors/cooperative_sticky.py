"""cooperative-sticky: as sticky, but members keep reading what stays theirs (KIP-429).

A partition that changes hands is nobody's until the one who has it has given it up: it is left out, and the group
assigns once more after that.
"""

from collections.abc import Collection
from struct import Struct

from snakka.client.consumer.groups.assignors.balance import Claim, share_out, transferred
from snakka.client.consumer.groups.assignors.members import (
    NO_GENERATION,
    Assignment,
    Members,
    MemberSubscription,
    Topics,
)
from snakka.client.topic_partition import TopicPartition

_GENERATION = Struct(">i")


class CooperativeStickyAssignor:
    """Members tell what they have; their user data is the generation, for those who can't read it elsewhere."""

    name = "cooperative-sticky"
    is_cooperative = True

    def user_data(self, owned: Collection[TopicPartition], generation: int) -> bytes | None:
        return _GENERATION.pack(generation)

    def assign(self, topics: Topics, members: Members) -> Assignment:
        claims = {name: Claim(each.owned, _generation(each)) for name, each in members.items()}
        assignment = share_out(topics, members, claims)
        changing = transferred(assignment, claims)
        return {
            name: [each for each in partitions if each not in changing]
            for name, partitions in assignment.items()
        }


def _generation(member: MemberSubscription) -> int:
    """From the subscription, or from the user data of older members."""
    if member.generation != NO_GENERATION or member.user_data is None:
        return member.generation
    if len(member.user_data) < _GENERATION.size:
        return NO_GENERATION
    return int(_GENERATION.unpack_from(member.user_data)[0])
