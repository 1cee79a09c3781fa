"""`python -m tests.fuzz`: codecs first, for some time; then a running broker, until it has handled enough damaged frames.

How many those were is the broker's own count. Prints figures for RELIABILITY.md.
"""

import argparse
import tempfile
from pathlib import Path

from tests.cli.broker_process import start_broker
from tests.faults.process_facts import machine_line
from tests.free_ports import free_port
from tests.fuzz.broker import fuzz_broker
from tests.fuzz.codecs import fuzz_codecs

AN_HOUR = 3600.0
A_MILLION = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long for the codecs (default: 60)")
    parser.add_argument(
        "--frames",
        type=int,
        default=A_MILLION,
        help="how many frames for the broker, an hour at most (default: a million)",
    )
    parser.add_argument("--seed", type=int, default=0, help="the same seed damages the same messages")
    arguments = parser.parse_args()
    print(f"{machine_line()}; seed {arguments.seed}", flush=True)
    count = fuzz_codecs(arguments.seed, arguments.seconds)
    print(f"codecs: {count} damaged messages and records, none broke a codec", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        metrics_port = free_port()
        with start_broker(Path(directory), "--metrics", f"127.0.0.1:{metrics_port}") as broker:
            result = fuzz_broker(broker, metrics_port, arguments.seed, AN_HOUR, arguments.frames)
            assert broker.stop() == 0
    print(
        f"broker: {result.frames} damaged frames handled, {result.kinds} APIs and versions,"
        f" {result.connections} connections; it grew by {result.resident_growth / (1 << 20):.1f} MiB at most,"
        f" and answered its bystander within {result.slowest_bystander_ms:.0f} ms"
    )


if __name__ == "__main__":
    main()
