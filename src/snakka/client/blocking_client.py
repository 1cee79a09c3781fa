"""How a client of asyncio is used without it: its methods are derived, and run in an event loop in a thread of their own.

Rule: the client is touched in that thread only. What a call gives is made usable elsewhere: an asyncio future becomes one of
concurrent.futures, `async with` becomes `with`, and `async for` becomes `for`.
"""

import asyncio
import concurrent.futures
import functools
import inspect
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from snakka.client.errors import ClientClosedError
from snakka.runtime.loop_thread import LoopThread

T = TypeVar("T")


class BlockingClient:
    """A client of `kind` behind blocking methods of the same names."""

    kind: ClassVar[type[Any]]

    def __init_subclass__(cls, *, kind: type[Any]) -> None:
        cls.kind = kind
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and name not in vars(BlockingClient):
                setattr(cls, name, _blocking(method))
        if hasattr(kind, "__anext__"):
            cls.__iter__ = _itself  # type: ignore[attr-defined]
            cls.__next__ = _next  # type: ignore[attr-defined]

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        async def make() -> Any:
            return self.kind(*arguments, **keywords)

        self._thread: LoopThread | None = LoopThread(f"snakka {self.kind.__name__.lower()}")
        try:
            self._client = self._thread.call(make)
        except BaseException:
            self._end_thread()
            raise

    def start(self) -> None:
        """Reach the cluster; NoBrokerError if nobody answers."""
        try:
            self._call(lambda: self._client.start())
        except BaseException:
            self.stop()
            raise

    def stop(self, *arguments: Any, **keywords: Any) -> None:
        """As the asyncio client's; afterwards it can't be used any more."""
        if self._thread is None:
            return
        try:
            self._call(lambda: self._client.stop(*arguments, **keywords))
        finally:
            self._end_thread()

    def begin(self, use: Callable[[Any], Coroutine[Any, Any, T]]) -> "concurrent.futures.Future[T]":
        """Let `use` run with the asyncio client in its loop, beside all else, and don't wait for it.

        For those who would make many calls one after the other: each wakes two threads. Who cancels the future ends it.
        """
        return self._running_thread().begin(use(self._client))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is None:
            return
        try:
            self._call(lambda: self._client.__aexit__(kind, error, trace))
        finally:
            self._end_thread()

    def _call(self, make: Callable[[], Any]) -> Any:
        """What a call in the loop gives, awaited if need be, in a form that this thread can use."""
        given = self._running_thread().call(make, _usable_elsewhere)
        return _Context(self, given) if hasattr(given, "__aenter__") else given

    def _running_thread(self) -> LoopThread:
        if self._thread is None:
            raise ClientClosedError(f"the {self.kind.__name__.lower()} is stopped; make another one")
        return self._thread

    def _end_thread(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.end()


class _Context:
    """`with` for what is meant for `async with`."""

    def __init__(self, owner: BlockingClient, context: Any) -> None:
        self._owner = owner
        self._context = context

    def __enter__(self) -> Any:
        entered = self._owner._call(lambda: self._context.__aenter__())
        # Whoever enters the client itself goes on with the blocking one.
        return self._owner if entered is self._owner._client else entered

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return bool(self._owner._call(lambda: self._context.__aexit__(kind, error, trace)))


def _blocking(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: BlockingClient, *arguments: Any, **keywords: Any) -> Any:
        return self._call(lambda: method(self._client, *arguments, **keywords))

    return call


def _itself(self: BlockingClient) -> BlockingClient:
    return self


def _next(self: BlockingClient) -> Any:
    try:
        return self._call(lambda: self._client.__anext__())
    except StopAsyncIteration:
        raise StopIteration from None


def _usable_elsewhere(given: Any) -> Any:
    return _concurrent(given) if isinstance(given, asyncio.Future) else given


def _concurrent(future: "asyncio.Future[T]") -> "concurrent.futures.Future[T]":
    """The same outcome for other threads; it can't be cancelled from there."""
    outcome: concurrent.futures.Future[T] = concurrent.futures.Future()
    outcome.set_running_or_notify_cancel()

    def settle(ended: "asyncio.Future[T]") -> None:
        if ended.cancelled():
            outcome.set_exception(ClientClosedError("the client was stopped before this had ended"))
        elif (error := ended.exception()) is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(ended.result())

    future.add_done_callback(settle)
    return outcome
