"""Signals: the first asks, the second ends the process whatever it is doing."""

import signal
import subprocess
import sys

import pytest

# Says when it is ready for a signal and when it has seen one, and then stands still.
SCRIPT = """
import asyncio, time
from snakka.runtime.signals import stop_on_signals

async def main():
    asked = stop_on_signals(asyncio.get_running_loop())
    print("ready", flush=True)
    print(await asked, flush=True)
    time.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_second_signal_ends_a_process_that_stands_still(number: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == "ready\n"
        process.send_signal(number)
        assert output.readline() == f"{number.name}\n"
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(10) == -number
