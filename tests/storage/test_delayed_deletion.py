"""Files and directories go after their delay, in order, and a failure is told with its path."""

from __future__ import annotations

import errno
from pathlib import Path

from manager_workshop import running, simulated_disk, until

from snakka.storage.delayed_deletion import DelayedDeletion
from snakka.storage.files import OsFiles
from snakka.testing.simulated_files import Fault


def unexpected(path: str, error: OSError) -> None:
    raise AssertionError((path, error))


async def test_paths_go_after_their_delay(tmp_path: Path) -> None:
    for name in ("late", "soon", "tree-0.x-delete/inner"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    async with running() as runtime:
        deletion = DelayedDeletion(OsFiles(), runtime, unexpected)
        deletion.schedule([str(tmp_path / "late")], 60_000)
        deletion.schedule([str(tmp_path / "soon"), str(tmp_path / "never there")], 20)
        deletion.schedule([str(tmp_path / "tree-0.x-delete")], 0)
        deletion.schedule([], 0)
        assert len(deletion) == 4
        await until(lambda: not (tmp_path / "tree-0.x-delete").exists())
        await until(lambda: not (tmp_path / "soon").exists())
        assert (tmp_path / "late").exists()
        assert len(deletion) == 1
        await deletion.close()
        assert (tmp_path / "late").exists()


async def test_an_earlier_deadline_overtakes(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("x")
    async with running() as runtime:
        deletion = DelayedDeletion(OsFiles(), runtime, unexpected)
        deletion.schedule([str(tmp_path / "a")], 60_000)
        deletion.schedule([str(tmp_path / "b")], 1)
        await until(lambda: not (tmp_path / "b").exists())
        assert (tmp_path / "a").exists()
        assert len(deletion) == 1
        await deletion.close()


async def test_a_failure_names_its_path_and_the_rest_goes_on() -> None:
    disk = simulated_disk("/d")
    disk.make_directory("/d")
    for name in "abc":
        disk.replace(f"/d/{name}", b"x")
    disk.faults.append(Fault("remove", errno.EIO, "/d/a"))
    failed: list[str] = []
    async with running(inline=True) as runtime:
        deletion = DelayedDeletion(disk, runtime, lambda path, _: failed.append(path))
        deletion.schedule(["/d/a", "/d/b"], 0)
        await until(lambda: failed == ["/d/a"])
        deletion.schedule(["/d/c"], 0)
        await until(lambda: not disk.exists("/d/c"))
        await deletion.close()
    assert failed == ["/d/a"]
    assert disk.exists("/d/a")


async def test_closing_forgets_what_waits(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    async with running() as runtime:
        deletion = DelayedDeletion(OsFiles(), runtime, unexpected)
        deletion.schedule([str(tmp_path / "a")], 10)
        await deletion.close()
        assert len(deletion) == 0
        (tmp_path / "b").write_text("x")
        deletion.schedule([str(tmp_path / "b")], 20)
        await until(lambda: not (tmp_path / "b").exists())
        assert (tmp_path / "a").exists()
        await deletion.close()
