"""What all commands share: exit codes, errors of one line, and arguments that are read alike.

Rule: nothing here imports more than argparse; it is loaded for every command.
"""

import argparse
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130


class CommandError(Exception):
    """The command can't go on: one line that says what to change, and the exit code."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose help keeps its examples as they are, and whose errors are one line."""

    def __init__(self, prog: str, description: str, epilog: str, **changes: Any) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **changes,
        )

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message} (see {self.prog} --help)", USAGE)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """SIGTERM, and a terminal that is closed, are as Ctrl-C: what was begun in here is cleaned up."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    wanted = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) == signal.SIG_DFL]
    for each in wanted:
        signal.signal(each, stop)
    try:
        yield
    finally:
        for each in wanted:
            signal.signal(each, signal.SIG_DFL)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    return _number(text, 1)


def not_negative(text: str) -> int:
    """A whole number of at least 0."""
    return _number(text, 0)


def seconds(text: str) -> float:
    """A time that is not negative, in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return value


def assignment(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text} must be NAME=VALUE")
    return name.strip(), value.strip()


def _number(text: str, least: int) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least {least}")
    return int(text)
