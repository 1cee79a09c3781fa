"""How the operating system asks a process to end: SIGTERM and SIGINT.

Rule: the first signal asks for a clean stop; the second ends the process at once, whatever it is doing.
"""

import asyncio
import signal

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def stop_on_signals(loop: asyncio.AbstractEventLoop) -> asyncio.Future[str]:
    """A future that is done, with the signal's name, when the process was asked to end. Main thread only."""
    asked: asyncio.Future[str] = loop.create_future()

    def stop(number: signal.Signals) -> None:
        for each in STOP_SIGNALS:
            loop.remove_signal_handler(each)
            # The kernel's own way: it works even while the event loop stands still.
            signal.signal(each, signal.SIG_DFL)
        if not asked.done():
            asked.set_result(number.name)

    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop, number)
    return asked
