"""The background work of one client: it has an owner who hears of failures, and it ends when the client is closed."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from snakka.runtime.clock import Clock, SystemClock
from snakka.runtime.supervisor import Supervisor

CLOSE_SECONDS = 5.0


class Tasks:
    """Tasks by name. `on_failure` hears of the ones that fail; they are logged too."""

    def __init__(
        self,
        on_failure: Callable[[str, BaseException], None] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._supervisor = Supervisor(clock or SystemClock(), on_failure)

    def spawn(self, name: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine in the background."""
        return self._supervisor.spawn(f"snakka client: {name}", work, fatal=True)

    async def close(self, deadline_seconds: float = CLOSE_SECONDS) -> None:
        """Cancel what still runs, and wait until it has ended."""
        await self._supervisor.close(deadline_seconds)
