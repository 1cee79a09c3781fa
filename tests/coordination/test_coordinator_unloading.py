"""When a partition is led elsewhere its shard is dropped whole: no deadline fires, nothing is kept, and nothing is lost."""

import asyncio
import gc
import weakref

import pytest
from tests.coordination.test_coordinator_runtime import NODE, OneOffset, World, commit, loaded

from snakka.coordination.decision import Decision

OTHER_NODE = 2


@pytest.fixture
async def one(tmp_path):
    world = World(tmp_path / "__consumer_offsets-0")
    yield world
    world.coordinator.close()
    await world.runtime.close()
    world.log.close()


async def test_deadlines_of_a_shard_that_was_dropped_do_not_fire(one):
    shard = one.lead()

    def set_deadlines(shard, now):
        shard.deadlines.set("soon", now.steady_ms + 20)
        return Decision((), "set")

    one.coordinator.submit("g", set_deadlines, one.reply())
    one.coordinator.resign(0)
    # The same deadline of the shard that comes after it, to know when the time is over.
    again = one.lead()
    assert again is not shard
    one.coordinator.submit("g", set_deadlines, one.reply())
    async with asyncio.timeout(10):
        while not again.expired:  # noqa: ASYNC110 - the shard tells nobody
            await asyncio.sleep(0.005)
    assert shard.expired == []
    assert one.log.log_end_offset == 1, "written once, by the one that leads"


async def test_nothing_is_kept_of_a_shard_that_was_dropped(one):
    gone = weakref.ref(one.lead())
    one.submit(Decision([commit("g", 7)], "ok"))
    one.coordinator.query("g", lambda shard, now: shard.offsets["g"], one.reply())
    assert one.told() == ["ok", 7]
    one.coordinator.resign(0)
    assert list(one.coordinator.hosts()) == []
    gc.collect()
    assert gone() is None


async def test_another_leads_before_the_shard_was_loaded(one):
    one.lead()
    for number in range(200):
        one.submit(Decision([commit(f"g{number}", number)], "ok"))
    one.coordinator.lead(one.partition)
    assert one.coordinator.is_loading
    one.partition.update_leadership(OTHER_NODE, 6, 2, [NODE, OTHER_NODE], [NODE, OTHER_NODE])
    one.coordinator.resign(0)
    assert not one.coordinator.is_loading
    one.told()
    one.submit(Decision((), "anybody here?"))
    assert one.told() == ["NOT_COORDINATOR"]
    # It comes back: everything is there, and was loaded once.
    one.partition.update_leadership(NODE, 7, 3, [NODE], [NODE])
    one.coordinator.lead(one.partition)
    await loaded(one)
    shard = one.coordinator.host(0).shard
    assert isinstance(shard, OneOffset)
    assert (len(shard.offsets), shard.loads) == (200, 1)
