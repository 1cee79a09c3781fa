"""Voter sets and their history along the log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.raft.state.voters import Endpoint, OffsetHistory, QuorumHistory, ReplicaKey, Voter, VoterSet

A, B = bytes([1]) * 16, bytes([2]) * 16


def voter(node_id: int, directory_id: bytes = A) -> Voter:
    return Voter(ReplicaKey(node_id, directory_id), (Endpoint("CONTROLLER", "host", 9093),), 0, 1)


def test_a_replica_is_its_node_and_its_directory():
    voters = VoterSet.of(voter(2), voter(1))
    assert voters.ids == (1, 2)
    assert voters.is_voter(ReplicaKey(1, A))
    assert not voters.is_voter(ReplicaKey(1, B))
    assert not voters.is_voter(ReplicaKey(3, A))


def test_a_configured_voter_may_have_any_directory():
    voters = VoterSet.of(Voter(ReplicaKey(1)))
    assert voters.is_only_voter(ReplicaKey(1, A))
    assert voters.is_only_voter(ReplicaKey(1, B))


@pytest.mark.parametrize(("count", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_majority(count, majority):
    assert VoterSet.of(*(voter(n) for n in range(count))).majority == majority


def test_a_node_votes_once():
    with pytest.raises(ValueError, match="votes once"):
        VoterSet.of(voter(1, A), voter(1, B))


def test_a_voter_whose_endpoint_moved_is_updated_in_place():
    voters = VoterSet.of(voter(1), voter(2))
    moved = voter(2)._replace(endpoints=(Endpoint("CONTROLLER", "host", 1),))
    assert not voters.needs_update(voter(2))
    assert voters.needs_update(moved)
    assert voters.with_updated(moved).get(2) == moved
    assert not voters.needs_update(voter(2, B)), "a replica that is not a voter is no reason to write the set"
    with pytest.raises(ValueError, match="not a voter"):
        voters.with_updated(voter(3))


def test_history_answers_for_every_offset():
    history = QuorumHistory(static_voters=VoterSet.of(Voter(ReplicaKey(9))))
    assert history.voters.ids == (9,)
    assert history.voters_offset is None
    assert history.kraft_version == 0
    one, two = VoterSet.of(voter(1)), VoterSet.of(voter(1), voter(2))
    history.add_kraft_version(-1, 1)
    history.add_voters(-1, one)
    history.add_voters(10, two)
    assert history.voters == two
    assert history.voters_at(9) == one
    assert history.voters_at(10) == two
    assert history.kraft_version_at(5) == 1
    history.forget_from(10)
    assert history.voters == one
    assert history.voters_offset == -1


def test_forgetting_the_past_keeps_what_is_still_valid():
    history = QuorumHistory()
    for offset in (0, 10, 20):
        history.add_voters(offset, VoterSet.of(voter(offset)))
    history.forget_before(15)
    assert history.voters_at(9) is None
    assert history.voters_at(15) == VoterSet.of(voter(10))
    assert history.voters_at(20) == VoterSet.of(voter(20))


@given(st.lists(st.integers(0, 30), unique=True).map(sorted), st.integers(-1, 31), st.integers(-1, 31))
def test_forgetting_never_changes_an_answer_that_is_still_asked(offsets, start, asked):
    history: OffsetHistory[int] = OffsetHistory()
    for offset in offsets:
        history.add(offset, offset)
    before = history.at(asked)
    history.forget_before(start)
    if asked >= start:
        assert history.at(asked) == before
    history.forget_from(asked + 1)
    if asked >= start:
        assert history.at(31) == before
