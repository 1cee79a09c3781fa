"""What deltalake says when something is wrong, as one line that names the table.

Rule: it tells the causes beneath one another, the one that helps last, in colours and with its own stack. Who reads the
first line of an error must find all of them there.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from deltalake.exceptions import DeltaError

_COLOUR = re.compile(r"\x1b\[\d*m")
_CAUSE = "↳"
_FRAME = re.compile(r"\s*\d+: ")


class DeltaTableError(RuntimeError):
    """The table, or the store that it is in, does not do what it is asked."""


@contextmanager
def naming_table(location: str) -> Iterator[None]:
    """Whatever deltalake raises, in one line."""
    try:
        yield
    except (DeltaError, OSError) as error:
        raise DeltaTableError(f"{location}: {one_line(str(error))}") from error


def one_line(text: str) -> str:
    """An error and its causes, without the stack beneath them."""
    causes: list[str] = []
    for line in _COLOUR.sub("", text).splitlines():
        if _FRAME.match(line):
            break
        if line.strip():
            causes.append(" ".join(line.replace(_CAUSE, "").split()))
    return ": ".join(causes)
