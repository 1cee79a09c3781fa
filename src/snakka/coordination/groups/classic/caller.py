"""Who asks to join a group, besides what the request says."""

from typing import NamedTuple

FIRST_THAT_REQUIRES_A_MEMBER_ID = 4
FIRST_THAT_SKIPS_ASSIGNMENT = 9


class Caller(NamedTuple):
    """A client that sends JoinGroup. The handler fills it: a state machine knows neither connections nor chance."""

    client_id: str
    # As Kafka writes it into records: the address with a slash before it.
    client_host: str
    api_version: int
    # The id that the member gets if it has none: its instance id or client id, a hyphen, and a random UUID.
    new_member_id: str

    @property
    def requires_known_member_id(self) -> bool:
        """A new dynamic member is given its id first, and joins with it then (KIP-394)."""
        return self.api_version >= FIRST_THAT_REQUIRES_A_MEMBER_ID

    @property
    def can_skip_assignment(self) -> bool:
        """A leader that comes back may be told that the assignment stands (KIP-814)."""
        return self.api_version >= FIRST_THAT_SKIPS_ASSIGNMENT
