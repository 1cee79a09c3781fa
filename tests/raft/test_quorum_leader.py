"""What is committed, and how far the replicas are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.raft.state.leader import OBSERVER_SESSION_MS, Leader
from snakka.raft.state.voters import ReplicaKey, Voter, VoterSet

DIRECTORY = bytes([7]) * 16


def key(node_id: int) -> ReplicaKey:
    return ReplicaKey(node_id, DIRECTORY)


def voters(*node_ids: int) -> VoterSet:
    return VoterSet.of(*(Voter(key(node_id)) for node_id in node_ids))


def leader_of_three(start: int = 10) -> Leader:
    return Leader(5, key(1), start, voters(1, 2, 3))


def test_one_voter_commits_what_its_disk_has():
    leader = Leader(5, key(1), 10, voters(1))
    assert not leader.local_synced(10), "the first record of its own epoch is not there yet"
    assert leader.local_synced(11)
    assert leader.high_watermark == 11
    assert not leader.local_synced(11)


def test_three_voters_commit_what_two_have():
    leader = leader_of_three()
    assert not leader.local_synced(15)
    assert leader.high_watermark is None
    assert leader.replica_fetched(key(2), 12, 100)
    assert leader.high_watermark == 12
    assert leader.replica_fetched(key(3), 14, 101)
    assert leader.high_watermark == 14
    assert leader.replica_fetched(key(2), 30, 102), "the leader's own disk is the second of three"
    assert leader.high_watermark == 15


def test_records_of_older_epochs_are_committed_only_behind_one_of_this_epoch():
    leader = leader_of_three(start=10)
    leader.local_synced(11)
    assert not leader.replica_fetched(key(2), 10, 100)
    assert leader.high_watermark is None
    assert leader.replica_fetched(key(2), 11, 100)
    assert leader.high_watermark == 11


def test_a_leader_that_is_no_voter_does_not_count_itself():
    leader = Leader(5, key(9), 10, voters(1, 2, 3))
    assert not leader.local_synced(20)
    assert not leader.replica_fetched(key(1), 20, 100)
    assert leader.high_watermark is None
    assert leader.replica_fetched(key(2), 18, 100)
    assert leader.high_watermark == 18
    assert [observer.key for observer in leader.observers(10**9)] == [key(9)]


def test_a_replica_that_lost_its_disk_is_an_observer():
    leader = leader_of_three()
    leader.local_synced(20)
    assert not leader.replica_fetched(ReplicaKey(2, bytes([8]) * 16), 20, 100)
    assert leader.high_watermark is None
    assert [observer.end_offset for observer in leader.observers(100)] == [20]


def test_a_change_of_voters_never_takes_a_commit_back():
    leader = leader_of_three()
    leader.local_synced(20)
    leader.replica_fetched(key(2), 20, 100)
    assert leader.high_watermark == 20
    assert not leader.voters_changed(voters(1, 3, 4))
    assert leader.high_watermark == 20
    assert [observer.key for observer in leader.observers(100)] == [key(2)]
    leader.voters_changed(voters(1, 2, 3))
    assert {progress.key.node_id: progress.end_offset for progress in leader.voters} == {
        1: 20,
        2: 20,
        3: None,
    }


def test_when_a_replica_was_caught_up():
    leader = leader_of_three()
    leader.local_synced(20)
    leader.replica_fetched(key(2), 15, 100)
    progress = {p.key.node_id: p for p in leader.voters}[2]
    assert (progress.last_fetch_ms, progress.last_caught_up_ms) == (100, -1)
    leader.local_synced(30)
    leader.replica_fetched(key(2), 20, 200)
    assert (progress.last_fetch_ms, progress.last_caught_up_ms) == (200, 100)
    leader.replica_fetched(key(2), 30, 300)
    assert (progress.last_fetch_ms, progress.last_caught_up_ms) == (300, 300)


def test_silent_observers_are_forgotten():
    leader = leader_of_three()
    leader.replica_fetched(key(8), 5, 100)
    assert len(list(leader.observers(100 + OBSERVER_SESSION_MS - 1))) == 1
    assert list(leader.observers(100 + OBSERVER_SESSION_MS)) == []


def test_nonsense_is_refused():
    leader = leader_of_three()
    leader.local_synced(20)
    with pytest.raises(ValueError, match="went back"):
        leader.local_synced(19)
    with pytest.raises(ValueError, match="from itself"):
        leader.replica_fetched(key(1), 3, 100)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 50)), max_size=40), st.integers(0, 20))
def test_the_high_watermark_is_what_a_majority_has_and_never_goes_back(steps, start):
    leader = Leader(5, key(1), start, voters(1, 2, 3, 4, 5))
    ends = dict.fromkeys(range(1, 6), -1)
    highest = None
    for node_id, offset in steps:
        if node_id == 1:
            offset = max(offset, ends[1])
            leader.local_synced(offset)
        else:
            leader.replica_fetched(key(node_id), offset, 0)
        ends[node_id] = offset
        reached = sorted(ends.values())[2]
        if reached > start:
            highest = max(reached, highest or 0)
        assert leader.high_watermark == highest
