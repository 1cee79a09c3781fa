"""AllocateProducerIds: blocks of a thousand, each given once."""

import pytest
from cluster_builder import Cluster

from snakka.metadata.state.producer_ids import allocate_producer_ids
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest


def allocate(cluster: Cluster, broker_id: int = 1, epoch: int | None = None):
    request = AllocateProducerIdsRequest(broker_id=broker_id, broker_epoch=epoch or 100 + broker_id)
    return cluster.apply(allocate_producer_ids(cluster.image, request))


def test_blocks_follow_each_other() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2)
    blocks = [allocate(cluster, broker_id) for broker_id in (1, 2, 1)]
    assert [(one.producer_id_start, one.producer_id_len) for one in blocks] == [
        (0, 1000),
        (1000, 1000),
        (2000, 1000),
    ]


def test_only_a_registered_broker_gets_one() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    for broker_id, epoch in ((1, 5), (9, 109)):
        with pytest.raises(ApiError) as refused:
            allocate(cluster, broker_id, epoch)
        assert refused.value.code is ErrorCode.STALE_BROKER_EPOCH


def test_the_end_of_all_ids() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    cluster.image.producer_ids.next_producer_id = 2**63 - 1000
    with pytest.raises(ApiError) as refused:
        allocate(cluster)
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
