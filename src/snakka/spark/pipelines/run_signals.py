"""The signals that a run heeds: those that end it in order, and the one with which it goes on after it was stopped.

The first that asks for an end is remembered, and batches under way are finished; a second one is a KeyboardInterrupt. A
terminal that is closed asks too, unless `nohup` says that it does not matter.

Rule: what was there before is put back.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class RunSignals:
    """Those of one run. `resumed` is called when the process goes on after Ctrl-Z."""

    def __init__(self, resumed: Callable[[], None]) -> None:
        self.asked_to_stop = threading.Event()
        self._resumed = resumed

    @contextmanager
    def heeded(self) -> Iterator[None]:
        before = {which: signal.getsignal(which) for which in (*_ENDING, signal.SIGCONT)}
        self.heed()
        try:
            yield
        finally:
            for which, handler in before.items():
                signal.signal(which, handler)

    def heed(self) -> None:
        """Also when Spark has put a handler of its own in the place of one."""

        def stop(number: int, frame: FrameType | None) -> None:
            if self.asked_to_stop.is_set():
                raise KeyboardInterrupt  # asked twice: do not wait for batches
            self.asked_to_stop.set()

        def go_on(number: int, frame: FrameType | None) -> None:
            self._resumed()

        for which in _ENDING:
            if which != signal.SIGHUP or signal.getsignal(which) != signal.SIG_IGN:
                signal.signal(which, stop)
        signal.signal(signal.SIGCONT, go_on)
