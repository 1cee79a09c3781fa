"""Which transactions of a log were aborted, and up to where all are decided: the last stable offset.

Up to a point the files beside the log are believed: a snapshot of the producers says which transactions were open there,
and the transaction indexes before it name the aborted ones. From there on the headers of the log are walked.
Rule: of a broker that runs, or was killed, nothing after its recovery point is believed but the log itself.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import BatchHeader
from snakka.spark.log_reader.damage import Damages
from snakka.spark.log_reader.header_walk import walk_from_offset
from snakka.spark.log_reader.segments import (
    ChangingDirectoryError,
    Landmarks,
    SegmentFile,
    is_in_place,
    opened_segment,
)
from snakka.storage.files import File
from snakka.storage.producer_replay import transaction_marker
from snakka.storage.producer_snapshot import BadSnapshotError, decode_snapshot
from snakka.storage.read_only_files import ReadOnlyFiles
from snakka.storage.segment_files import (
    PRODUCER_SNAPSHOT,
    SWAP,
    TRANSACTION_INDEX,
    file_path,
    parse_name,
)
from snakka.storage.transaction_index import AbortedTransaction, TransactionIndex


class Decided(NamedTuple):
    """What readers of committed records must know: nothing from `last_stable_offset` on, and nothing of `aborted`."""

    last_stable_offset: int
    aborted: tuple[AbortedTransaction, ...]


class _Start(NamedTuple):
    """Where the walk begins, and the transactions that are open there: first offsets by producer id."""

    offset: int
    open: dict[int, int]


def decided_transactions(
    files: ReadOnlyFiles,
    directory: str,
    segments: Sequence[SegmentFile],
    *,
    believed_up_to: int,
    upper_bound: int,
    damages: Damages,
) -> Decided:
    """By all that is in the log below `upper_bound`: a marker after it decides nothing yet."""
    start = _newest_snapshot(files, directory, min(believed_up_to, upper_bound))
    aborted = None if start is None else _indexed(files, segments, start.offset)
    if start is None or aborted is None:
        start, aborted = _Start(segments[0].base_offset if segments else 0, {}), []
    still_open = dict(start.open)
    for segment in segments:
        is_before = segment.end_offset is not None and segment.end_offset <= start.offset
        if not is_before and segment.base_offset < upper_bound:
            aborted += _walk(files, segment, start.offset, upper_bound, still_open, damages)
    return Decided(min([upper_bound, *still_open.values()]), tuple(aborted))


def _newest_snapshot(files: ReadOnlyFiles, directory: str, up_to: int) -> _Start | None:
    parsed = (parse_name(name) for name in files.entries(directory))
    offsets = sorted(
        base for base, kind, suffix in filter(None, parsed) if kind == PRODUCER_SNAPSHOT and not suffix
    )
    for offset in reversed([one for one in offsets if one <= up_to]):
        try:
            entries = decode_snapshot(files.read(file_path(directory, offset, PRODUCER_SNAPSHOT)))
        except (BadSnapshotError, FileNotFoundError):
            continue
        return _Start(
            offset,
            {one.producer_id: one.transaction_start for one in entries if one.transaction_start >= 0},
        )
    return None


def _indexed(
    files: ReadOnlyFiles, segments: Iterable[SegmentFile], before: int
) -> list[AbortedTransaction] | None:
    """By the indexes, those whose marker is before this offset; None if an index says what cannot be.

    Brokers rename a segment's log before its index: while the log is there the index is its own, or there is none.
    """
    found: list[AbortedTransaction] = []
    for segment in segments:
        if segment.base_offset >= before:
            break
        path = file_path(os.path.dirname(segment.path), segment.base_offset, TRANSACTION_INDEX)
        if segment.path.endswith(SWAP) and files.exists(path + SWAP):
            path += SWAP
        entries = _entries(files, path, segment)
        if not is_in_place(files, segment):
            raise ChangingDirectoryError(f"{segment.path} has been replaced")
        if entries is None:
            return None
        found += [one for one in entries if one.last_offset < before]
    return found


def _entries(files: ReadOnlyFiles, path: str, segment: SegmentFile) -> list[AbortedTransaction] | None:
    """What an index says, if it is there; None if it says what cannot be."""
    try:
        size = files.open(path).size
        index = TransactionIndex(files, path, size)
        if not index.is_plausible(segment.base_offset, segment.end_offset or (1 << 63)):
            return None
        entries = list(index.entries())
        index.close()
    except FileNotFoundError:
        return []
    return entries


def _walk(
    files: ReadOnlyFiles,
    segment: SegmentFile,
    first_offset: int,
    upper_bound: int,
    still_open: dict[int, int],
    damages: Damages,
) -> Iterator[AbortedTransaction]:
    """Brings `still_open` forward; the aborted transactions whose markers are met."""
    file = opened_segment(files, segment)
    for found in walk_from_offset(file, segment, Landmarks(files, segment), first_offset, damages):
        header = found.header
        if header.base_offset >= upper_bound:
            break
        if not header.is_transactional:
            continue
        if not header.is_control:
            still_open.setdefault(header.producer_id, header.base_offset)
            continue
        is_committed = _is_committed(file, found.position, header)
        begin = None if is_committed is None else still_open.pop(header.producer_id, None)
        if begin is not None and not is_committed:
            stable = min([header.base_offset + 1, *still_open.values()])
            yield AbortedTransaction(header.producer_id, begin, header.base_offset, stable)


def _is_committed(file: File, position: int, header: BatchHeader) -> bool | None:
    """What a marker says; None if it says nothing that could be understood, to brokers neither."""
    try:
        marker = transaction_marker(file.pread(position, header.size), header)
    except ProtocolError:
        return None
    return None if marker is None else marker.committed
