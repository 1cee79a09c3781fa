"""What happened in a simulation, in order: as a digest that two runs of one seed must share, and as lines for a person."""

from collections import deque
from collections.abc import Callable
from hashlib import blake2b

_KEPT_LINES = 400


class SimulationFailure(Exception):  # noqa: N818 - it is what the simulation looks for
    """The broker broke a promise."""


class Trace:
    """Events by virtual time. `show` gets each line as it happens; without it the last few hundred are kept."""

    def __init__(self, time: Callable[[], float], show: Callable[[str], None] | None = None) -> None:
        self._time = time
        self._show = show
        self._digest = blake2b(digest_size=8)
        self._last: deque[tuple[float, str, tuple[object, ...]]] = deque(maxlen=_KEPT_LINES)
        self.counts: dict[str, int] = {}

    def note(self, kind: str, *details: object) -> None:
        """Details are of kinds that always print the same: numbers, strings, bytes, tuples of them."""
        now = self._time()
        self._digest.update(repr((now, kind, details)).encode())
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self._last.append((now, kind, details))
        if self._show is not None:
            self._show(_line(now, kind, details))

    def digest(self) -> str:
        return self._digest.hexdigest()

    def last_lines(self, count: int) -> list[str]:
        return [_line(*event) for event in list(self._last)[-count:]]


def _line(now: float, kind: str, details: tuple[object, ...]) -> str:
    return f"{now:12.6f} {kind:<12} {' '.join(map(str, details))}"
