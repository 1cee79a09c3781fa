"""Calls into an event loop that has a thread of its own; what they give is tested with the blocking clients."""

import asyncio
import threading

import pytest

from snakka.runtime import loop_thread
from snakka.runtime.loop_thread import LoopThread


def test_nobody_waits_for_a_loop_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_thread, "END_SECONDS", 0.1)
    thread = LoopThread("test")
    assert thread.call(lambda: 5) == 5
    thread._loop.call_soon_threadsafe(thread._loop.stop)
    thread._thread.join(10)
    with pytest.raises(RuntimeError, match="the event loop ended before this call did"):
        thread.call(lambda: 5)
    thread._loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        thread.call(lambda: 5)


def test_what_is_begun_runs_beside_calls_until_it_ends_or_is_cancelled() -> None:
    thread = LoopThread("test")
    told = asyncio.Event()
    was_cancelled = threading.Event()

    async def wait_for_it() -> int:
        await told.wait()
        return 5

    async def wait_for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            was_cancelled.set()

    ending, endless = thread.begin(wait_for_it()), thread.begin(wait_for_ever())
    assert not ending.done()
    thread.call(told.set)
    assert ending.result(10) == 5
    endless.cancel()
    assert was_cancelled.wait(10)
    thread.end()
