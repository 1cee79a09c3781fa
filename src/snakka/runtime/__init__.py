"""The seam to the outside world: clock, randomness, timers, tasks and blocking work.

Every component gets a `Runtime` in its constructor and reaches time, chance and concurrency through it alone, so that
the same code runs on a real event loop and inside a deterministic simulation.
"""

from snakka.runtime.clock import Clock, SystemClock
from snakka.runtime.offload import InlineOffload, Offload, ThreadOffload
from snakka.runtime.runtime import Runtime
from snakka.runtime.supervisor import Supervisor
from snakka.runtime.timing_wheel import Timer, TimingWheel

__all__ = [
    "Clock",
    "InlineOffload",
    "Offload",
    "Runtime",
    "Supervisor",
    "SystemClock",
    "ThreadOffload",
    "Timer",
    "TimingWheel",
]
