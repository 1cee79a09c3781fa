"""An answer that is given once, now or later."""

from collections.abc import Callable
from typing import Any


class Reply:
    """The ticket that a state machine keeps: `complete` with a response, or with the ApiError in its place.

    Only the first outcome counts.
    """

    __slots__ = ("_tell",)

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell: Callable[[Any], None] | None = tell

    @property
    def is_done(self) -> bool:
        return self._tell is None

    def complete(self, outcome: Any) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell(outcome)
