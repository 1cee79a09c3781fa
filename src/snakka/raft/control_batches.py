"""The quorum's own records between the metadata records: control batches of the log and of snapshots.

Their values are messages that begin with their version, which is 0 for all of them in Kafka 4.3.
"""

from collections.abc import Iterable

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.control_records import ControlType, control_key, read_control_key
from snakka.protocol.errors import ProtocolError
from snakka.protocol.message import Message
from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_types.raft import leader_change_message, voters_record
from snakka.protocol.record_types.raft.kraft_version_record import KRaftVersionRecord
from snakka.raft.state.effects import AppendEpochStart
from snakka.raft.state.voters import Endpoint, QuorumHistory, ReplicaKey, Voter, VoterSet

_VERSION = 0

ControlMessage = tuple[ControlType, Message]


def build_control_records(
    messages: Iterable[ControlMessage], *, base_offset: int, epoch: int, timestamp_ms: int
) -> bytearray:
    """One batch of control records."""
    records = [
        Record(-1, timestamp_ms, control_key(kind), message.encode(_VERSION)) for kind, message in messages
    ]
    return build_batch(records, base_offset=base_offset, leader_epoch=epoch, is_control=True)


def epoch_start_messages(start: AppendEpochStart) -> list[ControlMessage]:
    """What a new leader writes first."""
    leader_change = leader_change_message.LeaderChangeMessage(
        leader_id=start.leader_id,
        voters=[leader_change_message.Voter(voter_id=node_id) for node_id in start.voter_ids],
        granting_voters=[leader_change_message.Voter(voter_id=node_id) for node_id in start.granting_ids],
    )
    messages: list[ControlMessage] = [(ControlType.LEADER_CHANGE, leader_change)]
    if start.kraft_version is not None:
        messages += quorum_messages(start.kraft_version, start.voters)
    return messages


def quorum_messages(kraft_version: int, voters: VoterSet) -> list[ControlMessage]:
    """Who votes, and by which rules; nothing with kraft.version 0, whose voters are configured."""
    if kraft_version == 0:
        return []
    return [
        (ControlType.KRAFT_VERSION, KRaftVersionRecord(kraft_version=kraft_version)),
        (ControlType.KRAFT_VOTERS, _voters_message(voters)),
    ]


def remember_quorum(batch: Bytes, history: QuorumHistory, *, as_of_offset: int | None = None) -> None:
    """Add what a control batch says about voters and kraft.version to the history.

    The records of a snapshot count as written at `as_of_offset`. Kinds that say nothing about the quorum are skipped,
    as are kinds of newer versions.
    """
    for record in read_records(batch):
        offset = record.offset if as_of_offset is None else as_of_offset
        kind = read_control_key(record.key)
        if kind == ControlType.KRAFT_VOTERS:
            history.add_voters(
                offset, _voters_of(voters_record.VotersRecord.decode(_value(record), _VERSION))
            )
        elif kind == ControlType.KRAFT_VERSION:
            history.add_kraft_version(
                offset, KRaftVersionRecord.decode(_value(record), _VERSION).kraft_version
            )


def _value(record: Record) -> bytes:
    if record.value is None:
        raise ProtocolError(f"the control record at offset {record.offset} has no value")
    return record.value


def _voters_message(voters: VoterSet) -> voters_record.VotersRecord:
    return voters_record.VotersRecord(
        voters=[
            voters_record.Voter(
                voter_id=voter.key.node_id,
                voter_directory_id=voter.key.directory_id,
                endpoints=[
                    voters_record.Endpoint(name=endpoint.listener, host=endpoint.host, port=endpoint.port)
                    for endpoint in voter.endpoints
                ],
                kraft_version_feature=voters_record.KRaftVersionFeature(
                    min_supported_version=voter.min_kraft_version,
                    max_supported_version=voter.max_kraft_version,
                ),
            )
            for voter in voters.voters
        ]
    )


def _voters_of(message: voters_record.VotersRecord) -> VoterSet:
    return VoterSet.of(
        *(
            Voter(
                ReplicaKey(voter.voter_id, voter.voter_directory_id),
                tuple(Endpoint(endpoint.name, endpoint.host, endpoint.port) for endpoint in voter.endpoints),
                voter.kraft_version_feature.min_supported_version,
                voter.kraft_version_feature.max_supported_version,
            )
            for voter in message.voters
        )
    )
