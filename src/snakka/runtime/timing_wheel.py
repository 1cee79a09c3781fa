"""Deadlines for thousands of waiting requests at the price of one loop timer.

A wheel of slots, each a set of timers; one `call_later` is armed while any timer lives. Adding and cancelling are
constant time, which matters because nearly every long poll is cancelled by data before its deadline. A timer never
fires early and at most one tick late.
"""

import asyncio
import logging
from collections.abc import Callable

log = logging.getLogger(__name__)

TICK_SECONDS = 0.005
SLOTS = 1024


class Timer:
    """One deadline. `cancel` is idempotent and may be called after it fired."""

    __slots__ = ("callback", "due_tick", "slot")

    def __init__(self, callback: Callable[[], None], due_tick: int) -> None:
        self.callback: Callable[[], None] | None = callback
        self.due_tick = due_tick
        self.slot: dict[Timer, None] | None = None

    def cancel(self) -> None:
        self.callback = None
        if self.slot is not None:
            self.slot.pop(self, None)
            self.slot = None


class TimingWheel:
    """Timers of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # A dict keeps insertion order, so timers of one tick fire in the order they were set: the simulation needs that.
        self._slots: list[dict[Timer, None]] = [{} for _ in range(SLOTS)]
        self._done_tick = int(loop.time() / TICK_SECONDS)
        self._armed: asyncio.TimerHandle | None = None

    def schedule(self, delay_seconds: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` once, `delay_seconds` from now, unless cancelled."""
        now = self._loop.time()
        if self._armed is None:
            self._done_tick = int(now / TICK_SECONDS)
            self._armed = self._loop.call_later(TICK_SECONDS, self._advance)
        due = max(int((now + delay_seconds) / TICK_SECONDS) + 1, self._done_tick + 1)
        timer = Timer(callback, due)
        slot = self._slots[due % SLOTS]
        slot[timer] = None
        timer.slot = slot
        return timer

    def close(self) -> None:
        """Forget every timer; none fires after this."""
        if self._armed is not None:
            self._armed.cancel()
            self._armed = None
        for slot in self._slots:
            slot.clear()

    def _advance(self) -> None:
        target = int(self._loop.time() / TICK_SECONDS)
        # After a stall longer than a whole turn of the wheel every slot is visited once, not once a tick.
        first = max(self._done_tick + 1, target - SLOTS + 1)
        self._done_tick = target
        for tick in range(first, target + 1):
            slot = self._slots[tick % SLOTS]
            if slot:
                self._fire(slot, target)
        self._armed = self._loop.call_later(TICK_SECONDS, self._advance) if any(self._slots) else None

    @staticmethod
    def _fire(slot: dict[Timer, None], now_tick: int) -> None:
        for timer in [timer for timer in slot if timer.due_tick <= now_tick]:
            callback = timer.callback
            timer.cancel()
            if callback is not None:
                try:
                    callback()
                except Exception:
                    log.exception("a timer's callback failed")
