"""A file of entries of one size, sorted: the pages that are full on the disk, the newest entries in memory.

Rule: an index only saves time. The log can always be read without it, and recovery writes it anew, so entries are written a
page at a time and never synced while the segment is active. Memory is a page for each index in use, whatever the log's size.
"""

import errno
from struct import Struct

from snakka.storage.files import File, Files

PAGE_ENTRIES = 256


class BadIndexError(Exception):
    """The index does not say what an index of this log could say; the log must be asked instead."""


class IndexFile:
    """Entries of `layout`, appended at the end and searched by one of their fields."""

    __slots__ = (
        "_file",
        "_files",
        "_page",
        "_page_number",
        "_path",
        "_tail",
        "is_changed",
        "layout",
        "stored",
    )

    def __init__(self, files: Files, path: str, layout: Struct, stored_bytes: int) -> None:
        self._files = files
        self._path = path
        self._file: File | None = None
        self._tail = bytearray()
        self._page = b""
        self._page_number = -1
        self.layout = layout
        self.stored = stored_bytes // layout.size
        # Something was written that nobody has synced, or has told so here.
        self.is_changed = False

    @property
    def path(self) -> str:
        return self._path

    @property
    def count(self) -> int:
        return self.stored + len(self._tail) // self.layout.size

    def append(self, *fields: int) -> None:
        self._tail += self.layout.pack(*fields)
        if len(self._tail) >= PAGE_ENTRIES * self.layout.size:
            self.write_out()

    def entry(self, number: int) -> tuple[int, ...]:
        size = self.layout.size
        if number >= self.stored:
            return self.layout.unpack_from(self._tail, (number - self.stored) * size)
        page_number, place = divmod(number, PAGE_ENTRIES)
        if page_number != self._page_number:
            self._page = self._read_page(page_number)
            self._page_number = page_number
        if (place + 1) * size > len(self._page):
            self._page_number = -1
            raise BadIndexError(f"{self._path} ends before its entry {number}")
        return self.layout.unpack_from(self._page, place * size)

    def last_at_most(self, field: int, target: int) -> int:
        """The number of the last entry whose `field` is not above `target`; -1 if there is none."""
        low, high = 0, self.count
        # Nearly every search is near the end, which is in memory.
        if self._tail and self.layout.unpack_from(self._tail)[field] <= target:
            low = self.stored
        while low < high:
            middle = (low + high) // 2
            if self.entry(middle)[field] <= target:
                low = middle + 1
            else:
                high = middle
        return low - 1

    def truncate(self, count: int) -> None:
        """Keep the first `count` entries."""
        if count >= self.stored:
            del self._tail[(count - self.stored) * self.layout.size :]
            return
        self._tail.clear()
        self._page_number = -1
        self._opened().truncate(count * self.layout.size)
        self.stored = count
        self.is_changed = True

    def write_out(self) -> None:
        """Everything into the file, which then has exactly the size of its entries."""
        if self._tail:
            self._opened().append(self._tail)
            self.stored += len(self._tail) // self.layout.size
            self._tail.clear()
            self._page_number = -1
            self.is_changed = True

    def clear(self) -> None:
        """Make the file anew, without entries."""
        self.close()
        self._files.open(self._path, create=True).close()
        self._tail.clear()
        self.stored = 0
        self.is_changed = True

    def renamed(self, path: str) -> None:
        self._path = path
        if self._file is not None:
            self._file.renamed(path)

    def close(self) -> None:
        """Give the descriptor back; entries that were not written out stay in memory."""
        self._page = b""
        self._page_number = -1
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read_page(self, number: int) -> bytes:
        page_bytes = PAGE_ENTRIES * self.layout.size
        try:
            return self._opened().pread(number * page_bytes, page_bytes)
        except OSError as error:
            if error.errno == errno.ENOENT:
                raise BadIndexError(f"{self._path} is gone") from error
            raise

    def _opened(self) -> File:
        if self._file is None:
            self._file = self._files.open(self._path, size=self.stored * self.layout.size)
        return self._file
