"""Committing by itself: every auto.commit.interval.ms, before partitions go to others, and at the end.

Rule: only what the application is done with is committed, so nothing that is lost on the way was never processed.
"""

import asyncio
import logging

from snakka.client.consumer.messages import OffsetAndMetadata
from snakka.client.consumer.offsets import GroupOffsets
from snakka.client.consumer.reading import Reading
from snakka.client.errors import ClientError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import Clock

_log = logging.getLogger(__name__)
# auto.commit.interval.ms may be 0, for as often as possible.
_SHORTEST_SECONDS = 0.05


class AutoCommit:
    """Commits what has been processed of the partitions that are read."""

    def __init__(
        self, reading: Reading, offsets: GroupOffsets, clock: Clock, interval_seconds: float
    ) -> None:
        self._reading = reading
        self._offsets = offsets
        self._clock = clock
        self._interval_seconds = max(interval_seconds, _SHORTEST_SECONDS)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._interval_seconds)
            await self.commit(self._clock.monotonic() + max(self._interval_seconds, 1.0))

    async def commit(self, deadline: float, *, with_what_is_in_hands: bool = False) -> None:
        """Commit what is not committed yet. That it can't be is logged: whoever reads on begins a little earlier then."""
        try:
            await self._offsets.commit_due(lambda: self._due(with_what_is_in_hands), deadline)
        except (ClientError, ApiError) as error:
            _log.warning("offsets of the group were not committed: %s", error)

    def _due(self, with_what_is_in_hands: bool) -> dict[TopicPartition, OffsetAndMetadata]:
        delivery = self._reading.delivery
        delivery.settle()
        due: dict[TopicPartition, OffsetAndMetadata] = {}
        for partition, assigned in self._reading.assignment.items():
            if not assigned.has_position:
                continue
            offset = assigned.position if with_what_is_in_hands else delivery.processed(assigned)
            if offset < assigned.committed <= assigned.position:
                continue  # the application has committed what it has in its hands by itself
            if offset >= 0 and offset != assigned.committed:
                due[partition] = OffsetAndMetadata(offset, "", assigned.epoch)
        return due
