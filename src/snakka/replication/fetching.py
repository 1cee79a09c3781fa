"""Reading partitions for one fetch: each target in turn, under the request's byte limits.

Rule: this module never waits. What is there is read now; whether that is enough is for `waiting_requests` to judge.
"""

from collections.abc import Callable, Iterable

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.file_region import FileRegion
from snakka.protocol.messages.fetch import AbortedTransaction, EpochEndOffset, PartitionData
from snakka.protocol.uuids import Uuid
from snakka.replication.partition import Partition
from snakka.storage.files import StorageFailure
from snakka.storage.partition_log import PartitionLog

READ_COMMITTED = 1
CONSUMER_REPLICA_ID = -1

# So few bytes cost less to read at once than a region costs until it is sent.
_COPIED_BELOW_BYTES = 4096

TargetKey = tuple[str | Uuid, int]

_UNKNOWN = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    }
)


class FetchTarget:
    """One partition that a client fetches, with what the client said of it and what it was told last."""

    __slots__ = (
        "current_leader_epoch",
        "denied",
        "fetch_offset",
        "index",
        "key",
        "known_as",
        "known_high_watermark",
        "known_log_start_offset",
        "last_fetched_epoch",
        "max_bytes",
        "missing",
        "partition",
        "topic",
        "topic_id",
    )

    def __init__(self, key: TargetKey, topic: str, topic_id: Uuid, index: int) -> None:
        self.key = key
        self.topic = topic
        self.topic_id = topic_id
        self.index = index
        self.partition: Partition | None = None
        # The name of its topic, once it was found.
        self.known_as = ""
        # Why there is no partition, while there is none.
        self.missing = (
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if isinstance(key[0], str) else ErrorCode.UNKNOWN_TOPIC_ID
        )
        # Why this client may not read it, whatever the partition says.
        self.denied = ErrorCode.NONE
        self.current_leader_epoch = -1
        self.fetch_offset = 0
        self.last_fetched_epoch = -1
        self.max_bytes = 0
        self.known_high_watermark = -1
        self.known_log_start_offset = -1


class FetchLimits:
    """What a fetch asks for beyond its partitions."""

    __slots__ = ("isolation_level", "max_bytes", "min_bytes", "replica_id")

    def __init__(self, max_bytes: int, min_bytes: int, isolation_level: int, replica_id: int) -> None:
        self.max_bytes = max_bytes
        self.min_bytes = min_bytes
        self.isolation_level = isolation_level
        self.replica_id = replica_id


class FetchResult:
    """What one pass over the targets found."""

    __slots__ = ("counted_bytes", "must_answer", "rows", "unknown")

    def __init__(self) -> None:
        self.rows: list[tuple[FetchTarget, PartitionData]] = []
        # What counts towards min_bytes.
        self.counted_bytes = 0
        # An error or a divergence: the client hears of it at once, however few bytes there are.
        self.must_answer = False
        # Partitions that do not exist or that the client may not read: no reason to answer before the others have
        # something, or a consumer of a deleted topic would ask and ask.
        self.unknown = 0


def read_targets(
    targets: Iterable[FetchTarget],
    limits: FetchLimits,
    storage_failed: Callable[[Partition, StorageFailure], None],
) -> FetchResult:
    """Read every target, in order, until max_bytes is used up; the first one with data gives at least one batch."""
    result = FetchResult()
    remaining = limits.max_bytes
    nothing_yet = True
    for target in targets:
        allowed = target.max_bytes if target.max_bytes < remaining else remaining
        if allowed < 0:
            allowed = 0
        row, has_more = _read_target(target, limits, allowed, nothing_yet, storage_failed)
        size = len(row.records) if row.records is not None else 0
        if size:
            nothing_yet = False
            remaining -= size
            # Whole batches seldom fill the room that there was: with more to read, it counts as filled.
            result.counted_bytes += max(size, allowed) if has_more else size
        if row.error_code:
            if row.error_code in _UNKNOWN:
                result.unknown += 1
            else:
                result.must_answer = True
        elif row.diverging_epoch.end_offset >= 0:
            result.must_answer = True
        result.rows.append((target, row))
    return result


