"""The broker's side: a real process beside running appends, logs that change meanwhile, and crashes at every step."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compaction_harness import CONFIG, RETENTION_MS, Harness, materialized

from snakka.runtime import InlineOffload, ThreadOffload
from snakka.storage.compactor import CleanerSettings, Compactor
from snakka.storage.files import OsFiles
from snakka.storage.swap_files import prepare_swap

KEYS = 8


def fill(harness: Harness, turns: int = 3) -> dict[bytes, bytes]:
    """Several segments with every key in each turn; the table that they stand for."""
    for turn in range(turns):
        for key in range(KEYS):
            harness.append(
                [(b"key %d" % key, b"value %d" % turn * 5), (b"gone %d" % key, None if turn else b"x")]
            )
    harness.log.roll()
    return materialized(list(harness.written.values()))


def traces(harness: Harness) -> list[str]:
    """What a cleaning must not leave behind."""
    return [
        name
        for name in harness.files.list(harness.directory)
        if name.startswith("cleaner-") or name.endswith((".cleaned", ".swap"))
    ]


async def cleaning_began(harness: Harness) -> None:
    for _ in range(2000):
        if "cleaner-job" in harness.files.list(harness.directory):
            return
        await asyncio.sleep(0.005)
    raise TimeoutError


class Interrupting(InlineOffload):
    """Runs work at once, and something else after the process, or after the swap was prepared."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.after_process: Callable[[], object] = lambda: None
        self.after_preparation: Callable[[], object] = lambda: None
        self.failure: OSError | None = None
        self.processes = 0

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> asyncio.Future[Any]:
        future = super().run(function, *args, **kwargs)
        if function is prepare_swap:
            self.after_preparation()
        return future

    async def run_module(self, module: str, *arguments: str, deadline_seconds: float) -> None:
        self.processes += 1
        if self.failure is not None:
            raise self.failure
        await super().run_module(module, *arguments, deadline_seconds=deadline_seconds)
        self.after_process()


@pytest.fixture
async def offload() -> Interrupting:
    return Interrupting(asyncio.get_running_loop())


async def test_appends_go_on_while_a_process_cleans(tmp_path: Path) -> None:
    """The process is made slow by its own limit, so that it is still at work while the log grows and rolls."""
    harness = Harness(
        tmp_path,
        offload=ThreadOffload(asyncio.get_running_loop(), 1),
        settings=CleanerSettings(max_bytes_per_second=20_000.0),
    )
    fill(harness, turns=4)
    cleaning = asyncio.get_running_loop().create_task(harness.compactor.clean_dirtiest())
    appended = 0
    while not cleaning.done():
        harness.append([(b"key 0", b"while cleaning %d" % appended)])
        appended += 1
        await asyncio.sleep(0.005)
    assert await cleaning
    assert appended > 20, "appends did not wait"
    assert harness.compactor.cleanings == 1
    assert 0 < harness.compactor.bytes_after < harness.compactor.bytes_before
    assert harness.view() == materialized(list(harness.written.values()))
    assert harness.log.log_end_offset == len(harness.written)
    assert not traces(harness)
    assert all(path.endswith(".deleted") for path in harness.removed_later)
    await harness.runtime.close()


async def test_an_abort_ends_the_process_and_leaves_nothing(tmp_path: Path) -> None:
    harness = Harness(
        tmp_path,
        offload=ThreadOffload(asyncio.get_running_loop(), 1),
        settings=CleanerSettings(max_bytes_per_second=10.0),
    )
    fill(harness)
    before = harness.stored()
    cleaning = asyncio.get_running_loop().create_task(harness.compactor.clean_dirtiest())
    await cleaning_began(harness)
    async with asyncio.timeout(10):
        await harness.compactor.abort(harness.log)
        await cleaning
    assert harness.stored() == before
    assert not traces(harness)
    assert harness.compactor.cleanings == 0
    assert harness.clean_end == 0
    await harness.compactor.abort(harness.log)  # nothing is under way: nothing to wait for
    await harness.runtime.close()


async def test_stopping_the_broker_ends_the_process(tmp_path: Path) -> None:
    harness = Harness(
        tmp_path,
        offload=ThreadOffload(asyncio.get_running_loop(), 1),
        settings=CleanerSettings(max_bytes_per_second=10.0),
    )
    fill(harness)
    before = harness.stored()
    harness.runtime.supervisor.spawn("compaction", harness.compactor.run())
    await cleaning_began(harness)
    async with asyncio.timeout(10):
        await harness.runtime.close()
    assert harness.stored() == before
    assert not traces(harness)


