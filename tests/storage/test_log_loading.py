"""Opening all logs of a start: fast after a clean stop, safe after a crash, and one bad disk spoils no other."""

from __future__ import annotations

import errno
import os
import random
import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from log_workshop import ManualClock, append, batch_of, read_all
from manager_workshop import CONFIG, open_manager, running, simulated_disk, topic_id, until

from snakka.storage.directory_checkpoints import Checkpoint
from snakka.storage.log_manager import LogManager
from snakka.storage.meta_properties import DataDirectoryError
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulated_files import Fault


async def test_a_thousand_partitions_open_fast_after_a_clean_stop(tmp_path: Path) -> None:
    path = str(tmp_path)
    async with running() as runtime:
        manager = await open_manager(runtime, path)
        for partition in range(1000):
            log = manager.create("t", partition, topic_id(1), CONFIG)
            if partition % 10 == 0:
                append(log, batch_of(10))
                log.advance_high_watermark(10)
        await manager.close()
        started = time.perf_counter()
        manager = await open_manager(runtime, path)
        elapsed = time.perf_counter() - started
        assert len(manager) == 1000
        assert sum(one.high_watermark for one in manager) == 1000
        # A third of a second alone on two cores; the bound is for a machine with others on it.
        assert elapsed < 5.0
        await manager.close(clean=False)


async def test_a_directory_that_cannot_be_read_is_offline_and_the_others_open() -> None:
    disk = simulated_disk("/a", "/b")
    async with running(inline=True, clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, "/a", "/b", files=disk)
        for partition in range(6):
            append(manager.create("t", partition, topic_id(1), CONFIG), batch_of(1))
        await manager.close(clean=False)
        disk.faults.append(Fault("read", errno.EIO, "/b/t-"))
        manager = await open_manager(runtime, "/a", "/b", files=disk)
        assert [directory.online for directory in manager.directories] == [True, False]
        assert {os.path.dirname(one.directory) for one in manager} == {"/a"}
        assert len(manager) == 3
        assert disk.locks == {"/a/.lock"}
        await manager.close()


async def test_no_start_without_a_readable_directory() -> None:
    disk = simulated_disk("/a")
    async with running(inline=True, clock=ManualClock()) as runtime:
        manager = await open_manager(runtime, "/a", files=disk)
        append(manager.create("t", 0, topic_id(1), CONFIG), batch_of(1))
        await manager.close(clean=False)
        disk.faults.append(Fault("read", errno.EIO, "/a/t-"))
        with pytest.raises(DataDirectoryError, match="no log directory works: /a"):
            await open_manager(runtime, "/a", files=disk)


@pytest.mark.parametrize("clean", [True, False])
async def test_what_was_remembered_of_an_older_partition_of_that_name_is_not_believed(
    tmp_path: Path, clean: bool
) -> None:
    """The old one was deleted, the new one made, and the broker killed before the checkpoints were written again."""
    path = str(tmp_path)
    async with running() as runtime:
        manager = await open_manager(runtime, path)
        log = manager.create("t", 0, topic_id(2), CONFIG)
        for _ in range(3):
            append(log, batch_of(10))
        await manager.close(clean=clean)
        checkpoint = tmp_path / Checkpoint.LOG_START.value
        checkpoint.write_text("0\n1\nt 0 25\n")
        an_hour_ago = time.time() - 3600
        os.utime(checkpoint, (an_hour_ago, an_hour_ago))
        manager = await open_manager(runtime, path)
        found = manager.get("t", 0)
        assert found is not None
        # After a clean stop the checkpoint is known to be of this partition, whatever the files' times say.
        assert (found.log_start_offset, found.log_end_offset) == (25 if clean else 0, 30)
        await manager.close()


