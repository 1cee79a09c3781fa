"""Roles and elections, with one voter and with three."""

import pytest

from snakka.raft.state.candidate import Candidate
from snakka.raft.state.effects import AdvanceHighWatermark, AppendEpochStart, PersistElection, RequestVotes
from snakka.raft.state.election import ElectionState
from snakka.raft.state.node import Moment, Node
from snakka.raft.state.prospective import Prospective
from snakka.raft.state.resigned import Resigned
from snakka.raft.state.unattached import Unattached
from snakka.raft.state.voters import Endpoint, QuorumHistory, ReplicaKey, Voter, VoterSet
from snakka.raft.state.votes import VoteTally

DIRECTORY = bytes([7]) * 16


def voter(node_id: int) -> Voter:
    return Voter(ReplicaKey(node_id, DIRECTORY), (Endpoint("CONTROLLER", "127.0.0.1", 9090 + node_id),), 0, 1)


def history_of(*node_ids: int, offset: int = 2) -> QuorumHistory:
    history = QuorumHistory()
    history.add_kraft_version(offset, 1)
    history.add_voters(offset, VoterSet.of(*(voter(node_id) for node_id in node_ids)))
    return history


def at(now_ms: int = 0, log_end_offset: int = 10) -> Moment:
    return Moment(now_ms, 1000, log_end_offset)


def test_the_only_voter_leads_at_once_in_a_new_epoch():
    node = Node(voter(1), history_of(1))
    effects = node.start(ElectionState(4, leader_id=1), 4, at())
    assert effects == [
        PersistElection(ElectionState(5, leader_id=1)),
        AppendEpochStart(5, 1, (1,), (1,), None, VoterSet()),
    ]
    assert node.leader is not None
    assert node.leader.high_watermark is None, "nothing is committed before the disk has it"
    assert node.log_synced(11) == [AdvanceHighWatermark(11)]


def test_a_fresh_node_writes_into_the_log_what_formatting_said():
    history = history_of(1, offset=-1)
    node = Node(voter(1), history)
    effects = node.start(None, 0, at(log_end_offset=0))
    assert effects == [
        PersistElection(ElectionState(1, leader_id=1)),
        AppendEpochStart(1, 1, (1,), (1,), 1, history.voters),
    ]


def test_a_leader_whose_endpoint_moved_writes_the_voters_again():
    moved = voter(1)._replace(endpoints=(Endpoint("CONTROLLER", "127.0.0.1", 1),))
    effects = Node(moved, history_of(1)).start(ElectionState(1, leader_id=1), 1, at())
    (append,) = [effect for effect in effects if isinstance(effect, AppendEpochStart)]
    assert append.kraft_version == 1
    assert append.voters == VoterSet.of(moved)


def test_with_configured_voters_the_log_says_nothing_about_them():
    node = Node(voter(1), QuorumHistory(VoterSet.of(Voter(ReplicaKey(1)))))
    effects = node.start(None, 0, at())
    (append,) = [effect for effect in effects if isinstance(effect, AppendEpochStart)]
    assert append.kraft_version is None


def test_the_epoch_is_never_below_the_log():
    node = Node(voter(1), history_of(1))
    node.start(ElectionState(2, leader_id=1), 7, at())
    assert node.epoch == 8


def test_a_node_without_a_vote_waits():
    node = Node(voter(4), history_of(1, 2, 3))
    node.start(None, 0, at())
    assert isinstance(node.role, Unattached)
    assert node.tick(at(1_000_000)) == []
    assert isinstance(node.role, Unattached)


