"""Connections under trouble: dead addresses, names that move, brokers that restart, answers that are cut or late."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.client.kafka_broker import KafkaBroker
from tests.client.scripted_broker import ScriptedBroker
from tests.client.unreliable_proxy import UnreliableProxy
from tests.client.waiting import until

from snakka.client.broker_pool import Address, BrokerNode, BrokerPool, Purpose
from snakka.client.errors import (
    BrokerUnreachableError,
    ClientClosedError,
    ClientError,
    NoBrokerError,
    RequestTimedOutError,
)
from snakka.client.settings import AdminSettings, resolve
from snakka.client.tasks import Tasks
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from snakka.protocol.messages.metadata import MetadataRequest, MetadataResponse
from snakka.protocol.messages.sasl_handshake import SaslHandshakeResponse
from snakka.testing import LocalBroker

NOWHERE = "127.0.0.1:1"


@asynccontextmanager
async def pool_of(*bootstrap: str, **settings: object) -> AsyncIterator[BrokerPool]:
    tasks = Tasks()
    pool = BrokerPool(resolve(AdminSettings, {"bootstrap_servers": bootstrap, **settings}), tasks)
    try:
        yield pool
    finally:
        await pool.close()
        await tasks.close()


def soon(seconds: float = 20.0) -> float:
    return time.monotonic() + seconds


async def ask(pool: BrokerPool, target: int | Address = 1, deadline: float | None = None) -> MetadataResponse:
    return await pool.ask(target, MetadataRequest(topics=[]), MetadataResponse, deadline or soon())


def node(port: int, node_id: int = 1) -> dict[int, BrokerNode]:
    return {node_id: BrokerNode(node_id, "127.0.0.1", port)}


@pytest.fixture
def silent_port() -> Iterable[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listener:
        yield listener.getsockname()[1]


async def test_one_living_bootstrap_server_is_enough(snakka: LocalBroker, silent_port: int) -> None:
    """One refuses, one is silent: the third is found, and long before the silent one is given up."""
    async with pool_of(NOWHERE, f"127.0.0.1:{silent_port}", snakka.bootstrap_servers) as pool:
        began = time.monotonic()
        answer = await pool.ask_any(MetadataRequest(topics=[]), MetadataResponse, soon())
        assert len(answer.brokers) == 1
        assert time.monotonic() - began < 5


async def test_kafka_is_found_behind_dead_servers(kafka: KafkaBroker) -> None:
    async with pool_of(NOWHERE, kafka.bootstrap) as pool:
        answer = await pool.ask_any(MetadataRequest(topics=[]), MetadataResponse, soon())
        assert [broker.port for broker in answer.brokers] == [kafka.node.port]


async def test_nobody_is_there() -> None:
    async with pool_of(NOWHERE, "no-such-host.invalid:9092") as pool:
        with pytest.raises(
            NoBrokerError, match=r"no broker answers: .* is it running, and is this its address?"
        ):
            await pool.any_connection(soon())
        with pytest.raises(BrokerUnreachableError, match=r"name no-such-host.invalid has no address"):
            await ask(pool, Address("no-such-host.invalid", 9092))
        with pytest.raises(BrokerUnreachableError, match="broker 7 is not in the cluster now"):
            await ask(pool, 7)


async def test_a_silent_server_is_named(silent_port: int) -> None:
    async with pool_of(f"127.0.0.1:{silent_port}", socket_connection_setup_timeout_ms=1_000) as pool:
        with pytest.raises(
            NoBrokerError, match=rf"127\.0\.0\.1:{silent_port} took the connection but does not"
        ):
            await pool.any_connection(soon())
        with pytest.raises(RequestTimedOutError, match="in time"):
            await ask(pool, Address("127.0.0.1", silent_port), soon(0.01))


class Names:
    """A name server whose answers change."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.addresses: dict[str, list[str]] = {}
        self.asked = 0
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", self._resolve)

    async def _resolve(self, host: str, port: int, **_: Any) -> list[Any]:
        self.asked += 1
        return [(0, socket.SOCK_STREAM, 6, "", (address, port)) for address in self.addresses[host]]


async def test_all_addresses_of_a_name_are_tried(
    snakka: LocalBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch)
    names.addresses["kafka.test"] = ["::1", "127.0.0.1"]  # nobody listens at the first
    async with pool_of(f"kafka.test:{snakka.port}") as pool:
        await pool.any_connection(soon())
        assert names.asked == 1, "in one dial"


