"""Named deadlines of a state machine: it sets and cancels them, its runtime arms one timer for the earliest.

A heap with lazy deletion: setting a deadline again, as each heartbeat does, costs one push.
"""

from collections.abc import Hashable
from heapq import heapify, heappop, heappush

# The heap is made anew when this many entries, and more than half of all, are stale.
_STALE = 256


class Deadlines:
    """Keys with the moment, in steady milliseconds, at which each is due."""

    __slots__ = ("_due", "_heap", "_order")

    def __init__(self) -> None:
        self._due: dict[Hashable, tuple[int, int]] = {}
        # The number keeps keys of one moment in the order in which they were set, and keys from being compared.
        self._heap: list[tuple[int, int, Hashable]] = []
        self._order = 0

    def __len__(self) -> int:
        return len(self._due)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._due

    def set(self, key: Hashable, due_ms: int) -> None:
        """The key is due at `due_ms`; an earlier deadline of the same key is forgotten."""
        self._order += 1
        self._due[key] = (due_ms, self._order)
        heappush(self._heap, (due_ms, self._order, key))
        if len(self._heap) > _STALE and len(self._heap) > 2 * len(self._due):
            self._heap = [(due, order, key) for key, (due, order) in self._due.items()]
            heapify(self._heap)

    def cancel(self, key: Hashable) -> None:
        self._due.pop(key, None)

    def due_at(self, key: Hashable) -> int | None:
        entry = self._due.get(key)
        return None if entry is None else entry[0]

    def earliest(self) -> int | None:
        """When the next one is due; None if there is none."""
        heap = self._heap
        while heap:
            due, order, key = heap[0]
            if self._due.get(key) == (due, order):
                return due
            heappop(heap)
        return None

    def take_due(self, now_ms: int) -> Hashable | None:
        """The key that has been due the longest, which is then forgotten; None if none is due."""
        earliest = self.earliest()
        if earliest is None or earliest > now_ms:
            return None
        key = heappop(self._heap)[2]
        del self._due[key]
        return key
