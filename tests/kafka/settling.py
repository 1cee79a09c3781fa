"""Waiting until changes are in effect: Kafka answers when a change is committed, not when its broker has taken it over."""

import itertools

from tests.kafka.wire import Wire

from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from snakka.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest

TOPIC_RESOURCE = 2
MARK_TOPIC = "marks"
MARK_CONFIG = "retention.ms"
MARKS = itertools.count(1_000_000)


def prepare(port: int) -> None:
    """Creates what `settle` needs, and waits for the producer ids that Kafka fetches with the first request."""
    topic = CreatableTopic(name=MARK_TOPIC, num_partitions=1, replication_factor=1)
    with Wire(port) as wire:
        wire.ask(CreateTopicsRequest(topics=[topic]))
        while wire.ask(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1000)).error_code:
            pass
        settle(wire)


def settle(wire: Wire) -> None:
    """Returns when all that was changed before is in effect.

    Brokers take over changes one after another, so whoever shows a later one has the earlier ones. Twice, because two that
    come together are shown before either has taken effect everywhere.
    """
    for _ in range(2):
        mark = str(next(MARKS))
        resource = AlterConfigsResource(
            resource_type=TOPIC_RESOURCE,
            resource_name=MARK_TOPIC,
            configs=[AlterableConfig(name=MARK_CONFIG, value=mark)],
        )
        wire.ask(IncrementalAlterConfigsRequest(resources=[resource]))
        while _mark(wire) != mark:
            pass


def _mark(wire: Wire) -> str | None:
    resource = DescribeConfigsResource(
        resource_type=TOPIC_RESOURCE, resource_name=MARK_TOPIC, configuration_keys=[MARK_CONFIG]
    )
    rows = wire.ask(DescribeConfigsRequest(resources=[resource])).results[0].configs
    return rows[0].value if rows else None
