"""Who a consumer is in its group, for whoever commits offsets on its behalf: a transaction."""

from typing import NamedTuple


class GroupMetadata(NamedTuple):
    """A group, and one of its members. With the group alone a commit is not checked against who has the partitions."""

    group_id: str
    generation_id: int = -1  # of a classic group, else the member's epoch
    member_id: str = ""
    group_instance_id: str | None = None
