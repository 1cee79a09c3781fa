"""One simulation from its seed to its verdict: a broker that lives and dies, its clients, and what befalls them.

First things go wrong, as the plan says. Then all is well again, and everybody must come to an end in reasonable time. At
last the broker stops cleanly, the power goes, and nothing may be missing after the next start.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from snakka.network.receive_buffer import ReceiveMemory
from snakka.testing.simulated_disk import SimulatedDisk
from snakka.testing.simulated_files import UNLIMITED_BYTES, Fault, ProgramDied
from snakka.testing.simulation.administrator import Administrator
from snakka.testing.simulation.audit import Audit
from snakka.testing.simulation.consumer import ConsumerClient
from snakka.testing.simulation.life import BrokerLife, End
from snakka.testing.simulation.link import Link
from snakka.testing.simulation.loop import SimulatedLoop, VirtualClock, program_of
from snakka.testing.simulation.model import Model
from snakka.testing.simulation.network import SimulatedNetwork
from snakka.testing.simulation.plan import Plan
from snakka.testing.simulation.producer import ProducerClient
from snakka.testing.simulation.trace import SimulationFailure, Trace

_LONGEST_ENDING_SECONDS = 120.0
_TICK_SECONDS = 0.05
_FAULTY_OPERATIONS = (
    "append",
    "sync",
    "sync",
    "create",
    "rename",
    "replace",
    "sync_directory",
    "truncate",
    "read",
)


class World:
    """See the module; what clients see of it is `link.Surroundings`."""

    def __init__(self, plan: Plan, loop: SimulatedLoop, trace: Trace) -> None:
        self.model = Model()
        self.trace = trace
        self.memory = ReceiveMemory()
        self.is_ending = False
        self.lives: list[BrokerLife] = []
        self._plan = plan
        self._loop = loop
        self._chance = plan.chance("world")
        self._chance_at_answers = plan.chance("answers")
        self._clock = VirtualClock(loop)
        self._network = SimulatedNetwork(loop, plan.chance("network"), plan.network, trace)
        self._disk = SimulatedDisk()
        self._audit: Audit | None = None
        self._faulty_lives: set[int] = set()
        self._failed: asyncio.Future[None] = loop.create_future()

    # What clients see.

    @property
    def life(self) -> BrokerLife:
        return self.lives[-1]

    def disk_failed_in(self, life: int) -> bool:
        return life in self._faulty_lives

    def now_ms(self) -> int:
        return self._clock.now_ms()

    def promised(self) -> None:
        if self._chance_at_answers.random() < self._plan.power_cuts_at_answers:
            self._loop.call_soon(self._cut_power, self.life)

    def _cut_power(self, life: BrokerLife) -> None:
        if not self.is_ending:
            life.kill(power_cut=True)

    def look(self) -> None:
        if self.life.is_serving and self._audit is not None:
            self._look(self._audit.step)
        else:
            self.model.lose_sight()

    def _look(self, what: Callable[[], None]) -> None:
        """Without being disturbed by what is planted for the broker."""
        files = self.life.files
        faults, files.faults = files.faults, []
        try:
            what()
        finally:
            files.faults = faults

    # The course of things.

    async def run(self) -> None:
        """SimulationFailure if the broker breaks a promise."""
        story = self._loop.create_task(self._story(), name="story")
        await asyncio.wait((story, self._failed), return_when=asyncio.FIRST_COMPLETED)
        if self._failed.done():
            story.cancel()
            await asyncio.gather(story, return_exceptions=True)
            self._failed.result()
        story.result()

    def fail(self, error: BaseException) -> None:
        if not self._failed.done():
            self._failed.set_exception(error)

    async def _story(self) -> None:
        broker = self._loop.create_task(self._keep_broker_running(), name="keep running")
        clients = [self._loop.create_task(client, name=name) for name, client in self._clients()]
        everybody = [broker, *clients]
        try:
            await self._let_things_happen(everybody)
            self._calm_down()
            await self._until_all_have_ended(clients, broker)
            broker.cancel()
            await self._last_act()
        finally:
            for task in everybody:
                task.cancel()
            await asyncio.gather(*everybody, return_exceptions=True)
            if self.lives:
                self.life.kill(power_cut=False)
                await asyncio.sleep(0)

    async def _let_things_happen(self, everybody: list[asyncio.Task[None]]) -> None:
        end = self._loop.time() + self._plan.seconds
        while self._loop.time() < end:
            await asyncio.sleep(self._chance.uniform(_TICK_SECONDS / 2, _TICK_SECONDS * 1.5))
            for task in everybody:
                if task.done():
                    task.result()
            self.look()
            self._something_happens()

    async def _until_all_have_ended(
        self, clients: list[asyncio.Task[None]], broker: asyncio.Task[None]
    ) -> None:
        ended = asyncio.gather(*clients)
        try:
            await asyncio.wait(
                (ended, broker), timeout=_LONGEST_ENDING_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            for task in (broker, ended):
                if task.done():
                    task.result()
            if not ended.done():
                names = [task.get_name() for task in clients if not task.done()]
                raise SimulationFailure(f"all was well for two minutes, and these did not end: {names}")
        finally:
            ended.cancel()

    def _clients(self) -> Iterator[tuple[str, Any]]:
        plan = self._plan
        kinds = [("plain", False, 1)] * plan.plain_producers
        kinds += [("idempotent", True, 1)] * plan.idempotent_producers
        kinds += [("pipelining", True, 5)] * plan.pipelining_producers
        for number, (kind, idempotent, depth) in enumerate(kinds):
            link = self._link(f"{kind} {number}")
            client = ProducerClient(link, idempotent=idempotent, depth=depth, busy_pause=plan.busy_pause)
            yield link.name, client.run()
        for number in range(plan.consumers):
            link = self._link(f"consumer {number}")
            yield link.name, ConsumerClient(link).run()
        link = self._link("administrator")
        yield link.name, Administrator(link).run()

    def _link(self, name: str) -> Link:
        return Link(self, name, self._plan.chance(name))

    # The broker.

    async def _keep_broker_running(self) -> None:
        while True:
            life = self._new_life()
            life.begin()
            await asyncio.wait((life.ended,))
            self._judge_end(life, life.ended.result())
            await asyncio.sleep(self._chance.uniform(0.01, 0.5))

    def _new_life(self) -> BrokerLife:
        self._network.machine_is_up = True
        life = BrokerLife(
            len(self.lives),
            self._plan,
            self._loop,
            self._network,
            self._disk,
            self.trace,
            on_serving=self._serving,
            on_failure=self.fail,
        )
        self.lives.append(life)
        self._audit = None
        if self.is_ending:
            life.live_on()
        elif self._chance.random() < self._plan.deaths_while_starting:
            life.die_at_change(self._chance.randint(1, 150))
        return life

    def _judge_end(self, life: BrokerLife, end: End) -> None:
        if end is End.POWER_CUT:
            self.model.power_lost(life.number)
        elif end is End.CLEAN_STOP and not self.disk_failed_in(life.number):
            for topic in self.model.living_topics():
                for partition in topic.partitions.values():
                    partition.stopped_cleanly()
        elif end in (End.FAILED, End.NOT_STARTED) and not self.disk_failed_in(life.number):
            raise SimulationFailure(f"the broker {end.value}: {life.reason}")

    def _serving(self, life: BrokerLife) -> None:
        assert life.server is not None
        audit = self._audit = Audit(
            self.model, life.server.services, self._plan.chance(f"audit {life.number}")
        )
        audit.disk_has_failed = self.disk_failed_in(life.number)
        try:
            self._look(audit.after_start)
        except SimulationFailure as failure:
            self.fail(failure)

    # What befalls them.

    def _something_happens(self) -> None:
        plan, chance, life = self._plan, self._chance, self.life
        likely = _TICK_SECONDS
        if chance.random() < plan.cut_connections * likely:
            self._network.cut_one()
        if chance.random() < plan.stalls * likely:
            seconds = chance.choice((0.05, 0.5, 3.0))
            self.trace.note("stall", seconds)
            self._network.stall(seconds)
        if life.ended.done():
            return
        if chance.random() < plan.disk_faults * likely:
            self._plant_fault(life)
        if chance.random() < plan.full_disks * likely:
            self._faulty_lives.add(life.number)
            life.files.capacity_bytes = life.files.used_bytes() + chance.randrange(3_000)
            self.trace.note("full", life.files.capacity_bytes)
        if self._audit is not None:
            self._audit.disk_has_failed = self.disk_failed_in(life.number)
        if chance.random() < plan.deaths_at_writes * likely:
            life.die_at_change(chance.choice((1, 3, 10, 30)))
        elif chance.random() < plan.process_deaths * likely:
            life.kill(power_cut=False)
        elif chance.random() < plan.power_cuts * likely:
            life.kill(power_cut=True)
        elif chance.random() < plan.clean_restarts * likely:
            life.stop()

    def _plant_fault(self, life: BrokerLife) -> None:
        chance = self._chance
        operation = chance.choice(_FAULTY_OPERATIONS)
        error = (
            errno.ENOSPC
            if operation in ("append", "create", "replace") and chance.random() < 0.5
            else errno.EIO
        )
        where = chance.choice(("", "-0/", "__cluster_metadata", "/more", "checkpoint"))
        leaves = chance.choice((0, 0, 50)) if operation == "append" else 0
        self._faulty_lives.add(life.number)
        self.trace.note("fault", operation, error, where)
        life.files.faults.append(
            Fault(operation, error, where, skip=chance.randrange(4), leaves_bytes=leaves)
        )

    def _calm_down(self) -> None:
        self.trace.note("calm")
        self._network.calm_down()
        self.is_ending = True
        if not self.life.ended.done():
            self.life.live_on()
            # A disk that has failed stays as it is until the next start.
            self.life.files.faults.clear()
            self.life.files.capacity_bytes = UNLIMITED_BYTES
            if self.disk_failed_in(self.life.number):
                self.life.stop()

    async def _last_act(self) -> None:
        """Stop, lose power, start: nothing may be missing. And once more with every question that a log can be asked."""
        life = self.life
        if life.ended.done():
            life = await self._start_once()
        await life.serving_or_ended()
        if life.ended.done():
            self._judge_end(life, life.ended.result())
            life = await self._start_once()
        self._look_at_rest()
        life.stop()
        self._judge_end(life, await life.ended)
        self._disk.lose_power(self._chance)
        self.model.disk_lost_power()
        self.trace.note("power cut", "after the stop")
        life = await self._start_once()
        self._look_at_rest()

    def _look_at_rest(self) -> None:
        assert self._audit is not None
        self._look(self._audit.at_rest)

    async def _start_once(self) -> BrokerLife:
        life = self._new_life()
        life.begin()
        await life.serving_or_ended()
        if life.ended.done():
            raise SimulationFailure(f"the broker {life.ended.result().value}: {life.reason}")
        return life


class _Overheard(logging.Handler):
    """The broker's log: errors there are failures, unless a disk was made to fail."""

    def __init__(self, world: World, show: Callable[[str], None] | None) -> None:
        super().__init__(logging.DEBUG if show is not None else logging.ERROR)
        self._world = world
        self._show = show

    def emit(self, record: logging.LogRecord) -> None:
        if self._show is not None:
            self._show(f"{'':12} log          {record.levelname} {record.name}: {record.getMessage()}")
        program = program_of()
        if program is not None and program.is_dead:
            return
        if record.levelno >= logging.ERROR and not self._world.disk_failed_in(self._world.life.number):
            error = record.exc_info[1] if record.exc_info else None
            if not isinstance(error, ProgramDied):
                failure = SimulationFailure(f"the broker logged: {record.getMessage()}")
                failure.__cause__ = error
                self._world.fail(failure)


@contextmanager
def overheard(world: World, show: Callable[[str], None] | None) -> Iterator[None]:
    """The loggers of the broker lead here, and nowhere else, until the simulation is over."""
    logger = logging.getLogger("snakka")
    handler = _Overheard(world, show)
    before = logger.handlers[:], logger.level, logger.propagate
    logger.handlers[:] = [handler]
    logger.setLevel(handler.level)
    logger.propagate = False
    try:
        yield
    finally:
        logger.handlers[:], logger.level, logger.propagate = before
