"""A process whose caller goes away ends with it, whenever that is: none is left to nobody."""

import asyncio
import gc
import sys
from typing import Any

import pytest
import uvloop

from snakka.runtime import ThreadOffload

# It never ends by itself.
A_MODULE_THAT_STAYS = ("http.server", "--bind", "127.0.0.1", "0")
# Turns of the event loop: the first few are spent on starting the process.
TURNS = range(8)


LOOPS = {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


@pytest.mark.parametrize("again", [0, 1, 3], ids=["once", "twice at once", "twice"])
@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_process_ends_when_its_caller_is_cancelled(
    loop: str, turns: int, again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And cancelled again, while it waits for the end: a broker that stops ends its tasks, and they one another."""
    left: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", left.append)

    async def story() -> None:
        offload = ThreadOffload(asyncio.get_running_loop())
        caller = asyncio.create_task(offload.run_module(*A_MODULE_THAT_STAYS, deadline_seconds=30))
        for _ in range(turns):
            await asyncio.sleep(0)
        caller.cancel()
        for _ in range(again):
            await asyncio.sleep(0)
            caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        offload.close()

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(story())
    gc.collect()
    assert not left
