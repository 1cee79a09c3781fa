"""Background work: its owner hears of failures, and nothing outlives the client; and an idle client does nothing."""

import asyncio
import time
from pathlib import Path

import pytest
from tests.client.waiting import until
from tests.kafka.nodes import Node, running_snakka

from snakka.client.cluster_view import open_cluster
from snakka.client.errors import ClientError
from snakka.client.settings import AdminSettings, resolve
from snakka.client.tasks import Tasks
from snakka.protocol.messages.metadata import MetadataRequest, MetadataResponse


async def test_the_owner_hears_of_failures(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[tuple[str, BaseException]] = []
    tasks = Tasks(lambda name, error: heard.append((name, error)))

    async def fail() -> None:
        raise ValueError("no")

    tasks.spawn("work", fail())
    await until(lambda: heard)
    assert "work" in heard[0][0]
    assert isinstance(heard[0][1], ValueError)
    assert "work failed" in caplog.text


async def test_nothing_runs_on_after_the_end() -> None:
    tasks = Tasks()
    running = [tasks.spawn(f"{number}", asyncio.sleep(60)) for number in range(3)]
    await tasks.close()
    assert all(task.cancelled() for task in running)


async def test_an_idle_client_costs_nothing_and_survives_a_kill(tmp_path: Path) -> None:
    """Connected, with fresh metadata in the background: no loop turns without a reason. Then the broker is killed."""
    node = Node(tmp_path)
    settings = resolve(AdminSettings, {"bootstrap_servers": node.bootstrap})
    tasks = Tasks()
    cluster = open_cluster(settings, tasks)

    async def ask(seconds: float) -> MetadataResponse:
        deadline = time.monotonic() + seconds
        return await cluster.pool.ask(1, MetadataRequest(topics=[]), MetadataResponse, deadline)

    try:
        with running_snakka(node) as broker:
            cluster.start()
            await cluster.connect(time.monotonic() + 20)
            await ask(20)
            used = time.process_time()
            await asyncio.sleep(1.5)
            assert time.process_time() - used < 0.1
            broker.kill()
            with pytest.raises(ClientError):
                await ask(5)
        used = time.process_time()
        await asyncio.sleep(0.5)
        assert time.process_time() - used < 0.1
        with running_snakka(node):
            assert (await ask(20)).brokers
    finally:
        await cluster.close()
        await tasks.close()
