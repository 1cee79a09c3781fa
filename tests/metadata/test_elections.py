"""ElectLeaders, and the elections that the controller holds by itself."""

from dataclasses import replace

import pytest
from cluster_builder import WITHOUT_ELR, Cluster

from snakka.metadata.image.partition import NO_LEADER
from snakka.metadata.state.elections import elect_leaders
from snakka.metadata.state.leader_balance import balance_leaders, elect_unclean_leaders
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions

PREFERRED, UNCLEAN = 0, 1


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster()
    three.add_brokers(1, 2, 3)
    three.add_topic("moved", [1, 2, 3], leader=2)
    three.add_topic("fine", [1, 2, 3])
    three.add_topic("waiting", [1, 2, 3], isr=[2, 3])
    three.add_topic("dead", [1, 2, 3], isr=[9], leader=-1)
    return three


def elect(cluster: Cluster, election: int, *topics: tuple[str, list[int]], everything: bool = False):
    wanted = (
        None if everything else [TopicPartitions(topic=name, partitions=numbers) for name, numbers in topics]
    )
    request = ElectLeadersRequest(election_type=election, topic_partitions=wanted)
    decision = elect_leaders(cluster.image, request, cluster.rules)
    cluster.apply(decision)
    return {
        (topic.topic, result.partition_id): ErrorCode(result.error_code)
        for topic in decision.response.replica_election_results
        for result in topic.partition_result
    }


def test_preferred_leaders(cluster: Cluster) -> None:
    names = [("moved", [0]), ("fine", [0]), ("waiting", [0]), ("dead", [0]), ("nope", [0]), ("fine", [7])]
    assert elect(cluster, PREFERRED, *names) == {
        ("moved", 0): ErrorCode.NONE,
        ("fine", 0): ErrorCode.ELECTION_NOT_NEEDED,
        ("waiting", 0): ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        ("dead", 0): ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        ("nope", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ("fine", 7): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert cluster.partition("moved").leader == 1


def test_unclean_leaders(cluster: Cluster) -> None:
    assert elect(cluster, UNCLEAN, ("dead", [0]), ("fine", [0])) == {
        ("dead", 0): ErrorCode.NONE,
        ("fine", 0): ErrorCode.ELECTION_NOT_NEEDED,
    }
    assert (cluster.partition("dead").leader, cluster.partition("dead").isr) == (1, (1,))


def test_nobody_left_to_elect(cluster: Cluster) -> None:
    for broker_id in (1, 2, 3):
        cluster.fence(broker_id)
    assert elect(cluster, UNCLEAN, ("dead", [0])) == {("dead", 0): ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE}


def test_all_partitions_at_once_tell_only_what_was_needed(cluster: Cluster) -> None:
    assert elect(cluster, PREFERRED, everything=True) == {
        ("moved", 0): ErrorCode.NONE,
        ("waiting", 0): ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        ("dead", 0): ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
    }


def test_an_unknown_kind_of_election(cluster: Cluster) -> None:
    with pytest.raises(ApiError) as refused:
        elect(cluster, 5)
    assert refused.value.code is ErrorCode.INVALID_REQUEST


def test_leaderships_drift_back_in_rounds(cluster: Cluster) -> None:
    cluster.add_topic("many", *([[1, 2]] * 5), leader=2)
    cluster.rules = replace(cluster.rules, max_elections_per_round=4)
    assert cluster.apply(balance_leaders(cluster.image, cluster.rules)) is True
    assert cluster.apply(balance_leaders(cluster.image, cluster.rules)) is False
    assert {partition.leader for partition in cluster.image.topics.by_name["many"].partitions.values()} == {1}
    assert cluster.partition("waiting").leader == 2


def test_unclean_elections_need_the_topics_consent() -> None:
    cluster = Cluster(WITHOUT_ELR)
    cluster.add_brokers(1, 2)
    cluster.add_topic("never", [1, 2], isr=[9], leader=-1)
    cluster.add_topic("please", [1, 2], isr=[9], leader=-1)
    cluster.set_config(2, "please", "unclean.leader.election.enable", "true")
    cluster.apply(elect_unclean_leaders(cluster.image, cluster.rules))
    assert (cluster.partition("never").leader, cluster.partition("please").leader) == (NO_LEADER, 1)
    cluster.set_config(4, "", "unclean.leader.election.enable", "true")
    cluster.apply(elect_unclean_leaders(cluster.image, cluster.rules))
    assert cluster.partition("never").leader == 1
