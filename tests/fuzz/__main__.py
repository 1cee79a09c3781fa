"""`python -m tests.fuzz`: codecs first, then a running broker.

Without `--frames` each gets half of the time; with it the broker gets as many damaged frames as are asked for, by its own
count.
"""

import argparse
import tempfile
from pathlib import Path

from tests.cli.broker_process import start_broker
from tests.faults.kill_rounds import free_port
from tests.fuzz.broker import fuzz_broker
from tests.fuzz.codecs import fuzz_codecs

AN_HOUR = 3600.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (default: 60)")
    parser.add_argument(
        "--frames", type=int, help="go on until the broker has handled so many, an hour at most"
    )
    parser.add_argument("--seed", type=int, default=0, help="the same seed damages the same messages")
    arguments = parser.parse_args()
    half = arguments.seconds / 2
    count = fuzz_codecs(arguments.seed, half)
    print(f"codecs: {count} damaged messages and records, none broke a codec", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        metrics_port = free_port()
        with start_broker(Path(directory), "--metrics", f"127.0.0.1:{metrics_port}") as broker:
            seconds, most = (half, 1 << 62) if arguments.frames is None else (AN_HOUR, arguments.frames)
            result = fuzz_broker(broker, metrics_port, arguments.seed, seconds, most)
            assert broker.stop() == 0
    print(
        f"broker: {result.frames} damaged frames handled, {result.kinds} APIs and versions,"
        f" {result.connections} connections; it grew by {result.resident_growth / (1 << 20):.1f} MiB at most,"
        f" and answered its bystander within {result.slowest_bystander_ms:.0f} ms"
    )


if __name__ == "__main__":
    main()
