"""Work in the order in which it was asked for: a lock whose place in the queue is taken at once, before anybody waits."""

import asyncio
from types import TracebackType

from snakka.client.errors import RequestTimedOutError


class Turn:
    """A place in the queue: `async with` it, exactly once."""

    def __init__(self, before: "asyncio.Future[None] | None", seconds: float | None) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._before = before
        self._seconds = seconds

    async def __aenter__(self) -> None:
        before, self._before = self._before, None
        if before is None or before.done():
            return
        try:
            await asyncio.wait((before,), timeout=self._seconds)
            if not before.done():
                raise RequestTimedOutError("what was begun before this is still under way")
        except BaseException:
            # Whoever comes next still waits for the one before.
            before.add_done_callback(lambda _: self._end())
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class Turns:
    """The queue."""

    def __init__(self) -> None:
        self._last: asyncio.Future[None] | None = None

    def take(self, seconds: float | None = None) -> Turn:
        """The place behind all that are taken; RequestTimedOutError if those take longer than so many seconds."""
        turn = Turn(self._last, seconds)
        self._last = turn.ended
        return turn

    async def drained(self, seconds: float) -> None:
        """Wait for all places that are taken now, at most so long."""
        if self._last is not None:
            await asyncio.wait((self._last,), timeout=seconds)
