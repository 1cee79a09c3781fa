"""From committed metadata to partitions: creates, updates and removes what this broker hosts.

Rule: only what is committed gets here, so whatever is done can be done again after a crash; a log that exists is reused.
"""

import logging
import os
from collections.abc import Callable

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.image.delta import Delta
from snakka.metadata.image.partition import PartitionImage
from snakka.metadata.image.topics import TopicImage
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import Uuid
from snakka.replication.directory_assignments import DirectoryAssignment
from snakka.replication.partition import Partition
from snakka.replication.partition_table import PartitionTable
from snakka.storage.files import StorageFailure
from snakka.storage.log_config import LogConfig
from snakka.storage.log_manager import LogManager
from snakka.storage.partition_log import PartitionLog

log = logging.getLogger(__name__)


class PartitionPublisher:
    """Keeps the partition table and the logs as the metadata says."""

    def __init__(
        self,
        node_id: int,
        logs: LogManager,
        partitions: PartitionTable,
        log_defaults: Callable[[], LogConfig],
        request_flush: Callable[[PartitionLog], None],
        assign_directories: Callable[[list[DirectoryAssignment]], None],
    ) -> None:
        self._node_id = node_id
        self._logs = logs
        self._partitions = partitions
        self._log_defaults = log_defaults
        self._request_flush = request_flush
        self._assign_directories = assign_directories
        # What is there when the broker starts may have had a log for long; what comes later is new.
        self._is_starting = True

    def publish(self, delta: Delta, image: ClusterImage) -> None:
        """Take over one run of committed records."""
        misplaced: list[DirectoryAssignment] = []
        for change in delta.partition_changes(image):
            hosted = change.after is not None and self._node_id in change.after.replicas
            if hosted and change.after is not None:
                is_new = change.before is None and not self._is_starting
                self._host(change.topic, change.partition, change.after, image, misplaced, is_new)
            else:
                self._drop(change.topic, change.partition)
        self._is_starting = False
        for kind, name in delta.configs:
            if kind == ConfigResourceType.TOPIC and name in image.topics.by_name:
                self._logs.update_config(name, self.config_of(name, image))
        if misplaced:
            self._assign_directories(misplaced)

    def config_of(self, topic: str, image: ClusterImage) -> LogConfig:
        return self._log_defaults().with_overrides(image.configs.of_topic(topic))

    def defaults_changed(self, image: ClusterImage) -> None:
        """A broker option that topics inherit was changed at run time."""
        for topic in image.topics.by_name:
            self._logs.update_config(topic, self.config_of(topic, image))

    def _host(
        self,
        topic: TopicImage,
        index: int,
        state: PartitionImage,
        image: ClusterImage,
        misplaced: list[DirectoryAssignment],
        is_new: bool,
    ) -> None:
        partition = self._partitions.get(topic.name, index)
        if partition is not None and partition.topic_id != topic.id:
            # The topic was deleted and made again under the same name.
            self._drop_partition(partition)
            partition = None
        if partition is None:
            place = state.replicas.index(self._node_id)
            wanted = state.directories[place] if place < len(state.directories) else None
            try:
                found = self._open_log(topic, index, wanted, image, is_new)
            except (StorageFailure, ApiError) as error:
                log.error("%s-%d can't be opened: %s", topic.name, index, error)
                return
            partition = Partition(found, self._node_id, self._request_flush)
            self._partitions.add(partition)
            actual = self._logs.directory_id_of(found)
            if wanted is not None and actual != wanted:
                misplaced.append((topic.id, index, actual))
        partition.update_leadership(
            state.leader, state.leader_epoch, state.partition_epoch, state.replicas, state.isr
        )

    def _open_log(
        self, topic: TopicImage, index: int, wanted: Uuid | None, image: ClusterImage, is_new: bool
    ) -> PartitionLog:
        existing = self._logs.get(topic.name, index)
        if existing is not None and existing.topic_id == topic.id:
            existing.config = self.config_of(topic.name, image)
            return existing
        if existing is not None:
            self._logs.delete(topic.name, index)
        config = self.config_of(topic.name, image)
        return self._logs.create(topic.name, index, topic.id, config, directory_id=wanted, is_new=is_new)

    def _drop(self, topic: TopicImage, index: int) -> None:
        partition = self._partitions.get(topic.name, index)
        if partition is not None and partition.topic_id == topic.id:
            self._drop_partition(partition)

    def _drop_partition(self, partition: Partition) -> None:
        self._partitions.remove(partition.topic, partition.index)
        try:
            self._logs.delete(partition.topic, partition.index)
        except StorageFailure as error:
            self._logs.fail_directory(error.directory, error)

    def directory_failed(self, directory: str) -> None:
        """Everything in the directory is out of reach until the broker starts anew."""
        for partition in list(self._partitions):
            if os.path.dirname(partition.log.directory) == directory:
                partition.go_offline(ErrorCode.KAFKA_STORAGE_ERROR)
