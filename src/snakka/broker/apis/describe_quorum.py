"""DescribeQuorum: the metadata quorum, its voters and how far they are (KIP-595). Versions 0-2.

KIP-836 times of fetches (1), KIP-853 directory ids and the addresses of the voters (2).
"""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestTopicData,
    DescribeQuorumResponse,
    DescribeQuorumResponsePartitionData,
    DescribeQuorumResponseTopicData,
    Listener,
    Node,
    ReplicaState,
)
from snakka.raft.state.description import QuorumDescription, ReplicaDescription
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

METADATA_TOPIC = "__cluster_metadata"


def handle(
    request: DescribeQuorumRequest, context: RequestContext, services: Services
) -> DescribeQuorumResponse:
    if not context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return DescribeQuorumResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if not _asks_for_the_metadata_log(request):
        return DescribeQuorumResponse(
            topics=[_unknown(topic) for topic in request.topics],
        )
    quorum = services.raft.quorum_description()
    with_directories = context.api_version >= 2
    return DescribeQuorumResponse(
        topics=[
            DescribeQuorumResponseTopicData(
                topic_name=METADATA_TOPIC, partitions=[_partition(quorum, with_directories)]
            )
        ],
        nodes=[
            Node(
                node_id=voter.key.node_id,
                listeners=[
                    Listener(name=endpoint.listener, host=endpoint.host, port=endpoint.port)
                    for endpoint in voter.endpoints
                ],
            )
            for voter in quorum.nodes
        ]
        if with_directories
        else [],
    )


def _asks_for_the_metadata_log(request: DescribeQuorumRequest) -> bool:
    asked = [
        (topic.topic_name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
    ]
    return asked == [(METADATA_TOPIC, 0)]


def _unknown(topic: DescribeQuorumRequestTopicData) -> DescribeQuorumResponseTopicData:
    return DescribeQuorumResponseTopicData(
        topic_name=topic.topic_name,
        partitions=[
            DescribeQuorumResponsePartitionData(
                partition_index=partition.partition_index, error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            )
            for partition in topic.partitions
        ],
    )


def _partition(quorum: QuorumDescription, with_directories: bool) -> DescribeQuorumResponsePartitionData:
    return DescribeQuorumResponsePartitionData(
        partition_index=0,
        leader_id=quorum.leader_id,
        leader_epoch=quorum.leader_epoch,
        high_watermark=quorum.high_watermark,
        current_voters=[_replica(voter, with_directories) for voter in quorum.voters],
        observers=[_replica(observer, with_directories) for observer in quorum.observers],
    )


def _replica(replica: ReplicaDescription, with_directories: bool) -> ReplicaState:
    state = ReplicaState(
        replica_id=replica.node_id,
        log_end_offset=replica.log_end_offset,
        last_fetch_timestamp=replica.last_fetch_ms,
        last_caught_up_timestamp=replica.last_caught_up_ms,
    )
    if with_directories:
        state.replica_directory_id = replica.directory_id
    return state


API = Api(key=ApiKey.DESCRIBE_QUORUM, handle=handle, listeners=(BROKER, CONTROLLER))
