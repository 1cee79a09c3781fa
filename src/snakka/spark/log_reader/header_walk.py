"""Walking the batches of a segment by their headers: what the driver does to learn where a log ends and what is in it.

Rule: as on the executors, whatever is no batch is damage, and is told; except at the end of the last segment, where a
batch that is half written, or room that is reserved, is simply not yet part of the log.
"""

from collections import deque
from collections.abc import Iterator

from snakka.protocol.record_batch import HEADER_SIZE, BatchHeader, crc_matches
from snakka.spark.log_reader.damage import Damages, is_plausible, next_batch, why_no_batch
from snakka.spark.log_reader.segments import Landmarks, SegmentFile
from snakka.storage.batch_scan import FoundBatch, scan_headers
from snakka.storage.files import File


def walk_headers(file: File, segment: SegmentFile, position: int, damages: Damages) -> Iterator[FoundBatch]:
    """The batches from `position` on, where one must begin."""
    lowest, end_offset = segment.base_offset, segment.end_offset
    while True:
        last: FoundBatch | None = None
        for found in scan_headers(file, position, file.size):
            if not is_plausible(found.header, lowest, end_offset):
                break
            yield found
            last, position, lowest = found, found.end, found.header.next_offset
        if position >= file.size:
            return
        why = why_no_batch(file.pread(position, HEADER_SIZE), lowest, end_offset)
        if last is not None and proven_batch(file, segment, last.position) is None:
            # It was that one that said a wrong length, and led here.
            position, lowest = last.position, last.header.base_offset
            why = f"the checksum of the batch at offset {lowest} is wrong"
        resumed = next_batch(file, position, lowest, end_offset)
        if resumed is None:
            # Perhaps it was the batch before that said a wrong offset, which no checksum covers.
            lowest = segment.base_offset
            resumed = next_batch(file, position, lowest, end_offset)
        if resumed is None and segment.is_last:
            return
        damages.found(file.path, position, why)
        if resumed is None:
            return
        position = resumed


def walk_from_offset(
    file: File, segment: SegmentFile, landmarks: Landmarks, offset: int, damages: Damages
) -> Iterator[FoundBatch]:
    """The batches from the one with `offset` on, or from the first later one."""
    position = next(
        place for place in landmarks.before_offset(offset) if begins_at(file, segment, place, offset)
    )
    for found in walk_headers(file, segment, position, damages):
        if found.header.last_offset >= offset:
            yield found


def begins_at(file: File, segment: SegmentFile, position: int, offset: int) -> bool:
    """Whether a batch that is not after `offset` begins there, for certain; the segment's beginning is always good."""
    if position == 0:
        return True
    header = proven_batch(file, segment, position)
    return header is not None and header.base_offset <= offset


def proven_batch(file: File, segment: SegmentFile, position: int) -> BatchHeader | None:
    """The header of the batch at `position` if its checksum is right."""
    found = next(scan_headers(file, position, file.size), None)
    if found is None or not is_plausible(found.header, segment.base_offset, segment.end_offset):
        return None
    header = found.header
    return header if crc_matches(file.pread(position, header.size), 0, header) else None


def end_of_log(file: File, segment: SegmentFile, landmarks: Landmarks, damages: Damages) -> int:
    """The offset after the last batch of the last segment. A batch there that is not all written does not count."""
    start = landmarks.before_position(file.size)
    if start and proven_batch(file, segment, start) is None:
        start = 0
    newest = deque(walk_headers(file, segment, start, damages), maxlen=1)
    if not newest:
        return segment.base_offset
    last = newest[0]
    if proven_batch(file, segment, last.position) is None:
        return last.header.base_offset
    return last.header.next_offset
