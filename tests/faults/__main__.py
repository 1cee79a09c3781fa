"""`python -m tests.faults`: the long versions of what the tests do shortly. Prints figures for RELIABILITY.md.

Every part stops with what it found wrong, if anything is, and leaves its data behind for a look.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.faults.disk_full import DISK_BYTES, DiskFullRounds
from tests.faults.flips import RandomFlips
from tests.faults.hostile_clients import (
    MIB,
    HostileClients,
    churn,
    half_open_frames,
    idle_connections,
    largest_requests,
    pipelining_without_reading,
    slow_readers,
)
from tests.faults.kill_rounds import KillRounds
from tests.faults.process_facts import machine_line, resident_bytes
from tests.faults.small_disk import small_disk

PARTS = ("kills", "disk", "flips", "clients")


def main() -> None:
    parser = _parser()
    arguments = parser.parse_args()
    runs = dict(zip(PARTS, (_kills, _disk, _flips, _clients), strict=True))
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    print(f"{machine_line()}; seed {arguments.seed}", flush=True)
    for name in arguments.parts or PARTS:
        directory = Path(tempfile.mkdtemp(prefix=f"snakka-{name}-"))
        started = time.monotonic()
        try:
            lines = runs[name](directory, arguments)
        except pytest.skip.Exception as reason:
            lines = [f"skipped: {reason}"]
        except BaseException:
            print(f"{name}: FAILED, the data is in {directory}", flush=True)
            raise
        print(f"\n{name}, {time.monotonic() - started:.0f} s")
        for line in lines:
            print(f"- {line}", flush=True)
        shutil.rmtree(directory)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all unless said")
    parser.add_argument("--rounds", type=int, default=50, help="kills under load (default: 50)")
    parser.add_argument("--fills", type=int, default=20, help="times that the disk runs full (default: 20)")
    parser.add_argument("--flips", type=int, default=400, help="bits to flip (default: 400)")
    parser.add_argument("--connections", type=int, default=5000, help="idle connections (default: 5000)")
    parser.add_argument("--seed", type=int, default=1, help="which kills, fills and flips")
    parser.add_argument("--verbose", action="store_true", help="say what happens meanwhile")
    return parser


def _kills(directory: Path, arguments: argparse.Namespace) -> list[str]:
    return KillRounds(directory, arguments.seed, _teller(arguments)).run(arguments.rounds).lines()


def _disk(directory: Path, arguments: argparse.Namespace) -> list[str]:
    with small_disk(directory / "disk", DISK_BYTES) as disk:
        return (
            DiskFullRounds(directory, disk, arguments.seed, _teller(arguments)).run(arguments.fills).lines()
        )


def _flips(directory: Path, arguments: argparse.Namespace) -> list[str]:
    return RandomFlips(directory, arguments.seed, _teller(arguments)).run(arguments.flips).lines()


def _clients(directory: Path, arguments: argparse.Namespace) -> list[str]:
    tell = _teller(arguments)
    lines = []
    for name, options in (
        ("default", ()),
        ("limited", ("--set", f"queued.max.request.bytes={100 * MIB}")),
    ):
        (directory / name).mkdir()
        with HostileClients(directory / name, *options) as clients:
            if name == "default":
                before = resident_bytes(clients.broker.process.pid)
                lines.append(f"before all: {before / MIB:.1f} MiB resident, two topics, 16 MiB of records")
            for title, attack in {
                "idle connections": partial(idle_connections, connections=arguments.connections),
                "slow readers": partial(slow_readers, connections=100),
                "pipelining without reading": partial(pipelining_without_reading, connections=50),
                "half-open frames": half_open_frames,
                "churn": partial(churn, seconds=10.0),
                "requests of 100 MiB, four at once": partial(largest_requests, connections=4),
            }.items():
                lines.append(clients.besiege(f"{title} ({name} queued.max.request.bytes)", attack).line())
                tell(lines[-1])
    return lines


def _teller(arguments: argparse.Namespace) -> Callable[[str], None]:
    return partial(print, flush=True) if arguments.verbose else lambda _: None


if __name__ == "__main__":
    main()