def changed(harness: Harness) -> dict[str, Callable[[], object]]:
    """Ways in which a log changes under a cleaning, by name."""

    def truncate_and_grow() -> None:
        end = harness.log.log_end_offset
        harness.log.truncate_to(4)
        while harness.log.log_end_offset < end:
            harness.append([(b"other", b"history")])

    def leave() -> None:
        harness.is_hosted = False

    def shorten() -> None:
        harness.log.delete_segments_before(harness.log.segments[2].base_offset)

    return {
        "truncated": lambda: harness.log.truncate_to(4),
        "truncated and grown": truncate_and_grow,
        "emptied": lambda: harness.log.truncate_fully_and_start_at(100),
        "deleted": leave,
        "shortened by retention": shorten,
    }


@pytest.mark.parametrize("moment", ["after_process", "after_preparation"])
@pytest.mark.parametrize(
    "change", ["truncated", "truncated and grown", "emptied", "deleted", "shortened by retention"]
)
async def test_a_log_that_changed_meanwhile_is_left_as_it_is(
    tmp_path: Path, offload: Interrupting, change: str, moment: str
) -> None:
    harness = Harness(tmp_path, offload=offload)
    fill(harness)
    left: list[object] = []

    def interrupt() -> None:
        if not left:
            changed(harness)[change]()
            left.extend(harness.batches())

    setattr(offload, moment, interrupt)
    await harness.compactor.clean_dirtiest()
    assert harness.batches() == left
    assert harness.compactor.cleanings == 0
    assert harness.clean_end == 0
    assert not traces(harness)
    assert not harness.failures
    harness.crash_and_reopen()
    assert harness.batches() == left
    # And the next time nothing stands in the way.
    harness.is_hosted = True
    offload.after_process = offload.after_preparation = lambda: None
    for _ in range(3):
        harness.append([(b"last", b"one")])
    await harness.clean()
    assert harness.compactor.cleanings == 1


async def test_a_roll_meanwhile_is_no_obstacle(tmp_path: Path, offload: Interrupting) -> None:
    harness = Harness(tmp_path, offload=offload)
    fill(harness)

    def grow() -> None:
        for number in range(20):
            harness.append([(b"new", b"%d" % number * 20)])
            harness.log.roll()

    offload.after_process = grow
    await harness.compactor.clean_dirtiest()
    assert harness.compactor.cleanings == 1
    assert harness.view() == materialized(list(harness.written.values()))


