"""How many members name a thing. What nobody names is not in it."""

from collections.abc import Iterable

Counts = dict[str, int]


def recount(counts: Counts, old: Iterable[str], new: Iterable[str]) -> None:
    """A member named the old things, and names the new ones."""
    for name in old:
        if counts[name] == 1:
            del counts[name]
        else:
            counts[name] -= 1
    for name in new:
        counts[name] = counts.get(name, 0) + 1


def most_named(counts: Counts) -> str | None:
    """Of equals, the first in the alphabet."""
    return min(counts, key=lambda name: (-counts[name], name), default=None)