async def test_a_future_log_is_kept_apart_shown_and_deleted_with_its_topic(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    async with running() as runtime:
        manager = await open_manager(runtime, *paths)
        current = manager.create("t", 0, topic_id(1), CONFIG, directory_id=manager.directory_id(paths[0]))
        moving = manager.create("x", 0, topic_id(1), CONFIG, directory_id=manager.directory_id(paths[1]))
        append(current, batch_of(10))
        append(moving, batch_of(4))
        await manager.close()
        os.rename(tmp_path / "b" / "x-0", tmp_path / "b" / "t-0.0123456789abcdef-future")
        manager = await open_manager(runtime, *paths)
        assert len(manager) == 1
        rows = [tuple(row) for directory in manager.describe() for row in directory.logs]
        assert [(topic, index, lag, future) for topic, index, _, lag, future in rows] == [
            ("t", 0, 0, False),
            ("t", 0, 6, True),
        ]
        assert manager.mark_strays(lambda one: one.topic_id != topic_id(1)) == []
        manager.delete("t", 0)
        await until(lambda: not any(entry.is_dir() for name in "ab" for entry in (tmp_path / name).iterdir()))
        await manager.close()


async def test_a_future_log_of_a_deleted_topic_is_a_stray(tmp_path: Path) -> None:
    async with running() as runtime:
        manager = await open_manager(runtime, str(tmp_path))
        append(manager.create("x", 0, topic_id(1), CONFIG), batch_of(4))
        await manager.close()
        os.rename(tmp_path / "x-0", tmp_path / "t-0.0123456789abcdef-future")
        manager = await open_manager(runtime, str(tmp_path))
        assert len(manager.mark_strays(lambda _: True)) == 1
        (left,) = (name for name in os.listdir(tmp_path) if name.startswith("t-0"))
        assert left.endswith("-stray")
        await manager.close()


class Model:
    """What a random life has put into the logs, and what of it a power cut must not take away."""

    def __init__(self) -> None:
        self.written: dict[tuple[str, int], list[int]] = {}  # base offsets of batches of three records
        self.safe: dict[tuple[str, int], set[int]] = {}
        self.starts: dict[tuple[str, int], int] = {}

    def append(self, log: PartitionLog, now_ms: int) -> None:
        info = append(log, batch_of(3, timestamp=now_ms))
        log.advance_high_watermark(log.log_end_offset)
        self.written.setdefault((log.topic, log.partition), []).append(info.first_offset)

    def synced(self, log: PartitionLog) -> None:
        key = log.topic, log.partition
        self.safe[key] = set(self.written.get(key, ()))

    def gone(self, topic: str) -> None:
        for partition in range(2):
            self.written.pop((topic, partition), None)
            self.safe.pop((topic, partition), None)

    def check(self, logs: Iterable[PartitionLog]) -> None:
        found = {(log.topic, log.partition): log for log in logs}
        for key, safe in self.safe.items():
            assert not safe or key in found
        self.written.clear()
        for key, log in found.items():
            bases = [header.base_offset for header, _ in read_all(log)]
            assert all(later > earlier for earlier, later in pairwise(bases))
            assert log.log_start_offset <= max(self.starts.get(key, 0), log.segments[0].base_offset)
            assert {base for base in self.safe.get(key, ()) if base + 3 > log.log_start_offset} <= set(bases)
            log.advance_high_watermark(log.log_end_offset)
            self.written[key] = bases


@pytest.mark.parametrize("seed", range(40))
async def test_random_lives_with_power_cuts(seed: int) -> None:
    """Whatever was synced is there after a crash, in order, and each log begins where it may."""
    chance = random.Random(seed)
    disk = simulated_disk("/a", "/b")
    clock = ManualClock()
    model = Model()
    topics = [0, 1, 2]
    async with running(inline=True, clock=clock) as runtime:
        for _ in range(4):
            manager = await open_manager(runtime, "/a", "/b", files=disk, seed=seed)
            model.check(manager)
            for _ in range(60):
                disk.now_ms = clock.ms = clock.ms + 10
                await live(manager, model, topics, chance, clock.ms)
            clean = chance.random() < 0.3
            for log in manager:
                if clean and log.log_end_offset > log.log_start_offset:
                    model.synced(log)
            await manager.close(clean=clean)
            disk.crash(chance)


async def live(
    manager: LogManager, model: Model, topics: list[int], chance: random.Random, now_ms: int
) -> None:
    """One thing that happens to a broker."""
    topic = chance.choice(topics)
    name, partition = f"t{topic}", chance.randrange(2)
    log = manager.get(name, partition) or manager.create(name, partition, topic_id(topic), CONFIG)
    action = chance.random()
    if action < 0.6:
        model.append(log, now_ms)
    elif action < 0.7:
        job = log.flush_job()
        if job is not None:
            job.run()
            job.done()
            model.synced(log)
    elif action < 0.78:
        log.roll()
    elif action < 0.86:
        await manager.checkpoint(*chance.sample(list(Checkpoint)[:3], 2))
    elif action < 0.92:
        log.advance_log_start_offset(chance.randint(log.log_start_offset, log.high_watermark))
        model.starts[name, partition] = log.log_start_offset
        manager.log_start_moved(log)
    elif action < 0.96:
        await manager.apply_retention(now_ms)
    else:
        for number in range(2):
            manager.delete(name, number)
        model.gone(name)
        # Not the same name again: the simulated disk would mix up the files of the two.
        topics[topics.index(topic)] = max(topics) + 1