async def test_readers_of_the_old_segments_finish(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    fill(harness)
    read = harness.log.read(0, 400, upper_bound=harness.log.log_end_offset, min_one_message=True)
    assert not isinstance(read.records, bytes)
    before = read.records.read_blocking(0, read.bytes)
    await harness.compactor.clean_dirtiest()
    for path in harness.removed_later:
        harness.files.remove(path)
    assert read.records.read_blocking(0, read.bytes) == before


class CrashError(BaseException):
    """The machine stops here."""


class CrashingFiles(OsFiles):
    """Stops for good at the n-th change of the directory."""

    def __init__(self, root: str, steps: int) -> None:
        super().__init__([root])
        self.steps = steps
        self.is_armed = False

    def _step(self) -> None:
        if self.is_armed:
            self.steps -= 1
            if self.steps < 0:
                raise CrashError

    def rename(self, source: str, target: str) -> None:
        self._step()
        super().rename(source, target)

    def remove(self, path: str) -> None:
        self._step()
        super().remove(path)

    def sync_file(self, path: str) -> None:
        self._step()
        super().sync_file(path)

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self._step()
        super().replace(path, data, sync=sync)


async def test_a_crash_between_any_two_renames_loses_nothing(tmp_path: Path) -> None:
    steps = 0
    while True:
        root = tmp_path / str(steps)
        files = CrashingFiles(str(root), steps)
        harness = Harness(root, files=files)
        harness.append([(b"aborted", b"1")], producer_id=4, in_transaction=True)
        harness.end_transaction(4, committed=False)
        expected = fill(harness, turns=2)
        expected.pop(b"aborted")
        files.is_armed = True
        try:
            await harness.compactor.clean_dirtiest()
        except CrashError:
            crashed = True
        else:
            crashed = False
        harness.files = OsFiles([str(root)])
        harness.crash_and_reopen()
        assert not traces(harness) or set(traces(harness)) <= {"cleaner-job", "cleaner-result"}
        assert harness.view() == expected
        assert all(record == harness.written[record.offset] for record in harness.records())
        assert harness.log.log_end_offset == 2 + 2 * 2 * KEYS
        assert harness.log.producers.entries[4].last_sequence == 0
        if not crashed:
            break
        steps += 1
    assert steps > 20


async def test_a_process_that_fails_is_tried_again_later(tmp_path: Path, offload: Interrupting) -> None:
    harness = Harness(tmp_path, offload=offload)
    fill(harness)
    before = harness.stored()
    offload.failure = OSError("it was killed")
    assert await harness.compactor.clean_dirtiest()
    assert harness.stored() == before
    assert not await harness.compactor.clean_dirtiest(), "not at once"
    offload.failure = None
    harness.clock.ms += 10 * 60 * 1000
    assert await harness.compactor.clean_dirtiest()
    assert offload.processes == 2
    assert harness.compactor.cleanings == 1
    assert harness.compactor.uncleanable == {}


async def test_the_checkpoint_is_kafkas_and_is_read_back(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    fill(harness)
    await harness.compactor.run()
    end = harness.log.log_end_offset
    text = harness.files.read(str(tmp_path / "cleaner-offset-checkpoint")).decode()
    assert text == f"0\n1\ntopic 0 {end}\n"
    harness.checkpoints.load(str(tmp_path))
    assert harness.clean_end == end
    assert not await harness.compactor.clean_dirtiest(), "nothing is dirty"


async def test_a_checkpoint_beyond_the_log_is_reset(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    fill(harness)
    harness.checkpoints.record(str(tmp_path), ("topic", 0), 10**9)
    await harness.compactor.clean_dirtiest()
    assert harness.clean_end == harness.log.log_end_offset


async def test_checkpoints_follow_truncation_and_deletion(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    fill(harness)
    await harness.compactor.clean_dirtiest()
    checkpoints = harness.checkpoints
    checkpoints.lower(str(tmp_path), ("topic", 0), 5)
    assert harness.clean_end == 5
    checkpoints.lower(str(tmp_path), ("topic", 0), 7)
    assert harness.clean_end == 5
    checkpoints.forget(str(tmp_path), ("topic", 0))
    assert checkpoints.offset(str(tmp_path), ("topic", 0)) is None
    assert checkpoints.take_changes() == {str(tmp_path): {}}
    assert checkpoints.take_changes() == {}


async def test_the_dirtiest_log_comes_first(tmp_path: Path, offload: Interrupting) -> None:
    clean, dirty = Harness(tmp_path / "clean", offload=offload), Harness(tmp_path / "dirty", offload=offload)
    for harness in (clean, dirty):
        fill(harness)
    await clean.compactor.clean_dirtiest()
    fill(clean, turns=1)
    dirty.log.topic = "other"
    compactor = Compactor(
        clean.files,
        clean.runtime,
        logs=lambda: clean.hosted() + dirty.hosted(),
        settings=lambda: clean.settings,
        checkpoints=clean.checkpoints,
        write_recovery_points=clean.write_recovery_points,
        remove_later=lambda paths, delay_ms: None,
        failed=lambda path, error: None,
    )
    assert await compactor.clean_dirtiest()
    assert compactor.max_dirty_ratio == 1.0
    assert clean.checkpoints.offset(str(tmp_path / "dirty"), ("other", 0)) == dirty.log.log_end_offset
    await compactor.run()
    assert clean.clean_end == clean.log.log_end_offset


async def test_logs_that_are_not_compacted_or_not_dirty_enough_wait(
    tmp_path: Path, offload: Interrupting
) -> None:
    harness = Harness(tmp_path, offload=offload, settings=CleanerSettings(enabled=False))
    fill(harness)
    await harness.compactor.run()
    assert offload.processes == 0, "the cleaner is switched off"
    harness.settings = CleanerSettings()
    harness.log.config = CONFIG.with_overrides({"cleanup.policy": "delete"})
    await harness.compactor.run()
    assert offload.processes == 0
    harness.log.config = CONFIG.with_overrides({"min.compaction.lag.ms": str(RETENTION_MS)})
    await harness.compactor.run()
    assert offload.processes == 0, "the records are too young"
    harness.clock.ms += RETENTION_MS + 10
    await harness.compactor.run()
    assert offload.processes == 1


async def test_strange_batches_are_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    harness = Harness(tmp_path)
    fill(harness)
    harness.damage(0, 80, 0xEE)
    with caplog.at_level(logging.WARNING):
        await harness.compactor.clean_dirtiest()
    assert "cannot be understood" in caplog.text
    assert harness.compactor.cleanings == 1


def test_a_process_without_a_job_fails() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "snakka.storage.cleaner", "/does/not/exist"],
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode != 0


async def test_only_what_is_on_the_disk_is_cleaned(tmp_path: Path, offload: Interrupting) -> None:
    """Otherwise a record could give way to a newer one that a power cut takes: then both are gone."""
    harness = Harness(tmp_path, offload=offload)
    harness.syncs_by_itself = False
    fill(harness)
    assert not await harness.compactor.clean_dirtiest()
    harness.sync()
    synced = harness.log.recovery_point
    fill(harness, turns=1)
    assert await harness.compactor.clean_dirtiest()
    assert harness.clean_end <= synced
    assert harness.written_recovery_points == [synced], "recovery must know where nothing is missing"
