"""Log and snapshots after a restart: whatever happened, together they have everything."""

import pytest
from raft_harness import QUIET, SettableClock, topics
from simulated_disk import SimulatedDisk

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.raft.metadata_log import MetadataLog, log_directory
from snakka.raft.settings import RaftSettings
from snakka.raft.snapshot_files import SnapshotId, encode_snapshot, write_snapshot
from snakka.storage.meta_properties import DataDirectoryError

LOG = log_directory("/data")


def opened(disk: SimulatedDisk, settings: RaftSettings = QUIET) -> MetadataLog:
    disk.make_directory("/data")
    return MetadataLog.load(disk, "/data", SettableClock(), settings)


def append(log: MetadataLog, count: int, epoch: int) -> None:
    for _ in range(count):
        record = Record(-1, 0, None, b"x" * 100)
        batch = build_batch([record], base_offset=log.end_offset, leader_epoch=epoch)
        log.append(batch, epoch=epoch, now_ms=0)


def put_snapshot(disk: SimulatedDisk, snapshot: SnapshotId) -> None:
    disk.make_directory(LOG)
    batches = encode_snapshot(topics("a"), epoch=snapshot.epoch, last_log_timestamp_ms=0, now_ms=0)
    write_snapshot(disk, LOG, snapshot, batches)


def test_an_empty_log():
    log = opened(SimulatedDisk())
    assert (log.start_offset, log.end_offset, log.last_epoch, log.newest_snapshot) == (0, 0, 0, None)
    assert list(log.read(0, 0)) == []


def test_a_snapshot_ahead_of_the_log_replaces_it():
    disk = SimulatedDisk()
    log = opened(disk)
    append(log, 5, epoch=1)
    log.close()
    put_snapshot(disk, SnapshotId(20, 1))
    log = opened(disk)
    assert (log.start_offset, log.end_offset, log.last_epoch) == (20, 20, 1)
    append(log, 1, epoch=2)
    log.close()
    log = opened(disk)
    assert (log.start_offset, log.end_offset, log.last_epoch) == (20, 21, 2)


def test_a_snapshot_of_a_later_epoch_replaces_the_log():
    disk = SimulatedDisk()
    log = opened(disk)
    append(log, 9, epoch=1)
    log.close()
    put_snapshot(disk, SnapshotId(5, 3))
    log = opened(disk)
    assert (log.start_offset, log.end_offset, log.last_epoch) == (5, 5, 3)


def test_a_snapshot_within_the_log_changes_nothing():
    disk = SimulatedDisk()
    log = opened(disk)
    append(log, 9, epoch=1)
    log.close()
    put_snapshot(disk, SnapshotId(5, 1))
    log = opened(disk)
    assert (log.start_offset, log.end_offset) == (0, 9)
    assert [batch.header.base_offset for batch in log.read(5, 9)] == [5, 6, 7, 8]


def test_a_log_that_lacks_its_beginning_is_refused():
    disk = SimulatedDisk()
    put_snapshot(disk, SnapshotId(20, 1))
    log = opened(disk)
    append(log, 3, epoch=1)
    log.close()
    disk.remove(f"{LOG}/{SnapshotId(20, 1).name()}")
    with pytest.raises(DataDirectoryError, match="starts at offset 20, and no snapshot"):
        opened(disk)


def test_left_overs_are_removed():
    disk = SimulatedDisk()
    put_snapshot(disk, SnapshotId(3, 1))
    for suffix in (".checkpoint.part", ".checkpoint.deleted"):
        disk.replace(f"{LOG}/{SnapshotId(9, 1).name(suffix)}", b"half")
    opened(disk)
    assert [name for name in disk.list(LOG) if ".checkpoint" in name] == [SnapshotId(3, 1).name()]


def test_damage_in_the_log_is_found():
    disk = SimulatedDisk()
    log = opened(disk)
    append(log, 5, epoch=1)
    path = f"{LOG}/00000000000000000000.log"
    data = bytearray(disk.read(path))
    data[2 * len(data) // 5 + 70] ^= 1
    disk._names[path].data[:] = data
    with pytest.raises(DataDirectoryError, match="is damaged at offset 2: the checksum is wrong"):
        list(log.read(0, 5))


def test_old_segments_go_with_the_snapshot_before():
    disk = SimulatedDisk()
    settings = RaftSettings(segment_bytes=400, retention_bytes=1000, retention_ms=-1)
    log = opened(disk, settings)
    append(log, 20, epoch=1)
    log.committed(20)
    for end_offset in (5, 10, 19):
        put_snapshot(disk, SnapshotId(end_offset, 1))
        log.snapshot_written(SnapshotId(end_offset, 1), 300)
    released = log.clean(settings, 0)
    assert log.snapshots == (SnapshotId(19, 1),)
    assert log.start_offset == 19
    assert all(name.endswith(".deleted") for name in released)
    assert {SnapshotId(5, 1).name(".checkpoint.deleted"), SnapshotId(10, 1).name(".checkpoint.deleted")} <= {
        name.rpartition("/")[2] for name in released
    }
    log.close()
    log = opened(disk, settings)
    assert log.start_offset <= 19
    assert log.end_offset == 20
    assert log.newest_snapshot == SnapshotId(19, 1)
