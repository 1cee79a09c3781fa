"""The timing wheel: never early, at most a tick late, cheap to cancel."""

import asyncio
import time

from snakka.runtime.timing_wheel import SLOTS, TICK_SECONDS, TimingWheel


class SteppedLoop:
    """Just enough of an event loop for a wheel: time moves by hand."""

    def __init__(self) -> None:
        self.now = 100.0
        self.armed = None

    def time(self) -> float:
        return self.now

    def call_later(self, delay, callback):
        self.armed = (self.now + delay, callback)
        return self

    def cancel(self) -> None:
        self.armed = None

    def advance(self, seconds: float) -> None:
        end = self.now + seconds
        while self.armed is not None and self.armed[0] <= end:
            when, callback = self.armed
            self.armed = None
            self.now = max(self.now, when)
            callback()
        self.now = end


def test_timers_fire_in_order_and_never_early() -> None:
    loop = SteppedLoop()
    wheel = TimingWheel(loop)
    fired = []
    for delay in (0.5, 0.1, 0.3):
        wheel.schedule(delay, lambda delay=delay: fired.append((delay, loop.now)))
    loop.advance(0.0999)
    assert fired == []
    loop.advance(1.0)
    assert [delay for delay, _ in fired] == [0.1, 0.3, 0.5]
    assert all(0 <= at - 100.0 - delay <= 2 * TICK_SECONDS for delay, at in fired)


def test_a_timer_longer_than_one_turn_of_the_wheel_waits_for_its_turn() -> None:
    loop = SteppedLoop()
    wheel = TimingWheel(loop)
    fired = []
    delay = TICK_SECONDS * SLOTS * 2.5
    wheel.schedule(delay, lambda: fired.append(loop.now))
    loop.advance(delay - 0.01)
    assert fired == []
    loop.advance(0.02)
    assert len(fired) == 1


def test_a_cancelled_timer_never_fires_and_the_wheel_goes_to_sleep() -> None:
    loop = SteppedLoop()
    wheel = TimingWheel(loop)
    fired = []
    timer = wheel.schedule(0.05, lambda: fired.append(1))
    timer.cancel()
    timer.cancel()
    loop.advance(1)
    assert fired == []
    assert loop.armed is None


def test_a_stall_longer_than_the_wheel_fires_everything_that_is_due_once() -> None:
    loop = SteppedLoop()
    wheel = TimingWheel(loop)
    fired = []
    for step in range(50):
        wheel.schedule(step * 0.2, lambda step=step: fired.append(step))
    loop.now += 100
    loop.advance(TICK_SECONDS)
    assert sorted(fired) == list(range(50))


def test_a_failing_callback_does_not_stop_the_others(caplog) -> None:
    loop = SteppedLoop()
    wheel = TimingWheel(loop)
    fired = []
    wheel.schedule(0.01, lambda: 1 / 0)
    wheel.schedule(0.01, lambda: fired.append(1))
    loop.advance(1)
    assert fired == [1]
    assert "a timer's callback failed" in caplog.text


async def test_on_a_real_loop() -> None:
    wheel = TimingWheel(asyncio.get_running_loop())
    done = asyncio.Event()
    started = time.monotonic()
    wheel.schedule(0.02, done.set)
    await asyncio.wait_for(done.wait(), 5)
    assert time.monotonic() - started >= 0.02
    wheel.close()
