"""Opening a partition's directory: what is there after a clean stop, after a crash, or for the first time.

Rules: after a clean stop only the end of the last segment is looked at. After anything else every batch from the recovery
point's segment on is verified, the log is cut at the first that is not right, and what lies beside the log (indexes,
producer state, leader epochs) is made again from it. No record is ever dropped because of a bad index.
"""

import logging
import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.record_batch import crc_matches
from snakka.protocol.uuids import ZERO_UUID, Uuid, uuid_text
from snakka.storage.batch_chain import follows
from snakka.storage.batch_scan import FoundBatch, WholeBatch, scan_batches, scan_headers
from snakka.storage.checkpoint_file import BadCheckpoint
from snakka.storage.files import Files
from snakka.storage.index_file import BadIndexError
from snakka.storage.leader_epochs import LeaderEpochs
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_metadata import read_topic_id, was_of_topic, write_topic_id
from snakka.storage.policy.roll import MAX_RELATIVE_OFFSET
from snakka.storage.producer_replay import apply_batch, rebuild_producers, transaction_marker
from snakka.storage.producer_snapshot import ProducerSnapshots
from snakka.storage.producer_state import ProducerState
from snakka.storage.segment import Segment
from snakka.storage.segment_files import (
    LEADER_EPOCHS,
    LOG,
    OFFSET_INDEX,
    PRODUCER_SNAPSHOT,
    SEGMENT_KINDS,
    TIME_INDEX,
    parse_name,
)
from snakka.storage.swap_files import finish_interrupted_swaps
from snakka.storage.transaction_index import AbortedTransaction

log = logging.getLogger(__name__)

# Gets a segment's path, the position of its first bad batch, and the offset that should be there; may refuse by raising.
BeforeCut = Callable[[str, int, int], None]

_EPOCHS_NOT_WRITTEN = -1
_UNKNOWN_RECOVERY_POINT = 0


@dataclass(slots=True)
class LoadedLog:
    """What a PartitionLog begins with."""

    directory: str
    topic: str
    partition: int
    topic_id: Uuid
    files: Files
    config: LogConfig
    now_ms: int
    log_start_offset: int
    recovery_point: int
    before_cut: BeforeCut | None = None
    log_end_offset: int = 0
    segments: list[Segment] = field(default_factory=list)
    unsynced: list[Segment] = field(default_factory=list)
    epochs: LeaderEpochs = field(default_factory=LeaderEpochs)
    epochs_written: int = 0
    producers: ProducerState = field(default_factory=ProducerState)
    snapshots: ProducerSnapshots = field(init=False)
    index_files: set[str] = field(default_factory=set)
    # It is as a clean stop has left it, so all of it is on the disk.
    is_taken_over: bool = False

    def __post_init__(self) -> None:
        self.snapshots = ProducerSnapshots(self.files, self.directory, ())


def load(
    directory: str,
    *,
    topic: str,
    partition: int,
    topic_id: Uuid,
    files: Files,
    config: LogConfig,
    clean_shutdown: bool,
    recovery_point: int,
    log_start_offset: int,
    now_ms: int,
    before_cut: BeforeCut | None = None,
) -> LoadedLog:
    """Everything that PartitionLog.open needs. Blocks."""
    loaded = LoadedLog(
        directory,
        topic,
        partition,
        topic_id,
        files,
        config,
        now_ms,
        log_start_offset,
        recovery_point,
        before_cut,
    )
    files.make_directory(directory)
    _settle_topic_id(loaded)
    finish_interrupted_swaps(files, directory)
    _find_segments(loaded)
    epochs_are_known = _read_epochs(loaded)
    loaded.is_taken_over = (
        bool(loaded.segments) and clean_shutdown and epochs_are_known and _take_over(loaded)
    )
    if loaded.segments and not loaded.is_taken_over:
        _recover(loaded, clean_shutdown, epochs_are_known)
    if clean_shutdown and loaded.log_end_offset < log_start_offset and loaded.segments:
        # Only a crash can take back records and leave what was said of them: after a clean stop it is the checkpoint that
        # is wrong, and to believe it would delete the log.
        log.warning("%s ends before its log start offset %d: not believed", directory, log_start_offset)
        loaded.log_start_offset = log_start_offset = 0
    if not loaded.segments or loaded.log_end_offset < log_start_offset:
        _start_empty(loaded)
        loaded.is_taken_over = False
    loaded.log_start_offset = max(log_start_offset, loaded.segments[0].base_offset)
    loaded.epochs.truncate_from_end(loaded.log_end_offset)
    loaded.epochs.truncate_from_start(loaded.log_start_offset)
    loaded.snapshots.remove_strays(segment.base_offset for segment in loaded.segments)
    return loaded


