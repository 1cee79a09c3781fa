"""What the client half of every mechanism looks like.

Rule: an exchange has no I/O, no clock and no chance of its own; what it needs of these is given to it. It serves one login.
"""

from typing import Protocol


class SaslError(Exception):
    """The exchange can't go on: the server said what makes no sense, or could not prove who it is."""


class SaslExchange(Protocol):
    """One login."""

    mechanism: str

    def step(self, challenge: bytes) -> bytes | None:
        """The next message, beginning with an empty challenge; None when the server has said all that it had to say."""
