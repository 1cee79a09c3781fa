"""Incremental fetch sessions over the wire (KIP-227): what is remembered, what is answered, and how a session ends."""

import asyncio
import time

import pytest
from tests.broker.broker_in_process import running
from tests.broker.raw_client import RawClient, batch, values_of

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState

NAMES = 12
IDS = 18


class Session:
    """A client's side of one session: it counts the epochs."""

    def __init__(self, client: RawClient, version: int = IDS) -> None:
        self._client = client
        self._version = version
        self.id = 0
        self.epoch = 0

    async def open(self, *targets: tuple[str, int, int], **fields: object):
        response = await self._ask(targets, **fields)
        self.id = response.session_id
        self.epoch = 1
        return self._rows(response)

    async def fetch(self, *targets: tuple[str, int, int], **fields: object):
        response = await self._ask(targets, **fields)
        assert response.session_id == self.id
        self.epoch += 1
        return self._rows(response)

    async def _ask(self, targets, **fields: object):
        request = self._client.fetch_request(targets, session=(self.id, self.epoch), **fields)
        response = await self._client.ask(request, self._version)
        assert response.error_code == ErrorCode.NONE
        return response

    @staticmethod
    def _rows(response):
        return {row.partition_index: row for topic in response.responses for row in topic.partitions}


@pytest.fixture
async def three(client, topic) -> str:
    """One record in each of three partitions."""
    await client.create_topic(topic, 3)
    for index in range(3):
        await client.produce(topic, batch(b"first"), partition=index)
    return topic


@pytest.mark.parametrize("version", [7, NAMES, 13, IDS])
async def test_only_what_changed_is_asked_and_answered(client, three, version) -> None:
    session = Session(client, version)
    rows = await session.open((three, 0, 0), (three, 1, 1), (three, 2, 1))
    assert session.id > 0
    assert sorted(rows) == [0, 1, 2]
    assert values_of(rows[0]) == [b"first"]
    # The client has read partition 0 and says so; then it has nothing to say.
    assert await session.fetch((three, 0, 1)) == {}
    assert await session.fetch() == {}
    await client.produce(three, batch(b"second"), partition=1)
    rows = await session.fetch()
    assert sorted(rows) == [1]
    assert (values_of(rows[1]), rows[1].high_watermark) == ([b"second"], 2)
    assert await session.fetch((three, 1, 2)) == {}


async def test_what_was_not_read_comes_again(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 0))
    for _ in range(3):
        rows = await session.fetch()
        assert values_of(rows[0]) == [b"first"]


async def test_a_session_waits_for_any_of_its_partitions(address, client, three) -> None:
    session = Session(client)
    await session.open(*((three, index, 1) for index in range(3)))
    async with await RawClient.open(address) as writer:
        writer.topic_ids = client.topic_ids
        for number, index in enumerate((2, 0, 1, 1)):
            offset = 2 if number == 3 else 1
            waiting = asyncio.ensure_future(session.fetch(max_wait_ms=20_000))
            await writer.produce(three, batch(b"news"), partition=index)
            rows = await waiting
            assert sorted(rows) == [index]
            assert values_of(rows[index]) == [b"news"]
            assert await session.fetch((three, index, offset + 1)) == {}


async def test_a_session_waits_until_there_is_enough(address, client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 1), (three, 1, 1), (three, 2, 1))
    async with await RawClient.open(address) as writer:
        writer.topic_ids = client.topic_ids
        await writer.produce(three, batch(b"x" * 1000), partition=0)
        waiting = asyncio.ensure_future(session.fetch(max_wait_ms=15_000, min_bytes=3_000))
        # Both more of what was there and something new count.
        await writer.produce(three, batch(b"x" * 1000), partition=0)
        done, _ = await asyncio.wait([waiting], timeout=0.1)
        assert not done
        await writer.produce(three, batch(b"x" * 1000), partition=1)
        rows = await waiting
    assert {index: len(values_of(row)) for index, row in rows.items()} == {0: 2, 1: 1}


async def test_partitions_come_and_go(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 1))
    rows = await session.fetch((three, 1, 0))
    assert sorted(rows) == [1]
    assert await session.fetch(forget=[(three, 1)]) == {}
    await client.produce(three, batch(b"unseen"), partition=1)
    assert await session.fetch() == {}
    rows = await session.fetch((three, 1, 1))
    assert values_of(rows[1]) == [b"unseen"]
    # One that it never had may be forgotten too.
    assert await session.fetch((three, 1, 2), forget=[(three, 2), ("nobody-knows", 0)]) == {}


async def test_a_new_log_start_is_news(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 1))
    await client.ask(
        DeleteRecordsRequest(
            topics=[
                DeleteRecordsTopic(
                    name=three, partitions=[DeleteRecordsPartition(partition_index=0, offset=1)]
                )
            ],
            timeout_ms=5_000,
        )
    )
    rows = await session.fetch()
    assert (rows[0].log_start_offset, len(rows[0].records)) == (1, 0)
    assert await session.fetch() == {}


async def test_an_error_is_told_again_until_it_is_over(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 1), (three, 1, 1))
    for targets in ([(three, 0, 99)], []):
        rows = await session.fetch(*targets)
        assert {index: row.error_code for index, row in rows.items()} == {0: ErrorCode.OFFSET_OUT_OF_RANGE}
    rows = await session.fetch((three, 0, 1))
    assert {index: row.error_code for index, row in rows.items()} == {0: ErrorCode.NONE}
    assert await session.fetch() == {}


