"""Commands that must clean up do so however they are asked to end."""

import signal
import subprocess
import sys

import pytest

# Whoever started the tests may have let it ignore signals, and then it would go on ignoring them.
PROGRAM = """
import signal
import time
from snakka.cli.command import ended_in_order
for each in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with ended_in_order():
        print("begun", flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    print("cleaned up", flush=True)
"""


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda each: each.name)
def test_a_signal_that_ends_it_lets_it_clean_up(which: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "begun\n"
            process.send_signal(which)
            assert process.communicate(timeout=60)[0] == "cleaned up\n"
        finally:
            process.kill()
    assert process.returncode == 0


def test_who_ignores_a_closed_terminal_goes_on_doing_so() -> None:
    """As with nohup."""
    from snakka.cli.command import ended_in_order

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_in_order():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)
