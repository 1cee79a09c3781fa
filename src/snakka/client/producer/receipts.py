"""What whoever sends records gets back for them: where they were written, or why they were not."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from snakka.protocol.record_batch import NO_TIMESTAMP

UNKNOWN_OFFSET = -1


class RecordMetadata(NamedTuple):
    """Where a record was written. The offset is -1 if the broker did not say, as with acks=0."""

    topic: str
    partition: int
    offset: int
    timestamp: int


class BatchMetadata(NamedTuple):
    """Where rows that were sent together were written, the first of them at the base offset."""

    topic: str
    partition: int
    base_offset: int
    record_count: int


class RowsReceipt:
    """One future for all batches that a table became: what was written where, in the order of the acknowledgements."""

    __slots__ = ("_open", "_written", "future")

    def __init__(self, future: "asyncio.Future[list[BatchMetadata]]") -> None:
        self.future = future
        self._open = 1  # until `close`: more batches may come
        self._written: list[BatchMetadata] = []

    def add(self, count: int = 1) -> None:
        self._open += count

    def written(self, metadata: BatchMetadata) -> None:
        self._written.append(metadata)
        self.close()

    def failed(self, error: Exception) -> None:
        self._open -= 1
        if not self.future.done():
            self.future.set_exception(error)

    def close(self) -> None:
        self._open -= 1
        if not self._open and not self.future.done():
            self.future.set_result(self._written)


def settle_records(
    futures: "Sequence[asyncio.Future[RecordMetadata]]",
    timestamps: Sequence[int],
    topic: str,
    partition: int,
    base_offset: int,
    log_append_time_ms: int,
) -> None:
    """Tell each record's future where it is; who cancelled theirs does not want to know."""
    if log_append_time_ms != NO_TIMESTAMP:
        timestamps = [log_append_time_ms] * len(futures)
    step = 0 if base_offset == UNKNOWN_OFFSET else 1
    offset = base_offset
    for future, timestamp in zip(futures, timestamps, strict=True):
        if not future.done():
            future.set_result(RecordMetadata(topic, partition, offset, timestamp))
        offset += step


def fail_records(
    futures: "Sequence[asyncio.Future[RecordMetadata]]", error: Exception, is_told_otherwise: bool
) -> None:
    """Tell all of them why. If nobody looks, asyncio logs it for the first only: one line a batch is enough.

    It logs nothing if who sent them hears of it otherwise, as with a transaction that can't be committed.
    """
    is_quiet = is_told_otherwise
    for future in futures:
        if not future.done():
            future.set_exception(error)
            if is_quiet:
                future.exception()
            is_quiet = True