def _settle_topic_id(loaded: LoadedLog) -> None:
    on_disk = read_topic_id(loaded.files, loaded.directory)
    if on_disk is None and loaded.topic_id == ZERO_UUID:
        return  # nobody knows it yet, and what is left of the file may be needed to find out
    if on_disk is None:
        write_topic_id(loaded.files, loaded.directory, loaded.topic_id)
    elif loaded.topic_id == ZERO_UUID:
        loaded.topic_id = on_disk
    elif loaded.topic_id != on_disk and was_of_topic(loaded.files, loaded.directory, loaded.topic_id):
        log.warning("%s has a damaged partition.metadata: written anew", loaded.directory)
        write_topic_id(loaded.files, loaded.directory, loaded.topic_id)
    elif loaded.topic_id != on_disk:
        raise ApiError(
            ErrorCode.INCONSISTENT_TOPIC_ID,
            f"{loaded.directory} belongs to topic id {uuid_text(on_disk)}, not {uuid_text(loaded.topic_id)}",
        )


def _find_segments(loaded: LoadedLog) -> None:
    sizes = loaded.files.sizes(loaded.directory)
    parsed = {name: found for name in sizes if (found := parse_name(name)) is not None}
    bases = sorted(base for base, kind, suffix in parsed.values() if kind == LOG and not suffix)
    known = set(bases)
    for name, (base, kind, suffix) in parsed.items():
        if kind in SEGMENT_KINDS and not suffix and base not in known:
            log.warning("removing %s/%s, which has no log file", loaded.directory, name)
            loaded.files.remove(os.path.join(loaded.directory, name))
    loaded.index_files = {name for name, (_, kind, _) in parsed.items() if kind in (OFFSET_INDEX, TIME_INDEX)}
    loaded.snapshots = ProducerSnapshots(
        loaded.files,
        loaded.directory,
        (base for base, kind, suffix in parsed.values() if kind == PRODUCER_SNAPSHOT and not suffix),
    )
    loaded.segments = [
        Segment.load(loaded.files, loaded.directory, base, sizes, loaded.config, loaded.now_ms)
        for base in bases
    ]


def _read_epochs(loaded: LoadedLog) -> bool:
    """False if the file is missing or cannot be read; the epochs are then found in the log."""
    path = os.path.join(loaded.directory, LEADER_EPOCHS)
    try:
        loaded.epochs = LeaderEpochs.parse(loaded.files.read(path))
    except (FileNotFoundError, BadCheckpoint):
        loaded.epochs_written = _EPOCHS_NOT_WRITTEN
        return not loaded.segments
    return True


def _start_empty(loaded: LoadedLog) -> None:
    """No record is left, or there never was one."""
    for segment in reversed(loaded.segments):
        _remove(loaded, segment)
    start = loaded.log_start_offset
    segment = Segment.create(loaded.files, loaded.directory, start, loaded.config, loaded.now_ms)
    loaded.segments = [segment]
    loaded.unsynced = []
    loaded.log_end_offset = loaded.recovery_point = start
    if loaded.epochs.entries:
        loaded.epochs.clear()
    loaded.producers.load((), start)


# -- after a clean stop -------------------------------------------------------------------------------------------


def _take_over(loaded: LoadedLog) -> bool:
    """Believe what is there. False if it contradicts itself, so that it must be read after all."""
    for segment in loaded.segments:
        for kind in (OFFSET_INDEX, TIME_INDEX):
            if f"{segment.base_offset:020d}{kind}" not in loaded.index_files:
                return False
    end_offset = _end_offset(loaded.segments[-1])
    if loaded.recovery_point not in (end_offset, _UNKNOWN_RECOVERY_POINT):
        return False  # at a clean stop it was the log's end
    if end_offset is None or _first_bad_transaction_index(loaded.segments) < len(loaded.segments):
        return False
    loaded.log_end_offset = loaded.recovery_point = end_offset
    start = max(loaded.log_start_offset, loaded.segments[0].base_offset)
    if end_offset > start:
        rebuild_producers(loaded.producers, loaded.snapshots, loaded.segments, start, end_offset)
    else:
        loaded.producers.load((), end_offset)
    return True


