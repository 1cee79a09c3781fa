"""Who is on the other end of a connection."""

from typing import NamedTuple


class Principal(NamedTuple):
    """Kafka's principal: a type and a name, written `User:alice`."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


USER = "User"
# What Kafka calls a client of a listener that asks for no credentials.
ANONYMOUS = Principal(USER, "ANONYMOUS")
