"""Every network test runs on both loops: uvloop is the real process's, asyncio's own is the simulation's."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

LOOPS = {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


@pytest.fixture(params=LOOPS)
def run(request: pytest.FixtureRequest) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine on a fresh loop; an error that the loop only logs fails the test."""

    def run_on_loop(work: Coroutine[Any, Any, Any]) -> Any:
        unhandled: list[dict[str, Any]] = []
        with asyncio.Runner(loop_factory=LOOPS[request.param]) as runner:
            runner.get_loop().set_exception_handler(lambda _, context: unhandled.append(context))
            result = runner.run(work)
        assert not unhandled
        return result

    return run_on_loop
