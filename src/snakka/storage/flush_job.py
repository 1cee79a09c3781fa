"""What has to be synced so that a log is durable up to an offset, as a parcel for a thread.

Rule: `run` touches no state of the log, `done` touches nothing but it. After a failed `run` there is no second try:
the kernel may have dropped what it could not write, and a later success would be a lie.
"""

from collections.abc import Callable, Sequence


class FlushJob:
    """Made and finished on the event loop, run anywhere. `offset` falls if the log is truncated meanwhile."""

    __slots__ = ("_finish", "_steps", "offset")

    def __init__(
        self, offset: int, steps: Sequence[Callable[[], None]], finish: Callable[["FlushJob"], None]
    ) -> None:
        self.offset = offset
        self._steps = steps
        self._finish = finish

    def run(self) -> None:
        """Blocks; StorageFailure if anything could not be synced."""
        for step in self._steps:
            step()

    def done(self) -> None:
        """`run` came back: everything below `offset` is on the disk."""
        self._finish(self)
