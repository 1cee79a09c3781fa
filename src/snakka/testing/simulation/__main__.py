"""`python -m snakka.testing.simulation`: replay one seed, or try many."""

from __future__ import annotations

import argparse
import sys
import time

from snakka.testing.simulation.runner import Batch, run_batches, run_seed

_BATCH = 100
_SHOWN_FAILURES = 5
_SHOWN_COUNTS = ("start", "stop", "death", "power cut", "fault", "full", "cut", "stall")


def main() -> int:
    given = _parser().parse_args()
    if given.seed is not None:
        return _replay(given.seed, given.trace)
    return _try_many(given.seeds, given.jobs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m snakka.testing.simulation",
        description="Run a whole broker on virtual time, with a network, a disk and clients that go wrong by chance.",
        epilog="A seed always does the same. Exit code 1 if the broker broke a promise, with the seed to replay.",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--seed", type=int, metavar="N", help="replay one seed")
    which.add_argument("--seeds", type=_seeds, metavar="A-B", help="try all seeds from A to B")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes to share the seeds between"
    )
    parser.add_argument("--trace", action="store_true", help="with --seed: show everything that happens")
    return parser


def _seeds(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _replay(seed: int, show_trace: bool) -> int:
    verdict = run_seed(seed, print if show_trace else None)
    if verdict.details:
        print(verdict.details)
    outcome = f"FAILED: {verdict.failure}" if verdict.failure else "ok"
    print(f"seed {seed}: {outcome} ({verdict.virtual_seconds:.1f} virtual s, trace {verdict.digest})")
    return 1 if verdict.failure else 0


def _try_many(seeds: range, jobs: int) -> int:
    started = time.monotonic()
    total = Batch()
    batches = [seeds[start : start + _BATCH] for start in range(0, len(seeds), _BATCH)]
    for part, batch in run_batches(batches, jobs):
        for failed in batch.failures:
            print(f"seed {failed.seed} FAILED: {failed.failure}", flush=True)
        total.merge(batch)
        rate = total.seeds / (time.monotonic() - started)
        print(
            f"seeds {part[0]}-{part[-1]}: {len(batch.failures)} failed; {_shown(batch)}; {rate:.1f} seeds/s",
            flush=True,
        )
    seconds = time.monotonic() - started
    print(
        f"{total.seeds} seeds, {len(total.failures)} failed; {_shown(total)}; {total.virtual_seconds:.0f} virtual s"
        f" in {seconds:.0f} s ({total.seeds / seconds:.1f} seeds/s)"
    )
    for failed in total.failures[:_SHOWN_FAILURES]:
        print(f"replay: python -m snakka.testing.simulation --seed {failed.seed}")
    return 1 if total.failures else 0


def _shown(batch: Batch) -> str:
    return ", ".join(f"{batch.counts.get(kind, 0)} {kind}" for kind in _SHOWN_COUNTS)


if __name__ == "__main__":
    sys.exit(main())
