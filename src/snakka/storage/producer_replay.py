"""Bringing producer state forward batch by batch: after an append, and again when a log is opened or truncated."""

from collections.abc import Sequence

from snakka.protocol.batch_reader import read_records
from snakka.protocol.control_records import EndTransaction, read_end_transaction
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import BatchHeader, Bytes
from snakka.storage.producer_snapshot import ProducerSnapshots
from snakka.storage.producer_state import ProducerState
from snakka.storage.segment import Segment
from snakka.storage.transaction_index import AbortedTransaction, TransactionIndex


def transaction_marker(batch: Bytes, header: BatchHeader) -> EndTransaction | None:
    """What a control batch says about a transaction, if it is about one; ProtocolError if it cannot be read."""
    if not header.is_control or not header.has_producer_id or not header.count:
        return None
    record = next(read_records(batch), None)
    return read_end_transaction(record.key, record.value) if record is not None else None


def apply_batch(
    state: ProducerState, header: BatchHeader, marker: EndTransaction | None, index: TransactionIndex | None
) -> None:
    """The batch, which has a producer id, is in the log. An aborted transaction is entered in `index`, if given."""
    if not header.is_control:
        state.append_data(header, header.base_offset, header.max_timestamp)
    elif marker is not None:
        completed = state.append_marker(header, marker, header.base_offset, header.max_timestamp)
        if completed is not None:
            if completed.is_aborted and index is not None:
                index.append(
                    AbortedTransaction(
                        completed.producer_id,
                        completed.first_offset,
                        completed.last_offset,
                        state.stable_offset_after(completed),
                    )
                )
            state.complete(completed)


def rebuild_producers(
    state: ProducerState,
    snapshots: ProducerSnapshots,
    segments: Sequence[Segment],
    log_start_offset: int,
    end_offset: int,
) -> None:
    """The state at `end_offset`: from the newest snapshot before it, and the log from there."""
    snapshots.load(state, log_start_offset, end_offset)
    start = state.end_offset
    for number, segment in enumerate(segments):
        is_before = number + 1 < len(segments) and segments[number + 1].base_offset <= start
        if is_before or segment.base_offset >= end_offset or start >= end_offset:
            continue
        _replay_segment(state, segment, start, end_offset)
    state.end_offset = end_offset


def _replay_segment(state: ProducerState, segment: Segment, start: int, end_offset: int) -> None:
    for batch in segment.batches_from(start):
        header = batch.header
        if header.base_offset >= end_offset:
            return
        if header.last_offset < start or not header.has_producer_id:
            continue
        marker = None
        if header.is_control:
            try:
                marker = transaction_marker(segment.log.pread(batch.position, header.size), header)
            except ProtocolError:
                # It was appended in spite of that, so it ends nothing: whoever reads the log sees the same.
                continue
        apply_batch(state, header, marker, None)
