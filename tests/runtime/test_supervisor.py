"""Tasks have owners: failures are seen, periodic work goes on, close ends everything."""

import asyncio

import pytest

from snakka.runtime import InlineOffload, Supervisor, SystemClock, ThreadOffload


async def test_periodic_work_survives_its_failures() -> None:
    supervisor = Supervisor(SystemClock())
    turns = asyncio.Queue()

    def work() -> None:
        turns.put_nowait(1)
        raise RuntimeError("broken once more")

    supervisor.every("sweep", lambda: 0.001, work)
    for _ in range(3):
        await asyncio.wait_for(turns.get(), 5)
    await supervisor.close()
    report = supervisor.reports["sweep"]
    assert report.failures >= 2
    assert report.last_error == "RuntimeError: broken once more"


async def test_a_fatal_failure_reaches_the_owner() -> None:
    told = asyncio.get_running_loop().create_future()
    supervisor = Supervisor(SystemClock(), on_fatal=lambda name, error: told.set_result((name, error)))

    async def fail() -> None:
        raise ValueError("no way on")

    supervisor.spawn("raft", fail(), fatal=True)
    name, error = await asyncio.wait_for(told, 5)
    assert (name, str(error)) == ("raft", "no way on")


async def test_close_ends_what_still_runs() -> None:
    supervisor = Supervisor(SystemClock())
    task = supervisor.spawn("sleeper", asyncio.sleep(3600))
    await supervisor.close()
    assert task.cancelled()


@pytest.mark.parametrize("make", [InlineOffload, ThreadOffload])
async def test_offload_gives_results_and_failures(make) -> None:
    offload = make(asyncio.get_running_loop())
    assert await offload.run(sum, [1, 2, 3]) == 6
    with pytest.raises(ZeroDivisionError):
        await offload.run(lambda: 1 // 0)
    offload.close()


async def test_a_module_runs_in_a_process_and_its_failure_is_an_os_error() -> None:
    offload = ThreadOffload(asyncio.get_running_loop())
    await offload.run_module("calendar", "2026", "1", deadline_seconds=30)
    with pytest.raises(OSError, match="ended with code"):
        await offload.run_module("snakka.no_such_module", deadline_seconds=30)
    offload.close()
