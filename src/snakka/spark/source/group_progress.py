"""What a query has read, committed to its group: for tools that show the lag, the query itself goes by its checkpoint.

Rule: a group that can't be committed to is no reason to stop, and neither is one that others commit to; each is said once.
"""

import logging

from snakka.client.blocking import Admin
from snakka.client.errors import ClientError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import Clock
from snakka.spark.source.offset_json import Offsets

_log = logging.getLogger(__name__)
COMMIT_TIMEOUT_MS = 10_000
# How often it is looked whether others commit to the group, beside the first time: each look is a request.
LOOK_SECONDS = 60.0
# A group whose coordinator does not answer must not hold up each batch for as long as that is waited for.
PAUSE_SECONDS = 60.0


class GroupProgress:
    """Of one running query. Its group may be that of others: by default all that read the same topics have the same."""

    def __init__(self, admin: Admin, group_id: str, clock: Clock) -> None:
        self._admin = admin
        self._group_id = group_id
        self._clock = clock
        self._committed: Offsets = {}
        self._complaint = ""
        self._look_at: float | None = float("-inf")  # None once there is nothing more to be said
        self._commit_at = float("-inf")

    def commit(self, offsets: Offsets) -> None:
        """All before these has been processed: let the group say so."""
        if offsets == self._committed or not offsets or self._clock.monotonic() < self._commit_at:
            return
        self._look_for_others(offsets)
        before, self._committed = self._committed, offsets
        try:
            outcomes = self._admin.alter_group_offsets(self._group_id, offsets, timeout_ms=COMMIT_TIMEOUT_MS)
            complaint = "; ".join(sorted({str(error) for error in outcomes.errors.values()}))
        except (ApiError, ClientError) as error:
            complaint = str(error)
            self._committed = before
            self._commit_at = self._clock.monotonic() + PAUSE_SECONDS
        if complaint and complaint != self._complaint:
            _log.warning("what has been read can't be committed to group %s: %s", self._group_id, complaint)
        self._complaint = complaint

    def _look_for_others(self, offsets: Offsets) -> None:
        """Say it if the group is further than this query, which has not brought it there and sets it back now."""
        now = self._clock.monotonic()
        if self._look_at is None or now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        ahead = {
            partition: offset
            for partition, offset in self._group_offsets().items()
            if offset > offsets.get(partition, offset) and offset != self._committed.get(partition)
        }
        if ahead:
            partition = min(ahead)
            self._look_at = None
            _log.warning(
                "group %s is at %d in %s already, and this query sets it back to %d: another query commits to it too, or"
                " this one has begun anew. Set kafka.group.id to a name that no other query has: then its lag can be seen",
                self._group_id,
                ahead[partition],
                partition,
                offsets[partition],
            )

    def _group_offsets(self) -> dict[TopicPartition, int]:
        try:
            listed = self._admin.list_group_offsets(self._group_id, timeout_ms=COMMIT_TIMEOUT_MS)
        except (ApiError, ClientError):
            return {}  # who can't read the group can't commit to it either, and that is said
        return {partition: each.offset for partition, each in listed.results.items()}