def _end_offset(segment: Segment) -> int | None:
    """Where the segment ends, found from its last index entry on; None if what follows that is not batch after batch."""
    try:
        batches = segment.scan_from_entry(segment.offset_index.last(), 0)
    except BadIndexError:
        batches = scan_headers(segment.log, 0, segment.size)
    end_offset = segment.base_offset
    walked_from = 0
    previous: FoundBatch | None = None
    for batch in batches:
        if previous is None:
            if batch.header.base_offset < segment.base_offset:
                return None
            segment.recent.begin(batch.header.base_offset)
            walked_from = batch.position
        elif not follows(previous.header, batch.header):
            return None
        segment.recent.remember(batch.position, batch.header.last_offset)
        end_offset = batch.header.next_offset
        previous = batch
    if segment.size != (0 if previous is None else previous.end):
        return None
    segment.proven_from(walked_from)
    return end_offset


def _first_bad_transaction_index(segments: Sequence[Segment]) -> int:
    """The number of the first segment whose aborted transactions must be found again; their number if none must."""
    for number, segment in enumerate(segments):
        last = segment.base_offset + MAX_RELATIVE_OFFSET
        end_offset = segments[number + 1].base_offset if number + 1 < len(segments) else last + 1
        if not segment.transaction_index.is_plausible(segment.base_offset, end_offset):
            return number
        if not all(_is_aborted(segments, segment, entry) for entry in segment.transaction_index.entries()):
            return number
    return len(segments)


def _is_aborted(segments: Sequence[Segment], segment: Segment, entry: AbortedTransaction) -> bool:
    """Whether the log has the marker that the entry names, and the same producer's records where they should begin."""
    try:
        marker = segment.find(entry.last_offset)
        begin = _segment_of(segments, entry.first_offset).find(entry.first_offset)
    except ApiError:
        return False
    if marker is None or not marker.header.is_control or marker.header.producer_id != entry.producer_id:
        return False
    if begin is not None and begin.header.base_offset == entry.first_offset:
        return begin.header.producer_id == entry.producer_id
    # Compaction has removed the first records, or retention has.
    return begin is None or begin.header.base_offset > entry.first_offset


def _segment_of(segments: Sequence[Segment], offset: int) -> Segment:
    number = bisect_right(segments, offset, key=lambda segment: segment.base_offset) - 1
    return segments[max(number, 0)]


def _ends_at(segment: Segment, next_base_offset: int) -> bool:
    """Whether the segment ends with a whole batch, and before the next segment begins."""
    end_offset = _end_offset(segment)
    segment.recent.forget()
    return end_offset is not None and end_offset <= next_base_offset


# -- after a crash ------------------------------------------------------------------------------------------------


def _recover(loaded: LoadedLog, clean_shutdown: bool, epochs_are_known: bool) -> None:
    segments = loaded.segments
    recovery_point = segments[-1].base_offset if clean_shutdown else loaded.recovery_point
    first = segments.index(_segment_of(segments, recovery_point))
    if first and not _ends_at(segments[first - 1], segments[first].base_offset):
        # It was cut before it was rolled, and the crash has brought back what was cut.
        first -= 1
    first = min(first, _first_bad_transaction_index(segments))
    for number, segment in enumerate(segments[:first]):
        # A segment that was rolled just when its last record had been synced: its indexes never were.
        is_doubtful = number + 1 == first and recovery_point == segments[first].base_offset
        if is_doubtful or not _has_plausible_indexes(loaded, segment):
            _index_again(loaded, segment)
        if not epochs_are_known:
            for batch in scan_headers(segment.log, 0, segment.size):
                _note_epoch(loaded.epochs, batch.header.leader_epoch, batch.header.base_offset)
    start = segments[first].base_offset
    loaded.epochs.truncate_from_end(start)
    log_start = max(loaded.log_start_offset, segments[0].base_offset)
    rebuild_producers(loaded.producers, loaded.snapshots, segments[:first], log_start, max(start, log_start))
    loaded.log_end_offset = start
    knows_end = clean_shutdown and loaded.recovery_point != _UNKNOWN_RECOVERY_POINT
    _rescan(loaded, first, loaded.recovery_point if knows_end else None)
    loaded.recovery_point = min(recovery_point, loaded.log_end_offset)
    loaded.producers.end_offset = loaded.log_end_offset


def _has_plausible_indexes(loaded: LoadedLog, segment: Segment) -> bool:
    names = {f"{segment.base_offset:020d}{kind}" for kind in (OFFSET_INDEX, TIME_INDEX)}
    return names <= loaded.index_files and segment.indexes_are_plausible()


