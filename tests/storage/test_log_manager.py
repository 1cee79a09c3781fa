"""The logs of a broker: placing, deleting, ageing, remembering, stopping, and going on without a failed disk."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from log_workshop import NOW_MS, ManualClock, append, batch_of, read_all
from manager_workshop import CONFIG, open_manager, running, simulated_disk, topic_id, until

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import UNASSIGNED_DIRECTORY
from snakka.storage.directory_checkpoints import Checkpoint, read_directory_checkpoint
from snakka.storage.files import OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.log_directory import open_data_directories
from snakka.storage.log_manager import LogManager
from snakka.storage.meta_properties import DataDirectoryError
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulated_files import Fault, SimulatedFiles


def fill(log: PartitionLog, batches: int = 1, records: int = 10, timestamp: int = NOW_MS) -> None:
    """Append, as a lone leader: all of it is committed at once."""
    for _ in range(batches):
        append(log, batch_of(records, timestamp=timestamp))
    log.advance_high_watermark(log.log_end_offset)


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir() if entry.is_dir())


# -- creating and finding -----------------------------------------------------------------------------------------


async def test_creating_and_finding(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        assert manager.get("t", 0) is None
        log = manager.create("t", 0, topic_id(1), CONFIG)
        assert manager.get("t", 0) is log
        assert manager.create("t", 0, topic_id(1), CONFIG) is log
        other = manager.create("u", 3, topic_id(2), CONFIG)
        assert list(manager) == [log, other]
        assert (len(manager), manager.of_topic("u")) == (2, [other])
        assert manager.directory_of(log).path == str(tmp_path)
        assert manager.directory_id_of(log) == manager.directory_id(str(tmp_path))
        assert manager.online_directory_ids() == [manager.directory_id(str(tmp_path))]
        assert (tmp_path / "u-3" / "partition.metadata").exists()
        with pytest.raises(ApiError) as raised:
            manager.create("t", 0, topic_id(9), CONFIG)
        assert raised.value.code is ErrorCode.INCONSISTENT_TOPIC_ID
        await manager.close()


async def test_new_logs_go_where_the_fewest_are(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "abc"]
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        for partition in range(7):
            manager.create("t", partition, topic_id(1), CONFIG)
        counts = sorted(len(names(tmp_path / name)) for name in "abc")
        assert counts == [2, 2, 3]
        await manager.close()


async def test_the_metadata_may_say_where(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        wanted = manager.directory_id(paths[1])
        for partition in range(3):
            manager.create("t", partition, topic_id(1), CONFIG, directory_id=wanted)
        assert (names(tmp_path / "a"), len(names(tmp_path / "b"))) == ([], 3)
        manager.create("t", 3, topic_id(1), CONFIG, directory_id=UNASSIGNED_DIRECTORY)
        # An id that nobody knows while all disks work: the disk was replaced.
        manager.create("t", 4, topic_id(1), CONFIG, directory_id=topic_id(77))
        assert len(names(tmp_path / "a")) == 2
        await manager.close()


async def test_a_cordoned_directory_takes_no_new_logs_while_there_are_others(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        manager.cordoned = {paths[0]}
        for partition in range(3):
            manager.create("t", partition, topic_id(1), CONFIG)
        assert (len(names(tmp_path / "a")), len(names(tmp_path / "b"))) == (0, 3)
        assert [row.is_cordoned for row in manager.describe()] == [True, False]
        manager.cordoned = set(paths)
        with pytest.raises(ApiError) as raised:
            manager.create("t", 9, topic_id(1), CONFIG)
        assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR
        await manager.close()


async def test_configs_are_replaced_whole(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        logs = [manager.create(topic, 0, topic_id(1), CONFIG) for topic in ("t", "u")]
        changed = LogConfig(retention_ms=5)
        manager.update_config("t", changed)
        assert [log.config for log in logs] == [changed, CONFIG]
        await manager.close()


async def test_describing(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        log = manager.create("t", 0, topic_id(1), CONFIG)
        fill(log)
        manager.fail_directory(paths[1], OSError(errno.EIO, "gone"))
        healthy, offline = manager.describe()
        assert (healthy.path, healthy.error) == (paths[0], ErrorCode.NONE)
        assert healthy.total_bytes >= healthy.usable_bytes > 0
        assert [tuple(row) for row in healthy.logs] == [("t", 0, log.size, 0, False)]
        assert offline == (paths[1], ErrorCode.KAFKA_STORAGE_ERROR, [], -1, -1, False)
        await manager.close()


# -- stopping and starting ----------------------------------------------------------------------------------------


async def test_a_clean_stop_and_start(tmp_path: Path) -> None:
    path = str(tmp_path)
    async with running() as runtime:
        manager = await open_manager(runtime, path)
        for partition in range(3):
            fill(manager.create("t", partition, topic_id(1), CONFIG), partition)
        log = manager.get("t", 2)
        assert log is not None
        log.advance_log_start_offset(7)
        await manager.close(broker_epoch=12)
        assert json.loads((tmp_path / ".kafka_cleanshutdown").read_text())["brokerEpoch"] == 12
        files = OsFiles()
        ends = {("t", 0): 0, ("t", 1): 10, ("t", 2): 20}
        assert read_directory_checkpoint(files, path, Checkpoint.RECOVERY_POINT) == ends
        assert read_directory_checkpoint(files, path, Checkpoint.HIGH_WATERMARK) == ends
        assert read_directory_checkpoint(files, path, Checkpoint.LOG_START) == {("t", 2): 7}

        manager = await open_manager(runtime, path)
        assert not (tmp_path / ".kafka_cleanshutdown").exists()
        assert manager.previous_broker_epoch == 12
        found = {(one.topic, one.partition): (one.log_start_offset, one.high_watermark) for one in manager}
        assert found == {("t", 0): (0, 0), ("t", 1): (0, 10), ("t", 2): (7, 20)}
        assert {one.topic_id for one in manager} == {topic_id(1)}
        await manager.close()


async def test_only_an_unclean_start_reads_the_logs(tmp_path: Path) -> None:
    log_file = tmp_path / "t-0" / "00000000000000000000.log"
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        fill(manager.create("t", 0, topic_id(1), CONFIG), batches=1000)
        await manager.close()
        damaged = bytearray(log_file.read_bytes())
        damaged[len(damaged) // 2] ^= 0xFF
        log_file.write_bytes(damaged)

        manager = await open_manager(runtime, str(tmp_path))
        log = manager.get("t", 0)
        assert log is not None
        assert log.log_end_offset == 10_000
        await manager.close(clean=False)
        # The checkpoint says that all is synced, so as in Kafka only the last segment is read, which is this one.
        manager = await open_manager(runtime, str(tmp_path))
        log = manager.get("t", 0)
        assert log is not None
        assert 0 < log.log_end_offset < 10_000
        await manager.close()


async def test_an_unclean_stop_loses_nothing_that_was_written(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        fill(manager.create("t", 0, topic_id(1), CONFIG), batches=5)
        await manager.close(clean=False)
        assert not (tmp_path / ".kafka_cleanshutdown").exists()
        manager = await open_manager(runtime, str(tmp_path))
        log = manager.get("t", 0)
        assert log is not None
        assert [header.base_offset for header, _ in read_all(log)] == [0, 10, 20, 30, 40]
        assert manager.previous_broker_epoch == -1
        await manager.close()


async def test_the_previous_epoch_counts_only_if_all_directories_agree(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        await manager.close(broker_epoch=0)
        manager = await open_manager(runtime, *paths)
        assert manager.previous_broker_epoch == 0
        await manager.close(broker_epoch=5)
        (tmp_path / "a" / ".kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":4}')
        manager = await open_manager(runtime, *paths)
        assert manager.previous_broker_epoch == -1
        await manager.close()


async def test_the_metadata_log_is_left_to_raft(tmp_path: Path) -> None:
    async with running() as runtime:
        await (await open_manager(runtime, str(tmp_path))).close()
        (tmp_path / "__cluster_metadata-0").mkdir()
        (tmp_path / "__cluster_metadata-0" / "00000000000000000000.log").write_bytes(b"raft's")
        manager = await open_manager(runtime, str(tmp_path))
        assert len(manager) == 0
        await manager.close()
        assert names(tmp_path) == ["__cluster_metadata-0"]


async def test_two_managers_cannot_have_one_directory(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        with pytest.raises(DataDirectoryError, match="is in use"):
            await open_manager(runtime, str(tmp_path))
        await manager.close()
        await (await open_manager(runtime, str(tmp_path))).close()


class SlowCheckpoints(OsFiles):
    """Checkpoints wait for the gate before they are written."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.reached = threading.Event()

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        if path.endswith("-offset-checkpoint"):
            self.reached.set()
            assert self.gate.wait(10)
        super().replace(path, data, sync=sync)


