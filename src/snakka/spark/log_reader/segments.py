"""The segments of a partition's directory as they are at this moment, and where in them a search may begin.

Rule: a listing is taken until two in a row agree, because a directory whose files are just being renamed shows some of
them twice or not at all.
"""

import os
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy

from snakka.storage.batch_scan import scan_headers
from snakka.storage.read_only_files import FileEntry, ReadOnlyFile, ReadOnlyFiles
from snakka.storage.segment_files import (
    CLEANED,
    DELETED,
    LOG,
    OFFSET_INDEX,
    SWAP,
    TIME_INDEX,
    file_path,
    parse_name,
)

_LISTINGS = 20
# Where the nearest entry leads to no batch, those before it may.
_ENTRIES_TRIED = 3
_OFFSET_ENTRY = numpy.dtype([("offset", ">i4"), ("position", ">i4")])
_TIME_ENTRY = numpy.dtype([("timestamp", ">i8"), ("offset", ">i4")])


class SegmentFile(NamedTuple):
    """A log file. `end_offset` is where the next segment begins, None for the last one."""

    base_offset: int
    end_offset: int | None
    path: str
    size: int
    inode: int

    @property
    def is_last(self) -> bool:
        return self.end_offset is None


class ChangingDirectoryError(Exception):
    """A directory whose files are replaced faster than they can be looked at."""


def find_segments(files: ReadOnlyFiles, directory: str) -> list[SegmentFile]:
    """In order; none if the directory is gone, or has no log."""
    for _ in range(_LISTINGS):
        try:
            return _found_segments(files, directory)
        except FileNotFoundError:
            # Something has just been given another name, or all is gone.
            if not files.is_directory(directory):
                return []
    raise ChangingDirectoryError(f"{directory} does not come to rest")


def _found_segments(files: ReadOnlyFiles, directory: str) -> list[SegmentFile]:
    found = _settled_listing(files, directory)
    in_place: dict[int, tuple[str, FileEntry]] = {}
    swaps: dict[int, tuple[str, FileEntry]] = {}
    first_cleaned = 1 << 63
    for name, entry in found.items():
        base, kind, suffix = parse_name(name) or (0, "", "")
        if kind == LOG and suffix == SWAP:
            swaps[base] = (name, entry)
        elif kind == LOG and not suffix:
            in_place[base] = (name, entry)
        elif suffix == CLEANED:
            first_cleaned = min(first_cleaned, base)
    for base, (name, entry) in sorted(swaps.items()):
        if base < first_cleaned:
            _put_in_place(files, directory, in_place, base, name, entry)
    bases = sorted(in_place)
    return [
        SegmentFile(base, end, os.path.join(directory, in_place[base][0]), *in_place[base][1])
        for base, end in zip_longest(bases, bases[1:])
    ]


def _settled_listing(files: ReadOnlyFiles, directory: str) -> Mapping[str, FileEntry]:
    listing = files.entries(directory)
    for _ in range(_LISTINGS):
        again = files.entries(directory)
        if _names(again) == _names(listing):
            break
        listing = again
    return again


def _names(listing: Mapping[str, FileEntry]) -> dict[str, int]:
    return {name: entry.inode for name, entry in listing.items() if LOG in name}


def _put_in_place(
    files: ReadOnlyFiles,
    directory: str,
    in_place: dict[int, tuple[str, FileEntry]],
    base: int,
    name: str,
    entry: FileEntry,
) -> None:
    """A compacted segment that was about to replace others does so, as when a broker opens the directory."""
    file = files.open(os.path.join(directory, name))
    end = base + 1
    for batch in scan_headers(file, 0, file.size):
        end = batch.header.next_offset
    for replaced in [one for one in in_place if base <= one < end]:
        del in_place[replaced]
    in_place[base] = (name, entry)


def open_segment(files: ReadOnlyFiles, segment: SegmentFile) -> ReadOnlyFile | None:
    """The very file that was found; None if it is gone, or something else has its name by now."""
    for path in (segment.path, segment.path.removesuffix(SWAP), segment.path + DELETED):
        try:
            file = files.open(path)
        except FileNotFoundError:
            continue
        if file.inode == segment.inode:
            return file
    return None


def is_in_place(files: ReadOnlyFiles, segment: SegmentFile) -> bool:
    """Whether the file has the name under which it was found."""
    try:
        return files.open(segment.path).inode == segment.inode
    except FileNotFoundError:
        return False


def opened_segment(files: ReadOnlyFiles, segment: SegmentFile) -> ReadOnlyFile:
    """The same for whoever has just found it: ChangingDirectoryError if it is gone, and all must be looked at again."""
    file = open_segment(files, segment)
    if file is None:
        raise ChangingDirectoryError(f"{segment.path} has been replaced")
    return file


class Landmarks:
    """The offset and time index of a segment, as far as each is in order.

    The index of a segment that is being written to may be longer than its entries: Kafka reserves room, and the zeros there
    end the order. An entry says where to begin; whoever uses one looks at the log whether a batch is there.
    """

    def __init__(self, files: ReadOnlyFiles, segment: SegmentFile) -> None:
        self._segment = segment
        self._files = files
        offsets = self._entries(OFFSET_INDEX, _OFFSET_ENTRY)
        self.offsets = offsets["offset"].astype(numpy.int64) + segment.base_offset
        self.positions = offsets["position"].astype(numpy.int64)
        size = _in_order(self.positions, above=0)
        size = min(size, _in_order(self.offsets, above=segment.base_offset - 1))
        size = min(size, int(numpy.searchsorted(self.positions[:size], segment.size)))
        self.offsets, self.positions = self.offsets[:size], self.positions[:size]

    def before_offset(self, offset: int) -> Iterator[int]:
        """Positions from which `offset` is found by going forward, the nearest first; at last the beginning."""
        number = int(numpy.searchsorted(self.offsets, offset, side="right"))
        yield from (
            int(position) for position in self.positions[max(number - _ENTRIES_TRIED, 0) : number][::-1]
        )
        yield 0

    def before_position(self, position: int) -> int:
        """Of the last entry that is not behind `position`; 0 if there is none."""
        number = int(numpy.searchsorted(self.positions, position, side="right"))
        return int(self.positions[number - 1]) if number else 0

    def largest_timestamp(self) -> tuple[int, int] | None:
        """The last entry of the time index, its timestamp and offset; None if it has none."""
        entries = self._entries(TIME_INDEX, _TIME_ENTRY)
        timestamps = entries["timestamp"].astype(numpy.int64)
        size = _in_order(timestamps, above=-1)
        if not size:
            return None
        return int(timestamps[size - 1]), int(entries["offset"][size - 1]) + self._segment.base_offset

    def _entries(self, kind: str, layout: Any) -> Any:
        if self._segment.path.endswith(SWAP):
            return numpy.empty(0, layout)
        path = file_path(os.path.dirname(self._segment.path), self._segment.base_offset, kind)
        try:
            data = self._files.read(path)
        except FileNotFoundError:
            return numpy.empty(0, layout)
        return numpy.frombuffer(data, layout, len(data) // layout.itemsize)


def _in_order(numbers: Any, above: int) -> int:
    """How many of the first ones grow, from `above` on."""
    if not len(numbers) or numbers[0] <= above:
        return 0
    falls = numpy.flatnonzero(numbers[1:] <= numbers[:-1])
    return int(falls[0]) + 1 if len(falls) else len(numbers)
