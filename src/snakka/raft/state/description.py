"""The quorum as its leader sees it, for DescribeQuorum."""

from dataclasses import dataclass

from snakka.protocol.uuids import Uuid
from snakka.raft.state.leader import Leader
from snakka.raft.state.progress import ReplicaProgress
from snakka.raft.state.voters import Voter, VoterSet

_UNKNOWN_OFFSET = -1


@dataclass(frozen=True, slots=True)
class ReplicaDescription:
    """One replica; times are -1 while it has not fetched in this epoch."""

    node_id: int
    directory_id: Uuid
    log_end_offset: int
    last_fetch_ms: int
    last_caught_up_ms: int


@dataclass(frozen=True, slots=True)
class QuorumDescription:
    """The leader's whole view. The high watermark is -1 before the first commit of the epoch."""

    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: tuple[ReplicaDescription, ...]
    observers: tuple[ReplicaDescription, ...]
    nodes: tuple[Voter, ...]  # where the voters answer


def describe_quorum(leader: Leader, voters: VoterSet, now_ms: int) -> QuorumDescription:
    def describe(progress: ReplicaProgress) -> ReplicaDescription:
        is_leader = progress.key.node_id == leader.leader_id
        return ReplicaDescription(
            progress.key.node_id,
            progress.key.directory_id,
            _UNKNOWN_OFFSET if progress.end_offset is None else progress.end_offset,
            # The leader is always caught up with itself.
            now_ms if is_leader else progress.last_fetch_ms,
            now_ms if is_leader else progress.last_caught_up_ms,
        )

    return QuorumDescription(
        leader.leader_id,
        leader.epoch,
        _UNKNOWN_OFFSET if leader.high_watermark is None else leader.high_watermark,
        tuple(map(describe, leader.voters)),
        tuple(map(describe, leader.observers(now_ms))),
        voters.voters,
    )
