"""ElectLeaders: somebody wants other leaders than there are."""

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.partition import NO_LEADER
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.isr_changes import edit_partition
from snakka.metadata.state.leader_election import Election
from snakka.metadata.state.rules import ControllerRules
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)

_ELECTIONS = {0: Election.PREFERRED, 1: Election.UNCLEAN}


def elect_leaders(
    image: ClusterImage, request: ElectLeadersRequest, rules: ControllerRules
) -> Decision[ElectLeadersResponse]:
    election = _ELECTIONS.get(request.election_type)
    if election is None:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"There is no election of type {request.election_type}.")
    records: list[Message] = []
    results = []
    if request.topic_partitions is None:
        # All partitions: those that need no election are left out of the answer.
        for topic in image.topics.by_name.values():
            answers = [
                _elect(image, topic.name, number, election, rules, records) for number in topic.partitions
            ]
            needed = [one for one in answers if one.error_code != ErrorCode.ELECTION_NOT_NEEDED]
            results.append(ReplicaElectionResult(topic=topic.name, partition_result=needed))
    else:
        for wanted in request.topic_partitions:
            answers = [
                _elect(image, wanted.topic, number, election, rules, records) for number in wanted.partitions
            ]
            results.append(ReplicaElectionResult(topic=wanted.topic, partition_result=answers))
    return Decision(records, ElectLeadersResponse(replica_election_results=results), atomic=False)


def _elect(
    image: ClusterImage,
    topic_name: str,
    number: int,
    election: Election,
    rules: ControllerRules,
    records: list[Message],
) -> PartitionResult:
    topic = image.topics.get(topic_name)
    partition = None if topic is None else topic.partitions.get(number)
    if topic is None or partition is None:
        return PartitionResult(
            partition_id=number,
            error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            error_message=f"There is no partition {topic_name}-{number}.",
        )
    preferred = election is Election.PREFERRED
    if partition.has_preferred_leader if preferred else partition.leader != NO_LEADER:
        return PartitionResult(partition_id=number, error_code=ErrorCode.ELECTION_NOT_NEEDED)
    record = edit_partition(image, rules, (topic, number, partition), election).build()
    if record is None:
        error = (
            ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
            if preferred
            else ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
        )
        return PartitionResult(partition_id=number, error_code=error)
    records.append(record)
    return PartitionResult(partition_id=number, error_code=ErrorCode.NONE)
