"""The committed metadata as this node knows it: follows the log, keeps the image, tells the publishers.

Rule: the image that others see never shows a record that is not committed, nor a part of a metadata transaction.
"""

import asyncio
import logging
from collections.abc import Iterator

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.delta import Delta
from snakka.metadata.publisher import Publishers
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.raft.driver import RaftDriver
from snakka.raft.listeners import CommittedBatch
from snakka.raft.snapshot_files import SnapshotId
from snakka.runtime import Runtime

log = logging.getLogger(__name__)


class MetadataLoader:
    """A listener of the metadata log; it must be registered before the controller, which starts from this image."""

    def __init__(self, runtime: Runtime, raft: RaftDriver, publishers: Publishers) -> None:
        self._runtime = runtime
        self._raft = raft
        self._publishers = publishers
        self._image = ClusterImage()
        self._delta = Delta()
        self._caught_up = False
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    @property
    def image(self) -> ClusterImage:
        """The committed state. A snapshot replaces the object, so ask anew each time."""
        return self._image

    @property
    def offset(self) -> int:
        """The last offset whose effect the publishers have seen; -1 before the first."""
        return self._image.offset if self._caught_up else -1

    def handle_snapshot(self, snapshot: SnapshotId, records: Iterator[Message]) -> None:
        image = ClusterImage()
        for record in records:
            image.replay(record)
        image.offset, image.epoch = snapshot.last_offset, snapshot.epoch
        self._delta = Delta.between(self._published_image(), image)
        self._image = image

    def handle_commit(self, batch: CommittedBatch) -> None:
        image = self._image
        for record in batch.records:
            image.replay(record, self._delta)
        if image.in_transaction:
            return
        image.offset, image.epoch, image.timestamp_ms = batch.last_offset, batch.epoch, batch.timestamp_ms
        if not self._caught_up:
            # Whoever starts needs the outcome, not the history: publish once, when all that is committed is here.
            self._caught_up = batch.last_offset + 1 >= self._raft.high_watermark
        if self._caught_up:
            self._publish()
            self._snapshot_if_due()

    def handle_leader_change(self, leader_id: int | None, epoch: int) -> None:
        log.info("node %s leads the metadata quorum in epoch %d", leader_id, epoch)

    async def wait_for_offset(self, offset: int, deadline: float) -> None:
        """Until the publishers have seen this offset; REQUEST_TIMED_OUT after the deadline, in monotonic seconds."""
        if self.offset >= offset:
            return
        seen: asyncio.Future[None] = self._runtime.loop.create_future()
        entry = (offset, seen)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(deadline - self._runtime.clock.monotonic()):
                await seen
        except TimeoutError:
            raise ApiError(
                ErrorCode.REQUEST_TIMED_OUT, f"this broker has not reached metadata offset {offset} in time"
            ) from None
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    async def wait_until_caught_up(self, deadline: float) -> None:
        """Until the first publication, after which the image shows all that was committed at the start."""
        await self.wait_for_offset(0, deadline)

    def _publish(self) -> None:
        delta, self._delta = self._delta, Delta()
        if not delta.is_empty:
            self._publishers.publish(delta, self._image)
        if self._waiting:
            for offset, seen in self._waiting:
                if offset <= self._image.offset and not seen.done():
                    seen.set_result(None)

    def _published_image(self) -> ClusterImage:
        return self._image if self._caught_up else ClusterImage()

    def _snapshot_if_due(self) -> None:
        if not self._raft.snapshot_is_due:
            return
        image = self._image
        self._raft.write_snapshot(
            image.offset, image.epoch, image.timestamp_ms, image.snapshot(), image.features.record_versions()
        )
