"""AssignReplicasToDirs: brokers say which of their log directories holds a replica (KIP-858)."""

from snakka.metadata.image.brokers import BrokerRegistration
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.topics import TopicImage
from snakka.metadata.state.broker_epochs import check_broker_epoch
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.isr_changes import Located, edit_partition, leader_and_isr_updates
from snakka.metadata.state.rules import ControllerRules
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.assign_replicas_to_dirs import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsRequestTopicData,
    AssignReplicasToDirsResponse,
    AssignReplicasToDirsResponseDirectoryData,
    AssignReplicasToDirsResponsePartitionData,
    AssignReplicasToDirsResponseTopicData,
)
from snakka.protocol.uuids import Uuid


def assign_replicas_to_directories(
    image: ClusterImage, request: AssignReplicasToDirsRequest, rules: ControllerRules
) -> Decision[AssignReplicasToDirsResponse]:
    """A replica in a directory that is offline loses its place in the ISR at once."""
    if not image.features.names_directories:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, "The finalized metadata.version knows no directories.")
    broker = check_broker_epoch(image, request.broker_id, request.broker_epoch)
    assignment = _Assignment(image, broker, rules)
    directories = []
    for directory in request.directories:
        topics = [assignment.assign(directory.id, topic) for topic in directory.topics]
        directories.append(AssignReplicasToDirsResponseDirectoryData(id=directory.id, topics=topics))
    records = assignment.records
    records += leader_and_isr_updates(image, rules, assignment.offline, removed=broker.id)
    return Decision(records, AssignReplicasToDirsResponse(directories=directories), atomic=False)


class _Assignment:
    """One request of one broker, on its way through the topics."""

    def __init__(self, image: ClusterImage, broker: BrokerRegistration, rules: ControllerRules) -> None:
        self._image = image
        self._broker = broker
        self._rules = rules
        self.records: list[Message] = []
        self.offline: list[Located] = []

    def assign(
        self, directory: Uuid, wanted: AssignReplicasToDirsRequestTopicData
    ) -> AssignReplicasToDirsResponseTopicData:
        topic = self._image.topics.by_id.get(wanted.topic_id)
        partitions = []
        for partition in wanted.partitions:
            number = partition.partition_index
            error = (
                ErrorCode.UNKNOWN_TOPIC_ID if topic is None else self._assign_one(directory, topic, number)
            )
            partitions.append(
                AssignReplicasToDirsResponsePartitionData(partition_index=number, error_code=error)
            )
        return AssignReplicasToDirsResponseTopicData(topic_id=wanted.topic_id, partitions=partitions)

    def _assign_one(self, directory: Uuid, topic: TopicImage, number: int) -> ErrorCode:
        partition = topic.partitions.get(number)
        if partition is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if self._broker.id not in partition.replicas:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        located = (topic, number, partition)
        edit = edit_partition(self._image, self._rules, located)
        edit.directories[self._broker.id] = directory
        record = edit.build()
        if record is not None:
            self.records.append(record)
        if not self._broker.has_online(directory):
            self.offline.append(located)
        return ErrorCode.NONE
