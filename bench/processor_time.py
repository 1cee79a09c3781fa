"""Processor time of a process, and of all that it has started, from Linux's /proc."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")


class _Process(NamedTuple):
    process_id: int
    parent_id: int
    seconds: float


def own_seconds(process_id: int) -> float:
    """User and system time of this process alone."""
    return next((each.seconds for each in _processes() if each.process_id == process_id), 0.0)


def seconds_of_started(process_id: int) -> float:
    """The same of the processes that it has started, and that these have started, as far as they live."""
    everything = list(_processes())
    started, seconds = {process_id}, 0.0
    while found := [
        each for each in everything if each.parent_id in started and each.process_id not in started
    ]:
        started.update(each.process_id for each in found)
        seconds += sum(each.seconds for each in found)
    return seconds


def _processes() -> Iterator[_Process]:
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            # Behind the name, which may have blanks: the state, the parent's number, and from the twelfth on the times.
            fields = (directory / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        yield _Process(int(directory.name), int(fields[1]), (int(fields[11]) + int(fields[12])) / _TICKS)
