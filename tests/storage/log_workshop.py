"""What the tests of logs share: a clock that is moved by hand, batches made in one line, and reading a log to its end."""

from snakka.protocol.batch_builder import build_batch, build_end_transaction
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.record_batch import BatchHeader, iter_headers
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.files import Files
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import AppendInfo, LogRead, PartitionLog

NOW_MS = 1_700_000_000_000
TOPIC_ID = bytes(range(16))


class ManualClock:
    """Time stands still until a test moves it."""

    def __init__(self, now_ms: int = NOW_MS) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


def open_log(
    files: Files,
    directory: str,
    config: LogConfig | None = None,
    *,
    clean_shutdown: bool = False,
    recovery_point: int = 0,
    log_start_offset: int = 0,
    clock: ManualClock | None = None,
) -> PartitionLog:
    return PartitionLog.open(
        directory,
        topic="topic",
        partition=0,
        topic_id=TOPIC_ID,
        files=files,
        clock=clock or ManualClock(),
        config=config or LogConfig(),
        clean_shutdown=clean_shutdown,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
    )


def batch_of(
    count: int = 1,
    *,
    size: int = 10,
    timestamp: int = NOW_MS,
    key: bytes | None = b"key",
    compression: Compression = Compression.NONE,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    is_transactional: bool = False,
    base_offset: int = 0,
    leader_epoch: int = -1,
    is_control: bool = False,
) -> bytearray:
    """A batch of `count` records, a millisecond apart."""
    return build_batch(
        [Record(-1, timestamp + place, key, b"v" * size) for place in range(count)],
        base_offset=base_offset,
        leader_epoch=leader_epoch,
        compression=compression,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        is_transactional=is_transactional,
        is_control=is_control,
    )


def append(log: PartitionLog, batch: bytearray, *, leader_epoch: int = 0, now_ms: int = NOW_MS) -> AppendInfo:
    return log.append_as_leader(memoryview(batch), leader_epoch=leader_epoch, now_ms=now_ms)


def append_marker(
    log: PartitionLog,
    producer_id: int,
    *,
    committed: bool,
    producer_epoch: int = 0,
    coordinator_epoch: int = 0,
    leader_epoch: int = 0,
) -> AppendInfo:
    marker = build_end_transaction(
        committed=committed,
        timestamp=NOW_MS,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        coordinator_epoch=coordinator_epoch,
    )
    return log.append_as_leader(
        memoryview(marker), leader_epoch=leader_epoch, now_ms=NOW_MS, origin=AppendOrigin.COORDINATOR
    )


def read_bytes(found: LogRead) -> bytes:
    data = found.records if isinstance(found.records, bytes) else found.records.read_blocking(0, found.bytes)
    assert len(data) == found.bytes
    return data


def read_all(log: PartitionLog, *, max_bytes: int = 1000) -> list[tuple[BatchHeader, bytes]]:
    """Every batch from the log's start to its end, read as a consumer would."""
    found = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        part = log.read(offset, max_bytes, upper_bound=log.log_end_offset, min_one_message=True)
        if not part.bytes:
            break
        data = read_bytes(part)
        for position, header in iter_headers(data):
            found.append((header, data[position : position + header.size]))
        assert part.next_offset > offset
        offset = part.next_offset
    return found


def flush(log: PartitionLog) -> None:
    job = log.flush_job()
    if job is not None:
        job.run()
        job.done()
