"""What is worth trying again, and how long to wait before it.

Rule: every loop of attempts has a deadline, and when that has come the last reason is raised as it is.
"""

import asyncio

from snakka.protocol.error_codes import ErrorCode
from snakka.runtime import Clock

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 1.0

# What passes by itself: elections, new topics that are not known everywhere yet, brokers that start or stop.
RETRIABLE = frozenset(
    {
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
    }
)


class Pauses:
    """The pauses between the attempts at one thing: each twice as long as the one before."""

    def __init__(self, clock: Clock, deadline: float) -> None:
        self._clock = clock
        self._deadline = deadline
        self._seconds = FIRST_PAUSE_SECONDS

    async def wait(self, reason: Exception) -> None:
        """Until the next attempt; raises `reason` if the deadline comes before that."""
        if self._clock.monotonic() + self._seconds >= self._deadline:
            raise reason
        await asyncio.sleep(self._seconds)
        self._seconds = min(self._seconds * 2, LONGEST_PAUSE_SECONDS)
