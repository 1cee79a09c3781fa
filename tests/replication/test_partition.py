"""A partition as its leader serves it: epochs, acknowledgements, high watermark, watchers. On real logs."""

import pytest

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.replication.fetching import FetchLimits, FetchTarget, read_targets
from snakka.replication.partition import AckWaiter, Partition
from snakka.runtime import SystemClock
from snakka.storage.files import OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog

TOPIC_ID = bytes(range(16))
NODE = 1


def batch(count: int = 1, value: bytes = b"v") -> memoryview:
    records = [Record(index, 1_000 + index, None, value, (), 0) for index in range(count)]
    return memoryview(build_batch(records))


@pytest.fixture
def make_partition(tmp_path):
    opened = []

    def make(config: LogConfig | None = None, isr: tuple[int, ...] = (NODE,), replicas=None) -> Partition:
        log = PartitionLog.open(
            str(tmp_path / f"t-{len(opened)}"),
            topic="t",
            partition=len(opened),
            topic_id=TOPIC_ID,
            files=OsFiles(),
            clock=SystemClock(),
            config=config or LogConfig(),
            clean_shutdown=True,
        )
        partition = Partition(log, NODE, lambda log: None)
        partition.update_leadership(NODE, 5, 1, list(replicas or isr), list(isr))
        opened.append(partition)
        return partition

    yield make
    for partition in opened:
        partition.log.close()


class Watcher:
    def __init__(self) -> None:
        self.seen: list[int] = []

    def partition_progressed(self, partition: Partition, visible_bytes: int) -> None:
        self.seen.append(visible_bytes)


def test_a_sole_replica_acknowledges_at_once(make_partition) -> None:
    partition = make_partition()
    watcher = Watcher()
    partition.watch(watcher)
    records = batch(3)
    info = partition.append(records, -1, 2_000)
    assert (info.first_offset, info.last_offset) == (0, 2)
    assert partition.log.high_watermark == 3
    assert partition.is_acknowledged(3, needs_isr=True)
    assert watcher.seen == [len(records)]


def test_followers_hold_the_high_watermark_until_they_have_fetched(make_partition) -> None:
    partition = make_partition(isr=(1, 2, 3))
    told = []
    partition.append(batch(2), -1, 2_000)
    waiter = AckWaiter(2, True, lambda waiter, error: told.append(error))
    partition.wait_for_ack(waiter)
    assert partition.log.high_watermark == 0
    assert partition.is_acknowledged(2, needs_isr=False)
    partition.follower_fetched(2, 2)
    assert (partition.log.high_watermark, told) == (0, [])
    partition.follower_fetched(3, 1)
    assert (partition.log.high_watermark, told) == (1, [])
    partition.follower_fetched(3, 2)
    assert (partition.log.high_watermark, told) == (2, [ErrorCode.NONE])


def test_a_shrunk_isr_lets_the_high_watermark_go_on(make_partition) -> None:
    partition = make_partition(isr=(1, 2))
    partition.append(batch(), -1, 2_000)
    assert partition.log.high_watermark == 0
    partition.update_leadership(NODE, 5, 2, [1, 2], [1])
    assert partition.log.high_watermark == 1


def test_too_few_in_sync_replicas_refuse_acks_all_only(make_partition) -> None:
    partition = make_partition(LogConfig(min_insync_replicas=2), isr=(1,), replicas=(1, 2, 3))
    with pytest.raises(ApiError) as refused:
        partition.append(batch(), -1, 2_000)
    assert refused.value.code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert partition.append(batch(), 1, 2_000).first_offset == 0


def test_with_flush_messages_1_nothing_passes_before_the_sync(make_partition) -> None:
    partition = make_partition(LogConfig(flush_messages=1))
    watcher = Watcher()
    partition.watch(watcher)
    told = []
    partition.append(batch(), 1, 2_000)
    assert partition.log.high_watermark == 0
    assert not partition.is_acknowledged(1, needs_isr=False)
    partition.wait_for_ack(AckWaiter(1, False, lambda waiter, error: told.append(error)))
    partition.flushed(1)
    assert partition.log.high_watermark == 1
    assert told == [ErrorCode.NONE]
    assert len(watcher.seen) == 1


def test_a_new_leader_epoch_fails_whoever_waits(make_partition) -> None:
    partition = make_partition(isr=(1, 2))
    told = []
    partition.append(batch(), -1, 2_000)
    partition.wait_for_ack(AckWaiter(1, True, lambda waiter, error: told.append(error)))
    partition.update_leadership(2, 6, 2, [1, 2], [1, 2])
    assert told == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    with pytest.raises(ApiError) as refused:
        partition.append(batch(), 1, 2_000)
    assert refused.value.code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize(
    ("epoch", "code"), [(4, ErrorCode.FENCED_LEADER_EPOCH), (6, ErrorCode.UNKNOWN_LEADER_EPOCH)]
)
def test_a_client_with_another_leader_epoch_is_told_which_way_it_is_wrong(
    make_partition, epoch, code
) -> None:
    with pytest.raises(ApiError) as refused:
        make_partition().check_leader(epoch)
    assert refused.value.code == code


def read(targets: list[FetchTarget], max_bytes: int = 1 << 20):
    failures = []
    return read_targets(targets, FetchLimits(max_bytes, 1, 0, -1), lambda *failed: failures.append(failed))


def target_of(partition: Partition, offset: int = 0, max_bytes: int = 1 << 20) -> FetchTarget:
    target = FetchTarget(("t", partition.index), "t", bytes(16), partition.index)
    target.partition = partition
    target.fetch_offset = offset
    target.max_bytes = max_bytes
    return target


def test_the_first_partition_with_data_gives_a_batch_however_small_the_limit(make_partition) -> None:
    first, second = make_partition(), make_partition()
    first.append(batch(1, b"x" * 100), 1, 2_000)
    second.append(batch(1, b"y" * 100), 1, 2_000)
    result = read([target_of(first), target_of(second)], max_bytes=10)
    sizes = [len(row.records) for _, row in result.rows]
    assert sizes[0] > 100
    assert sizes[1] == 0
    assert result.counted_bytes == sizes[0]


def test_an_offset_out_of_range_is_an_error_row_that_must_be_answered(make_partition) -> None:
    partition = make_partition()
    partition.append(batch(), 1, 2_000)
    result = read([target_of(partition, offset=7)])
    assert result.must_answer
    assert result.rows[0][1].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert result.rows[0][1].high_watermark == -1


def test_a_reader_from_another_epoch_learns_where_the_logs_diverge(make_partition) -> None:
    partition = make_partition()
    partition.append(batch(), 1, 2_000)
    partition.update_leadership(NODE, 7, 2, [NODE], [NODE])
    partition.append(batch(), 1, 2_000)
    target = target_of(partition, offset=2)
    target.last_fetched_epoch = 6
    result = read([target])
    assert result.must_answer
    assert (result.rows[0][1].diverging_epoch.epoch, result.rows[0][1].diverging_epoch.end_offset) == (5, 1)
    target.last_fetched_epoch = 9
    assert read([target]).rows[0][1].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
