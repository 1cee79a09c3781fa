"""Answers that no broker of today gives: codes of a newer one, or what can't be read at all.

Whoever asked hears of it, and everything else goes on.
"""

import asyncio
from typing import Any

import pytest
from tests.client.scripted_broker import ScriptedBroker, Unreadable
from tests.client.scripted_log import TOPIC, TOPIC_ID, ScriptedLog
from tests.client.waiting import until

from snakka.client import Admin, Consumer, Producer
from snakka.client.errors import UnreadableAnswerError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.fetch import PartitionData
from snakka.protocol.messages.init_producer_id import InitProducerIdResponse
from snakka.protocol.messages.list_groups import ListGroupsResponse
from snakka.protocol.messages.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse

NEWER_CODE = 200
PARTITION = TopicPartition(TOPIC, 0)
SECONDS = 10


async def test_a_producer_tells_of_a_code_that_it_does_not_know_and_goes_on() -> None:
    codes = [NEWER_CODE, 0]

    def produce(request: Any) -> ProduceResponse:
        row = PartitionProduceResponse(index=0, error_code=codes.pop(0), base_offset=7)
        return ProduceResponse(
            responses=[TopicProduceResponse(topic_id=TOPIC_ID, name="", partition_responses=[row])]
        )

    async with ScriptedBroker() as broker:
        broker.add_topic(TOPIC, TOPIC_ID, [(1, 0)])
        broker.answers[ApiKey.PRODUCE] = produce
        broker.answers[ApiKey.INIT_PRODUCER_ID] = lambda request: InitProducerIdResponse(
            producer_id=1, producer_epoch=0
        )
        async with Producer(bootstrap_servers=broker.address) as producer, asyncio.timeout(SECONDS):
            with pytest.raises(ApiError) as told:
                await producer.send_and_wait(TOPIC, b"x")
            assert told.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
            assert (await producer.send_and_wait(TOPIC, b"y")).offset == 7


async def test_a_consumer_fetches_again_after_a_code_that_it_does_not_know() -> None:
    codes = [NEWER_CODE]

    def spoil(offset: int, row: PartitionData) -> PartitionData | None:
        return PartitionData(partition_index=0, error_code=codes.pop(), records=b"") if codes else None

    async with ScriptedBroker() as broker:
        broker.add_topic(TOPIC, TOPIC_ID, [(1, 0)])
        log = ScriptedLog(broker, count=1)
        log.spoil = spoil
        settings = {"bootstrap_servers": broker.address, "auto_offset_reset": "earliest"}
        async with Consumer(**settings) as consumer, asyncio.timeout(SECONDS):
            consumer.assign([PARTITION])
            assert (await consumer.getone()).value == b"0"
            assert not codes


async def test_a_consumer_tells_of_an_answer_that_can_t_be_read_and_goes_on() -> None:
    async with ScriptedBroker() as broker:
        broker.add_topic(TOPIC, TOPIC_ID, [(1, 0)])
        ScriptedLog(broker, count=1)
        fetch, unreadable = broker.answers[ApiKey.FETCH], [Unreadable()]
        broker.answers[ApiKey.FETCH] = lambda request: unreadable.pop() if unreadable else fetch(request)
        settings = {"bootstrap_servers": broker.address, "auto_offset_reset": "earliest"}
        async with Consumer(**settings) as consumer, asyncio.timeout(SECONDS):
            consumer.assign([PARTITION])
            with pytest.raises(UnreadableAnswerError, match="has given an answer that can't be read"):
                await consumer.getone()
            assert (await consumer.getone()).value == b"0"


async def test_an_admin_tells_of_a_code_that_it_does_not_know() -> None:
    async with ScriptedBroker() as broker:
        broker.answers[ApiKey.LIST_GROUPS] = lambda request: ListGroupsResponse(error_code=NEWER_CODE)
        async with Admin(bootstrap_servers=broker.address) as admin, asyncio.timeout(SECONDS):
            with pytest.raises(ApiError, match="UNKNOWN_SERVER_ERROR"):
                await admin.list_groups()


async def test_metadata_that_can_t_be_read_is_asked_for_again() -> None:
    async with ScriptedBroker() as broker:
        metadata = broker.answers[ApiKey.METADATA]
        settings = {"retry_backoff_ms": 5, "retry_backoff_max_ms": 5, "enable_idempotence": False}
        async with (
            Producer(bootstrap_servers=broker.address, **settings) as producer,
            asyncio.timeout(SECONDS),
        ):
            for _ in range(2):
                broker.answers[ApiKey.METADATA] = lambda request: Unreadable()
                asked = len(broker.asked(ApiKey.METADATA))
                producer._cluster.refresh_soon()
                await until(lambda: len(broker.asked(ApiKey.METADATA)) > asked)  # noqa: B023
                broker.answers[ApiKey.METADATA] = metadata
            broker.add_topic(TOPIC, TOPIC_ID, [(1, 0)])
            assert await producer.partitions_for(TOPIC) == {0}
            asked = len(broker.asked(ApiKey.METADATA))
            producer._cluster.refresh_soon()
            await until(lambda: len(broker.asked(ApiKey.METADATA)) > asked)


async def test_an_answer_that_can_t_be_read_is_told_with_its_broker() -> None:
    async with ScriptedBroker() as broker:
        broker.answers[ApiKey.LIST_GROUPS] = lambda request: Unreadable()
        async with Admin(bootstrap_servers=broker.address) as admin:
            with pytest.raises(UnreadableAnswerError, match="has given an answer that can't be read"):
                await admin.list_groups(timeout_ms=300)


async def test_a_producer_whose_work_in_the_background_has_ended_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ScriptedBroker() as broker:
        settings = {"bootstrap_servers": broker.address, "enable_idempotence": False}
        async with Producer(**settings) as producer, asyncio.timeout(SECONDS):
            monkeypatch.setattr(producer._cluster, "_drop_idle", lambda: {}["a mistake of ours"])
            producer._cluster.refresh_soon()
            await until(lambda: producer._obstacle is not None)
            with pytest.raises(KeyError, match="a mistake of ours"):
                await producer.send(TOPIC, b"x")
