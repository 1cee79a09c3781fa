"""TxnOffsetCommit over the wire, in every version: offsets that count when their transaction is committed."""

import pytest
from tests.broker.group_requests import Places, commit, fetch, group_broker, rows_of
from tests.broker.raw_client import all_versions
from tests.broker.transaction_client import TransactionClient

from snakka.coordination.decision import Producer
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from snakka.security.operations import Operation, ResourceType

VERSIONS = all_versions(TxnOffsetCommitRequest)
WITHOUT_ADDING_FIRST = 5
ORDERS = ("orders", 0)
PAYMENTS = ("payments", 0)


@pytest.fixture
async def broker(tmp_path):
    async with group_broker(tmp_path) as running:
        await TransactionClient(running, "anybody").find()
        yield running


async def producer_of(broker, version: int) -> TransactionClient:
    """Of a transactional id of its own, as clients of that version are."""
    producer = TransactionClient(broker, f"producer-{version}", is_old=version < WITHOUT_ADDING_FIRST)
    assert await producer.init() == "NONE"
    return producer


async def transactional_commit(
    producer: TransactionClient,
    offsets: Places,
    version: int,
    *,
    group: str = "g",
    who: Producer | None = None,
    denied=(),
    **fields,
):
    broker, who = producer.client, who or producer.who
    topics: dict[str, TxnOffsetCommitRequestTopic] = {}
    for (topic, index), offset in offsets.items():
        row = topics.setdefault(topic, TxnOffsetCommitRequestTopic(name=topic))
        row.partitions.append(TxnOffsetCommitRequestPartition(partition_index=index, committed_offset=offset))
    request = TxnOffsetCommitRequest(
        transactional_id=producer.transactional_id,
        group_id=group,
        producer_id=who.producer_id,
        producer_epoch=who.epoch,
        topics=list(topics.values()),
        **fields,
    )
    return rows_of(broker, await broker.ask(request, version, denied=denied))


async def begin(producer: TransactionClient, group: str = "g") -> None:
    """Older clients say first that the group's offsets belong to the transaction."""
    if producer.is_old:
        assert await producer.add_offsets(group) == "NONE"


async def test_offsets_count_when_the_transaction_is_committed(broker) -> None:
    for version in VERSIONS:
        producer, group = await producer_of(broker, version), f"g-{version}"
        await commit(broker, {ORDERS: 1}, group=group)
        await begin(producer, group)
        told = await transactional_commit(producer, {ORDERS: 5, PAYMENTS: 6}, version, group=group)
        assert told == [("orders", 0, "NONE"), ("payments", 0, "NONE")]
        assert await fetch(broker, None, 9, group) == {group: {ORDERS: 1}}
        unstable = {ORDERS: "UNSTABLE_OFFSET_COMMIT", PAYMENTS: "UNSTABLE_OFFSET_COMMIT"}
        asked = {"orders": [0], "payments": [0]}
        assert await fetch(broker, asked, 9, group, stable=True) == {group: unstable}
        assert await producer.end() == "NONE"
        assert await fetch(broker, None, 9, group, stable=True) == {group: {ORDERS: 5, PAYMENTS: 6}}


async def test_offsets_of_an_aborted_transaction_never_count(broker) -> None:
    for version in VERSIONS:
        producer, group = await producer_of(broker, version), f"g-{version}"
        await begin(producer, group)
        assert await transactional_commit(producer, {ORDERS: 5}, version, group=group) == [
            ("orders", 0, "NONE")
        ]
        assert await producer.end(False) == "NONE"
        assert await fetch(broker, {"orders": [0]}, 9, group, stable=True) == {group: {ORDERS: -1}}


async def test_older_clients_must_have_said_that_offsets_belong_to_the_transaction(broker) -> None:
    for version in VERSIONS:
        producer = await producer_of(broker, version)
        told = await transactional_commit(producer, {ORDERS: 5}, version)
        if version >= WITHOUT_ADDING_FIRST:
            assert told == [("orders", 0, "NONE")]
        else:
            abortable = "TRANSACTION_ABORTABLE" if version == 4 else "INVALID_TXN_STATE"
            assert told == [("orders", 0, abortable)]


async def test_a_producer_that_was_replaced_commits_nothing(broker) -> None:
    for version in VERSIONS:
        first = await producer_of(broker, version)
        second = await producer_of(broker, version)
        assert second.who.epoch > first.who.epoch
        await begin(second)
        told = await transactional_commit(first, {ORDERS: 5}, version)
        assert told == [("orders", 0, "INVALID_PRODUCER_EPOCH")]
        stranger = Producer(first.who.producer_id + 1_000, 0)
        told = await transactional_commit(first, {ORDERS: 5}, version, who=stranger)
        assert told == [("orders", 0, "INVALID_PRODUCER_ID_MAPPING")]
    assert await fetch(broker) == {"g": {}}


async def test_what_does_not_exist_is_refused_and_the_rest_is_committed(broker) -> None:
    for version in VERSIONS:
        producer = await producer_of(broker, version)
        await begin(producer)
        offsets = {ORDERS: version, ("strangers", 0): 1, ("orders", 7): 1}
        assert await transactional_commit(producer, offsets, version) == [
            ("orders", 7, "UNKNOWN_TOPIC_OR_PARTITION"),
            ("orders", 0, "NONE"),
            ("strangers", 0, "UNKNOWN_TOPIC_OR_PARTITION"),
        ]
        await producer.end()
        assert await fetch(broker) == {"g": {ORDERS: version}}
        told = await transactional_commit(producer, {("strangers", 0): 1}, version)
        assert told == [("strangers", 0, "UNKNOWN_TOPIC_OR_PARTITION")]


async def test_who_may_commit(broker) -> None:
    producer = await producer_of(broker, 5)
    for denial, code in (
        (
            (Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "producer-5"),
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        ),
        ((Operation.READ, ResourceType.GROUP, "g"), "GROUP_AUTHORIZATION_FAILED"),
        ((Operation.READ, ResourceType.TOPIC, "orders"), "TOPIC_AUTHORIZATION_FAILED"),
    ):
        told = await transactional_commit(producer, {ORDERS: 1}, 5, denied=(denial,))
        assert told == [("orders", 0, code)]


async def test_groups_and_members_are_checked(broker) -> None:
    producer = await producer_of(broker, 5)
    assert await transactional_commit(producer, {ORDERS: 1}, 5, group="") == [
        ("orders", 0, "INVALID_GROUP_ID")
    ]
    told = await transactional_commit(producer, {ORDERS: 1}, 5, generation_id=4, member_id="m")
    assert told == [("orders", 0, "ILLEGAL_GENERATION")]


async def test_old_producers_do_not_know_that_coordinators_are_loaded(broker, monkeypatch) -> None:
    producer = await producer_of(broker, 5)

    def loading(index: int) -> None:
        raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

    monkeypatch.setattr(broker.services.groups, "host", loading)
    for version in VERSIONS:
        expected = "COORDINATOR_NOT_AVAILABLE" if version < 2 else "COORDINATOR_LOAD_IN_PROGRESS"
        assert await transactional_commit(producer, {ORDERS: 1}, version) == [("orders", 0, expected)]
