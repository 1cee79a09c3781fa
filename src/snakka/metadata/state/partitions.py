"""AlterPartition: the leader of a partition reports who is in sync with it (KIP-497, KIP-704, KIP-841)."""

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.partition import NO_LEADER_CHANGE, RECOVERED, RECOVERING, PartitionImage
from snakka.metadata.image.topics import TopicImage
from snakka.metadata.state.broker_epochs import check_broker_epoch
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.isr_changes import edit_partition
from snakka.metadata.state.leader_election import Election
from snakka.metadata.state.rules import Caller, ControllerRules
from snakka.protocol.errors import ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionResponse,
    AlterPartitionResponsePartitionData,
    AlterPartitionResponseTopicData,
    BrokerState,
)

# From this version on the ISR comes with the epochs of its brokers.
_ISR_WITH_EPOCHS_SINCE = 3
# An older leader does not know the epochs of its followers.
_ANY_EPOCH = -1


def alter_partition(
    image: ClusterImage, request: AlterPartitionRequest, caller: Caller, rules: ControllerRules
) -> Decision[AlterPartitionResponse]:
    check_broker_epoch(image, request.broker_id, request.broker_epoch)
    records: list[Message] = []
    topics = []
    for wanted in request.topics:
        topic = image.topics.by_id.get(wanted.topic_id)
        results = []
        for change in wanted.partitions:
            if topic is None:
                result = _error(change.partition_index, ErrorCode.UNKNOWN_TOPIC_ID)
            else:
                result = _alter(image, topic, change, request.broker_id, caller, rules, records)
            results.append(result)
        topics.append(AlterPartitionResponseTopicData(topic_id=wanted.topic_id, partitions=results))
    return Decision(records, AlterPartitionResponse(topics=topics), atomic=False)


def _alter(
    image: ClusterImage,
    topic: TopicImage,
    change: AlterPartitionRequestPartitionData,
    broker_id: int,
    caller: Caller,
    rules: ControllerRules,
    records: list[Message],
) -> AlterPartitionResponsePartitionData:
    number = change.partition_index
    partition = topic.partitions.get(number)
    if partition is None:
        return _error(number, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    isr = _wanted_isr(change, caller)
    error = _check_epochs(partition, change, broker_id) or _check_isr(image, partition, change, isr)
    if error is not None:
        return _error(number, error)
    unclean = rules.unclean_election_enabled(image, topic.name)
    election = Election.UNCLEAN if unclean else Election.ONLINE
    edit = edit_partition(image, rules, (topic, number, partition), election)
    edit.isr = [state.broker_id for state in isr]
    edit.leader_recovery_state = change.leader_recovery_state
    record = edit.build()
    if record is not None:
        records.append(record)
        partition = partition.merge(record)
        if record.leader not in (broker_id, NO_LEADER_CHANGE):
            # The change completed a reassignment that leaves the leader out: it is done, and the asker has lost.
            return _error(number, ErrorCode.NEW_LEADER_ELECTED)
    return AlterPartitionResponsePartitionData(
        partition_index=number,
        error_code=ErrorCode.NONE,
        leader_id=partition.leader,
        leader_epoch=partition.leader_epoch,
        isr=list(partition.isr),
        leader_recovery_state=partition.leader_recovery_state,
        partition_epoch=partition.partition_epoch,
    )


def _wanted_isr(change: AlterPartitionRequestPartitionData, caller: Caller) -> list[BrokerState]:
    if caller.api_version >= _ISR_WITH_EPOCHS_SINCE:
        return change.new_isr_with_epochs
    return [BrokerState(broker_id=replica, broker_epoch=_ANY_EPOCH) for replica in change.new_isr]


def _check_epochs(
    partition: PartitionImage, change: AlterPartitionRequestPartitionData, broker_id: int
) -> ErrorCode | None:
    if change.leader_epoch > partition.leader_epoch or change.partition_epoch > partition.partition_epoch:
        # The leader knows of changes that this controller never made: another one must be active.
        return ErrorCode.NOT_CONTROLLER
    if change.leader_epoch < partition.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if broker_id != partition.leader:
        return ErrorCode.INVALID_REQUEST
    if change.partition_epoch < partition.partition_epoch:
        return ErrorCode.INVALID_UPDATE_VERSION
    return None


def _check_isr(
    image: ClusterImage,
    partition: PartitionImage,
    change: AlterPartitionRequestPartitionData,
    isr: list[BrokerState],
) -> ErrorCode | None:
    ids = [state.broker_id for state in isr]
    if len(set(ids)) != len(ids) or not set(ids) <= set(partition.replicas) or partition.leader not in ids:
        return ErrorCode.INVALID_REQUEST
    if change.leader_recovery_state not in (RECOVERED, RECOVERING):
        return ErrorCode.INVALID_REQUEST
    if change.leader_recovery_state == RECOVERING and (
        len(ids) > 1 or partition.leader_recovery_state == RECOVERED
    ):
        # Nobody can follow a leader that is still recovering, and no leader goes back to it.
        return ErrorCode.INVALID_REQUEST
    for state in isr:
        broker = image.brokers.get(state.broker_id)
        if broker is None or not broker.is_active or state.broker_epoch not in (_ANY_EPOCH, broker.epoch):
            return ErrorCode.INELIGIBLE_REPLICA
    return None


def _error(number: int, error: ErrorCode) -> AlterPartitionResponsePartitionData:
    return AlterPartitionResponsePartitionData(partition_index=number, error_code=error)
