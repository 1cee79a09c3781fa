"""The only way to a thread or a process: blocking work that touches no shared state."""

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Offload(Protocol):
    """Runs a blocking function elsewhere; the future completes on the event loop."""

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]: ...

    async def run_module(self, module: str, *arguments: str, deadline_seconds: float) -> None:
        """`python -m module arguments` in a process of its own; OSError when it fails or is late.

        Its standard input is empty, and ends when this process does: by that it knows that it was left alone.
        """

    def close(self) -> None: ...


class ThreadOffload:
    """Real threads and real processes."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: int = 4) -> None:
        self._loop = loop
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="snakka-offload")

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        return asyncio.wrap_future(self._pool.submit(function, *args, **kwargs), loop=self._loop)

    async def run_module(self, module: str, *arguments: str, deadline_seconds: float) -> None:
        # A pipe of our own: asyncio's communicate() would close its end of one at once.
        its_end, our_end = os.pipe()
        try:
            await self._run_module(module, arguments, deadline_seconds, its_end)
        finally:
            os.close(our_end)

    async def _run_module(
        self, module: str, arguments: tuple[str, ...], deadline_seconds: float, stdin: int
    ) -> None:
        starting = self._loop.create_task(
            asyncio.create_subprocess_exec(
                sys.executable, "-m", module, *arguments, stdin=stdin, stderr=asyncio.subprocess.PIPE
            )
        )
        try:
            # A start that is cancelled half-way would leave a process that nobody waits for (uvloop).
            process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            with suppress(asyncio.CancelledError):
                await _until_done(starting)
            await _end(starting.result())
            raise
        finally:
            os.close(stdin)
        try:
            _, errors = await asyncio.wait_for(process.communicate(), deadline_seconds)
        except TimeoutError:
            raise OSError(f"{module} did not finish within {deadline_seconds:.0f} s") from None
        finally:
            await _end(process)
        if process.returncode:
            last = errors.decode(errors="replace").strip().rpartition("\n")[2]
            raise OSError(f"{module} ended with code {process.returncode}: {last}")

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await _until_done(asyncio.get_running_loop().create_task(process.wait()))


async def _until_done(task: "asyncio.Task[Any]") -> None:
    """Whatever happens meanwhile: nobody else waits for a process. Who was cancelled hears of it afterwards."""
    is_cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            is_cancelled = True
    if is_cancelled:
        raise asyncio.CancelledError


class InlineOffload:
    """Runs the work at once on the caller's thread: simulation and unit tests."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._loop.create_future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    async def run_module(self, module: str, *arguments: str, deadline_seconds: float) -> None:
        import importlib

        try:
            importlib.import_module(module).main(list(arguments))
        except SystemExit as ended:
            if ended.code:
                raise OSError(f"{module} ended with code {ended.code}") from None

    def close(self) -> None:
        pass
