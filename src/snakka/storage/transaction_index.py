"""The `.txnindex` file of a segment: the aborted transactions whose marker lies in it.

Most segments have none, so the file is made with its first entry. It is read whole each time: readers ask only where
transactions were aborted, and then they need most of it.
"""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from snakka.storage.files import File, Files

ENTRY = Struct(">hqqqq")
VERSION = 0


class AbortedTransaction(NamedTuple):
    """Records of the producer from `first_offset` to the marker at `last_offset` are not for read_committed readers.

    `last_stable_offset` is what it was when the marker came: no transaction that began before it is recorded later.
    """

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class TransactionIndex:
    """Aborted transactions in the order of their markers."""

    __slots__ = ("_file", "_files", "_torn", "path", "size")

    def __init__(self, files: Files, path: str, size: int) -> None:
        self._files = files
        self._file: File | None = None
        self.path = path
        self.size = size - size % ENTRY.size
        self._torn = size != self.size

    def append(self, aborted: AbortedTransaction) -> None:
        file = self._opened(create=not self.size)
        file.append(ENTRY.pack(VERSION, *aborted))
        self.size = file.size

    def entries(self) -> Iterator[AbortedTransaction]:
        if self.size:
            data = self._opened(create=False).pread(0, self.size)
            whole = len(data) - len(data) % ENTRY.size
            for _, *fields in ENTRY.iter_unpack(data[:whole]):
                yield AbortedTransaction(*fields)

    def overlapping(self, first_offset: int, upper_bound: int) -> tuple[list[AbortedTransaction], bool]:
        """Those with records in [first_offset, upper_bound), and whether later segments need not be asked."""
        found = []
        for aborted in self.entries():
            if aborted.last_offset >= first_offset and aborted.first_offset < upper_bound:
                found.append(aborted)
            if aborted.last_stable_offset >= upper_bound:
                return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Forget the transactions whose marker is at or after `offset`."""
        kept = 0
        for aborted in self.entries():
            if aborted.last_offset >= offset:
                break
            kept += 1
        if kept * ENTRY.size < self.size:
            self._opened(create=False).truncate(kept * ENTRY.size)
            self.size = kept * ENTRY.size

    def reset(self) -> None:
        """Forget everything."""
        if self.size or self._torn:
            self._opened(create=False).truncate(0)
            self.size = 0
            self._torn = False

    def is_plausible(self, base_offset: int, end_offset: int) -> bool:
        """Whether it can be about the segment with these offsets: what a torn or overwritten index rarely passes."""
        data = self._opened(create=False).pread(0, self.size) if self.size else b""
        if self._torn or len(data) != self.size:
            return False
        return all(
            version == VERSION
            and first < last
            and base_offset <= last < end_offset
            and 0 <= stable <= last + 1
            for version, _, first, last, stable in ENTRY.iter_unpack(data)
        )

    def renamed(self, path: str) -> None:
        self.path = path
        if self._file is not None:
            self._file.renamed(path)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self, *, create: bool) -> File:
        if self._file is None or create:
            self.close()
            self._file = self._files.open(self.path, create=create, size=self.size)
        return self._file