def _index_again(loaded: LoadedLog, segment: Segment) -> None:
    """Of a segment that was synced: its records stay as they are, whatever is wrong with its indexes."""
    log.info("making the indexes of %s anew", segment.path(LOG))
    segment.begin_again()
    for batch in scan_headers(segment.log, 0, segment.size):
        segment.note_batch(
            batch.position, batch.header.size, batch.header.last_offset, batch.header.max_timestamp
        )
    segment.become_inactive()
    loaded.unsynced.append(segment)


def _rescan(loaded: LoadedLog, first: int, known_end: int | None) -> None:
    """Verify the segments from the `first` on; cut the log where they stop being right.

    `known_end` is where the log ended at a clean stop, by the checkpoint written then.
    """
    segments = loaded.segments
    number = first
    while number < len(segments):
        segment = segments[number]
        loaded.log_end_offset = segment.base_offset
        loaded.producers.end_offset = segment.base_offset
        if number > first:
            loaded.snapshots.take(loaded.producers)
        next_base = segments[number + 1].base_offset if number + 1 < len(segments) else None
        size = segment.size
        valid = _rescan_segment(loaded, segment, next_base, known_end)
        is_torn = valid < size
        if is_torn and loaded.before_cut is not None:
            loaded.before_cut(segment.path(LOG), valid, loaded.log_end_offset)
        if next_base not in (None, loaded.log_end_offset) and (is_torn or not loaded.config.compact):
            # Compaction leaves offsets out. Otherwise the end of this segment was lost, though the next one was not.
            _remove_after(loaded, number)
        if is_torn:
            log.warning("cutting %s from %d to %d bytes", segment.path(LOG), size, valid)
            segment.log.truncate(valid)
            # At once, or another crash could bring it back when nobody looks at this segment any more.
            segment.log.sync()
        if number + 1 < len(segments):
            segment.become_inactive()
            loaded.unsynced.append(segment)
        number += 1


def _remove_after(loaded: LoadedLog, number: int) -> None:
    for segment in reversed(loaded.segments[number + 1 :]):
        log.warning("removing %s, which comes after the cut", segment.path(LOG))
        _remove(loaded, segment)
    del loaded.segments[number + 1 :]
    # At once, and before the cut: in a compacted log nothing else tells a hole from what was compacted away.
    loaded.files.sync_directory(loaded.directory)


def _rescan_segment(loaded: LoadedLog, segment: Segment, next_base: int | None, known_end: int | None) -> int:
    """Verify every batch and index it; how many bytes are right."""
    valid = 0
    segment.begin_again()
    segment.transaction_index.reset()
    for batch in scan_batches(segment.log, 0, segment.size):
        header = batch.header
        if header.base_offset < loaded.log_end_offset or not _is_intact(segment, batch):
            break
        if next_base is not None and header.last_offset >= next_base:
            break
        if header.base_offset > loaded.log_end_offset and _is_misplaced(segment, batch, known_end):
            break
        segment.note_batch(batch.position, header.size, header.last_offset, header.max_timestamp)
        _note_epoch(loaded.epochs, header.leader_epoch, header.base_offset)
        if header.has_producer_id and header.next_offset > loaded.log_start_offset:
            try:
                marker = transaction_marker(batch.data, header)
            except ProtocolError:
                marker = None
            apply_batch(loaded.producers, header, marker, segment.transaction_index)
        loaded.log_end_offset = header.next_offset
        valid = batch.position + header.size
    segment.proven_from(0)
    return valid


def _is_misplaced(segment: Segment, batch: WholeBatch, known_end: int | None) -> bool:
    """Of a batch that left offsets out, as compaction does: whether its offset was damaged, which has no checksum."""
    header = batch.header
    if known_end is not None and header.last_offset >= known_end:
        return True
    successor = next(scan_headers(segment.log, batch.position + header.size, segment.size), None)
    return successor is not None and not follows(header, successor.header)


def _is_intact(segment: Segment, batch: WholeBatch) -> bool:
    header = batch.header
    in_range = header.last_offset - segment.base_offset <= MAX_RELATIVE_OFFSET
    return in_range and crc_matches(batch.data, 0, header)


def _note_epoch(epochs: LeaderEpochs, epoch: int, offset: int) -> None:
    if epoch > epochs.latest:
        epochs.assign(epoch, offset)


def _remove(loaded: LoadedLog, segment: Segment) -> None:
    for kind in SEGMENT_KINDS:
        loaded.files.remove(segment.path(kind))
    loaded.snapshots.remove(segment.base_offset)
    segment.close()
