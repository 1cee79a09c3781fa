"""The metrics themselves: plain numbers that their owner changes directly.

The rule: changing one is an attribute store or an index, never a look-up. Names and labels live in the metric set.
"""

from collections.abc import Callable


class Counter:
    """Only grows: `counter.value += 1`."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Gauge:
    """What is true now, asked for when somebody looks."""

    __slots__ = ("read",)

    def __init__(self, read: Callable[[], float]) -> None:
        self.read = read

    @property
    def value(self) -> float:
        return self.read()


class Histogram:
    """Whole numbers in buckets that double: bucket n counts values below 2**n, the last also all above.

    A bucket is found by the value's bit length, so an observation costs an index and three additions.
    """

    __slots__ = ("count", "counts", "total")

    BUCKETS = 32

    def __init__(self) -> None:
        self.counts = [0] * self.BUCKETS
        self.count = 0
        self.total = 0

    def observe(self, value: int) -> None:
        bucket = value.bit_length()
        self.counts[bucket if bucket < self.BUCKETS else -1] += 1
        self.count += 1
        self.total += value

    def quantile(self, fraction: float) -> int:
        """The upper bound of the bucket that holds this fraction of the observations; 0 if there are none."""
        wanted = self.count * fraction
        seen = 0
        for bucket, count in enumerate(self.counts):
            seen += count
            if count and seen >= wanted:
                return int(1 << bucket)
        return 0


Metric = Counter | Gauge | Histogram
