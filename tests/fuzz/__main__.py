"""`python -m tests.fuzz`: codecs first, then a running broker, each for half of the time."""

import argparse
import tempfile
from pathlib import Path

from tests.cli.broker_process import start_broker
from tests.fuzz.broker import fuzz_broker
from tests.fuzz.codecs import fuzz_codecs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed damages the same messages")
    arguments = parser.parse_args()
    half = arguments.seconds / 2
    count = fuzz_codecs(arguments.seed, half)
    print(f"codecs: {count} damaged messages, none broke a codec")
    with tempfile.TemporaryDirectory() as directory:
        broker = start_broker(Path(directory))
        host, _, port = broker.bootstrap.rpartition(":")
        result = fuzz_broker(host, int(port), broker.process.pid, arguments.seed, half)
        broker.stop()
    print(
        f"broker: {result.frames} damaged frames over {result.connections} connections;"
        f" it grew by {result.resident_growth / 1e6:.1f} MB and served its bystander throughout"
    )


if __name__ == "__main__":
    main()
