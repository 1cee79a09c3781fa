"""Replacing segments by cleaned ones so that a crash at any moment leaves the old or the new ones, whole.

The cleaner writes `.cleaned` files. Once all are synced they are renamed to `.swap`, the last segment first: from the moment
that no `.cleaned` is left, the swap counts as done, and whoever opens the directory finishes it.
"""

import os
from collections.abc import Sequence

from snakka.storage.batch_scan import scan_headers
from snakka.storage.files import Files
from snakka.storage.segment_files import CLEANED, DELETED, LOG, SEGMENT_KINDS, SWAP, file_path, parse_name


def prepare_swap(files: Files, directory: str, bases: Sequence[int]) -> None:
    """Make the cleaner's files of these segments ready for `PartitionLog.replace_segments`. Blocks; for a thread."""
    cleaned = [
        path
        for base in sorted(bases, reverse=True)
        for kind in SEGMENT_KINDS
        if files.exists((path := file_path(directory, base, kind)) + CLEANED)
    ]
    for path in cleaned:
        files.sync_file(path + CLEANED)
    for path in cleaned:
        files.rename(path + CLEANED, path + SWAP)
    files.sync_directory(directory)


def take_their_place(files: Files, directory: str, bases: Sequence[int]) -> None:
    """The `.swap` files of these segments get their own names; the old ones are out of the way."""
    for base in bases:
        for kind in SEGMENT_KINDS:
            path = file_path(directory, base, kind)
            if files.exists(path + SWAP):
                files.rename(path + SWAP, path)


def finish_interrupted_swaps(files: Files, directory: str) -> None:
    """Drop what was half done, finish what was done; and remove what was waiting to be deleted."""
    found: dict[str, list[tuple[int, str, str]]] = {CLEANED: [], SWAP: [], DELETED: [], "": []}
    for name in files.list(directory):
        parsed = parse_name(name)
        if parsed is not None:
            base, kind, suffix = parsed
            found[suffix].append((base, kind, os.path.join(directory, name)))
    for _, _, path in found[DELETED]:
        files.remove(path)
    if not found[CLEANED] and not found[SWAP]:
        return
    # While one `.cleaned` is left, swap files from its offset on belong to a set that is not complete.
    first_cleaned = min((base for base, _, _ in found[CLEANED]), default=1 << 63)
    for base, _, path in found[SWAP]:
        if base >= first_cleaned:
            files.remove(path)
    for _, _, path in found[CLEANED]:
        files.remove(path)
    valid = [(base, kind, path) for base, kind, path in found[SWAP] if base < first_cleaned]
    starts = [base for base, kind, _ in valid if kind == LOG]
    if starts:
        end = max(_next_offset(files, path, base) for base, kind, path in valid if kind == LOG)
        for base, kind, path in found[""]:
            if kind in SEGMENT_KINDS and min(starts) <= base < end:
                files.remove(path)
    for _, _, path in valid:
        files.rename(path, path.removesuffix(SWAP))
    files.sync_directory(directory)


def _next_offset(files: Files, path: str, base_offset: int) -> int:
    file = files.open(path)
    next_offset = base_offset
    for batch in scan_headers(file, 0, file.size):
        next_offset = batch.header.next_offset
    file.close()
    return next_offset
