"""The metadata quorum: who votes, how far each is, and adding and removing voters."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import failure
from snakka.protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse, Listener
from snakka.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
    DescribeQuorumResponse,
    ReplicaState,
)
from snakka.protocol.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from snakka.protocol.uuids import Uuid

METADATA_TOPIC = "__cluster_metadata"
UNKNOWN_TIME = -1


class VoterEndpoint(NamedTuple):
    """Where a controller can be reached, by the name of the listener."""

    listener: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class QuorumReplica:
    """A voter or an observer, and how far it is; times are -1 where they are not known."""

    node_id: int
    directory_id: Uuid
    log_end_offset: int
    last_fetch_ms: int
    last_caught_up_ms: int


@dataclass(frozen=True, slots=True)
class QuorumDescription:
    """The quorum as its leader sees it."""

    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: tuple[QuorumReplica, ...]
    observers: tuple[QuorumReplica, ...]
    endpoints: dict[int, tuple[VoterEndpoint, ...]]


class QuorumAdmin(AdminCalls):
    """What can be done to the metadata quorum."""

    async def describe_quorum(self, *, timeout_ms: int | None = None) -> QuorumDescription:
        """The voters and observers of the metadata log.

        >>> quorum = await admin.describe_quorum()
        >>> quorum.leader_id, [voter.node_id for voter in quorum.voters]
        (1, [1])
        """
        topic = DescribeQuorumRequestTopicData(
            topic_name=METADATA_TOPIC, partitions=[DescribeQuorumRequestPartitionData(partition_index=0)]
        )
        response = await self._ask_any(
            DescribeQuorumRequest(topics=[topic]), DescribeQuorumResponse, self._deadline(timeout_ms)
        )
        row = response.topics[0].partitions[0]
        if row.error_code:
            raise failure(row.error_code, row.error_message, "the metadata quorum")
        return QuorumDescription(
            row.leader_id,
            row.leader_epoch,
            row.high_watermark,
            tuple(map(_replica, row.current_voters)),
            tuple(map(_replica, row.observers)),
            {
                node.node_id: tuple(VoterEndpoint(each.name, each.host, each.port) for each in node.listeners)
                for node in response.nodes
            },
        )

    async def add_raft_voter(
        self,
        node_id: int,
        directory_id: Uuid,
        endpoints: Iterable[VoterEndpoint],
        *,
        timeout_ms: int | None = None,
    ) -> None:
        """Let a controller that is an observer now vote. ApiError says why it may not."""
        deadline = self._deadline(timeout_ms)
        request = AddRaftVoterRequest(
            cluster_id=self.cluster.cluster_id,
            timeout_ms=self._broker_ms(deadline),
            voter_id=node_id,
            voter_directory_id=directory_id,
            listeners=[Listener(name=name, host=host, port=port) for name, host, port in endpoints],
        )
        await self._ask_any(request, AddRaftVoterResponse, deadline)

    async def remove_raft_voter(
        self, node_id: int, directory_id: Uuid, *, timeout_ms: int | None = None
    ) -> None:
        """Take the vote from a controller; it goes on as an observer."""
        request = RemoveRaftVoterRequest(
            cluster_id=self.cluster.cluster_id, voter_id=node_id, voter_directory_id=directory_id
        )
        await self._ask_any(request, RemoveRaftVoterResponse, self._deadline(timeout_ms))


def _replica(row: ReplicaState) -> QuorumReplica:
    return QuorumReplica(
        row.replica_id,
        row.replica_directory_id,
        row.log_end_offset,
        row.last_fetch_timestamp,
        row.last_caught_up_timestamp,
    )
