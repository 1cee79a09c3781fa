"""Batches that are fetched while Spark takes the one before: broker and JVM work at the same time.

Files need none of it: the kernel reads ahead, and another thread costs more than it saves where tasks keep all cores busy.
Rule: what makes them runs in one event loop, a few batches ahead and no more; what goes wrong there is told where the
batches are taken.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import aclosing
from queue import SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")

# Made and not taken yet: one is ready, and one is being made. More would only take more of the processor's cache.
MOST_AHEAD = 2
# Who needs no more waits so long for a batch that is just being made.
END_SECONDS = 2.0


class _End(NamedTuple):
    """After the last batch: why there are no more."""

    error: BaseException | None


class FetchAhead(Generic[T]):
    """Iterates once over `batches` that a client fetches: made in its event loop, where nobody else must be woken for them.

    `begin` is that of a blocking client.
    """

    def __init__(
        self,
        begin: Callable[[Callable[[Any], Coroutine[Any, Any, None]]], "Future[None]"],
        batches: Callable[[Any], AsyncGenerator[T, None]],
    ) -> None:
        self._made: SimpleQueue[T | _End] = SimpleQueue()
        self._batches = batches
        self._made_count = self._taken_count = 0  # each is counted in one thread only
        self._has_room = asyncio.Event()
        self._waits_for_room = False
        self._has_ended = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._making = begin(self._make)

    def __iter__(self) -> Iterator[T]:
        try:
            while not isinstance(batch := self._made.get(), _End):
                self._make_room()
                yield batch
            if batch.error is not None:
                raise batch.error
        finally:
            self._stop()

    @property
    def is_running(self) -> bool:
        """Whether a batch is still being made, though nobody needs it any more."""
        return not self._has_ended.is_set()

    def _make_room(self) -> None:
        """One was taken, and so another one may be made."""
        self._taken_count += 1
        if self._waits_for_room:
            assert self._loop is not None  # where the batch came from
            self._loop.call_soon_threadsafe(self._has_room.set)

    def _stop(self) -> None:
        """No more are needed."""
        self._making.cancel()
        self._has_ended.wait(END_SECONDS)

    async def _make(self, client: Any) -> None:
        end = _End(None)
        self._loop = asyncio.get_running_loop()
        try:
            async with aclosing(self._batches(client)) as batches:
                async for batch in batches:
                    self._made.put(batch)
                    self._made_count += 1
                    await self._room()
        except BaseException as error:
            end = _End(error)
        self._made.put(end)
        self._has_ended.set()

    async def _room(self) -> None:
        """Who takes a batch after it is said that we wait tells us so; who took it before is seen by the second look."""
        while self._made_count - self._taken_count >= MOST_AHEAD:
            self._has_room.clear()
            self._waits_for_room = True
            if self._made_count - self._taken_count >= MOST_AHEAD:
                await self._has_room.wait()
            self._waits_for_room = False
