"""The topics that coordinators keep their state in: of Kafka's size, and made without a sync that the loop waits for."""

import os
import threading

import pytest
from api_harness import running_broker

from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest

GROUP, TRANSACTION = 0, 1
TOPICS = {GROUP: "__consumer_offsets", TRANSACTION: "__transaction_state"}


@pytest.fixture
def syncs_on_the_loop(monkeypatch) -> list[str]:
    """Every sync that the loop's own thread has to wait for."""
    loop_thread = threading.get_ident()
    seen: list[str] = []

    def watch(name: str) -> None:
        sync = getattr(os, name)

        def watched(descriptor: int) -> None:
            if threading.get_ident() == loop_thread:
                seen.append(name)
            sync(descriptor)

        monkeypatch.setattr(os, name, watched)

    for name in ("fsync", "fdatasync"):
        if hasattr(os, name):
            watch(name)
    return seen


@pytest.mark.parametrize("kind", [GROUP, TRANSACTION])
async def test_fifty_partitions_come_without_a_sync_on_the_loop(tmp_path, syncs_on_the_loop, kind):
    async with running_broker(tmp_path) as broker:
        assert not [topic for topic in broker.image.topics.by_name if topic.startswith("__")], (
            "nobody asked yet"
        )
        syncs_on_the_loop.clear()
        answer = await broker.ask(FindCoordinatorRequest(key_type=kind, coordinator_keys=["somebody"]), 4)
        assert [row.error_code for row in answer.coordinators] == [0]
        assert syncs_on_the_loop == []
        assert len(broker.image.topics.by_name[TOPICS[kind]].partitions) == 50
        assert len([path for path in tmp_path.glob(f"**/{TOPICS[kind]}-*") if path.is_dir()]) == 50
