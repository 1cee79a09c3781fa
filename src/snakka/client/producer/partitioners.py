"""Which partition a record without a key goes to: pure but for chance.

Rule: records stay together for a batch's worth of bytes and then move on, so that batches are full and each partition
gets its part (KIP-480, KIP-794). A partition whose batches wait gets fewer: slow brokers are spared.
"""

import random
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class StickyPartition:
    """The partition that one topic's records without a key go to now."""

    __slots__ = ("_bytes", "_chance", "_switch_bytes", "current")

    def __init__(self, switch_bytes: int, chance: random.Random) -> None:
        self.current = -1
        self._bytes = 0
        self._switch_bytes = switch_bytes
        self._chance = chance

    def filled(self, size: int) -> bool:
        """A batch of the current partition has so many bytes and will not grow; True if it is another one's turn."""
        self._bytes += size
        return self._bytes >= self._switch_bytes

    def move(self, waiting: Sequence[int | None]) -> int:
        """Choose the next one, by how many batches wait for each; None is one that can't be used now."""
        self._bytes = 0
        self.current = chosen_by_load(waiting, self._chance)
        return self.current


def chosen_by_load(waiting: Sequence[int | None], chance: random.Random) -> int:
    """A partition by chance: the fewer batches wait for it, the likelier. If none can be used now, any."""
    usable = [index for index, count in enumerate(waiting) if count is not None]
    if not usable:
        return chance.randrange(len(waiting))
    counts = [waiting[index] or 0 for index in usable]
    most = max(counts)
    if most == min(counts):
        return usable[chance.randrange(len(usable))]
    # The one with the longest queue has the weight one, as in Kafka.
    limits = list(accumulate(most + 1 - count for count in counts))
    return usable[bisect_right(limits, chance.randrange(limits[-1]))]
