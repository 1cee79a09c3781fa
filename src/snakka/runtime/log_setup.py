"""Where log lines go in a process of ours, and what they look like: stderr, one line each, short.

Rule: only a process's entry point calls this. A broker inside somebody's test logs wherever that test says.
"""

import logging
import sys

LEVELS = ("debug", "info", "warning", "error")
DEFAULT_LEVEL = "info"

_FORMAT = "%(asctime)s.%(msecs)03d %(levelname)-7s %(name)s: %(message)s"
_TIME_FORMAT = "%Y-%m-%d %H:%M:%S"


class _ShortNames(logging.Formatter):
    """`broker.server` says as much as `snakka.broker.server`."""

    def format(self, record: logging.LogRecord) -> str:
        record.name = record.name.removeprefix("snakka.")
        return super().format(record)


def log_to_stderr(level: str) -> None:
    """Send this process's log lines of `level` and above to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_ShortNames(_FORMAT, _TIME_FORMAT))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # Who asked is known from the message; looking up threads and processes for each line is not free.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
