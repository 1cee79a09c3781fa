"""The driver on real files: epochs, commits, listeners, snapshots, retention."""

import asyncio
import os

import pytest
from raft_harness import QUIET, RecordingListener, SettableClock, running_node, topics

from snakka.protocol.errors import ApiError
from snakka.protocol.record_types.metadata.no_op_record import NoOpRecord
from snakka.raft.settings import RaftSettings
from snakka.raft.snapshot_files import SnapshotId
from snakka.raft.state.voters import Endpoint
from snakka.storage.files import OsFiles
from snakka.storage.meta_properties import DataDirectoryError


@pytest.fixture
def directory(tmp_path):
    return str(tmp_path / "data")


def log_files(directory, suffix):
    names = os.listdir(f"{directory}/__cluster_metadata-0")
    return sorted(name for name in names if name.endswith(suffix))


async def test_a_fresh_node_leads_epoch_one(directory):
    async with running_node(OsFiles(), directory) as node:
        driver = node.driver
        assert driver.is_leader
        assert (driver.epoch, driver.leader_id, driver.kraft_version) == (1, 1, 1)
        assert driver.high_watermark == driver.log_end_offset == 3, "leader change, kraft.version, voters"
        assert node.listener.leaders == [(1, 1)]
        assert node.listener.snapshots == [SnapshotId(0, 0)]
        (batch,) = node.listener.batches
        assert (batch.base_offset, batch.last_offset, batch.epoch, batch.records) == (0, 2, 1, [])
        names = [record.name for record in driver.read_bootstrap_records()]
        assert names[0] == "metadata.version"
        assert OsFiles().read(f"{directory}/__cluster_metadata-0/quorum-state") == (
            b'{"leaderId":1,"leaderEpoch":1,"votedId":-1,'
            b'"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
        )


async def test_a_restart_raises_the_epoch_and_keeps_the_records(directory):
    files = OsFiles()
    async with running_node(files, directory) as node:
        await node.create("a", "b")
        await node.create("c")
    async with running_node(files, directory) as node:
        assert node.driver.epoch == 2
        assert node.listener.names == ["a", "b", "c"]
        assert [batch.epoch for batch in node.listener.batches] == [1, 1, 1, 2]
        assert node.driver.high_watermark == 7, "only a leader change: the log has the voters already"
        assert node.listener.leaders == [(1, 2)]


async def test_offsets_are_known_at_once_and_the_commit_comes_later(directory):
    async with running_node(OsFiles(), directory) as node:
        one = node.driver.append(topics("a", "b"))
        two = node.driver.append(topics("c"))
        assert (one.first_offset, one.last_offset) == (3, 4)
        assert (two.first_offset, two.last_offset) == (5, 5)
        assert node.driver.log_end_offset == 6
        assert node.driver.high_watermark == 3
        assert not one.committed.done()
        assert node.listener.names == []
        await two.committed
        assert one.committed.done()
        assert node.driver.high_watermark == 6
        assert node.listener.names == ["a", "b", "c"]


async def test_appends_share_syncs(directory):
    async with running_node(OsFiles(), directory, threads=True) as node:
        jobs = []
        metadata_log = node.driver._log
        flush_job = metadata_log.flush_job
        metadata_log.flush_job = lambda: jobs.append(flush_job()) or jobs[-1]
        appended = [node.driver.append(topics(f"t{number}")) for number in range(100)]
        await asyncio.wait_for(asyncio.gather(*(one.committed for one in appended)), 10)
        assert len(jobs) == 1
        assert len(node.listener.names) == 100


async def test_a_late_listener_gets_everything(directory):
    async with running_node(OsFiles(), directory) as node:
        await node.create("a")
        late = RecordingListener()
        node.driver.register(late)
        assert late.names == ["a"]
        assert late.leaders == [(1, 1)]
        await node.create("b")
        assert late.names == node.listener.names == ["a", "b"]
        assert late.batches[-1] == node.listener.batches[-1]


async def test_leadership_is_told_when_every_listener_has_the_records(directory):
    files = OsFiles()
    async with running_node(files, directory) as node:
        await node.create("a")
    seen = []

    class Leading(RecordingListener):
        def handle_leader_change(self, leader_id, epoch):
            seen.append((list(self.names), list(others.names)))

    others = RecordingListener()
    async with running_node(files, directory, listeners=[Leading(), others]):
        assert seen == [(["a"], ["a"])]