async def test_a_cancelled_checkpoint_does_not_meet_the_one_of_the_stop(tmp_path: Path) -> None:
    files = SlowCheckpoints()
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path), files=files)
        fill(manager.create("t", 0, topic_id(1), CONFIG))
        task = runtime.supervisor.spawn("checkpoint", manager.checkpoint(Checkpoint.RECOVERY_POINT))
        await until(files.reached.is_set)
        task.cancel()
        stop = runtime.supervisor.spawn("stop", manager.close())
        await asyncio.sleep(0)
        files.gate.set()
        await stop
        assert manager.directories[0].online
        assert (tmp_path / ".kafka_cleanshutdown").exists()


# -- deleting -----------------------------------------------------------------------------------------------------


async def test_a_deleted_log_goes_after_its_delay(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        fill(manager.create("keep", 0, topic_id(1), CONFIG))
        fill(manager.create("t", 0, topic_id(2), replace(CONFIG, file_delete_delay_ms=60_000)))
        fill(manager.create("u", 0, topic_id(3), CONFIG))
        await manager.checkpoint(Checkpoint.RECOVERY_POINT)
        manager.delete("t", 0)
        manager.delete("u", 0)
        manager.delete("nobody", 0)
        assert manager.get("t", 0) is None
        await until(lambda: not any(name.startswith("u-0") for name in names(tmp_path)))
        (left,) = (name for name in names(tmp_path) if name != "keep-0")
        assert left.startswith("t-0.")
        assert left.endswith("-delete")
        files = OsFiles()

        def remembered() -> bool:
            return list(read_directory_checkpoint(files, str(tmp_path), Checkpoint.RECOVERY_POINT)) == [
                ("keep", 0)
            ]

        await until(remembered)
        again = manager.create("t", 0, topic_id(4), CONFIG)
        assert again.log_end_offset == 0
        await manager.close()

        manager = await open_manager(runtime, str(tmp_path))
        await until(lambda: names(tmp_path) == ["keep-0", "t-0"])
        assert {one.topic for one in manager} == {"keep", "t"}
        await manager.close()


async def test_a_topic_that_is_deleted_whole_is_written_down_once() -> None:
    disk = CountingDisk(("/d",))
    async with running(inline=True, clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, "/d", files=disk)
        for partition in range(50):
            manager.create("t", partition, topic_id(1), CONFIG)
        disk.checkpoints = 0
        for partition in range(50):
            manager.delete("t", partition)
        await until(lambda: not any(name.startswith("t-") for name in disk.list("/d")))
        await manager.checkpoint(Checkpoint.HIGH_WATERMARK)
        assert disk.checkpoints == 4
        await manager.close()


class CountingDisk(SimulatedFiles):
    """How often a checkpoint was written."""

    checkpoints = 0

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self.checkpoints += path.endswith("-offset-checkpoint")
        super().replace(path, data, sync=sync)


async def test_deleting_under_a_running_sync_leaves_the_directory_online(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        for round_number in range(20):
            log = manager.create("t", 0, topic_id(round_number), CONFIG)
            log.assign_leader_epoch(round_number)
            append(log, batch_of(1), leader_epoch=round_number)
            manager.flusher.flush_soon(log)
            await until(lambda: True)
            manager.delete("t", 0)
        await manager.flusher.drain()
        assert manager.directories[0].online
        await manager.close()


# -- strays -------------------------------------------------------------------------------------------------------


async def test_strays_are_set_aside(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        for number, topic in enumerate(("t", "u")):
            fill(manager.create(topic, 0, topic_id(number), CONFIG))
        strays = manager.mark_strays(lambda one: one.topic_id == topic_id(1))
        assert [one.topic for one in strays] == ["u"]
        assert manager.get("u", 0) is None
        stray = next(name for name in names(tmp_path) if name.endswith("-stray"))
        assert stray.startswith("u-0.")
        await manager.close()
        manager = await open_manager(runtime, str(tmp_path))
        assert [one.topic for one in manager] == ["t"]
        assert names(tmp_path) == ["t-0", stray]
        await manager.close()


async def test_one_damaged_byte_of_partition_metadata_makes_no_stray(tmp_path: Path) -> None:
    wanted, other = bytes(range(100, 116)), bytes(range(16))
    metadata = tmp_path / "t-0" / "partition.metadata"
    async with running(inline=True) as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        fill(manager.create("t", 0, wanted, CONFIG))
        await manager.close()
        whole = metadata.read_bytes()
        for place in range(len(whole)):
            metadata.write_bytes(whole[:place] + bytes([whole[place] ^ 0x04]) + whole[place + 1 :])
            manager = await open_manager(runtime, str(tmp_path))
            assert manager.mark_strays(lambda one: one.topic_id != wanted, lambda _: wanted) == []
            assert metadata.read_bytes() == whole
            await manager.close()
        manager = await open_manager(runtime, str(tmp_path))
        assert len(manager.mark_strays(lambda one: one.topic_id != other, lambda _: other)) == 1
        await manager.close()


async def two_of_a_name(tmp_path: Path, *ids: int) -> list[str]:
    """The same partition name in two directories, as a disk leaves it that was away while the topic was made anew."""
    paths = [str(tmp_path / name) for name in "ab"]
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        fill(manager.create("t", 0, topic_id(ids[0]), CONFIG, directory_id=manager.directory_id(paths[0])), 1)
        fill(manager.create("x", 0, topic_id(ids[1]), CONFIG, directory_id=manager.directory_id(paths[1])), 2)
        await manager.close(clean=False)
    os.rename(tmp_path / "b" / "x-0", tmp_path / "b" / "t-0")
    return paths


async def test_a_partition_in_two_directories_stops_the_start(tmp_path: Path) -> None:
    paths = await two_of_a_name(tmp_path, 1, 1)
    async with running() as runtime:
        files = OsFiles(paths)
        with pytest.raises(DataDirectoryError, match=r"a/t-0 and .*b/t-0 are the same partition"):
            await open_manager(runtime, *paths, files=files)


@pytest.mark.parametrize("wanted", [1, 2])
async def test_an_older_topic_of_the_same_name_is_a_stray(tmp_path: Path, wanted: int) -> None:
    paths = await two_of_a_name(tmp_path, 1, 2)
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        assert len(manager.mark_strays(lambda one: one.topic_id != topic_id(wanted))) == 1
        log = manager.get("t", 0)
        assert log is not None
        assert (log.topic_id, log.log_end_offset) == (topic_id(wanted), wanted * 10)
        await manager.close()


async def test_two_topics_of_one_name_that_both_are_wanted_stop_the_start(tmp_path: Path) -> None:
    paths = await two_of_a_name(tmp_path, 1, 2)
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        with pytest.raises(DataDirectoryError, match="are the same partition"):
            manager.mark_strays(lambda _: False)
        await manager.close(clean=False)


# -- retention ----------------------------------------------------------------------------------------------------


async def test_retention_by_size(tmp_path: Path) -> None:
    async with running(clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        log = manager.create("t", 0, topic_id(1), CONFIG)
        size = len(batch_of(10))
        for _ in range(5):
            fill(log)
            log.roll()
        fill(log)
        log.config = replace(CONFIG, retention_ms=-1, retention_bytes=3 * size)
        moved: list[tuple[str, int]] = []
        manager.on_log_start_moved.append(lambda one: moved.append((one.topic, one.log_start_offset)))
        assert await manager.apply_retention(NOW_MS) == 3
        assert (log.log_start_offset, log.size, moved) == (30, 3 * size, [("t", 30)])
        assert await manager.apply_retention(NOW_MS) == 0
        await until(lambda: not list((tmp_path / "t-0").glob("*.deleted")))
        assert sorted(path.name for path in (tmp_path / "t-0").glob("*.log")) == [
            f"{base:020d}.log" for base in (30, 40, 50)
        ]
        await manager.close()


async def test_retention_by_time_rolls_a_log_whose_records_are_all_old(tmp_path: Path) -> None:
    async with running(clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        config = replace(CONFIG, retention_ms=1000, file_delete_delay_ms=60_000)
        log = manager.create("t", 0, topic_id(1), config)
        fill(log, batches=2)
        assert await manager.apply_retention(NOW_MS + 1000) == 0
        assert await manager.apply_retention(NOW_MS + 1010) == 1
        assert (log.log_start_offset, log.log_end_offset, log.size) == (20, 20, 0)
        assert list((tmp_path / "t-0").glob("*.log.deleted"))
        fill(log)
        await manager.close()
        # What waited to be deleted is gone with the next start.
        manager = await open_manager(runtime, str(tmp_path))
        reopened = manager.get("t", 0)
        assert reopened is not None
        assert [header.base_offset for header, _ in read_all(reopened)] == [20]
        assert not list((tmp_path / "t-0").glob("*.deleted"))
        await manager.close()


async def test_retention_never_passes_the_high_watermark(tmp_path: Path) -> None:
    async with running(clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        log = manager.create("t", 0, topic_id(1), replace(CONFIG, retention_ms=0))
        append(log, batch_of(10))
        log.roll()
        append(log, batch_of(10))
        assert await manager.apply_retention(NOW_MS + 10_000) == 0
        log.advance_high_watermark(10)
        assert await manager.apply_retention(NOW_MS + 10_000) == 1
        assert log.log_start_offset == 10
        await manager.close()


async def test_segments_below_a_deleted_start_go_from_compacted_logs_too(tmp_path: Path) -> None:
    async with running(clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        log = manager.create("t", 0, topic_id(1), replace(CONFIG, compact=True, delete=False, retention_ms=0))
        fill(log)
        log.roll()
        fill(log)
        assert await manager.apply_retention(NOW_MS + 10_000) == 0
        log.advance_log_start_offset(15)
        assert await manager.apply_retention(NOW_MS + 10_000) == 1
        assert (log.log_start_offset, log.segments[0].base_offset) == (15, 10)
        await manager.close()


async def test_idle_producers_are_forgotten(tmp_path: Path) -> None:
    async with running(clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        log = manager.create("t", 0, topic_id(1), CONFIG)
        append(log, batch_of(1, producer_id=5, producer_epoch=0, base_sequence=0))
        manager.expire_producers(NOW_MS + 999, 1000)
        assert [entry.producer_id for entry in log.describe_producers()] == [5]
        manager.expire_producers(NOW_MS + 1001, 1000)
        assert log.describe_producers() == []
        await manager.close()


async def test_a_start_within_a_segment_is_written_down_soon(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        log = manager.create("t", 0, topic_id(1), CONFIG)
        fill(log, batches=3)
        log.advance_log_start_offset(11)
        manager.log_start_moved(log)
        files = OsFiles()
        expected = {("t", 0): 11}
        await until(lambda: read_directory_checkpoint(files, str(tmp_path), Checkpoint.LOG_START) == expected)
        await manager.close(clean=False)
        manager = await open_manager(runtime, str(tmp_path))
        reopened = manager.get("t", 0)
        assert reopened is not None
        assert reopened.log_start_offset == 11
        await manager.close()


# -- failed disks -------------------------------------------------------------------------------------------------


class Failures:
    """A manager on a simulated disk, and what it told of failures."""

    def __init__(self, disk: SimulatedFiles, manager: LogManager) -> None:
        self.disk = disk
        self.manager = manager
        self.failed: list[str] = []
        self.all_failed = 0
        manager.on_directory_failure.append(self.failed.append)
        manager.on_all_directories_failed.append(self._count)

    def _count(self) -> None:
        self.all_failed += 1


async def test_a_failed_sync_takes_its_directory_offline_and_no_other() -> None:
    disk = simulated_disk("/a", "/b")
    async with running(inline=True, clock=ManualClock()) as runtime:
        watch = Failures(disk, await open_manager(runtime, "/a", "/b", files=disk))
        manager = watch.manager
        logs = [manager.create("t", partition, topic_id(1), CONFIG) for partition in range(4)]
        for log in logs:
            fill(log)
        disk.faults.append(Fault("sync", errno.EIO, "/b/"))
        for log in logs:
            manager.flusher.flush_soon(log)
        await manager.flusher.drain()
        assert (watch.failed, watch.all_failed) == (["/b"], 0)
        assert [directory.online for directory in manager.directories] == [True, False]
        assert {one.directory[:3] for one in manager} == {"/a/"}
        assert len(manager) == 2
        # Nothing touches the failed disk again, not even the stop.
        before = disk.list("/b")
        manager.fail_directory("/b", OSError(errno.EIO, "once more"))
        await manager.checkpoint(*Checkpoint)
        manager.delete("t", 1)
        assert watch.failed == ["/b"]
        await manager.close()
        assert disk.list("/b") == before
        assert disk.exists("/a/.kafka_cleanshutdown")
        assert not disk.exists("/b/.kafka_cleanshutdown")


async def test_the_last_directory_that_fails_is_told() -> None:
    disk = simulated_disk("/a", "/b")
    async with running(inline=True, clock=ManualClock()) as runtime:
        watch = Failures(disk, await open_manager(runtime, "/a", "/b", files=disk))
        for name in "ab":
            disk.faults.append(Fault("replace", errno.ENOSPC, f"/{name}/recovery-point"))
        await watch.manager.checkpoint(Checkpoint.RECOVERY_POINT)
        assert (watch.failed, watch.all_failed) == (["/a", "/b"], 1)
        with pytest.raises(ApiError) as raised:
            watch.manager.create("t", 0, topic_id(1), CONFIG)
        assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR
        await watch.manager.close()


async def test_a_new_log_goes_to_the_next_directory_if_the_first_fails() -> None:
    disk = simulated_disk("/a", "/b")
    async with running(inline=True, clock=ManualClock()) as runtime:
        watch = Failures(disk, await open_manager(runtime, "/a", "/b", files=disk))
        disk.faults.append(Fault("create", errno.EROFS, "/a/"))
        log = watch.manager.create("t", 0, topic_id(1), CONFIG)
        assert log.directory == "/b/t-0"
        assert watch.failed == ["/a"]
        await watch.manager.close()


async def test_what_a_failed_creation_has_left_does_not_stop_the_next_start() -> None:
    """The log has gone to the other disk; the first one has its directory too, and nothing in it."""
    disk = simulated_disk("/a", "/b")
    clock = ManualClock()
    async with running(inline=True, clock=clock) as runtime:
        watch = Failures(disk, await open_manager(runtime, "/a", "/b", files=disk))
        disk.faults.append(Fault("create", errno.ENOSPC, "/a/"))
        fill(watch.manager.create("t", 0, topic_id(1), CONFIG), 1)
        assert disk.exists("/a/t-0/partition.metadata")
        await watch.manager.close()
    async with running(inline=True, clock=clock) as runtime:
        manager = await open_manager(runtime, "/a", "/b", files=disk)
        found = manager.get("t", 0)
        assert found is not None
        assert (found.directory, found.log_end_offset) == ("/b/t-0", 10)
        assert not disk.exists("/a/t-0"), "its name is free at once"
        await until(lambda: not any(name.startswith("t-0") for name in disk.list("/a")))
        await manager.close()


async def test_a_log_that_may_be_on_a_failed_disk_is_not_made_anew_elsewhere() -> None:
    disk = simulated_disk("/a", "/b")
    async with running(inline=True, clock=ManualClock()) as runtime:
        watch = Failures(disk, await open_manager(runtime, "/a", "/b", files=disk))
        manager = watch.manager
        lost = manager.directory_id("/b")
        manager.fail_directory("/b/t-0/00000000000000000000.log", OSError(errno.EIO, "gone"))
        with pytest.raises(ApiError) as raised:
            manager.create("t", 0, topic_id(1), CONFIG, directory_id=lost)
        assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR
        # Where it is was never said: the broker died before it could tell.
        with pytest.raises(ApiError):
            manager.create("t", 1, topic_id(1), CONFIG, directory_id=UNASSIGNED_DIRECTORY, is_new=False)
        assert manager.create("u", 0, topic_id(2), CONFIG).directory == "/a/u-0"
        await manager.close()


@pytest.mark.parametrize("operation", ["rename", "append"])
async def test_failures_while_ageing_or_deleting_take_the_directory_offline(operation: str) -> None:
    disk = simulated_disk("/a", "/b")
    async with running(inline=True, clock=ManualClock()) as runtime:
        watch = Failures(disk, await open_manager(runtime, "/a", "/b", files=disk))
        manager = watch.manager
        log = manager.create("t", 0, topic_id(1), replace(CONFIG, retention_ms=0))
        fill(log)
        log.roll()
        fill(log)
        disk.faults.append(Fault("rename", errno.EIO, "/a/t-0"))
        if operation == "rename":
            manager.delete("t", 0)
        else:
            await manager.apply_retention(NOW_MS + 10_000)
        assert watch.failed == ["/a"]
        assert manager.get("t", 0) is None
        await manager.close()


async def test_a_directory_that_fails_at_the_stop_gets_no_clean_mark() -> None:
    disk = simulated_disk("/a", "/b")
    async with running(inline=True, clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, "/a", "/b", files=disk)
        for partition in range(4):
            fill(manager.create("t", partition, topic_id(1), CONFIG))
        disk.faults.append(Fault("sync", errno.EIO, "/a/t-"))
        await manager.close()
        assert not disk.exists("/a/.kafka_cleanshutdown")
        assert disk.exists("/b/.kafka_cleanshutdown")
        assert not disk.locks


async def test_failures_elsewhere_are_not_ours() -> None:
    disk = simulated_disk("/a")
    async with running(inline=True, clock=ManualClock()) as runtime:
        watch = Failures(disk, await open_manager(runtime, "/a", files=disk, metadata_directory="/metadata"))
        watch.manager.fail_directory("/metadata", OSError(errno.EIO, "raft's"))
        assert watch.failed == []
        await watch.manager.close()


async def test_without_any_directory_nothing_opens() -> None:
    disk = simulated_disk("/a")
    async with running(inline=True, clock=ManualClock()) as runtime:
        directories = open_data_directories(disk, runtime.random, log_directories=["/a"], node_id=1)
        directories.logs[0].go_offline(OSError(errno.EIO, "gone"))
        manager = LogManager(disk, runtime, directories.logs, config_for=lambda _: CONFIG)
        with pytest.raises(DataDirectoryError, match="no log directory works"):
            await manager.open_all()
