"""Answers that no broker of today gives: codes of a newer one. Whoever asked hears of it, and everything else goes on."""

import asyncio
from typing import Any

import pytest
from tests.client.scripted_broker import ScriptedBroker
from tests.client.scripted_log import TOPIC, TOPIC_ID, ScriptedLog

from snakka.client import Admin, Consumer, Producer
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


async def test_an_admin_tells_of_a_code_that_it_does_not_know() -> None:
    async with ScriptedBroker() as broker:
        broker.answers[ApiKey.LIST_GROUPS] = lambda request: ListGroupsResponse(error_code=NEWER_CODE)
        async with Admin(bootstrap_servers=broker.address) as admin, asyncio.timeout(SECONDS):
            with pytest.raises(ApiError, match="UNKNOWN_SERVER_ERROR"):
                await admin.list_groups()
