"""Finding coordinators, and losing them again."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.client.kafka_broker import KafkaBroker
from tests.client.scripted_broker import ScriptedBroker

from snakka.client.broker_pool import Purpose
from snakka.client.cluster_view import running_cluster
from snakka.client.coordinators import CoordinatorKind, Coordinators
from snakka.client.errors import ClientError
from snakka.client.settings import AdminSettings, resolve
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from snakka.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from snakka.testing import LocalBroker

GROUP = CoordinatorKind.GROUP
BEAT = HeartbeatRequest(group_id="g", generation_id=0, member_id="m")


def soon(seconds: float = 20.0) -> float:
    return time.monotonic() + seconds


@asynccontextmanager
async def coordinators_at(bootstrap: str) -> AsyncIterator[Coordinators]:
    given = {"bootstrap_servers": bootstrap, "retry_backoff_ms": 5, "retry_backoff_max_ms": 20}
    async with running_cluster(resolve(AdminSettings, given)) as cluster:
        yield Coordinators(cluster)


def found(broker: ScriptedBroker, code: int = 0) -> Any:
    """FindCoordinator's answer, for whatever is asked."""

    def answer(request: Any) -> FindCoordinatorResponse:
        rows = [
            Coordinator(key=key, node_id=broker.node_id, host="127.0.0.1", port=broker.port, error_code=code)
            for key in request.coordinator_keys
        ]
        if rows:
            return FindCoordinatorResponse(coordinators=rows)
        return FindCoordinatorResponse(
            node_id=broker.node_id, host="127.0.0.1", port=broker.port, error_code=code
        )

    return answer


async def beat(coordinators: Coordinators, deadline: float | None = None) -> HeartbeatResponse:
    return await coordinators.ask_until_served(
        GROUP, "g", BEAT, HeartbeatResponse, deadline or soon(), error_of=lambda response: response.error_code
    )


@pytest.mark.parametrize("kind", [CoordinatorKind.GROUP, CoordinatorKind.TRANSACTION])
async def test_real_brokers_have_coordinators(
    snakka: LocalBroker, kafka: KafkaBroker, kind: CoordinatorKind
) -> None:
    for bootstrap in (snakka.bootstrap_servers, kafka.bootstrap):
        async with coordinators_at(bootstrap) as coordinators:
            assert await coordinators.find(kind, "some-key", soon()) == 1
            assert coordinators.known(kind, "some-key") == 1


@pytest.mark.parametrize("newest", [6, 3])
async def test_it_is_asked_for_once(newest: int) -> None:
    async with ScriptedBroker() as broker, coordinators_at(broker.address) as coordinators:
        broker.newest[ApiKey.FIND_COORDINATOR] = newest
        broker.answers[ApiKey.FIND_COORDINATOR] = found(broker)
        broker.answers[ApiKey.HEARTBEAT] = lambda _: HeartbeatResponse(error_code=ErrorCode.UNKNOWN_MEMBER_ID)
        for _ in range(3):
            assert (await beat(coordinators)).error_code == ErrorCode.UNKNOWN_MEMBER_ID
        assert len(broker.asked(ApiKey.FIND_COORDINATOR)) == 1


async def test_it_moves_while_it_is_asked() -> None:
    async with (
        ScriptedBroker(1) as old,
        ScriptedBroker(2) as new,
        coordinators_at(old.address) as coordinators,
    ):
        old.answers[ApiKey.FIND_COORDINATOR] = found(old)
        new.answers[ApiKey.FIND_COORDINATOR] = found(new)

        def refuse(_: object) -> HeartbeatResponse:
            old.answers[ApiKey.FIND_COORDINATOR] = found(new)
            return HeartbeatResponse(error_code=ErrorCode.NOT_COORDINATOR)

        loading = [HeartbeatResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)] * 2
        old.answers[ApiKey.HEARTBEAT] = refuse
        new.answers[ApiKey.HEARTBEAT] = lambda _: loading.pop() if loading else HeartbeatResponse()
        assert (await beat(coordinators)).error_code == 0
        assert coordinators.known(GROUP, "g") == 2
        assert len(old.asked(ApiKey.HEARTBEAT)) == 1