async def test_a_listener_that_fails_ends_the_node(directory):
    async with running_node(OsFiles(), directory) as node:

        def fail(_batch):
            raise RuntimeError("cannot replay")

        node.listener.handle_commit = fail
        with pytest.raises(RuntimeError, match="cannot replay"):
            await node.create("a")
        assert [str(error) for error in node.fatal] == ["cannot replay"]
        assert not node.driver.is_leader
        with pytest.raises(ApiError, match="NOT_CONTROLLER"):
            node.driver.append(topics("b"))


async def test_what_cannot_be_appended(directory):
    async with running_node(OsFiles(), directory) as node:
        with pytest.raises(ValueError, match="nothing"):
            node.driver.append([])
        with pytest.raises(ApiError, match="RECORD_LIST_TOO_LARGE"):
            node.driver.append(topics(*("x" * 30_000 for _ in range(300))))
        assert node.driver.log_end_offset == 3
        await node.create("fits")
        driver = node.driver
    with pytest.raises(ApiError, match="NOT_CONTROLLER"):
        driver.append(topics("too late"))


async def test_close_commits_what_was_appended(directory):
    files = OsFiles()
    async with running_node(files, directory, threads=True) as node:
        appended = node.driver.append(topics("a"))
    assert appended.committed.done()
    assert appended.committed.exception() is None
    async with running_node(files, directory) as node:
        assert node.listener.names == ["a"]


async def test_an_idle_leader_writes_no_op_records(directory):
    settings = RaftSettings(idle_interval_ms=5)
    async with running_node(OsFiles(), directory, settings=settings) as node:
        seen = asyncio.Event()

        def handle_commit(batch):
            if any(isinstance(record, NoOpRecord) for record in batch.records):
                seen.set()

        node.listener.handle_commit = handle_commit
        await asyncio.wait_for(seen.wait(), 10)


async def test_describing_the_quorum(directory):
    clock = SettableClock()
    async with running_node(OsFiles(), directory, clock=clock) as node:
        await node.create("a")
        clock.ms += 5
        described = node.driver.quorum_description()
        assert (described.leader_id, described.leader_epoch, described.high_watermark) == (1, 1, 4)
        (voter,) = described.voters
        assert (voter.node_id, voter.log_end_offset) == (1, 4)
        assert voter.last_fetch_ms == voter.last_caught_up_ms == clock.ms
        assert described.observers == ()
        assert described.nodes[0].endpoints == (Endpoint("CONTROLLER", "127.0.0.1", 19393),)


async def test_a_controller_that_moved_is_found_in_the_log(directory):
    files = OsFiles()
    moved = Endpoint("CONTROLLER", "127.0.0.1", 29393)
    async with running_node(files, directory):
        pass
    async with running_node(files, directory, endpoint=moved) as node:
        assert node.driver.high_watermark == 6, "leader change, kraft.version, voters"
    async with running_node(files, directory, endpoint=moved) as node:
        assert node.driver.high_watermark == 7
        assert node.driver.quorum_description().nodes[0].endpoints == (moved,)


async def test_a_snapshot_replaces_the_log_before_it(directory):
    files = OsFiles()
    async with running_node(files, directory) as node:
        await node.create("a", "b")
        await node.snapshot()
        await node.create("c")
    assert log_files(directory, ".checkpoint") == [
        "00000000000000000000-0000000000.checkpoint",
        "00000000000000000005-0000000001.checkpoint",
    ]
    async with running_node(files, directory) as node:
        assert node.listener.snapshots == [SnapshotId(5, 1)]
        assert node.listener.names == ["a", "b", "c"]
        assert [batch.base_offset for batch in node.listener.batches] == [5, 6]
        assert node.driver.quorum_description().nodes[0].key.node_id == 1, "the snapshot has the voters too"


async def test_a_snapshot_takes_the_state_at_the_moment_of_the_call(directory):
    async with running_node(OsFiles(), directory, threads=True) as node:
        await node.create("a")
        last = node.listener.batches[-1]
        names = ["a"]
        writing = node.driver.write_snapshot(
            last.last_offset, last.epoch, 0, (record for name in names for record in topics(name))
        )
        names.append("b")
        await writing
        late = RecordingListener()
        node.driver.register(late)
        assert late.names == ["a"]


