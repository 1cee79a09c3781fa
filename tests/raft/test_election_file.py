"""`quorum-state` as Apache Kafka 4.3 writes it; the expected texts come from its own writer."""

import pytest
from simulated_disk import SimulatedDisk

from snakka.protocol.uuids import uuid_from_text
from snakka.raft import election_file
from snakka.raft.state.election import ElectionState
from snakka.raft.state.voters import ReplicaKey, Voter, VoterSet
from snakka.storage.meta_properties import DataDirectoryError

DIRECTORY_ID = uuid_from_text("J8aAPcfLQt2bqs1JT_rMgQ")
VOTERS = VoterSet.of(Voter(ReplicaKey(1)), Voter(ReplicaKey(2)))


@pytest.mark.parametrize(
    ("election", "kraft_version", "text"),
    [
        (
            ElectionState(0),
            1,
            (
                '{"leaderId":-1,"leaderEpoch":0,"votedId":-1,'
                '"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
            ),
        ),
        (
            ElectionState(5, leader_id=1),
            1,
            (
                '{"leaderId":1,"leaderEpoch":5,"votedId":-1,'
                '"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
            ),
        ),
        (
            ElectionState(7, voted=ReplicaKey(2, DIRECTORY_ID)),
            1,
            (
                '{"leaderId":-1,"leaderEpoch":7,"votedId":2,'
                '"votedDirectoryId":"J8aAPcfLQt2bqs1JT_rMgQ","data_version":1}'
            ),
        ),
        (
            ElectionState(7, voted=ReplicaKey(2)),
            0,
            (
                '{"clusterId":"","leaderId":-1,"leaderEpoch":7,"votedId":2,"appliedOffset":0,'
                '"currentVoters":[{"voterId":1},{"voterId":2}],"data_version":0}'
            ),
        ),
        (
            ElectionState(5, leader_id=1),
            0,
            (
                '{"clusterId":"","leaderId":1,"leaderEpoch":5,"votedId":-1,"appliedOffset":0,'
                '"currentVoters":[{"voterId":1},{"voterId":2}],"data_version":0}'
            ),
        ),
    ],
)
def test_the_file_is_kafkas(election, kraft_version, text):
    disk = SimulatedDisk()
    disk.make_directory("/log")
    election_file.write(disk, "/log", election, kraft_version=kraft_version, voters=VOTERS)
    assert disk.after_power_loss().read("/log/quorum-state") == text.encode()
    assert election_file.read(disk, "/log") == election


def test_no_file_says_nothing():
    assert election_file.read(SimulatedDisk(), "/log") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"data_version":2,"leaderId":1,"leaderEpoch":5,"votedId":-1}',
        '{"data_version":1,"leaderId":1,"leaderEpoch":-5,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA"}',
        '{"data_version":1,"leaderId":1,"leaderEpoch":5,"votedId":-1,"votedDirectoryId":"?"}',
        '{"data_version":1,"leaderId":null,"leaderEpoch":5,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA"}',
    ],
)
def test_a_damaged_file_is_refused(text):
    disk = SimulatedDisk()
    disk.make_directory("/log")
    disk.replace("/log/quorum-state", text.encode())
    with pytest.raises(DataDirectoryError, match="/log/quorum-state is damaged"):
        election_file.read(disk, "/log")
