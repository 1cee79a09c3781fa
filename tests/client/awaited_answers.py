"""Waiting for an answer that brokers give a moment later: what a controller has decided reaches them by and by."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

WAIT_SECONDS = 30.0
_PAUSE_SECONDS = 0.02


async def answer(ask: Callable[[], Awaitable[T]], accepted: Callable[[T], object]) -> T:
    """The first answer that is accepted; the last one, if none was in time, fails the caller's own assertion."""
    ends = asyncio.get_running_loop().time() + WAIT_SECONDS
    while True:
        given = await ask()
        if accepted(given) or asyncio.get_running_loop().time() > ends:
            return given
        await asyncio.sleep(_PAUSE_SECONDS)
