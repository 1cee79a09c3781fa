"""Methods of PySpark that do something of ours as well: for what Spark's own interfaces leave no room.

Rule: only what somebody has asked for is replaced, and all of it can be taken back.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

_ORIGINAL = "_snakka_original"


class ReplacedMethods:
    """What was changed in PySpark, so that it can be undone."""

    def __init__(self) -> None:
        self._originals: list[tuple[type, str, Callable[..., Any]]] = []

    def disable(self) -> None:
        """Let all of it be as PySpark has it."""
        while self._originals:
            kind, name, original = self._originals.pop()
            setattr(kind, name, original)

    def replace(
        self, kind: type, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> None:
        current = getattr(kind, name)
        original = getattr(current, _ORIGINAL, current)  # what was enabled twice is disabled once
        replacement = wraps(original)(make(original))
        setattr(replacement, _ORIGINAL, original)
        self._originals.append((kind, name, original))
        setattr(kind, name, replacement)
