"""What a decision and rows stand on: as many copies as a cluster can keep, and nothing counts before all have it.

Brokers are scripted: the bytes that clients send are what is promised.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pyarrow
import pytest
from pyspark.sql.types import StringType, StructField, StructType
from tests.client.scripted_broker import ScriptedBroker
from tests.client.waiting import WAIT_SECONDS, until

from snakka.client.blocking import Admin
from snakka.client.open_transaction import OpenTransaction
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from snakka.protocol.messages.describe_cluster import DescribeClusterBroker, DescribeClusterResponse
from snakka.protocol.messages.describe_configs import DescribeConfigsResponse, DescribeConfigsResult
from snakka.protocol.messages.init_producer_id import InitProducerIdResponse
from snakka.protocol.messages.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from snakka.protocol.record_batch import read_header
from snakka.spark.topic_sink.decisions import Decision, DecisionTopic, ensure_decision_topic
from snakka.spark.topic_sink.sink_columns import sink_columns
from snakka.spark.topic_sink.task_writer import write_at_least_once
from snakka.spark.topic_sink.write_options import write_options
from snakka.spark.worker_clients import worker_clients

NAME = "decisions"
TOPIC_ID = bytes(range(16))
ALL_REPLICAS = -1
PRODUCER_ID = 7


@pytest.fixture
async def cluster(request: pytest.FixtureRequest) -> AsyncIterator[list[ScriptedBroker]]:
    """Of so many brokers; the decision topic is not there yet, and every broker makes what it is asked for."""
    async with AsyncExitStack() as running:
        brokers = [
            await running.enter_async_context(ScriptedBroker(node_id))
            for node_id in range(1, request.param + 1)
        ]
        for broker in brokers:
            _make_topics(broker, brokers)
        yield brokers


def _make_topics(broker: ScriptedBroker, brokers: list[ScriptedBroker]) -> None:
    def unknown(request: Any) -> DescribeConfigsResponse:
        rows = [
            DescribeConfigsResult(
                error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                resource_type=each.resource_type,
                resource_name=each.resource_name,
                configs=[],
            )
            for each in request.resources
        ]
        return DescribeConfigsResponse(results=rows)

    def create(request: Any) -> CreateTopicsResponse:
        for each in brokers:
            each.add_topic(NAME, TOPIC_ID, [(1, 0)])
        return CreateTopicsResponse(
            topics=[CreatableTopicResult(name=each.name, configs=[]) for each in request.topics]
        )

    broker.brokers = brokers
    broker.answers[ApiKey.DESCRIBE_CLUSTER] = lambda request: DescribeClusterResponse(
        brokers=[
            DescribeClusterBroker(broker_id=each.node_id, host="127.0.0.1", port=each.port)
            for each in brokers
        ]
    )
    broker.answers[ApiKey.DESCRIBE_CONFIGS] = unknown
    broker.answers[ApiKey.CREATE_TOPICS] = create


@pytest.mark.parametrize(
    ("cluster", "replicas", "in_sync"),
    [(1, 1, 1), (2, 2, 1), (3, 3, 2), (5, 3, 2)],
    indirect=["cluster"],
)
async def test_decisions_have_as_many_copies_as_there_are_brokers_up_to_three(
    cluster: list[ScriptedBroker], replicas: int, in_sync: int
) -> None:
    """Of three, two have each decision, and any broker may be lost; of fewer none must be there but the leader."""

    def ensure() -> None:
        with Admin(bootstrap_servers=cluster[0].address) as admin:
            ensure_decision_topic(admin, NAME)

    await asyncio.to_thread(ensure)
    [request] = [each for broker in cluster for each in broker.asked(ApiKey.CREATE_TOPICS)]
    [topic] = request.topics
    assert (topic.name, topic.num_partitions, topic.replication_factor) == (NAME, 1, replicas)
    configs = {each.name: each.value for each in topic.configs}
    assert configs["min.insync.replicas"] == str(in_sync)
    assert configs["cleanup.policy"] == "compact"
    assert configs["unclean.leader.election.enable"] == "false"


@pytest.fixture
async def leader() -> AsyncIterator[ScriptedBroker]:
    """It leads the topic, and knows a producer."""
    async with ScriptedBroker() as broker:
        broker.add_topic(NAME, TOPIC_ID, [(broker.node_id, 0)])
        broker.answers[ApiKey.INIT_PRODUCER_ID] = lambda request: InitProducerIdResponse(
            producer_id=PRODUCER_ID
        )
        yield broker
        await asyncio.to_thread(worker_clients().close)


def produced(code: ErrorCode = ErrorCode.NONE) -> ProduceResponse:
    """The answer about partition 0."""
    row = PartitionProduceResponse(index=0, base_offset=0, error_code=code)
    return ProduceResponse(
        responses=[TopicProduceResponse(name=NAME, topic_id=TOPIC_ID, partition_responses=[row])]
    )


def asked_to_write(broker: ScriptedBroker) -> list[tuple[int, int]]:
    """The acks and the producer id of each request."""
    return [
        (request.acks, read_header(data.records).producer_id)
        for request in broker.asked(ApiKey.PRODUCE)
        for topic in request.topic_data
        for data in topic.partition_data
    ]


@pytest.mark.parametrize("given", [{}, {"kafka.linger.ms": "60000"}])
async def test_a_decision_stands_when_all_replicas_have_it(
    leader: ScriptedBroker, given: dict[str, str]
) -> None:
    acknowledged = asyncio.Event()

    async def produce(request: Any) -> ProduceResponse:
        await acknowledged.wait()
        return produced()

    leader.answers[ApiKey.PRODUCE] = produce
    exactly_once = {"deliveryGuarantee": "exactly-once", "decisionTopic": NAME}
    options = write_options({"kafka.bootstrap.servers": leader.address, **exactly_once, **given})
    decision = Decision("q", 0, (OpenTransaction("q-0", 1, 0),))
    writing = asyncio.create_task(asyncio.to_thread(DecisionTopic(options).write, decision))
    try:
        await until(lambda: leader.asked(ApiKey.PRODUCE))
        assert asked_to_write(leader) == [(ALL_REPLICAS, PRODUCER_ID)]
        assert not writing.done(), "nobody has acknowledged it"
    finally:
        acknowledged.set()
        async with asyncio.timeout(WAIT_SECONDS):
            await writing


async def test_a_decision_that_is_not_acknowledged_is_none(leader: ScriptedBroker) -> None:
    leader.answers[ApiKey.PRODUCE] = lambda request: produced(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    exactly_once = {"deliveryGuarantee": "exactly-once", "decisionTopic": NAME}
    options = write_options({"kafka.bootstrap.servers": leader.address, **exactly_once})
    with pytest.raises(ApiError, match="TOPIC_AUTHORIZATION_FAILED"):
        await asyncio.to_thread(DecisionTopic(options).write, Decision("q", 0, ()))


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.TOPIC_AUTHORIZATION_FAILED])
async def test_at_least_once_a_task_has_written_what_all_replicas_have(
    leader: ScriptedBroker, code: ErrorCode
) -> None:
    """By an idempotent producer; and a task whose rows were not taken fails, though nothing waits for each of them."""
    leader.answers[ApiKey.PRODUCE] = lambda request: produced(code)
    options = write_options({"kafka.bootstrap.servers": leader.address, "topic": NAME})
    columns = sink_columns(StructType([StructField("value", StringType())]), NAME)
    rows = pyarrow.record_batch({"value": ["a", "b"]})

    def write() -> None:
        write_at_least_once(iter([rows]), options, columns)

    if code:
        with pytest.raises(ApiError, match=code.name):
            await asyncio.to_thread(write)
    else:
        await asyncio.to_thread(write)
    assert asked_to_write(leader) == [(ALL_REPLICAS, PRODUCER_ID)]