def _read_target(
    target: FetchTarget,
    limits: FetchLimits,
    allowed_bytes: int,
    nothing_yet: bool,
    storage_failed: Callable[[Partition, StorageFailure], None],
) -> tuple[PartitionData, bool]:
    """The target's row, and whether there is more to read than it has."""
    partition = target.partition
    if target.denied or partition is None:
        row = failed_row(target.index, target.denied or target.missing)
        if row.error_code in _UNKNOWN:
            row.aborted_transactions = []
        return row, False
    try:
        return _read_partition(partition, target, limits, allowed_bytes, nothing_yet)
    except ApiError as error:
        return failed_row(target.index, error.code), False
    except StorageFailure as error:
        storage_failed(partition, error)
        return failed_row(target.index, ErrorCode.KAFKA_STORAGE_ERROR), False


def _read_partition(
    partition: Partition, target: FetchTarget, limits: FetchLimits, allowed_bytes: int, nothing_yet: bool
) -> tuple[PartitionData, bool]:
    log = partition.check_leader(target.current_leader_epoch)
    if limits.replica_id >= 0:
        partition.check_follower(limits.replica_id, target.current_leader_epoch)
    high_watermark = log.high_watermark
    last_stable_offset = log.last_stable_offset
    row = PartitionData(
        partition_index=target.index,
        high_watermark=high_watermark,
        last_stable_offset=last_stable_offset,
        log_start_offset=log.log_start_offset,
        aborted_transactions=None,
        records=b"",
    )
    if target.last_fetched_epoch >= 0:
        diverging = _divergence(log, target)
        if diverging is not None:
            row.diverging_epoch = diverging
            return row, False
    committed_only = limits.isolation_level == READ_COMMITTED
    if limits.replica_id >= 0:
        upper_bound = log.log_end_offset
    else:
        upper_bound = last_stable_offset if committed_only else high_watermark
    found = log.read(target.fetch_offset, allowed_bytes, upper_bound=upper_bound, min_one_message=nothing_yet)
    row.records = found.records
    if 0 < found.bytes < _COPIED_BELOW_BYTES and not isinstance(found.records, bytes):
        row.records = _copied(found.records, found.bytes)
    if committed_only:
        row.aborted_transactions = [
            AbortedTransaction(producer_id=aborted.producer_id, first_offset=aborted.first_offset)
            for aborted in (
                log.aborted_transactions(target.fetch_offset, found.next_offset) if found.bytes else ()
            )
        ]
    return row, found.next_offset < upper_bound


def _copied(region: FileRegion, size: int) -> FileRegion | bytearray:
    """The region's bytes, or itself where a disk would make us wait, or cannot give them: that is for the sender."""
    data = bytearray(size)
    try:
        return data if region.read_into(0, memoryview(data)) == size else region
    except OSError:
        return region


def _divergence(log: PartitionLog, target: FetchTarget) -> EpochEndOffset | None:
    """Where the client's log and this one part, if the client read something that is not in this one."""
    epoch, end_offset = log.end_offset_for_epoch(target.last_fetched_epoch)
    if end_offset < 0 or target.fetch_offset < log.log_start_offset:
        raise ApiError(
            ErrorCode.OFFSET_OUT_OF_RANGE,
            f"nothing is known of offset {target.fetch_offset} in leader epoch {target.last_fetched_epoch}",
        )
    if epoch < target.last_fetched_epoch or end_offset < target.fetch_offset:
        return EpochEndOffset(epoch=epoch, end_offset=end_offset)
    return None


def failed_row(index: int, error: ErrorCode) -> PartitionData:
    """A row of nothing but an error, with Kafka's -1 for every offset."""
    return PartitionData(
        partition_index=index,
        error_code=error,
        high_watermark=-1,
        last_stable_offset=-1,
        log_start_offset=-1,
        aborted_transactions=None,
        records=b"",
    )
