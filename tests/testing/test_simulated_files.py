"""The disk in memory loses what a disk would lose, and nothing else."""

import errno
import random

import pytest

from snakka.storage.files import LockedElsewhere, StorageFailure
from snakka.testing.simulated_files import SECTOR_BYTES, Fault, ProgramDied, SimulatedFiles


def test_synced_bytes_under_a_synced_name_survive() -> None:
    for seed in range(50):
        files = SimulatedFiles()
        files.make_directory("/data")
        files.sync_directory("/")
        file = files.open("/data/log", create=True)
        file.append(b"a" * 700)
        file.sync()
        files.sync_directory("/data")
        file.append(b"b" * 2000)
        files.crash(random.Random(seed))
        data = files.read("/data/log")
        assert data[:700] == b"a" * 700
        assert set(data[700:]) <= {0, ord("b")}


def test_unsynced_bytes_are_lost_kept_or_torn_by_sectors() -> None:
    outcomes = set()
    for seed in range(60):
        files = SimulatedFiles()
        files.open("/log", create=True).append(b"x" * (3 * SECTOR_BYTES))
        files.sync_directory("/")
        files.crash(random.Random(seed))
        data = files.read("/log")
        outcomes.add(len(data))
        for start in range(0, len(data) - len(data) % SECTOR_BYTES, SECTOR_BYTES):
            assert len(set(data[start : start + SECTOR_BYTES])) == 1
    assert {0, 3 * SECTOR_BYTES} < outcomes


def test_names_that_were_not_synced_come_and_go_in_order() -> None:
    seen = set()
    for seed in range(60):
        files = SimulatedFiles()
        for name in ("a", "b", "c"):
            files.open("/" + name, create=True)
        files.rename("/c", "/d")
        files.crash(random.Random(seed))
        seen.add(tuple(files.list("/")))
    assert seen == {(), ("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "d")}


def test_a_directory_that_was_not_synced_takes_its_files_along() -> None:
    gone = [seed for seed in range(20) if _topic_is_gone(seed)]
    assert 0 < len(gone) < 20


def _topic_is_gone(seed: int) -> bool:
    files = SimulatedFiles()
    files.make_directory("/data/topic-0")
    files.open("/data/topic-0/log", create=True).sync()
    files.sync_directory("/data/topic-0")
    files.crash(random.Random(seed))
    assert files.exists("/data/topic-0/log") == files.is_directory("/data/topic-0")
    return not files.exists("/data/topic-0")


def test_faults_hit_once_and_where_they_should() -> None:
    files = SimulatedFiles(("/data",))
    files.make_directory("/data")
    file = files.open("/data/log", create=True)
    files.faults = [Fault("append", errno.ENOSPC, skip=1), Fault("sync", path_contains="other")]
    file.append(b"1")
    with pytest.raises(StorageFailure) as caught:
        file.append(b"2")
    assert (caught.value.errno, caught.value.directory) == (errno.ENOSPC, "/data")
    file.append(b"3")
    file.sync()
    assert files.read("/data/log") == b"13"
    assert [fault.operation for fault in files.faults] == ["sync"]


def test_a_full_disk() -> None:
    files = SimulatedFiles(capacity_bytes=10)
    file = files.open("/log", create=True)
    file.append(b"12345678")
    with pytest.raises(StorageFailure) as caught:
        file.append(b"90!")
    assert caught.value.errno == errno.ENOSPC
    assert files.disk_space("/") == (10, 2)


def test_files_opened_before_a_crash_are_dead_and_locks_are_free() -> None:
    files = SimulatedFiles()
    file = files.open("/log", create=True)
    files.lock("/.lock")
    with pytest.raises(LockedElsewhere):
        files.lock("/.lock")
    files.crash(random.Random(1))
    with pytest.raises(RuntimeError):
        file.append(b"x")
    files.lock("/.lock").release()
    files.lock("/.lock")


def test_a_cold_disk_makes_regions_block() -> None:
    files = SimulatedFiles()
    file = files.open("/log", create=True)
    file.append(b"12345")
    region = file.region(1, 4)
    buffer = bytearray(10)
    assert region.read_into(0, memoryview(buffer)) == 3
    assert buffer[:3] == b"234"
    files.cold = True
    assert region.read_into(0, memoryview(buffer)) is None
    assert region.read_blocking(1, 1) == b"3"


def test_a_file_made_again_never_mixes_with_the_one_before_it() -> None:
    outcomes = set()
    for seed in range(60):
        files = SimulatedFiles()
        old = files.open("/log", create=True)
        old.append(b"old")
        old.sync()
        files.sync_directory("/")
        files.remove("/log")
        new = files.open("/log", create=True)
        new.append(b"new one")
        new.sync()
        assert old.pread(0, 10) == b"old", "who has it open still reads the removed file"
        files.crash(random.Random(seed))
        outcomes.add(files.read("/log") if files.exists("/log") else None)
    assert outcomes == {b"old", None, b"new one"}


def test_a_renamed_directory_takes_its_files_along_and_leaves_its_name_free() -> None:
    outcomes = set()
    for seed in range(60):
        files = SimulatedFiles()
        files.make_directory("/data/topic-0")
        files.sync_directory("/")
        files.sync_directory("/data")
        files.open("/data/topic-0/old", create=True)
        files.sync_directory("/data/topic-0")
        files.rename("/data/topic-0", "/data/topic-0.x-delete")
        files.make_directory("/data/topic-0")
        files.open("/data/topic-0/new", create=True)
        files.sync_directory("/data/topic-0")
        files.crash(random.Random(seed))
        outcomes.add(tuple((name, tuple(files.list(f"/data/{name}"))) for name in files.list("/data")))
    assert outcomes == {
        (("topic-0", ("old",)),),
        (("topic-0.x-delete", ("old",)),),
        (("topic-0", ("new",)), ("topic-0.x-delete", ("old",))),
    }


def test_times_of_change_follow_the_file() -> None:
    files = SimulatedFiles()
    files.now_ms = 1_000
    file = files.open("/a", create=True)
    files.now_ms = 2_000
    file.append(b"x")
    files.now_ms = 3_000
    files.rename("/a", "/b")
    assert files.modified_ms("/b") == 2_000
    file.sync()
    files.sync_directory("/")
    files.crash(random.Random(1))
    assert files.modified_ms("/b") == 2_000


def test_what_a_failed_append_leaves_behind_is_overwritten_by_the_next() -> None:
    files = SimulatedFiles()
    file = files.open("/log", create=True)
    file.append(b"12")
    files.faults = [Fault("append", errno.ENOSPC, leaves_bytes=3)]
    with pytest.raises(StorageFailure):
        file.append(b"abcdef")
    assert (file.size, files.sizes("/")) == (2, {"log": 5})
    assert file.pread(0, 10) == b"12"
    file.append(b"345")
    assert files.read("/log") == b"12345"


def test_a_program_dies_at_one_of_its_own_changes_and_does_nothing_afterwards() -> None:
    files = SimulatedFiles()
    file = files.open("/log", create=True)
    files.lock("/.lock")

    def die(operation: str, path: str) -> None:
        files.detach()
        raise ProgramDied(written_share=0.5)

    files.on_change = die
    with pytest.raises(ProgramDied):
        file.append(b"1234")
    for attempt in (lambda: files.remove("/log"), lambda: files.rename("/log", "/x"), file.sync):
        with pytest.raises(ProgramDied):
            attempt()
    successor = SimulatedFiles(disk=files.disk)
    assert successor.read("/log") == b"12", "what it had written is there: the power was not cut"
    successor.lock("/.lock")
