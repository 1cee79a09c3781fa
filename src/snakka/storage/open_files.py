"""How many files may be open at once: the least recently used ones give their descriptor back.

Rule: whoever asked for a file never notices. A file opens itself again at its next use, and bytes that are on their way to a
client keep the descriptor that they were found under.
"""

import threading
from typing import Protocol


class Evictable(Protocol):
    """Something with a descriptor that it can do without."""

    recently_used: bool

    def release(self) -> None:
        """Forget the descriptor."""


class OpenFiles:
    """The files that have a descriptor, with a second chance for those used since they were last looked at.

    A use only sets a flag, so the append path pays nothing for the order. The lock is there because logs are opened by
    several threads when a broker starts; later only the event loop comes here.
    """

    __slots__ = ("_files", "_lock", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._files: dict[Evictable, None] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._files)

    def add(self, file: Evictable) -> None:
        """`file` has just been opened; another may have to close."""
        with self._lock:
            while len(self._files) >= self.limit:
                self._evict_one()
            file.recently_used = True
            self._files[file] = None

    def discard(self, file: Evictable) -> None:
        """`file` has closed itself."""
        with self._lock:
            self._files.pop(file, None)

    def _evict_one(self) -> None:
        while True:
            file = next(iter(self._files))
            del self._files[file]
            if not file.recently_used:
                file.release()
                return
            file.recently_used = False
            self._files[file] = None