async def test_a_name_is_looked_up_for_every_dial(
    snakka: LocalBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch)
    names.addresses["kafka.test"] = ["::1"]
    async with pool_of(f"kafka.test:{snakka.port}") as pool:
        with pytest.raises(NoBrokerError, match=r"connection refused|address not available|cannot assign"):
            await pool.any_connection(soon())
        names.addresses["kafka.test"] = ["127.0.0.1"]
        connection = await pool.any_connection(soon())
        assert names.asked == 2
        connection.close()
        await pool.any_connection(soon())
        assert names.asked == 3


async def test_canonical_names_that_nobody_tells_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, snakka: LocalBroker
) -> None:
    loop = asyncio.get_running_loop()
    lookup, asked = loop.getaddrinfo, 0

    async def resolve_slowly(*arguments: Any, **options: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 1:
            await asyncio.Event().wait()
        return await lookup(*arguments, **options)

    monkeypatch.setattr(loop, "getaddrinfo", resolve_slowly)
    settings = {"client_dns_lookup": "resolve_canonical_bootstrap_servers_only"}
    async with pool_of(
        snakka.bootstrap_servers, **settings, socket_connection_setup_timeout_ms=1_000
    ) as pool:
        await pool.ask_any(MetadataRequest(topics=[]), MetadataResponse, soon(5))
    assert asked == 1


async def test_a_token_that_never_comes_is_not_waited_for_and_the_reason_is_told() -> None:
    async with ScriptedBroker() as broker:
        broker.answers[ApiKey.SASL_HANDSHAKE] = lambda request: SaslHandshakeResponse(
            mechanisms=["OAUTHBEARER"]
        )
        settings = {
            "security_protocol": "SASL_PLAINTEXT",
            "sasl_mechanism": "OAUTHBEARER",
            "sasl_oauthbearer_token_provider": asyncio.Event().wait,
            "socket_connection_setup_timeout_ms": 1_000,
        }
        async with pool_of(broker.address, **settings) as pool:
            with pytest.raises(
                NoBrokerError, match="no credentials came in time; look at the token provider"
            ):
                await pool.any_connection(soon(5))


async def test_a_broker_that_restarts_is_dialled_again_but_not_all_the_time() -> None:
    async with ScriptedBroker() as first:
        port = first.port
        async with pool_of(first.address) as pool:
            pool.set_nodes(node(port))
            assert (await ask(pool)).cluster_id == "scripted"
            await first.__aexit__(None, None, None)
            dials = 0
            ends = time.monotonic() + 0.5
            while time.monotonic() < ends:
                with pytest.raises(ClientError):
                    await ask(pool)
                dials += 1
            assert pool.is_failing(1)
            assert dials <= 8  # 50, 100, 200 ms and so on, where a hot loop would try a thousand times
            second = ScriptedBroker()
            second._server = await asyncio.start_server(second._serve, "127.0.0.1", port)
            async with asyncio.timeout(10):
                assert (await ask(pool)).cluster_id == "scripted"
            assert not pool.is_failing(1)
            await second.__aexit__(None, None, None)


async def test_an_answer_that_is_cut_fails_and_the_next_one_comes() -> None:
    async with UnreliableProxy() as proxy, ScriptedBroker() as broker:
        proxy.upstream = broker.port
        async with pool_of(proxy.address) as pool:
            pool.set_nodes(node(proxy.port))
            await ask(pool)
            asked = [asyncio.ensure_future(ask(pool)) for _ in range(3)]
            proxy.cut_after(30)
            outcomes = await asyncio.gather(*asked, return_exceptions=True)
            assert any(isinstance(outcome, BrokerUnreachableError) for outcome in outcomes)
            for outcome in outcomes:
                assert isinstance(outcome, BrokerUnreachableError | MetadataResponse)
            assert (await ask(pool)).cluster_id == "scripted"
            assert proxy.accepted == 2


async def test_a_slow_broker_takes_its_connection_with_it() -> None:
    async with UnreliableProxy() as proxy, ScriptedBroker() as broker:
        proxy.upstream = broker.port
        async with pool_of(proxy.address, request_timeout_ms=200) as pool:
            pool.set_nodes(node(proxy.port))
            connection = await pool.connection(1, soon())
            proxy.stall()
            with pytest.raises(RequestTimedOutError, match="does not answer Metadata in time"):
                await ask(pool, deadline=soon(0.05))
            assert connection.is_open  # it was the caller who did not wait
            with pytest.raises(RequestTimedOutError, match="does not answer"):
                await ask(pool)
            assert not connection.is_open
            proxy.flow()
            assert (await ask(pool)).cluster_id == "scripted"


async def test_many_who_need_a_connection_share_one_dial() -> None:
    async with ScriptedBroker() as broker, UnreliableProxy() as proxy:
        proxy.upstream = broker.port
        async with pool_of(proxy.address) as pool:
            pool.set_nodes(node(proxy.port))
            proxy.stall()
            impatient = asyncio.ensure_future(ask(pool))
            patient = [asyncio.ensure_future(ask(pool)) for _ in range(50)]
            await until(lambda: proxy.accepted)
            impatient.cancel()
            proxy.flow()
            await asyncio.gather(*patient)
            assert proxy.accepted == 1


async def test_a_coordinator_has_a_connection_of_its_own() -> None:
    async with ScriptedBroker() as broker:
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        broker.answers[ApiKey.LIST_GROUPS] = lambda _: never
        async with pool_of(broker.address) as pool:
            pool.set_nodes(node(broker.port))
            stuck = asyncio.ensure_future(pool.ask(1, ListGroupsRequest(), ListGroupsResponse, soon()))
            await until(lambda: pool.in_flight == 1)
            answer = await pool.ask(
                1, MetadataRequest(topics=[]), MetadataResponse, soon(), purpose=Purpose.COORDINATOR
            )
            assert answer.cluster_id == "scripted"
            assert pool.open_connection(1) is not pool.open_connection(1, Purpose.COORDINATOR)
            stuck.cancel()
            await asyncio.gather(stuck, return_exceptions=True)


async def test_an_unused_connection_is_closed(snakka: LocalBroker) -> None:
    async with pool_of(snakka.bootstrap_servers, connections_max_idle_ms=50) as pool:
        connection = await pool.any_connection(soon())
        await until(lambda: not connection.is_open)
        assert await pool.any_connection(soon()) is not connection


async def test_the_bootstrap_connection_becomes_the_broker_s(snakka: LocalBroker) -> None:
    async with pool_of(snakka.bootstrap_servers) as pool:
        connection = await pool.any_connection(soon())
        pool.set_nodes(node(snakka.port, 5))
        assert pool.open_connection(5) is connection


async def test_a_broker_that_moves_is_dialled_at_its_new_address() -> None:
    async with ScriptedBroker() as old, ScriptedBroker() as new, pool_of(old.address) as pool:
        pool.set_nodes(node(old.port))
        connection = await pool.connection(1, soon())
        pool.set_nodes(node(new.port))
        assert not connection.is_open
        assert (await pool.connection(1, soon())).port == new.port


async def test_a_broker_that_moves_while_it_is_dialled_is_not_mistaken() -> None:
    async with (
        ScriptedBroker() as old,
        ScriptedBroker() as new,
        UnreliableProxy(old.port) as proxy,
        pool_of(old.address) as pool,
    ):
        pool.set_nodes(node(proxy.port))
        proxy.stall()
        asked = asyncio.ensure_future(pool.connection(1, soon()))
        await until(lambda: proxy.accepted)
        pool.rebootstrap()
        pool.set_nodes(node(new.port))
        proxy.flow()
        with pytest.raises(BrokerUnreachableError, match="has moved while it was dialled"):
            await asked
        assert (await pool.connection(1, soon())).port == new.port
        await until(lambda: not proxy.open_connections)


async def test_a_dial_that_ends_after_the_pool_leaves_nothing_open() -> None:
    async with (
        ScriptedBroker() as broker,
        UnreliableProxy(broker.port) as proxy,
        pool_of(proxy.address) as pool,
    ):
        proxy.stall()
        asked = asyncio.ensure_future(pool.any_connection(soon()))
        await until(lambda: proxy.accepted)
        await pool.close()
        proxy.flow()
        with pytest.raises(ClientError, match="the client is closed"):
            await asked
        await until(lambda: not proxy.open_connections)


async def test_known_brokers_are_preferred_and_bootstrap_is_the_last_resort() -> None:
    async with ScriptedBroker() as broker:
        async with pool_of(broker.address) as pool:
            pool.set_nodes(node(1))
            assert (await pool.any_connection(soon())).port == broker.port
        async with pool_of(broker.address, metadata_recovery_strategy="none") as pool:
            pool.set_nodes(node(1))
            with pytest.raises(NoBrokerError):
                await pool.any_connection(soon())


async def test_a_closed_pool_dials_nobody(snakka: LocalBroker) -> None:
    async with pool_of(snakka.bootstrap_servers) as pool:
        await pool.any_connection(soon())
        await pool.close()
        with pytest.raises(ClientClosedError):
            await pool.any_connection(soon())
