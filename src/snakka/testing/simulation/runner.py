"""Runs seeds: one for a person who looks on, or thousands over several processes."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from snakka.testing.simulated_files import ProgramDied
from snakka.testing.simulation.loop import SimulatedLoop
from snakka.testing.simulation.plan import make_plan
from snakka.testing.simulation.trace import SimulationFailure, Trace
from snakka.testing.simulation.world import World, overheard

_SHOWN_LINES = 60
_COLLECT_EVERY = 10


@dataclass(frozen=True)
class Verdict:
    """What became of one seed. `failure` is empty if nothing was wrong; `digest` is the same whenever it runs."""

    seed: int
    digest: str
    failure: str
    details: str
    counts: dict[str, int]
    virtual_seconds: float


def run_seed(seed: int, show: Callable[[str], None] | None = None) -> Verdict:
    """One simulation; each line of its trace goes to `show`."""
    plan = make_plan(seed)
    loop = SimulatedLoop()
    trace = Trace(loop.time, show)
    world = World(plan, loop, trace)
    loop.set_exception_handler(lambda _, context: _unhandled(world, context))
    failure: BaseException | None = None
    try:
        with overheard(world, show):
            loop.run_until_complete(world.run())
    except SimulationFailure as error:
        failure = error
    except Exception as error:
        failure = error
    finally:
        loop.close()
    text = (
        "" if failure is None else f"{failure}" if isinstance(failure, SimulationFailure) else repr(failure)
    )
    details = ""
    if failure is not None:
        trace.note("failure", text)
        story = "".join(traceback.format_exception(failure))
        details = "\n".join([*trace.last_lines(_SHOWN_LINES), story])
    return Verdict(seed, trace.digest(), text, details, trace.counts, loop.time())


def _unhandled(world: World, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if isinstance(error, ProgramDied):
        return
    if isinstance(error, SimulationFailure):
        world.fail(error)
        return
    failure = SimulationFailure(f"nobody has handled this: {context.get('message')}: {error!r}")
    failure.__cause__ = error
    world.fail(failure)


@dataclass
class Batch:
    """The verdicts of some seeds, added up."""

    seeds: int = 0
    failures: list[Verdict] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    virtual_seconds: float = 0.0

    def add(self, verdict: Verdict) -> None:
        self.seeds += 1
        self.virtual_seconds += verdict.virtual_seconds
        if verdict.failure:
            self.failures.append(verdict)
        self._count(verdict.counts)

    def merge(self, other: Batch) -> None:
        self.seeds += other.seeds
        self.virtual_seconds += other.virtual_seconds
        self.failures += other.failures
        self._count(other.counts)

    def _count(self, counts: Mapping[str, int]) -> None:
        for kind, count in counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + count


def run_batch(seeds: range) -> Batch:
    """In one process. Garbage is collected between seeds, when nothing is alive that it would have to look at."""
    batch = Batch()
    gc.disable()
    for number, seed in enumerate(seeds):
        batch.add(run_seed(seed))
        if number % _COLLECT_EVERY == 0:
            gc.collect()
    gc.enable()
    return batch


def run_batches(batches: Iterable[range], jobs: int) -> Iterator[tuple[range, Batch]]:
    """In order, over `jobs` processes."""
    batches = list(batches)
    if jobs == 1:
        for seeds in batches:
            yield seeds, run_batch(seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from zip(batches, pool.map(run_batch, batches), strict=True)
