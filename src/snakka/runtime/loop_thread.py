"""An event loop in a thread of its own, for those who wait for what happens in it.

Rule: who waits for a call sees its outcome, also its failure; an interrupt ends the call, and nothing else.
"""

import asyncio
import concurrent.futures
import inspect
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

END_SECONDS = 10.0


def _unchanged(given: Any) -> Any:
    return given


class _Call:
    """A call of another thread: it begins and ends in the loop's, and the other one waits.

    Some make one for each record that they send, so it has no more parts than it needs: what needs no waiting becomes no
    task, and the end is told by one lock.
    """

    __slots__ = ("_end_told", "_error", "_finish", "_has_ended", "_loop", "_make", "_task", "_value")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, make: Callable[[], Any], finish: Callable[[Any], Any]
    ) -> None:
        self._loop = loop
        self._make = make
        self._finish = finish
        self._task: asyncio.Task[Any] | None = None
        self._has_ended = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._end_told = threading.Lock()  # held until then
        self._end_told.acquire()

    def wait(self) -> Any:
        """What the call gives, awaited if need be. Whoever interrupts the wait cancels it."""
        try:
            self._loop.call_soon_threadsafe(self._begin)
            while not self._end_told.acquire(timeout=END_SECONDS):
                if not self._loop.is_running():
                    raise RuntimeError("the event loop ended before this call did")
        except BaseException:
            self._loop.call_soon_threadsafe(self._cancel)
            # All must be at rest when the next call comes.
            if self._loop.is_running() and not self._has_ended:
                self._end_told.acquire(timeout=END_SECONDS)
            raise
        if self._error is None:
            return self._value
        try:
            raise self._error
        finally:
            self._error = self._task = None  # which hold this frame now, and so themselves

    def _begin(self) -> None:
        if self._has_ended:  # before it began
            return
        try:
            given = self._make()
        except BaseException as error:
            self._end(None, error)
            return
        if inspect.iscoroutine(given):
            self._task = self._loop.create_task(given)
            self._task.add_done_callback(self._settle)
        else:
            self._end(given, None)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        elif not self._has_ended:
            self._end(None, None)

    def _settle(self, task: "asyncio.Task[Any]") -> None:
        if task.cancelled():
            self._end(None, concurrent.futures.CancelledError())
        elif (error := task.exception()) is not None:
            self._end(None, error)
        else:
            self._end(task.result(), None)

    def _end(self, value: Any, error: BaseException | None) -> None:
        try:
            self._value = self._finish(value)
            self._error = error
        except BaseException as failed:
            self._error = failed
        self._has_ended = True
        self._end_told.release()


class LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def call(self, make: Callable[[], Any], finish: Callable[[Any], Any] = _unchanged) -> Any:
        """What `make` gives in the loop, awaited if it is a coroutine, and then `finish` makes of it there."""
        if threading.current_thread() is self._thread:
            raise RuntimeError(
                "a blocking client can't be called from its own callbacks: it would wait for itself"
            )
        return _Call(self._loop, make, finish).wait()

    def begin(self, coroutine: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """Run it in the loop, and don't wait: the future has its outcome, and cancelling it ends the coroutine."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(END_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()
