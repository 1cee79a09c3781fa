"""A Python worker of Spark as a process: it lives for many tasks, and between them Spark lets it look for garbage.

Rule: it changes nothing but how long that takes.
"""

import gc
import os
from functools import cache


def keep_what_is_loaded() -> None:
    """Modules are no garbage: to look through all of them after each task costs more than a small task itself."""
    _keep(os.getpid())


@cache
def _keep(process_id: int) -> None:
    gc.freeze()
