"""A Python worker of Spark as a process: it lives for many tasks, and between them Spark lets it look for garbage.

Rule: it changes nothing but how long that takes.
"""

import gc
import os
from functools import cache

# At the beginning of these all is loaded that any later one needs: some of it is loaded when it is first used.
_FIRST_TASKS = 4


class _Beginnings:
    """How many tasks have begun in this process, as far as that matters."""

    def __init__(self) -> None:
        self._count = 0

    def note(self) -> None:
        if self._count < _FIRST_TASKS:
            self._count += 1
            gc.freeze()


def keep_what_is_loaded() -> None:
    """At the beginning of a task: modules are no garbage, and to look through all of them costs more than a small task."""
    _beginnings(os.getpid()).note()


@cache
def _beginnings(process_id: int) -> _Beginnings:
    return _Beginnings()
