"""Requests that wait without a task: keyed callbacks with a deadline in the timing wheel.

A produce waits for acknowledgements, a fetch for enough bytes. Each ends exactly once: by progress, by its deadline, or
because the client went away.
"""

import asyncio
from collections.abc import Callable, Iterable

from snakka.protocol.error_codes import ErrorCode
from snakka.replication.partition import AckWaiter, Partition
from snakka.runtime import Runtime


class WaitingProduce:
    """Answers once every partition of the request has acknowledged, or the request's timeout is over."""

    __slots__ = ("_done", "_open", "_timer")

    def __init__(
        self,
        runtime: Runtime,
        timeout_seconds: float,
        acks: Iterable[tuple[Partition, int, bool, Callable[[ErrorCode], None]]],
        done: Callable[[], None],
    ) -> None:
        """`acks`: partition, offset to pass, whether replicas must have it too, and who is told the outcome."""
        self._done: Callable[[], None] | None = done
        self._open: dict[AckWaiter, tuple[Partition, Callable[[ErrorCode], None]]] = {}
        for partition, offset, needs_isr, tell in acks:
            waiter = AckWaiter(offset, needs_isr, self._acknowledged)
            self._open[waiter] = (partition, tell)
            partition.wait_for_ack(waiter)
        self._timer = runtime.timers.schedule(timeout_seconds, self._expire)

    def cancel(self) -> None:
        """The client has gone: wait for nothing any more."""
        self._done = None
        self._timer.cancel()
        for waiter, (partition, _) in self._open.items():
            partition.stop_waiting_for_ack(waiter)
        self._open.clear()

    def _acknowledged(self, waiter: AckWaiter, error: ErrorCode) -> None:
        _, tell = self._open.pop(waiter)
        tell(error)
        if not self._open:
            self._finish()

    def _expire(self) -> None:
        for waiter, (partition, tell) in self._open.items():
            partition.stop_waiting_for_ack(waiter)
            tell(ErrorCode.REQUEST_TIMED_OUT)
        self._open.clear()
        self._finish()

    def _finish(self) -> None:
        self._timer.cancel()
        done, self._done = self._done, None
        if done is not None:
            done()


class WaitingFetch:
    """Answers once `missing_bytes` more are visible, something must be said at once, or the wait is over.

    Progress is only counted here; reading again is put off to the loop's next turn, so that a produce never pays for
    the fetches that it wakes, and several appends wake a fetch once.
    """

    __slots__ = (
        "_deadline_passed",
        "_loop",
        "_missing_bytes",
        "_stop_watching",
        "_timer",
        "_try_answer",
        "_wake",
    )

    def __init__(
        self,
        runtime: Runtime,
        wait_seconds: float,
        missing_bytes: int,
        try_answer: Callable[[bool], int],
        stop_watching: Callable[["WaitingFetch"], None],
    ) -> None:
        """`try_answer(last_chance)` reads again; it answers and returns 0, or returns how many bytes are missing."""
        self._loop = runtime.loop
        self._missing_bytes = missing_bytes
        self._try_answer: Callable[[bool], int] | None = try_answer
        self._stop_watching = stop_watching
        self._deadline_passed = False
        self._wake: asyncio.Handle | None = None
        self._timer = runtime.timers.schedule(wait_seconds, self._expire)

    def partition_progressed(self, partition: Partition, visible_bytes: int) -> None:
        self._missing_bytes -= visible_bytes
        # No bytes but progress all the same: leadership, log start or a failure changed, so look.
        if (self._missing_bytes <= 0 or visible_bytes == 0) and self._wake is None:
            self._wake = self._loop.call_soon(self._look)

    def cancel(self) -> None:
        """The client has gone, or the answer has been given."""
        self._try_answer = None
        self._timer.cancel()
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        self._stop_watching(self)

    def _expire(self) -> None:
        self._deadline_passed = True
        self._look()

    def _look(self) -> None:
        self._wake = None
        if self._try_answer is None:
            return
        self._missing_bytes = self._try_answer(self._deadline_passed)
        if self._missing_bytes <= 0:
            self.cancel()
