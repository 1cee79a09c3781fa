"""Batches that are made while Spark takes the one before: decoding and the way into the JVM go on at the same time.

Rule: what makes them runs in one thread of its own, a few batches ahead and no more; what goes wrong there is told where the
batches are taken.
"""

import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

# Made and not taken yet: one is ready, and one is being made. More would only take more of the processor's cache.
MOST_AHEAD = 2
# Who needs no more waits so long for a batch that is just being made.
END_SECONDS = 2.0


class _End(NamedTuple):
    """After the last batch: why there are no more."""

    error: BaseException | None


class ReadAhead(Generic[T]):
    """Iterates over `batches`, once."""

    def __init__(self, batches: Iterator[T]) -> None:
        self._batches = batches
        self._made: SimpleQueue[T | _End] = SimpleQueue()
        self._room = threading.Semaphore(MOST_AHEAD - 1)  # the first one needs none
        self._is_stopped = False
        self._thread = threading.Thread(target=self._make, name="snakka read ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        try:
            while not isinstance(batch := self._made.get(), _End):
                self._room.release()
                yield batch
            if batch.error is not None:
                raise batch.error
        finally:
            self._stop()

    @property
    def is_running(self) -> bool:
        """Whether a batch is still being made, though nobody needs it any more."""
        return self._thread.is_alive()

    def _stop(self) -> None:
        self._is_stopped = True
        self._room.release()
        self._thread.join(END_SECONDS)

    def _make(self) -> None:
        end = _End(None)
        try:
            for batch in self._batches:
                self._made.put(batch)
                self._room.acquire()
                if self._is_stopped:
                    break
        except BaseException as error:
            end = _End(error)
        self._made.put(end)
