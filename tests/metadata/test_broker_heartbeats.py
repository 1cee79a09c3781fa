"""Heartbeats: who is unfenced when, how a broker stops, and what it reports on the way."""

import pytest
from cluster_builder import Cluster, directory_of

from snakka.metadata.image.partition import NO_LEADER
from snakka.metadata.state.brokers import heartbeat
from snakka.metadata.state.heartbeats import BrokerState, Heartbeats
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest


def beat(cluster: Cluster, broker_id: int = 1, **fields: object) -> BrokerState:
    """As the controller handles one: decide, replay, remember."""
    request = BrokerHeartbeatRequest(
        broker_id=broker_id,
        broker_epoch=cluster.image.brokers.by_id[broker_id].epoch,
        **{"current_metadata_offset": 1_000, **fields},
    )
    decision = heartbeat(cluster.image, request, cluster.rules, cluster.heartbeats)
    cluster.replay(*decision.records)
    response, state = decision.response
    assert response.is_fenced == state.fenced
    assert response.should_shut_down == (state is BrokerState.SHUTDOWN_NOW)
    cluster.heartbeats.touch(
        broker_id,
        fenced=state.fenced,
        metadata_offset=request.current_metadata_offset,
        now_ms=0,
    )
    if state is BrokerState.CONTROLLED_SHUTDOWN:
        cluster.heartbeats.begin_shutdown(broker_id, 2_000)
    return state


def test_a_broker_is_unfenced_when_it_knows_of_its_registration() -> None:
    cluster = Cluster()
    cluster.add_broker(1, fenced=True)
    epoch = cluster.image.brokers.by_id[1].epoch
    assert beat(cluster, current_metadata_offset=epoch - 1) is BrokerState.FENCED
    assert beat(cluster, current_metadata_offset=epoch, want_fence=True) is BrokerState.FENCED
    assert beat(cluster, current_metadata_offset=epoch) is BrokerState.UNFENCED
    assert cluster.image.brokers.is_active(1)
    assert beat(cluster) is BrokerState.UNFENCED


def test_being_caught_up_is_told_apart_from_being_unfenced() -> None:
    cluster = Cluster()
    cluster.add_broker(1, fenced=True)
    request = BrokerHeartbeatRequest(
        broker_id=1, broker_epoch=101, current_metadata_offset=101, want_fence=True
    )
    response, _ = heartbeat(cluster.image, request, cluster.rules, cluster.heartbeats).response
    assert (response.is_caught_up, response.is_fenced) == (True, True)


def test_an_unfenced_broker_leads_what_waited_for_it() -> None:
    cluster = Cluster()
    cluster.add_broker(1, fenced=True)
    cluster.add_topic("t", [1], isr=[], eligible_leader_replicas=[1])
    cluster.add_topic("u", [2], isr=[2], leader=-1)
    beat(cluster)
    assert (cluster.partition("t").leader, cluster.partition("t").isr) == (1, (1,))
    assert cluster.partition("u").leader == NO_LEADER


@pytest.mark.parametrize("epoch", [-1, 100, 102])
def test_a_wrong_epoch_is_refused(epoch: int) -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    for broker_id in (1, 9):
        request = BrokerHeartbeatRequest(broker_id=broker_id, broker_epoch=epoch)
        with pytest.raises(ApiError) as refused:
            heartbeat(cluster.image, request, cluster.rules, cluster.heartbeats)
        assert refused.value.code is ErrorCode.STALE_BROKER_EPOCH


def test_a_broker_can_ask_to_be_fenced() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2)
    cluster.add_topic("t", [1, 2])
    assert beat(cluster, want_fence=True) is BrokerState.FENCED
    assert cluster.partition("t").leader == 2
    assert cluster.image.brokers.by_id[1].fenced


def test_a_broker_that_leads_nothing_stops_at_once() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2)
    cluster.add_topic("t", [2, 1])
    assert beat(cluster, want_shut_down=True) is BrokerState.SHUTDOWN_NOW
    assert cluster.image.brokers.by_id[1].fenced
    assert cluster.partition("t").isr == (2,)


def test_a_fenced_broker_stops_at_once() -> None:
    cluster = Cluster()
    cluster.add_broker(1, fenced=True)
    assert beat(cluster, want_shut_down=True) is BrokerState.SHUTDOWN_NOW


def test_wanting_to_be_fenced_and_to_stop_is_stopping_at_once() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    cluster.add_topic("t", [1])
    assert beat(cluster, want_shut_down=True, want_fence=True) is BrokerState.SHUTDOWN_NOW


def test_a_controlled_shutdown_waits_until_the_others_know_the_new_leaders() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2, 3)
    cluster.add_topic("t", [1, 2, 3])
    for other in (2, 3):
        beat(cluster, other)
    assert beat(cluster, want_shut_down=True) is BrokerState.CONTROLLED_SHUTDOWN
    broker = cluster.image.brokers.by_id[1]
    assert broker.in_controlled_shutdown
    assert not broker.fenced
    assert (cluster.partition("t").leader, cluster.partition("t").isr) == (2, (2, 3))
    assert beat(cluster, want_shut_down=True) is BrokerState.CONTROLLED_SHUTDOWN
    beat(cluster, 2, current_metadata_offset=2_000)
    assert beat(cluster, want_shut_down=True) is BrokerState.CONTROLLED_SHUTDOWN
    beat(cluster, 3, current_metadata_offset=2_000)
    assert beat(cluster, want_shut_down=True) is BrokerState.SHUTDOWN_NOW
    assert cluster.image.brokers.by_id[1].fenced