def test_three_voters_need_a_majority_for_both_rounds():
    node = Node(voter(1), history_of(1, 2, 3))
    assert node.start(ElectionState(3), 3, at()) == []
    assert node.tick(at(999)) == []
    assert node.tick(at(1000)) == [RequestVotes(3, True, (2, 3))]
    assert isinstance(node.role, Prospective), "its own pre-vote alone is no majority"
    effects = node.vote_answered(2, 3, is_pre_vote=True, granted=True, moment=at(1001))
    assert effects == [
        PersistElection(ElectionState(4, voted=ReplicaKey(1, DIRECTORY))),
        RequestVotes(4, False, (2, 3)),
    ]
    assert isinstance(node.role, Candidate)
    assert node.leader_id is None
    assert node.vote_answered(2, 4, is_pre_vote=False, granted=False, moment=at(1002)) == []
    effects = node.vote_answered(3, 4, is_pre_vote=False, granted=True, moment=at(1003))
    assert effects == [
        PersistElection(ElectionState(4, leader_id=1)),
        AppendEpochStart(4, 1, (1, 2, 3), (1, 3), None, VoterSet()),
    ]


def test_answers_of_strangers_of_older_rounds_and_said_twice_do_not_count():
    node = Node(voter(1), history_of(1, 2, 3, 4, 5))
    node.start(ElectionState(3), 3, at())
    node.tick(at(1000))
    for node_id, epoch, is_pre_vote in (
        (9, 3, True),
        (2, 2, True),
        (2, 3, False),
        (2, 3, True),
        (2, 3, True),
    ):
        node.vote_answered(node_id, epoch, is_pre_vote=is_pre_vote, granted=True, moment=at(1001))
        assert isinstance(node.role, Prospective)
    node.vote_answered(3, 3, is_pre_vote=True, granted=True, moment=at(1001))
    assert isinstance(node.role, Candidate)


def test_a_lost_pre_vote_changes_nothing_on_disk():
    node = Node(voter(1), history_of(1, 2, 3))
    node.start(ElectionState(3, leader_id=2), 3, at())
    node.tick(at(1000))
    assert node.vote_answered(2, 3, is_pre_vote=True, granted=False, moment=at(1001)) == []
    assert node.vote_answered(3, 3, is_pre_vote=True, granted=False, moment=at(1001)) == []
    assert isinstance(node.role, Unattached)
    assert node.role.election == ElectionState(3, leader_id=2)


def test_a_candidate_without_votes_asks_again_after_its_timeout():
    node = Node(voter(1), history_of(1, 2, 3))
    effects = node.start(ElectionState(6, voted=ReplicaKey(1, DIRECTORY)), 5, at())
    assert effects == [RequestVotes(6, False, (2, 3))], "it goes on with the election that it had begun"
    assert node.tick(at(1000)) == [RequestVotes(6, True, (2, 3))]
    assert node.role.election.voted == ReplicaKey(1, DIRECTORY), "it cannot vote again in this epoch"


def test_a_leader_that_restarts_among_others_resigns_and_begins_a_new_epoch():
    node = Node(voter(1), history_of(1, 2, 3))
    assert node.start(ElectionState(6, leader_id=1), 6, at()) == []
    assert isinstance(node.role, Resigned)
    assert node.leader is None
    assert node.tick(at(1000)) == [PersistElection(ElectionState(7))]
    assert isinstance(node.role, Unattached)


def test_a_newer_epoch_ends_leadership():
    node = Node(voter(1), history_of(1))
    node.start(None, 0, at())
    assert node.epoch_seen(1, at(5)) == []
    assert node.leader is not None
    assert node.epoch_seen(9, at(5)) == [PersistElection(ElectionState(9))]
    assert node.leader is None
    assert node.log_synced(100) == []


def test_resigning():
    node = Node(voter(1), history_of(1))
    node.start(None, 0, at())
    node.resign(at(3))
    assert node.role == Resigned(1, 1003, 1)
    assert node.leader_id == 1


@pytest.mark.parametrize(
    ("granted", "refused", "won", "lost"),
    [
        ((), (), False, False),
        ((1,), (2,), False, False),
        ((1, 2), (), True, False),
        ((1,), (2, 3), False, True),
    ],
)
def test_tally_of_three(granted, refused, won, lost):
    tally = VoteTally(VoterSet.of(voter(1), voter(2), voter(3)))
    for node_id in granted:
        tally.record(node_id, True)
    for node_id in refused:
        tally.record(node_id, False)
    assert (tally.is_won, tally.is_lost) == (won, lost)
