"""Waiting for what has no event of its own."""

import asyncio
from collections.abc import Callable

WAIT_SECONDS = 20.0


async def until(condition: Callable[[], object]) -> None:
    """Until the condition holds; it is looked at again and again, and fails if that takes too long."""
    async with asyncio.timeout(WAIT_SECONDS):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.002)
