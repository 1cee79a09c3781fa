"""`quorum-state`: the election state as one line of JSON, as Kafka 4.3 writes it.

kraft.version 1 writes format 1, which knows the directory of the replica voted for; kraft.version 0 writes format 0,
which lists the voters instead. Rule: `write` returns after the new content and its name are on the disk.
"""

import json
from typing import Any

from snakka.protocol.errors import ProtocolError
from snakka.protocol.uuids import ZERO_UUID, uuid_from_text, uuid_text
from snakka.raft.state.election import ElectionState
from snakka.raft.state.voters import ReplicaKey, VoterSet
from snakka.storage.files import Files
from snakka.storage.meta_properties import DataDirectoryError

FILE_NAME = "quorum-state"

_NOBODY = -1
_NEWEST_FORMAT = 1


def write(
    files: Files, directory: str, election: ElectionState, *, kraft_version: int, voters: VoterSet
) -> None:
    """Replace the file. Blocks until it is synced; StorageFailure if it cannot be."""
    leader_id = _NOBODY if election.leader_id is None else election.leader_id
    voted_id = _NOBODY if election.voted is None else election.voted.node_id
    content: dict[str, Any]
    if kraft_version == 0:
        content = {
            "clusterId": "",
            "leaderId": leader_id,
            "leaderEpoch": election.epoch,
            "votedId": voted_id,
            "appliedOffset": 0,
            "currentVoters": [{"voterId": node_id} for node_id in voters.ids],
            "data_version": 0,
        }
    else:
        voted_directory_id = ZERO_UUID if election.voted is None else election.voted.directory_id
        content = {
            "leaderId": leader_id,
            "leaderEpoch": election.epoch,
            "votedId": voted_id,
            "votedDirectoryId": uuid_text(voted_directory_id),
            "data_version": 1,
        }
    files.replace(f"{directory}/{FILE_NAME}", json.dumps(content, separators=(",", ":")).encode())


def read(files: Files, directory: str) -> ElectionState | None:
    """What the file says; None if there is none yet."""
    path = f"{directory}/{FILE_NAME}"
    if not files.exists(path):
        return None
    try:
        return _parse(json.loads(files.read(path)))
    except (ValueError, TypeError, KeyError, AttributeError, ProtocolError) as error:
        raise DataDirectoryError(f"{path} is damaged: {error!r}") from error


def _parse(content: dict[str, Any]) -> ElectionState:
    data_version = content["data_version"]
    if not 0 <= data_version <= _NEWEST_FORMAT:
        raise ValueError(f"data_version {data_version} is not known")
    epoch, leader_id, voted_id = (int(content[name]) for name in ("leaderEpoch", "leaderId", "votedId"))
    if epoch < 0:
        raise ValueError(f"the epoch is {epoch}")
    directory_id = uuid_from_text(content["votedDirectoryId"]) if data_version else ZERO_UUID
    return ElectionState(
        epoch,
        None if leader_id == _NOBODY else leader_id,
        None if voted_id == _NOBODY else ReplicaKey(voted_id, directory_id),
    )
