"""asyncio's own event loop on virtual time: when nothing is ready, the clock jumps to the next timer.

Nothing here waits, and no socket exists: connections belong to `network`. A simulated process is a `Program`, known by the
context that its tasks and callbacks inherit; when it dies, all of them are taken out of the loop, and none runs again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from contextvars import Context, ContextVar, copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from snakka.testing.simulation.trace import SimulationFailure

if TYPE_CHECKING:
    from snakka.testing.simulation.network import SimulatedNetwork, SimulatedServer
    from snakka.testing.simulation.transport import SimulatedTransport

T = TypeVar("T")

# 2025-01-01: where every simulation begins.
EPOCH_MS = 1_735_689_600_000
# Turns of the loop in which no time passes; more of them and something spins.
_MOST_TURNS_AT_ONCE = 200_000
_CLOSING_ROUNDS = 20

_program: ContextVar[Program | None] = ContextVar("program", default=None)


class _Clockwork:
    """In the place of a selector: instead of waiting for sockets it moves the clock."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[object]:
        self._loop.pass_time(timeout)
        return []


class SimulatedLoop(asyncio.BaseEventLoop):
    """One loop for the broker, its clients and the world around them."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._clock_resolution = 1e-9
        self._selector = _Clockwork(self)
        self._turns_at_once = 0
        self.network: SimulatedNetwork | None = None

    def time(self) -> float:
        return self._now

    def pass_time(self, seconds: float | None) -> None:
        if seconds is None:
            raise SimulationFailure("everything waits, and nothing is left that could happen")
        if seconds > 0:
            self._now += seconds
            self._turns_at_once = 0
        else:
            self._turns_at_once += 1
            if self._turns_at_once > _MOST_TURNS_AT_ONCE:
                raise SimulationFailure("something goes on for ever without a moment passing")

    def create_task(self, coro: Coroutine[Any, Any, T], **options: Any) -> asyncio.Task[T]:  # type: ignore[override]
        task: asyncio.Task[T] = super().create_task(coro, **options)
        program = program_of(options.get("context"))
        if program is not None:
            program.tasks.append((task, coro))
        return task

    async def create_connection(self, factory: Any, host: Any = None, port: Any = None, **_: Any) -> Any:  # type: ignore[override]
        assert self.network is not None
        transport: SimulatedTransport = await self.network.connect(factory, str(host), int(port))
        return transport, transport.get_protocol()

    async def create_server(  # type: ignore[override]
        self, factory: Any, host: Any = None, port: Any = None, *, start_serving: bool = True, **_: Any
    ) -> SimulatedServer:
        assert self.network is not None
        server = self.network.listen(factory, str(host), int(port))
        if start_serving:
            await server.start_serving()
        return server

    def remove_program(self, program: Program) -> None:
        """Nothing that a dead program has planned happens."""
        planned: Sequence[asyncio.Handle] = (*self._ready, *self._scheduled)  # type: ignore[attr-defined]
        for handle in planned:
            if handle._context.get(_program) is program:  # type: ignore[attr-defined]
                handle.cancel()

    # What asyncio asks of any loop.

    def _process_events(self, events: list[object]) -> None:
        """There are none: time is all that passes."""

    def _write_to_self(self) -> None:
        """Nothing waits that would have to be woken."""


class Program:
    """A process in the simulation: what runs in `context` belongs to it."""

    def __init__(self, loop: SimulatedLoop, name: str) -> None:
        self.name = name
        self.is_dead = False
        self.tasks: list[tuple[asyncio.Task[Any], Coroutine[Any, Any, Any]]] = []
        self.context = copy_context()
        self.context.run(_program.set, self)
        self._loop = loop

    def spawn(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        return self._loop.create_task(work, name=name, context=self.context)

    def die(self) -> None:
        """At once, wherever it is; it may be its own code that calls this."""
        if not self.is_dead:
            self.is_dead = True
            self._loop.remove_program(self)
            self._loop.call_soon(self._bury, context=Context())

    def _bury(self) -> None:
        """Let go of what its tasks hold, here and now rather than when the garbage collector comes by."""
        for task, work in self.tasks:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]
                for _ in range(_CLOSING_ROUNDS):
                    # It may wait again in a `finally`; the dead wait for nothing.
                    with contextlib.suppress(BaseException):
                        self.context.run(work.close)
                        break
        self.tasks.clear()
        self._loop.remove_program(self)


def program_of(context: Context | None = None) -> Program | None:
    """The program that the context belongs to, or whose code is running; None if it is the world's."""
    return _program.get() if context is None else context.get(_program)


class VirtualClock:
    """The loop's time as the broker's clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        return EPOCH_MS + int(self._loop.time() * 1000)

    def monotonic(self) -> float:
        return self._loop.time()
