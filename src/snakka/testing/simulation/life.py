"""One process of the broker, from its start to its end: by a signal, by a failure of its own, or by death.

Rule: it is `BrokerServer` as the command starts it, in a program of its own that can be killed at any moment.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from enum import Enum

from snakka.broker.option_catalog import load_options
from snakka.broker.server import BrokerServer
from snakka.network.listener import ListenError
from snakka.protocol.errors import ApiError
from snakka.runtime import Runtime
from snakka.storage.meta_properties import DataDirectoryError
from snakka.testing.simulated_disk import SimulatedDisk
from snakka.testing.simulated_files import ProgramDied, SimulatedFiles
from snakka.testing.simulation.loop import Program, SimulatedLoop, VirtualClock
from snakka.testing.simulation.network import SimulatedNetwork
from snakka.testing.simulation.offload import SimulatedOffload
from snakka.testing.simulation.plan import Plan
from snakka.testing.simulation.trace import SimulationFailure, Trace

PORT = 9092
_ADDRESS = f"10.0.0.1:{PORT}"
_LONGEST_START_SECONDS = 90.0
_LONGEST_STOP_SECONDS = 60.0


class End(Enum):
    """How a broker came to its end."""

    CLEAN_STOP = "clean stop"
    FAILED = "failed"
    NOT_STARTED = "not started"
    DEATH = "death"
    POWER_CUT = "power cut"


class BrokerLife:
    """`ended` is done when the process is gone, with how it went."""

    def __init__(
        self,
        number: int,
        plan: Plan,
        loop: SimulatedLoop,
        network: SimulatedNetwork,
        disk: SimulatedDisk,
        trace: Trace,
        *,
        on_serving: Callable[[BrokerLife], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        """`on_failure` hears of what no broker should do: an exception that nobody expected, or a start that never ends."""
        self.number = number
        self.server: BrokerServer | None = None
        self.is_serving = False
        self.reason = ""
        self.ended: asyncio.Future[End] = loop.create_future()
        self._serving: asyncio.Future[None] = loop.create_future()
        self._plan = plan
        self._loop = loop
        self._network = network
        self._trace = trace
        self._on_serving = on_serving
        self._on_failure = on_failure
        self._chance = plan.chance(f"life {number}")
        self._clock = VirtualClock(loop)
        self._program = Program(loop, f"broker {number}")
        self._stop_asked: asyncio.Future[None] = loop.create_future()
        self._dies_at_change: int | None = None
        self._is_spared = False
        self._changes = 0
        self.files = SimulatedFiles(plan.log_directories, disk=disk, clock=self._clock.now_ms)
        self.files.cold = plan.is_cold
        self.files.on_change = self._about_to_change

    def begin(self) -> None:
        self._trace.note("start", self.number)
        self._program.spawn(self._live(), f"broker {self.number}")

    async def serving_or_ended(self) -> None:
        """Until it is clear whether it starts."""
        await asyncio.wait((self._serving, self.ended), return_when=asyncio.FIRST_COMPLETED)

    def stop(self) -> None:
        """As SIGTERM does."""
        if not self._stop_asked.done():
            self._trace.note("stop", self.number)
            self._stop_asked.set_result(None)

    def die_at_change(self, changes_from_now: int) -> None:
        """Death comes in the midst of the work: before one of the next changes to a file."""
        self._dies_at_change = self._changes + changes_from_now

    def live_on(self) -> None:
        """Death does not come any more while it works."""
        self._is_spared = True

    def kill(self, *, power_cut: bool) -> None:
        """Here and now."""
        if self.ended.done():
            return
        self._trace.note("power cut" if power_cut else "death", self.number)
        self.is_serving = False
        self._network.machine_is_up = not power_cut
        self._network.remove_program(self._program, power_is_off=power_cut)
        self.files.detach()
        self._program.die()
        if power_cut:
            self.files.disk.lose_power(self._chance)
        self.ended.set_result(End.POWER_CUT if power_cut else End.DEATH)

    # Inside the program.

    def _about_to_change(self, operation: str, path: str) -> None:
        self._changes += 1
        self._trace.note(operation, path)
        if self._must_die(operation):
            power_cut = self._plan.power_cuts > 0 and self._chance.random() < 0.5
            self.kill(power_cut=power_cut)
            raise ProgramDied(0.0 if power_cut else self._chance.choice((0.0, self._chance.random(), 1.0)))

    def _must_die(self, operation: str) -> bool:
        if self._is_spared:
            return False
        if operation == "rename" and self._chance.random() < self._plan.deaths_at_renames:
            return True
        return self._dies_at_change is not None and self._changes >= self._dies_at_change

    async def _live(self) -> None:
        try:
            end = await self._serve()
        except Exception as error:
            if not self.ended.done():  # otherwise it is the dead who complain
                self._on_failure(error)
            return
        self.is_serving = False
        if not self.ended.done():
            self._trace.note("end", self.number, end.value, self.reason)
            # Whatever it has forgotten to end ends with its process.
            self._network.remove_program(self._program, power_is_off=False)
            self.files.detach()
            self._program.die()
            self.ended.set_result(end)

    async def _serve(self) -> End:
        options = load_options(
            assignments=[f"{name}={value}" for name, value in self._plan.options.items()],
            listen=_ADDRESS,
            log=lambda notice: self._trace.note("notice", notice),
        )
        offload = SimulatedOffload(
            self._loop, self._plan.chance(f"disk {self.number}"), self._plan.disk, self.files, self._trace
        )
        runtime = Runtime(
            self._loop,
            clock=self._clock,
            chance=random.Random(f"{self._plan.seed}/broker {self.number}"),
            offload=offload,
        )
        server = self.server = BrokerServer(options, runtime=runtime, files=self.files)
        try:
            await _in_time(self._start(server), _LONGEST_START_SECONDS, "the broker did not start")
        except (DataDirectoryError, ListenError, ApiError, OSError) as error:
            self.reason = f"{type(error).__name__}: {error}"
            return End.NOT_STARTED
        self.is_serving = True
        self._serving.set_result(None)
        self._on_serving(self)
        await asyncio.wait((self._stop_asked, server.failed), return_when=asyncio.FIRST_COMPLETED)
        try:
            await _in_time(server.stop(), _LONGEST_STOP_SECONDS, "the broker did not stop")
        except OSError as error:
            self.reason = f"{type(error).__name__}: {error}"
            return End.FAILED
        if server.failed.done():
            self.reason = server.failed.result()
            return End.FAILED
        return End.CLEAN_STOP

    @staticmethod
    async def _start(server: BrokerServer) -> None:
        starting = asyncio.get_running_loop().create_task(server.start(), name="start")
        await asyncio.wait((starting, server.failed), return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            raise DataDirectoryError(server.failed.result())
        starting.result()


async def _in_time(work: Awaitable[None], seconds: float, late: str) -> None:
    try:
        async with asyncio.timeout(seconds) as limit:
            await work
    except TimeoutError:
        if limit.expired():
            raise SimulationFailure(f"{late} within {seconds:.0f} s") from None
        raise
