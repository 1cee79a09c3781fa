"""One bundle of everything that touches the world, built once and handed to every component."""

import asyncio
import random

from snakka.runtime.clock import Clock, SystemClock
from snakka.runtime.offload import Offload, ThreadOffload
from snakka.runtime.supervisor import Supervisor
from snakka.runtime.timing_wheel import TimingWheel


class Runtime:
    """Clock, randomness, timers, tasks and blocking work of one broker on one event loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        clock: Clock | None = None,
        chance: random.Random | None = None,
        offload: Offload | None = None,
    ) -> None:
        self.loop = loop
        self.clock: Clock = clock or SystemClock()
        # SystemRandom: uuids, member ids and secrets come from here, so it must not be guessable.
        self.random: random.Random = chance or random.SystemRandom()
        self.timers = TimingWheel(loop)
        self.supervisor = Supervisor(self.clock)
        self.offload: Offload = offload or ThreadOffload(loop)

    async def close(self) -> None:
        await self.supervisor.close()
        self.timers.close()
        self.offload.close()
