"""Power loss at every sync of a node's life: what was committed is there again, once, and epochs only grow."""

import asyncio
import contextlib
import random
from dataclasses import dataclass, field

import pytest
from raft_harness import running_node, topics
from simulated_disk import PowerLoss, SimulatedDisk

from snakka.protocol.errors import ApiError
from snakka.raft import driver as driver_module
from snakka.raft.settings import RaftSettings
from snakka.storage.meta_properties import DataDirectoryError

DIRECTORY = "/data"
SETTINGS = RaftSettings(
    idle_interval_ms=0, segment_bytes=1500, retention_bytes=3000, retention_ms=-1, file_delete_delay_ms=0
)


@dataclass
class Witness:
    """What somebody outside was told before the power went."""

    committed: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)
    epoch: int = 0


async def life_of_a_node(disk: SimulatedDisk, witness: Witness) -> None:
    """Format, two starts, appends over several segments, snapshots and clean-up."""
    for start in range(2):
        async with running_node(disk, DIRECTORY, settings=SETTINGS) as node:
            witness.epoch = node.driver.epoch
            for number in range(8):
                name = f"{start}-{number}-" + "x" * 200
                witness.appended.append(name)
                await node.create(name)
                witness.committed.append(name)
                if number % 3 == 2:
                    await node.snapshot()


async def syncs_of_a_life() -> int:
    disk = SimulatedDisk()
    witness = Witness()
    await life_of_a_node(disk, witness)
    assert len(witness.committed) == 16
    return disk.syncs


@pytest.mark.parametrize("keeps_last_sync", [False, True])
async def test_power_loss_at_every_sync(keeps_last_sync):
    total = await syncs_of_a_life()
    assert total > 40
    for dies_at in range(total):
        disk = SimulatedDisk(dies_at_sync=dies_at, keeps_last_sync=keeps_last_sync)
        witness = Witness()
        with pytest.raises((PowerLoss, DataDirectoryError)):
            await life_of_a_node(disk, witness)
        for luck in (None, random.Random(dies_at), random.Random(-dies_at)):
            async with running_node(disk.after_power_loss(luck), DIRECTORY, settings=SETTINGS) as node:
                names = node.listener.names
                assert names == witness.appended[: len(names)], f"died at {dies_at}"
                assert len(names) >= len(witness.committed), f"died at {dies_at}: a committed record is lost"
                assert node.driver.epoch > witness.epoch, f"died at {dies_at}"
                await node.create("after")
                assert node.listener.names[-1] == "after"


async def test_a_node_that_dies_again_while_it_recovers():
    witness = Witness()
    disk = SimulatedDisk(dies_at_sync=await syncs_of_a_life() - 5)
    with pytest.raises(PowerLoss):
        await life_of_a_node(disk, witness)
    for dies_at in range(20):
        survivor = disk.after_power_loss()
        survivor.dies_at_sync = dies_at
        died = False
        try:
            async with running_node(survivor, DIRECTORY, settings=SETTINGS):
                pass
        except PowerLoss:
            died = True
        async with running_node(survivor.after_power_loss(), DIRECTORY, settings=SETTINGS) as node:
            assert len(node.listener.names) >= len(witness.committed)
        if not died:
            break
    assert not died, "the loop has not covered the whole recovery"


async def test_a_failed_sync_commits_nothing_and_is_never_tried_again():
    disk = SimulatedDisk()
    async with running_node(disk, DIRECTORY) as node:
        await node.create("a")
        disk.dies_at_sync = disk.syncs
        one = node.driver.append([*node.listener.batches[-1].records])
        two = node.driver.append([*node.listener.batches[-1].records])
        with pytest.raises(PowerLoss):
            await asyncio.wait_for(one.committed, 5)
        with pytest.raises(PowerLoss):
            await asyncio.wait_for(two.committed, 5)
        assert node.listener.names == ["a"]
        assert node.driver.high_watermark == 4
        assert [type(error) for error in node.fatal] == [PowerLoss]
        assert not node.driver.is_leader
        syncs = disk.syncs
    assert disk.syncs == syncs


async def test_a_failed_write_ends_the_node():
    disk = SimulatedDisk()
    async with running_node(disk, DIRECTORY) as node:
        await node.create("a")
        disk.cut_power()
        with pytest.raises(PowerLoss):
            node.driver.append([*node.listener.batches[-1].records])
        assert [type(error) for error in node.fatal] == [PowerLoss]
        assert node.driver.log_end_offset == 4


async def test_a_disk_that_fails_an_idle_leader_is_told_once(caplog):
    disk = SimulatedDisk()
    async with running_node(disk, DIRECTORY, settings=RaftSettings(idle_interval_ms=5)) as node:
        disk.cut_power()
        await asyncio.wait_for(node.failed.wait(), 10)
        await asyncio.sleep(0.02)  # a task that failed would have said so by now
        assert [type(error) for error in node.fatal] == [PowerLoss]
    assert not caplog.records, "who is told of the failure says so; the task that met it does not"


async def test_a_disk_that_fails_while_a_listener_appends():
    disk = SimulatedDisk()
    async with running_node(disk, DIRECTORY) as node:
        records = topics("b")

        def append_in_vain(_batch) -> None:
            disk.cut_power()
            with contextlib.suppress(PowerLoss):
                node.driver.append(records)

        node.listener.handle_commit = append_in_vain
        with pytest.raises(PowerLoss):
            await asyncio.wait_for(node.create("a"), 5)
        assert [type(error) for error in node.fatal] == [PowerLoss]


async def test_a_sync_that_never_ends_does_not_keep_the_node_from_closing(monkeypatch):
    monkeypatch.setattr(driver_module, "_CLOSE_SECONDS", 0.01)
    disk = SimulatedDisk()
    async with running_node(disk, DIRECTORY) as node:
        hanging = asyncio.get_running_loop().create_future()
        monkeypatch.setattr(node.runtime.offload, "run", lambda *_: hanging)
        appended = node.driver.append(topics("a"))
        await asyncio.sleep(0)
        monkeypatch.undo()
        monkeypatch.setattr(driver_module, "_CLOSE_SECONDS", 0.01)
        await node.driver.close()
        with pytest.raises(ApiError, match="NOT_CONTROLLER"):
            await appended.committed
        hanging.set_result(None)
        await asyncio.sleep(0)
    assert node.fatal == []


async def test_a_snapshot_that_cannot_be_written_ends_the_node():
    disk = SimulatedDisk()
    async with running_node(disk, DIRECTORY) as node:
        await node.create("a")
        disk.cut_power()
        with pytest.raises(PowerLoss):
            await node.snapshot()
        assert [type(error) for error in node.fatal] == [PowerLoss]
    async with running_node(disk.after_power_loss(), DIRECTORY) as node:
        assert node.listener.names == ["a"]


async def test_the_election_is_on_disk_before_the_first_record_of_its_epoch():
    disk = SimulatedDisk()
    seen = []

    def watch() -> None:
        state = "/data/__cluster_metadata-0/quorum-state"
        log = "/data/__cluster_metadata-0/00000000000000000000.log"
        survivor = disk.after_power_loss()
        seen.append((survivor.exists(state), bool(disk.exists(log) and disk.read(log))))

    disk.before_sync = watch
    async with running_node(disk, DIRECTORY):
        pass
    first_record = [has_record for _, has_record in seen].index(True)
    assert seen[first_record][0], "a record was written in an epoch that could be forgotten"
