"""What is worth trying again, and how long to wait before it.

Rule: every loop of attempts has a deadline, and when that has come the last reason is raised as it is.
"""

import asyncio
import random
from dataclasses import dataclass, field

from snakka.client.errors import ClientError
from snakka.protocol.error_codes import RETRIABLE, ErrorCode
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import Clock

__all__ = ["RETRIABLE", "STALE_COORDINATOR", "STALE_METADATA", "Backoff", "Pauses", "is_retriable"]

_JITTER = 0.2
_MOST_DOUBLINGS = 30

# Somebody else leads now, or the topic is another one: what is known of the cluster must be asked for again.
STALE_METADATA = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.LISTENER_NOT_FOUND,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        ErrorCode.ELECTION_NOT_NEEDED,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
    }
)

# The coordinator is another broker now, or none yet.
STALE_COORDINATOR = frozenset({ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR})


def is_retriable(error: BaseException) -> bool:
    """Whether the same may succeed later, without anybody changing anything."""
    if isinstance(error, ApiError):
        return error.code in RETRIABLE
    return isinstance(error, ClientError) and error.retriable


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double, each a little shorter or longer by chance, so that not everybody comes back at once."""

    first_seconds: float = 0.1
    longest_seconds: float = 1.0
    chance: random.Random = field(default_factory=random.Random)

    @classmethod
    def of_ms(cls, first_ms: int, longest_ms: int, chance: random.Random) -> "Backoff":
        return cls(first_ms / 1000, max(first_ms, longest_ms) / 1000, chance)

    def seconds(self, failures: int) -> float:
        """The pause after so many failures in a row; there is none before the first."""
        if failures <= 0:
            return 0.0
        doubled = self.first_seconds * (1 << min(failures - 1, _MOST_DOUBLINGS))
        return min(doubled, self.longest_seconds) * self.chance.uniform(1 - _JITTER, 1 + _JITTER)


class Pauses:
    """The pauses between the attempts at one thing, until its deadline in the clock's monotonic seconds."""

    def __init__(self, clock: Clock, deadline: float, backoff: Backoff | None = None) -> None:
        self.failures = 0
        self._clock = clock
        self._deadline = deadline
        self._backoff = backoff or Backoff()
        self._reason: Exception | None = None

    async def wait(self, reason: Exception) -> None:
        """Until the next attempt; raises `reason` if the deadline comes before that.

        That an attempt was cut short by the deadline itself explains little: then the reason before it is raised.
        """
        if self._reason is None or not isinstance(reason, TimeoutError):
            self._reason = reason
        self.failures += 1
        seconds = self._backoff.seconds(self.failures)
        if self._clock.monotonic() + seconds >= self._deadline:
            raise self._reason
        await asyncio.sleep(seconds)
