"""Lines of Python with their indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class SourceWriter:
    """Call it with a line; `block` indents what is written inside it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def __call__(self, line: str = "") -> None:
        self.lines.append("    " * self._depth + line if line else "")

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        """What is written inside stands under `head`; without a head it stands where it is."""
        if not head:
            yield
            return
        self(head)
        self._depth += 1
        yield
        self._depth -= 1