async def test_small_answers_go_around(client, topic) -> None:
    await client.create_topic(topic, 3)
    for index in range(3):
        for _ in range(4):
            await client.produce(topic, batch(b"x" * 1000), partition=index)
    session = Session(client)
    await session.open(*((topic, index, 0) for index in range(3)), max_bytes=1)
    served = []
    for _ in range(6):
        rows = await session.fetch(max_bytes=1)
        served += [index for index, row in rows.items() if row.records]
    assert sorted(served) == [0, 0, 1, 1, 2, 2]


async def refused(client: RawClient, session: tuple[int, int], version: int = IDS) -> ErrorCode:
    response = await client.ask(client.fetch_request([], session=session), version)
    assert (response.session_id, response.responses) == (0, [])
    return ErrorCode(response.error_code)


async def test_a_session_goes_on_only_as_it_should(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 1))
    await session.fetch()
    for epoch in (1, 3, 99):
        assert await refused(client, (session.id, epoch)) == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert await refused(client, (session.id, 2), NAMES) == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    assert await session.fetch() == {}
    by_name = Session(client, NAMES)
    await by_name.open((three, 0, 1))
    assert await refused(client, (by_name.id, 1), IDS) == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    assert await by_name.fetch() == {}


@pytest.mark.parametrize("session", [(12345, 1), (0, 1), (0, 7), (-5, 3), (0, -2)])
async def test_a_session_that_nobody_knows(client, session) -> None:
    assert await refused(client, session) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


async def test_a_session_is_closed_by_its_client(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 0))
    closing = await client.ask(client.fetch_request([(three, 0, 0)], session=(session.id, -1)))
    assert (closing.error_code, closing.session_id, len(closing.responses)) == (ErrorCode.NONE, 0, 1)
    assert await refused(client, (session.id, 1)) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


async def test_a_full_fetch_begins_a_new_session(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 0))
    old = session.id
    session.epoch = 0
    await session.open((three, 1, 0))
    assert session.id not in (0, old)
    assert await refused(client, (old, 1)) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert sorted(await session.fetch()) == [1]


async def test_a_session_without_partitions_ends(client, three) -> None:
    session = Session(client)
    await session.open((three, 0, 1))
    last = await client.ask(client.fetch_request([], session=(session.id, 1), forget=[(three, 0)]))
    assert (last.error_code, last.session_id, last.responses) == (ErrorCode.NONE, 0, [])
    assert await refused(client, (session.id, 2)) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


@pytest.mark.parametrize("version", [NAMES, IDS])
async def test_a_deleted_topic_is_told_and_does_not_end_the_waits(client, three, topic, version) -> None:
    gone = topic + "-gone"
    await client.create_topic(gone)
    session = Session(client, version)
    await session.open((three, 0, 1), (gone, 0, 0))
    await client.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=gone)], timeout_ms=5_000))
    for _ in range(2):
        begin = time.monotonic()
        rows = await session.fetch(max_wait_ms=200)
        assert rows[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert time.monotonic() - begin > 0.19


async def test_a_topic_made_again_under_its_name_is_another_topic(client, topic) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"old"))
    by_name, by_id = Session(client, NAMES), Session(client, IDS)
    await by_name.open((topic, 0, 0))
    await by_id.open((topic, 0, 0))
    await client.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=topic)], timeout_ms=5_000))
    await client.create_topic(topic)
    await client.produce(topic, batch(b"new"))
    assert values_of((await by_name.fetch())[0]) == [b"new"]
    assert (await by_id.fetch())[0].error_code == ErrorCode.INCONSISTENT_TOPIC_ID


async def test_a_full_cache_gives_no_session_until_one_is_closed(tmp_path, topic) -> None:
    options = {"max_incremental_fetch_session_cache_slots": 2}
    async with running(tmp_path, **options) as broker:
        client = broker.client
        await client.create_topic(topic)
        sessions = [Session(client) for _ in range(3)]
        for session in sessions:
            await session.open((topic, 0, 0))
        assert [session.id > 0 for session in sessions] == [True, True, False]
        assert len(broker.services.fetch_sessions) == 2
        await client.ask(client.fetch_request([], session=(sessions[0].id, -1)))
        third = Session(client)
        await third.open((topic, 0, 0))
        assert third.id > 0
        # A session is not bound to the connection that opened it.
        async with await RawClient.open(broker.address) as other:
            response = await other.ask(other.fetch_request([], session=(third.id, 1)))
            assert (response.error_code, response.session_id) == (ErrorCode.NONE, third.id)
        watchers = broker.partition(topic)._watchers
        assert len(watchers) == 2


async def test_a_session_whose_client_is_gone_costs_appends_nothing(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic)
        sessions = [Session(client) for _ in range(5)]
        for session in sessions:
            await session.open((topic, 0, 0))
        watchers = broker.partition(topic)._watchers
        assert len(watchers) == 5
        await client.produce(topic, batch(b"x"))
        assert len(watchers) == 0
        # One of them is back, reads up, and is told again.
        assert values_of((await sessions[3].fetch())[0]) == [b"x"]
        assert await sessions[3].fetch((topic, 0, 1)) == {}
        assert len(watchers) == 1
        await client.produce(topic, batch(b"y"))
        assert values_of((await sessions[3].fetch())[0]) == [b"y"]


async def test_a_thousand_partitions_cost_nothing_while_nothing_happens(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic, 1000)
        session = Session(client)
        await session.open(*((topic, index, 0) for index in range(1000)))
        assert await session.fetch() == {}
        held = broker.services.fetch_sessions.resume(session.id, session.epoch, 0, True)
        session.epoch += 1
        assert len(held.partitions) == 1000
        assert len(held.dirty) == 0
        await client.produce(topic, batch(b"x"), partition=777)
        assert list(held.dirty) == [(client.topic_ids[topic], 777)]
        assert sorted(await session.fetch()) == [777]
