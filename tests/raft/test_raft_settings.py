"""Options become settings; a quorum that is configured, not formatted."""

import asyncio
import random

import pytest
from raft_harness import QUIET, RecordingListener, SettableClock
from simulated_disk import SimulatedDisk

from snakka.options.option import declare
from snakka.options.option_set import ConfigSource, Layer, OptionSet
from snakka.raft import options as raft_options
from snakka.raft.driver import RaftDriver
from snakka.raft.format import local_voter
from snakka.raft.settings import RaftSettings, static_voters
from snakka.raft.state.voters import Endpoint, VoterSet
from snakka.runtime import InlineOffload, Runtime
from snakka.storage.meta_properties import DataDirectoryError

DIRECTORY_ID = bytes([5]) * 16


def option_set(**texts: str) -> OptionSet:
    declared = declare(raft_options.OPTIONS)
    named = {name.replace("_", "."): text for name, text in texts.items()}
    return OptionSet(declared, [Layer(ConfigSource.STATIC_BROKER_CONFIG, named)])


def test_defaults_are_those_of_the_options():
    assert RaftSettings.from_options(option_set()) == RaftSettings()


def test_options_have_their_effect():
    settings = RaftSettings.from_options(
        option_set(
            metadata_log_segment_bytes="9000000",
            metadata_log_segment_ms="7",
            metadata_max_retention_bytes="8",
            metadata_max_retention_ms="9",
            metadata_max_idle_interval_ms="0",
            metadata_log_max_snapshot_interval_ms="11",
            metadata_log_max_record_bytes_between_snapshots="12",
        )
    )
    assert (settings.segment_bytes, settings.segment_ms) == (9_000_000, 7)
    assert (settings.retention_bytes, settings.retention_ms) == (8, 9)
    assert (settings.idle_interval_ms, settings.snapshot_after_ms, settings.snapshot_after_bytes) == (
        0,
        11,
        12,
    )
    config = settings.log_config()
    assert (config.segment_bytes, config.segment_ms) == (9_000_000, 7)
    assert (config.retention_bytes, config.retention_ms) == (-1, -1), "only snapshots let segments go"


def test_configured_voters():
    voters = static_voters(["2@[::1]:9094", "1@controller:9093"], "CONTROLLER")
    assert voters.ids == (1, 2)
    assert voters.voters[0].endpoints == (Endpoint("CONTROLLER", "controller", 9093),)
    assert voters.voters[1].endpoints == (Endpoint("CONTROLLER", "::1", 9094),)


async def started(disk: SimulatedDisk, voters: VoterSet | None) -> tuple[RaftDriver, RecordingListener]:
    loop = asyncio.get_running_loop()
    runtime = Runtime(loop, clock=SettableClock(), chance=random.Random(1), offload=InlineOffload(loop))
    disk.make_directory("/data")
    local = local_voter(1, DIRECTORY_ID, [Endpoint("CONTROLLER", "controller", 9093)])
    driver = RaftDriver(
        runtime,
        disk,
        "/data",
        cluster_id="a cluster",
        local=local,
        settings=QUIET,
        on_fatal=lambda error: None,
        static_voters=voters,
    )
    listener = RecordingListener()
    driver.register(listener)
    await driver.start()
    return driver, listener


async def test_one_configured_voter_leads_without_voters_in_the_log():
    disk = SimulatedDisk()
    voters = static_voters(["1@controller:9093"], "CONTROLLER")
    for epoch in (1, 2):
        driver, listener = await started(disk, voters)
        assert (driver.epoch, driver.kraft_version) == (epoch, 0)
        assert driver.high_watermark == epoch, "one leader change each time, and nothing else"
        assert listener.snapshots == []
        await driver.close()
    assert disk.read("/data/__cluster_metadata-0/quorum-state").endswith(
        b'"currentVoters":[{"voterId":1}],"data_version":0}'
    )


async def test_three_configured_voters_are_more_than_can_be_served():
    voters = static_voters([f"{number}@controller:909{number}" for number in (1, 2, 3)], "CONTROLLER")
    with pytest.raises(DataDirectoryError, match="3 voters"):
        await started(SimulatedDisk(), voters)


async def test_no_voters_at_all():
    with pytest.raises(DataDirectoryError, match="names no voters"):
        await started(SimulatedDisk(), None)


async def test_voters_that_this_node_is_not_among():
    with pytest.raises(DataDirectoryError, match="node 1 with this directory is not one of them"):
        await started(SimulatedDisk(), static_voters(["7@controller:9093"], "CONTROLLER"))
