"""What kind of world a seed makes: each is bad in its own few ways, so that together they are bad in all.

A world that has every fault all the time never gets far. So a seed leaves most faults out, and has much of the others. A few
worlds are worse: they go on for long, or lose power all the time, or have two disks of which one is always about to fail.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from snakka.testing.simulation.network import NetworkManners
from snakka.testing.simulation.offload import DiskManners

_WORSE_SHARE = 0.1


@dataclass(frozen=True)
class Plan:
    """One seed's world."""

    seed: int
    network: NetworkManners
    disk: DiskManners
    options: dict[str, str]
    # Virtual seconds until things are allowed to come to rest.
    seconds: float
    log_directories: tuple[str, ...]
    plain_producers: int
    idempotent_producers: int
    pipelining_producers: int
    consumers: int
    busy_pause: float
    # Happenings a second, each by its own chance.
    process_deaths: float
    power_cuts: float
    deaths_at_writes: float
    # The likelihood of a death at each rename, at which files change hands, and at each start.
    deaths_at_renames: float
    deaths_while_starting: float
    # The likelihood of a power cut at each answer that a client may rely on: the moment when a broken promise shows.
    power_cuts_at_answers: float
    clean_restarts: float
    cut_connections: float
    stalls: float
    disk_faults: float
    full_disks: float
    is_cold: bool

    def chance(self, purpose: str) -> random.Random:
        """One source of chance for each purpose: what one part draws does not change another's luck."""
        return random.Random(f"{self.seed}/{purpose}")


def make_plan(seed: int) -> Plan:
    chance = random.Random(f"{seed}/plan")
    directories = ("/data",) if chance.random() < 0.8 else ("/data", "/more")
    plan = Plan(
        seed=seed,
        network=_network(chance),
        disk=_disk(chance),
        options=_options(chance, directories),
        seconds=chance.choice((1.0, 2.0, 2.0, 3.0, 6.0)),
        log_directories=directories,
        plain_producers=chance.choice((0, 1, 1)),
        idempotent_producers=chance.choice((0, 1, 2)),
        pipelining_producers=chance.choice((0, 1)),
        consumers=chance.choice((0, 1, 2)),
        busy_pause=chance.choice((0.02, 0.05, 0.15)),
        process_deaths=_sometimes(chance, 0.5),
        power_cuts=_sometimes(chance, 0.5),
        deaths_at_writes=_sometimes(chance, 0.8),
        deaths_at_renames=_sometimes(chance, 0.02, likelihood=0.3),
        deaths_while_starting=_sometimes(chance, 0.2, likelihood=0.3),
        power_cuts_at_answers=_sometimes(chance, 0.02, likelihood=0.4),
        clean_restarts=_sometimes(chance, 0.4),
        cut_connections=_sometimes(chance, 1.0),
        stalls=_sometimes(chance, 0.3),
        disk_faults=_sometimes(chance, 0.5, likelihood=0.25),
        full_disks=_sometimes(chance, 0.3, likelihood=0.15),
        is_cold=chance.random() < 0.2,
    )
    return chance.choice((_long, _dark, _rotten))(plan) if chance.random() < _WORSE_SHARE else plan


def _long(plan: Plan) -> Plan:
    return replace(
        plan,
        seconds=15.0,
        plain_producers=1,
        idempotent_producers=2,
        pipelining_producers=1,
        consumers=2,
    )


def _dark(plan: Plan) -> Plan:
    return replace(
        plan,
        seconds=8.0,
        idempotent_producers=2,
        pipelining_producers=1,
        power_cuts=0.5,
        power_cuts_at_answers=0.04,
        deaths_at_writes=1.6,
        deaths_at_renames=0.02,
        deaths_while_starting=0.3,
        clean_restarts=0.4,
    )


def _rotten(plan: Plan) -> Plan:
    directories = ("/data", "/more")
    return replace(
        plan,
        seconds=8.0,
        log_directories=directories,
        options=plan.options | {"log.dirs": ",".join(directories)},
        process_deaths=0.5,
        power_cuts=0.5,
        deaths_at_writes=0.8,
        disk_faults=1.0,
        full_disks=0.6,
    )


def _sometimes(chance: random.Random, often: float, likelihood: float = 0.5) -> float:
    return often * chance.choice((0.5, 1.0, 2.0)) if chance.random() < likelihood else 0.0


def _network(chance: random.Random) -> NetworkManners:
    longest = chance.choice((0.000_2, 0.002, 0.02))
    return NetworkManners(
        shortest_delay=longest / 10,
        longest_delay=longest,
        late_share=chance.choice((0.0, 0.05)),
        window_bytes=chance.choice((2_000, 16_000, 200_000)),
        largest_read=chance.choice((1_460, 65_536)),
        small_read_share=chance.choice((0.0, 0.0, 0.1)),
    )


def _disk(chance: random.Random) -> DiskManners:
    longest = chance.choice((0.000_5, 0.004, 0.03))
    return DiskManners(longest / 20, longest, slow_share=chance.choice((0.0, 0.05)))


def _options(chance: random.Random, directories: tuple[str, ...]) -> dict[str, str]:
    options = {
        "log.dirs": ",".join(directories),
        "log.initial.task.delay.ms": str(chance.choice((100, 500))),
        "log.retention.check.interval.ms": str(chance.choice((200, 1_000))),
        "log.cleaner.backoff.ms": str(chance.choice((150, 700))),
        "log.cleaner.dedupe.buffer.size": "2097152",
        "log.flush.offset.checkpoint.interval.ms": str(chance.choice((200, 900, 60_000))),
        "log.flush.start.offset.checkpoint.interval.ms": str(chance.choice((300, 1_000, 60_000))),
        "replica.high.watermark.checkpoint.interval.ms": str(chance.choice((400, 5_000))),
        "log.segment.delete.delay.ms": str(chance.choice((0, 100, 2_000))),
        "metadata.max.idle.interval.ms": str(chance.choice((0, 500))),
        "max.incremental.fetch.session.cache.slots": str(chance.choice((1, 1_000))),
    }
    if chance.random() < 0.4:
        options["metadata.log.max.record.bytes.between.snapshots"] = str(chance.choice((300, 2_000)))
        # A batch must fit: at a start it has a record for each partition.
        options["internal.metadata.log.segment.bytes"] = str(chance.choice((3_000, 20_000)))
        options["metadata.max.retention.bytes"] = str(chance.choice((1_000, 10_000)))
        options["internal.metadata.delete.delay.millis"] = str(chance.choice((0, 500)))
    return options
