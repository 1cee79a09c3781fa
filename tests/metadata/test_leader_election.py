"""One partition and its changes: who leads, who is in sync, who is eligible (KIP-966)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.metadata.image.partition import NO_LEADER, RECOVERED, RECOVERING, PartitionImage
from snakka.metadata.state.leader_election import Election, ElectionRules, PartitionEdit

TOPIC = b"t" * 16
DIRECTORY = b"d" * 16


def partition(**fields: object) -> PartitionImage:
    values: dict[str, object] = {
        "replicas": (1, 2, 3),
        "directories": (DIRECTORY,) * 3,
        "isr": (1, 2, 3),
        "leader": 1,
        "leader_epoch": 4,
        "partition_epoch": 9,
        **fields,
    }
    values["directories"] = (DIRECTORY,) * len(values["replicas"])
    return PartitionImage(**values)


def rules(*alive: int, **fields: object) -> ElectionRules:
    return ElectionRules(alive.__contains__, lambda _: DIRECTORY, **fields)


def edit(
    before: PartitionImage, given_rules: ElectionRules, election: Election = Election.ONLINE
) -> PartitionEdit:
    return PartitionEdit(TOPIC, 0, before, given_rules, election)


def test_nothing_to_do_is_no_record() -> None:
    assert edit(partition(), rules(1, 2, 3)).build() is None


def test_the_next_replica_in_sync_takes_over() -> None:
    change = edit(partition(), rules(2, 3))
    change.isr = [2, 3]
    record = change.build()
    after = partition().merge(record)
    assert (after.leader, after.leader_epoch, after.isr, after.leader_recovery_state) == (
        2,
        5,
        (2, 3),
        RECOVERED,
    )


def test_the_order_of_replicas_decides_not_that_of_the_isr() -> None:
    change = edit(partition(isr=(1, 3, 2)), rules(2, 3))
    change.isr = [3, 2]
    assert change.build().leader == 2


def test_a_shrinking_isr_keeps_the_leader_and_its_epoch() -> None:
    change = edit(partition(), rules(1, 2, 3))
    change.isr = [1, 2]
    record = change.build()
    assert (record.leader, record.isr) == (-2, [1, 2])
    old_brokers = edit(partition(), rules(1, 2, 3, shrink_bumps_leader_epoch=True))
    old_brokers.isr = [1, 2]
    assert old_brokers.build().leader == 1


def test_a_growing_isr_never_needs_a_new_epoch() -> None:
    change = edit(partition(isr=(1,)), rules(1, 2, 3, shrink_bumps_leader_epoch=True))
    change.isr = [1, 2]
    assert change.build().leader == -2


def test_without_elr_the_last_isr_stays_on_record() -> None:
    before = partition(isr=(1,))
    change = edit(before, rules(2, 3, elr_enabled=False))
    change.isr = []
    after = before.merge(change.build())
    assert (after.leader, after.isr, after.elr, after.last_known_elr) == (NO_LEADER, (1,), (), ())


def test_with_elr_the_last_of_the_isr_becomes_eligible() -> None:
    before = partition(isr=(1,))
    change = edit(before, rules(2, 3))
    change.isr = []
    after = before.merge(change.build())
    assert (after.leader, after.isr, after.elr, after.last_known_elr) == (NO_LEADER, (), (1,), (1,))


def test_those_who_leave_below_min_isr_are_eligible() -> None:
    before = partition()
    change = edit(before, rules(1, 2, 3, min_isr=2))
    change.isr = [1]
    after = before.merge(change.build())
    assert (after.isr, after.elr) == ((1,), (2, 3))
    again = edit(after, rules(1, 2, 3, min_isr=2))
    again.isr = [1, 3]
    healed = after.merge(again.build())
    assert (healed.isr, healed.elr, healed.last_known_elr) == ((1, 3), (), ())


def test_an_eligible_replica_leads_when_nobody_is_in_sync_and_nothing_is_lost() -> None:
    before = partition(isr=(), elr=(2, 3), leader=NO_LEADER, last_known_elr=(1,))
    after = before.merge(edit(before, rules(1, 3, min_isr=2)).build())
    assert (after.leader, after.isr, after.elr) == (3, (3,), (2,))
    assert (after.leader_recovery_state, after.last_known_elr) == (RECOVERED, ())


def test_an_eligible_replica_waits_while_somebody_is_in_sync() -> None:
    before = partition(isr=(1,), elr=(2,), leader=NO_LEADER)
    assert edit(before, rules(2, min_isr=2)).build() is None


def test_the_last_leader_comes_back_as_a_last_resort_and_must_recover() -> None:
    before = partition(isr=(), elr=(), leader=NO_LEADER, last_known_elr=(2,))
    assert edit(before, rules(1, 3)).build() is None
    after = before.merge(edit(before, rules(2)).build())
    assert (after.leader, after.isr, after.leader_recovery_state, after.last_known_elr) == (
        2,
        (2,),
        RECOVERING,
        (),
    )


def test_the_last_leader_is_of_no_use_without_elr_or_when_it_is_not_one() -> None:
    lost = partition(isr=(), elr=(), leader=NO_LEADER, last_known_elr=(2,))
    assert edit(lost, rules(2, elr_enabled=False)).build() is None
    several = partition(isr=(), elr=(), leader=NO_LEADER, last_known_elr=(2, 3))
    assert edit(several, rules(2, 3)).build() is None


def test_a_crash_takes_a_replica_out_of_isr_and_elr() -> None:
    before = partition(isr=(1,), elr=(2, 3))
    change = edit(before, rules(2, min_isr=2))
    change.isr = []
    change.unclean_shutdowns = (1,)
    after = before.merge(change.build())
    assert (after.leader, after.isr, after.elr) == (2, (2,), (3,))


def test_an_unclean_election_gives_up_records_and_says_so() -> None:
    before = partition(isr=(1,))
    change = edit(before, rules(2, 3, elr_enabled=False), Election.UNCLEAN)
    change.isr = []
    after = before.merge(change.build())
    assert (after.leader, after.isr, after.leader_recovery_state) == (2, (2,), RECOVERING)


def test_an_unclean_election_prefers_those_in_sync() -> None:
    before = partition(isr=(1, 3), leader=1)
    change = edit(before, rules(2, 3), Election.UNCLEAN)
    change.isr = [3]
    record = change.build()
    assert (record.leader, record.leader_recovery_state) == (3, -1)


def test_a_preferred_election_moves_the_leadership_back() -> None:
    before = partition(leader=2)
    assert edit(before, rules(1, 2, 3)).build() is None
    assert edit(before, rules(1, 2, 3), Election.PREFERRED).build().leader == 1
    assert edit(before, rules(2, 3), Election.PREFERRED).build() is None
    assert edit(partition(leader=2, isr=(2, 3)), rules(1, 2, 3), Election.PREFERRED).build() is None
    assert edit(before, rules(3), Election.PREFERRED).build().leader == 3


def test_a_recovered_leader_says_so() -> None:
    change = edit(partition(leader_recovery_state=RECOVERING, isr=(1,)), rules(1))
    change.leader_recovery_state = RECOVERED
    record = change.build()
    assert (record.leader_recovery_state, record.leader, record.isr) == (RECOVERED, -2, None)


def test_a_reassignment_is_complete_when_the_new_replicas_are_in_sync() -> None:
    before = partition(replicas=(1, 2, 3, 4), isr=(1, 2, 3), removing=(1,), adding=(4,))
    halfway = edit(before, rules(1, 2, 3, 4))
    halfway.isr = [1, 2, 3]
    assert halfway.build() is None
    done = edit(before, rules(1, 2, 3, 4))
    done.isr = [1, 2, 4]
    after = before.merge(done.build())
    assert (after.replicas, after.isr, after.removing, after.adding) == ((2, 3, 4), (2, 4), (), ())
    assert (after.leader, after.leader_epoch) == (2, 5)


def test_a_reassignment_to_fewer_replicas_waits_for_all_that_stay() -> None:
    before = partition(replicas=(1, 2, 3), isr=(1, 2), removing=(1,))
    halfway = edit(before, rules(1, 2, 3))
    assert halfway.build() is None
    halfway.isr = [1]
    assert halfway.build().removing_replicas is None
    done = edit(before, rules(1, 2, 3))
    done.isr = [1, 2, 3]
    assert before.merge(done.build()).replicas == (2, 3)


def test_a_reassignment_that_only_adds() -> None:
    before = partition(replicas=(1, 2, 3), isr=(1,), adding=(3,))
    done = edit(before, rules(1, 2, 3))
    done.isr = [1, 3]
    after = before.merge(done.build())
    assert (after.replicas, after.adding, after.leader_epoch) == ((1, 2, 3), (), 4)


def test_a_replica_that_is_taken_away_is_fenced_off_by_a_new_epoch() -> None:
    before = partition()
    change = edit(before, rules(1, 2, 3))
    change.replicas = [1, 2]
    change.isr = [1, 2]
    after = before.merge(change.build())
    assert (after.replicas, after.leader, after.leader_epoch) == ((1, 2), 1, 5)


def test_a_new_replica_gets_the_default_directory_and_others_keep_theirs() -> None:
    other = b"o" * 16
    before = partition()
    change = PartitionEdit(
        TOPIC, 0, before, ElectionRules({1, 2, 3}.__contains__, lambda _: other), Election.ONLINE
    )
    change.replicas = [1, 2, 3, 4]
    assert change.build().directories == [DIRECTORY, DIRECTORY, DIRECTORY, other]
    change = edit(before, rules(1, 2, 3, names_directories=False))
    change.replicas = [1, 2, 3, 4]
    assert change.build().directories is None


replica_sets = st.sets(st.integers(1, 4))


@given(
    isr=replica_sets,
    elr=replica_sets,
    last=st.sets(st.integers(1, 4), max_size=2),
    target=replica_sets,
    alive=replica_sets,
    unclean=st.sets(st.integers(1, 4), max_size=1),
    min_isr=st.integers(1, 3),
    elr_enabled=st.booleans(),
    election=st.sampled_from(Election),
    leader=st.integers(1, 4),
)
@settings(max_examples=500, deadline=None)
def test_what_every_change_keeps(
    isr: set[int],
    elr: set[int],
    last: set[int],
    target: set[int],
    alive: set[int],
    unclean: set[int],
    min_isr: int,
    elr_enabled: bool,
    election: Election,
    leader: int,
) -> None:
    elr = elr - isr if elr_enabled else set()
    before = replace(
        partition(replicas=(1, 2, 3, 4)),
        isr=tuple(sorted(isr)),
        elr=tuple(sorted(elr)),
        last_known_elr=tuple(sorted(last)),
        leader=leader if leader in isr else NO_LEADER,
    )
    change = edit(before, rules(*alive, min_isr=min_isr, elr_enabled=elr_enabled), election)
    change.isr = sorted(target - unclean)
    change.unclean_shutdowns = tuple(unclean)
    record = change.build()
    after = before if record is None else before.merge(record)
    assert not set(after.isr) & set(after.elr)
    if record is not None and after.leader != NO_LEADER and record.leader != -2:
        assert after.leader in after.isr
        assert after.leader in alive
    if elr_enabled:
        assert not unclean & set(after.elr)
        if len(target - unclean) >= min_isr:
            assert after.elr == ()
    else:
        assert after.elr == ()
    if election is not Election.UNCLEAN and after.leader_recovery_state == RECOVERING:
        assert after.leader in last
    if record is not None:
        assert after.partition_epoch == before.partition_epoch + 1
        assert after.leader_epoch - before.leader_epoch in (0, 1)
    assert (after.leader == before.leader) or after.leader_epoch > before.leader_epoch


@pytest.mark.parametrize("election", list(Election))
def test_nobody_alive_means_nobody_leads(election: Election) -> None:
    before = partition()
    change = edit(before, rules(), election)
    change.isr = []
    assert before.merge(change.build()).leader == NO_LEADER
