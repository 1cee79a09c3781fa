"""Tells the controller which directories replicas are in, where it left the choice to the broker or somebody moved them.

Rule: an assignment is kept until the controller has answered for it. The broker may not be registered yet, and the
controller may be away; a replica whose directory nobody knows would survive the loss of its disk in the metadata only.
"""

import asyncio
import logging
from collections.abc import Callable

from snakka.metadata.channel import ControllerChannel
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.assign_replicas_to_dirs import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsRequestDirectoryData,
    AssignReplicasToDirsRequestPartitionData,
    AssignReplicasToDirsRequestTopicData,
)
from snakka.protocol.uuids import Uuid
from snakka.runtime import Runtime

log = logging.getLogger(__name__)

# Which directory a replica turned out to be in: topic id, partition, directory id.
DirectoryAssignment = tuple[Uuid, int, Uuid]

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 10.0
REQUEST_SECONDS = 30.0


class DirectoryAssignments:
    """What the controller has still to be told."""

    def __init__(
        self, runtime: Runtime, channel: ControllerChannel, node_id: int, broker_epoch: Callable[[], int]
    ) -> None:
        """`broker_epoch` is -1 until the broker is registered."""
        self._runtime = runtime
        self._channel = channel
        self._node_id = node_id
        self._broker_epoch = broker_epoch
        self._open: dict[tuple[Uuid, int], Uuid] = {}
        self._is_sending = False

    def assign(self, rows: list[DirectoryAssignment]) -> None:
        for topic_id, index, directory_id in rows:
            self._open[topic_id, index] = directory_id
        if not self._is_sending:
            self._is_sending = True
            self._runtime.supervisor.spawn("assign replicas to directories", self._send())

    async def _send(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        try:
            while self._open:
                if self._broker_epoch() < 0 or not await self._send_once():
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        finally:
            self._is_sending = False

    async def _send_once(self) -> bool:
        """Whether the controller has answered. What it has answered for is done, even if it knows no such replica."""
        sent = dict(self._open)
        deadline = self._runtime.clock.monotonic() + REQUEST_SECONDS
        try:
            await self._channel.assign_replicas_to_directories(self._request(sent), deadline)
        except ApiError as error:
            log.info("the controller does not take note of directories yet: %s", error)
            return False
        for place, directory_id in sent.items():
            if self._open.get(place) == directory_id:
                del self._open[place]
        return True

    def _request(self, rows: dict[tuple[Uuid, int], Uuid]) -> AssignReplicasToDirsRequest:
        directories: dict[Uuid, dict[Uuid, list[AssignReplicasToDirsRequestPartitionData]]] = {}
        for (topic_id, index), directory_id in rows.items():
            partitions = directories.setdefault(directory_id, {}).setdefault(topic_id, [])
            partitions.append(AssignReplicasToDirsRequestPartitionData(partition_index=index))
        return AssignReplicasToDirsRequest(
            broker_id=self._node_id,
            broker_epoch=self._broker_epoch(),
            directories=[
                AssignReplicasToDirsRequestDirectoryData(
                    id=directory_id,
                    topics=[
                        AssignReplicasToDirsRequestTopicData(topic_id=topic_id, partitions=partitions)
                        for topic_id, partitions in topics.items()
                    ],
                )
                for directory_id, topics in directories.items()
            ],
        )