async def test_it_dies_while_it_is_asked() -> None:
    async with (
        ScriptedBroker(1) as first,
        ScriptedBroker(2) as second,
        coordinators_at(first.address) as them,
    ):
        first.answers[ApiKey.FIND_COORDINATOR] = found(second)
        second.answers[ApiKey.HEARTBEAT] = lambda _: None
        assert await them.find(GROUP, "g", soon()) == 2
        with pytest.raises(ClientError):
            await them.ask(GROUP, "g", BEAT, HeartbeatResponse, soon())
        assert them.known(GROUP, "g") is None
        first.answers[ApiKey.FIND_COORDINATOR] = found(first)
        first.answers[ApiKey.HEARTBEAT] = lambda _: HeartbeatResponse()
        assert (await beat(them)).error_code == 0


async def test_it_is_at_another_address_now() -> None:
    async with (
        ScriptedBroker(1) as first,
        ScriptedBroker(2) as second,
        coordinators_at(first.address) as them,
    ):
        first.answers[ApiKey.FIND_COORDINATOR] = found(second)
        second.answers[ApiKey.HEARTBEAT] = lambda _: HeartbeatResponse()
        assert (await beat(them)).error_code == 0
        async with ScriptedBroker(2) as moved:
            second.answers[ApiKey.HEARTBEAT] = lambda _: None
            first.answers[ApiKey.FIND_COORDINATOR] = found(moved)
            moved.answers[ApiKey.HEARTBEAT] = lambda _: HeartbeatResponse()
            assert (await beat(them, soon(5))).error_code == 0
            assert len(moved.asked(ApiKey.HEARTBEAT)) == 1


async def test_there_is_none_yet_or_none_for_us() -> None:
    async with ScriptedBroker() as broker, coordinators_at(broker.address) as coordinators:
        broker.answers[ApiKey.FIND_COORDINATOR] = found(broker, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        with pytest.raises(ApiError, match="COORDINATOR_NOT_AVAILABLE: finding the coordinator of group g"):
            await coordinators.find(GROUP, "g", soon(1.0))
        assert len(broker.asked(ApiKey.FIND_COORDINATOR)) > 3
        broker.answers[ApiKey.FIND_COORDINATOR] = found(broker, ErrorCode.GROUP_AUTHORIZATION_FAILED)
        with pytest.raises(ApiError, match="GROUP_AUTHORIZATION_FAILED"):
            await coordinators.find(GROUP, "g", soon())


async def test_only_the_one_that_failed_is_forgotten() -> None:
    async with ScriptedBroker() as broker, coordinators_at(broker.address) as coordinators:
        broker.answers[ApiKey.FIND_COORDINATOR] = found(broker)
        await coordinators.find(GROUP, "g", soon())
        coordinators.forget(GROUP, "g", 7)
        assert coordinators.known(GROUP, "g") == 1
        coordinators.forget(GROUP, "g", 1)
        assert coordinators.known(GROUP, "g") is None


async def test_a_long_answer_is_waited_for_as_long_as_it_is_said() -> None:
    """JoinGroup takes as long as the rebalance does, far beyond request.timeout.ms."""
    given = {"request_timeout_ms": 50}
    async with ScriptedBroker() as broker:
        settings = resolve(AdminSettings, {"bootstrap_servers": broker.address, **given})
        broker.answers[ApiKey.FIND_COORDINATOR] = found(broker)

        async def slowly(_: object) -> HeartbeatResponse:
            await asyncio.sleep(0.2)
            return HeartbeatResponse()

        broker.answers[ApiKey.HEARTBEAT] = slowly
        async with running_cluster(settings) as cluster:
            coordinators = Coordinators(cluster)
            answer = await coordinators.ask(GROUP, "g", BEAT, HeartbeatResponse, soon(), timeout_seconds=5)
            assert answer.error_code == 0
            assert cluster.pool.open_connection(1, Purpose.COORDINATOR) is not None