def test_a_sole_broker_stops_within_two_heartbeats() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    cluster.add_topic("t", [1])
    assert beat(cluster, want_shut_down=True) is BrokerState.CONTROLLED_SHUTDOWN
    partition = cluster.partition("t")
    assert (partition.leader, partition.isr, partition.elr) == (NO_LEADER, (), (1,))
    assert beat(cluster, want_shut_down=True) is BrokerState.SHUTDOWN_NOW


def test_a_directory_that_fails_takes_its_replicas_out() -> None:
    cluster = Cluster()
    cluster.add_broker(1, directories=2)
    cluster.add_broker(2)
    here, there = directory_of(1, 0), directory_of(1, 1)
    cluster.add_topic("lost", [1, 2], directories=[here, directory_of(2)])
    cluster.add_topic("kept", [1, 2], directories=[there, directory_of(2)])
    beat(cluster, offline_log_dirs=[here])
    assert (cluster.partition("lost").leader, cluster.partition("lost").isr) == (2, (2,))
    assert (cluster.partition("kept").leader, cluster.partition("kept").isr) == (1, (1, 2))
    assert cluster.image.brokers.by_id[1].directories == (there,)
    epoch = cluster.partition("lost").partition_epoch
    beat(cluster, offline_log_dirs=[here])
    assert cluster.partition("lost").partition_epoch == epoch


def test_a_replica_in_a_lost_directory_cannot_lead() -> None:
    cluster = Cluster()
    cluster.add_broker(1, directories=2)
    cluster.add_broker(2)
    cluster.add_topic("t", [1, 2], isr=[2], leader=2, directories=[directory_of(1, 0), directory_of(2)])
    beat(cluster, offline_log_dirs=[directory_of(1, 0)])
    cluster.set_config(2, "t", "unclean.leader.election.enable", "true")
    beat(cluster, 2, want_fence=True)
    assert cluster.partition("t").leader == NO_LEADER


def test_cordoned_directories_are_remembered_once() -> None:
    cluster = Cluster()
    cluster.add_broker(1, directories=2)
    beat(cluster, cordoned_log_dirs=[directory_of(1, 1), directory_of(1, 0)])
    assert set(cluster.image.brokers.by_id[1].cordoned_directories) == {
        directory_of(1, 0),
        directory_of(1, 1),
    }
    assert not cluster.image.brokers.by_id[1].takes_new_replicas
    before = cluster.next_offset
    beat(cluster, cordoned_log_dirs=[directory_of(1, 0), directory_of(1, 1)])
    beat(cluster, cordoned_log_dirs=None)
    assert cluster.next_offset == before
    beat(cluster, cordoned_log_dirs=[])
    assert cluster.image.brokers.by_id[1].cordoned_directories == ()
    old = Cluster(levels=(("metadata.version", 29),))
    old.add_broker(1)
    beat(old, cordoned_log_dirs=[])
    assert old.image.brokers.by_id[1].cordoned_directories is None


def test_sessions_end_in_the_order_of_silence() -> None:
    heartbeats = Heartbeats(session_timeout_ms=9_000)
    for broker_id in (1, 2, 3, 4):
        heartbeats.register(broker_id, 10, fenced=broker_id == 4, now_ms=0)
    heartbeats.touch(1, fenced=False, metadata_offset=1, now_ms=500)
    assert heartbeats.stale(9_000) == []
    assert heartbeats.stale(9_001) == [2, 3]
    assert heartbeats.stale(9_501) == [2, 3, 1]
    heartbeats.fence(2)
    heartbeats.remove(3)
    heartbeats.fence(77)
    assert heartbeats.stale(9_501) == [1]


def test_a_new_controller_gives_others_a_session_but_none_to_its_own_past() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2)
    cluster.add_broker(3, fenced=True)
    heartbeats = Heartbeats(session_timeout_ms=9_000)
    heartbeats.start(cluster.image.brokers.by_id.values(), own_id=1, now_ms=50_000)
    assert not heartbeats.has_session(1, 101, 50_000)
    assert heartbeats.has_session(2, 102, 50_000)
    assert not heartbeats.has_session(2, 101, 50_000)
    assert not heartbeats.has_session(3, 103, 50_000)
    assert heartbeats.stale(50_000) == [1]


def test_a_new_epoch_forgets_the_old_process() -> None:
    heartbeats = Heartbeats(session_timeout_ms=9_000)
    heartbeats.register(1, 10, False, now_ms=0)
    heartbeats.begin_shutdown(1, 5)
    assert heartbeats.is_shutting_down(1)
    heartbeats.register(1, 11, True, now_ms=0)
    assert not heartbeats.is_shutting_down(1)
