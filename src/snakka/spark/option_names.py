"""Names of options that a format does not know: Spark hands it those of others too, so they are no error.

Rule: one that is nearly right has no effect, and that is told, once in a process.
"""

import difflib
import logging
from collections.abc import Iterable
from functools import cache

from snakka.spark.client_settings import PREFIX

_log = logging.getLogger(__name__)
_CLOSE_ENOUGH = 0.8


def warn_of_near_misses(given: Iterable[str], known: tuple[str, ...]) -> None:
    """Names have no case, as in Spark."""
    for name in given:
        _warn_of_near_miss(name.lower(), known)


@cache
def _warn_of_near_miss(name: str, known: tuple[str, ...]) -> None:
    by_lower = {each.lower(): each for each in known}
    if name in by_lower or name.startswith(PREFIX):
        return
    close = difflib.get_close_matches(name, by_lower, 1, _CLOSE_ENOUGH)
    if close:
        _log.warning("option %s is not known; did you mean %s?", name, by_lower[close[0]])