async def test_snapshots_that_cannot_be(directory):
    async with running_node(OsFiles(), directory, threads=True) as node:
        await node.create("a")
        with pytest.raises(ValueError, match="no snapshot at 5"):
            node.driver.write_snapshot(4, 1, 0, [])
        writing = node.driver.write_snapshot(3, 1, 0, topics("a"))
        with pytest.raises(RuntimeError, match="being written"):
            node.driver.write_snapshot(3, 1, 0, [])
        await writing
        await node.driver.write_snapshot(3, 1, 0, [])
        late = RecordingListener()
        node.driver.register(late)
        assert late.names == ["a"], "the one that was there stays"


async def test_when_a_snapshot_is_due(directory):
    clock = SettableClock()
    settings = RaftSettings(idle_interval_ms=0, snapshot_after_bytes=1000, snapshot_after_ms=60_000)
    async with running_node(OsFiles(), directory, settings=settings, clock=clock) as node:
        assert not node.driver.snapshot_is_due
        await node.create("x" * 1000)
        assert node.driver.snapshot_is_due
        await node.snapshot()
        assert not node.driver.snapshot_is_due
        clock.ms += 60_000
        assert not node.driver.snapshot_is_due, "there is nothing new"
        await node.create("a")
        assert node.driver.snapshot_is_due
        await node.snapshot()
        await node.create("y" * 500)
    async with running_node(OsFiles(), directory, settings=settings, clock=clock) as node:
        assert not node.driver.snapshot_is_due
        await node.create("z" * 400)
        assert node.driver.snapshot_is_due, "what came before the restart counts"


async def test_too_much_metadata_is_let_go(directory):
    files = OsFiles()
    settings = RaftSettings(
        idle_interval_ms=0, segment_bytes=2000, retention_bytes=6000, retention_ms=-1, file_delete_delay_ms=0
    )
    async with running_node(files, directory, settings=settings) as node:
        for number in range(30):
            await node.create(f"{number:03d}" + "x" * 300)
            node.listener.names = node.listener.names[-3:]
            await node.snapshot()
        names = node.listener.names
        assert node.driver._log.start_offset > 20
    assert len(log_files(directory, ".checkpoint")) < 6
    assert log_files(directory, ".log")[0] > "00000000000000000015.log"
    async with running_node(files, directory, settings=settings) as node:
        assert node.listener.names == names
        assert node.driver.epoch == 2
    assert log_files(directory, ".deleted") == []


async def test_old_metadata_is_let_go(directory):
    clock = SettableClock()
    settings = RaftSettings(idle_interval_ms=0, retention_ms=10_000)
    async with running_node(OsFiles(), directory, settings=settings, clock=clock) as node:
        await node.create("a")
        await node.snapshot()
        clock.ms += 10_001
        await node.create("b")
        await node.snapshot()
        assert log_files(directory, ".checkpoint") == ["00000000000000000005-0000000001.checkpoint"]
        assert len(log_files(directory, ".checkpoint.deleted")) == 2
        late = RecordingListener()
        node.driver.register(late)
        assert late.names == ["a", "b"]


async def test_a_quorum_of_others_is_refused(directory):
    files = OsFiles()
    async with running_node(files, directory):
        pass
    meta = f"{directory}/meta.properties"
    lines = [line for line in files.read(meta).splitlines() if not line.startswith(b"directory.id")]
    files.replace(meta, b"\n".join(lines))
    with pytest.raises(DataDirectoryError, match="node 1 with this directory is not one of them"):
        async with running_node(files, directory):
            pass


async def test_a_damaged_election_file_is_refused(directory):
    files = OsFiles()
    async with running_node(files, directory):
        pass
    files.replace(f"{directory}/__cluster_metadata-0/quorum-state", b'{"data_version": 9}')
    with pytest.raises(DataDirectoryError, match="data_version 9"):
        async with running_node(files, directory):
            pass


async def test_a_lost_election_file_costs_nothing_but_an_epoch(directory):
    files = OsFiles()
    async with running_node(files, directory, settings=QUIET) as node:
        await node.create("a")
    os.remove(f"{directory}/__cluster_metadata-0/quorum-state")
    async with running_node(files, directory) as node:
        assert node.driver.epoch == 2
        assert node.listener.names == ["a"]
