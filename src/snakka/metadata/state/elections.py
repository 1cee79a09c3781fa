"""ElectLeaders, and the elections that the controller holds of its own accord."""

from itertools import islice

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.partition import NO_LEADER
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.isr_changes import Located, edit_partition, without_leader
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


def balance_leaders(image: ClusterImage, rules: ControllerRules) -> Decision[bool]:
    """Leadership goes back to preferred replicas that can take it. True: there may be more to do."""
    return _elect_round(
        image,
        rules,
        [located for located in image.topics.all_partitions() if not located[2].has_preferred_leader],
        Election.PREFERRED,
    )


def elect_unclean_leaders(image: ClusterImage, rules: ControllerRules) -> Decision[bool]:
    """Partitions without a leader get one at any price, where their topics allow it. True: there may be more to do."""
    waiting = [
        located for located in without_leader(image) if rules.unclean_election_enabled(image, located[0].name)
    ]
    return _elect_round(image, rules, waiting, Election.UNCLEAN)


def _elect_round(
    image: ClusterImage, rules: ControllerRules, candidates: list[Located], election: Election
) -> Decision[bool]:
    built = (edit_partition(image, rules, located, election).build() for located in candidates)
    records = list(islice((record for record in built if record is not None), rules.max_elections_per_round))
    return Decision(records, len(records) >= rules.max_elections_per_round, atomic=False)
