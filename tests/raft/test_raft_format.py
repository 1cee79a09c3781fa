"""A new node's files, and when none are written."""

import os
import random

import pytest
from raft_harness import ENDPOINT

from snakka.protocol.uuids import uuid_from_text
from snakka.raft.features import FEATURES, bootstrap_levels
from snakka.raft.format import open_node_directories
from snakka.raft.snapshot_files import SnapshotReader
from snakka.raft.state.voters import QuorumHistory
from snakka.storage.files import OsFiles
from snakka.storage.meta_properties import DataDirectoryError

FIRST = "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint"


@pytest.fixture
def place(tmp_path):
    return tmp_path


def formatted(place, *names, metadata=None, node_id=1, may_format=True):
    return open_node_directories(
        OsFiles(),
        random.Random(3),
        log_directories=[str(place / name) for name in names],
        metadata_directory=None if metadata is None else str(place / metadata),
        node_id=node_id,
        endpoints=[ENDPOINT],
        may_format=may_format,
        now_ms=1_700_000_000_000,
    )


def tree(place):
    return sorted(
        os.path.relpath(os.path.join(folder, name), place)
        for folder, _, names in os.walk(place)
        for name in names
        if name != ".lock"
    )


def test_what_is_written(place):
    directories = formatted(place, "one", "two")
    directories.release()
    assert tree(place) == [
        f"one/{FIRST}",
        "one/bootstrap.checkpoint",
        "one/meta.properties",
        "two/bootstrap.checkpoint",
        "two/meta.properties",
    ]
    one, two = (dict(line.split("=") for line in lines(place / name)) for name in ("one", "two"))
    assert one["version"] == "1"
    assert one["node.id"] == "1"
    assert one["cluster.id"] == two["cluster.id"] == directories.cluster_id
    assert len(uuid_from_text(one["cluster.id"])) == 16
    assert one["directory.id"] != two["directory.id"]
    history = QuorumHistory()
    SnapshotReader(OsFiles(), str(place / "one" / FIRST)).remember_quorum(history, -1)
    (voter,) = history.voters.voters
    assert voter.key == (1, uuid_from_text(one["directory.id"]))
    assert voter.endpoints == (ENDPOINT,)
    assert (voter.min_kraft_version, voter.max_kraft_version) == (0, 1)


def lines(directory):
    return [line for line in (directory / "meta.properties").read_text().splitlines() if "=" in line]


def test_the_metadata_directory_may_be_another_one(place):
    directories = formatted(place, "one", metadata="meta")
    directories.release()
    assert directories.metadata.path == str(place / "meta")
    assert tree(place) == [
        f"meta/{FIRST}",
        "meta/bootstrap.checkpoint",
        "meta/meta.properties",
        "one/bootstrap.checkpoint",
        "one/meta.properties",
    ]


def test_a_formatted_node_is_left_as_it_is(place):
    formatted(place, "one", "two").release()
    before = {name: (place / name).read_bytes() for name in tree(place)}
    formatted(place, "one", "two").release()
    assert {name: (place / name).read_bytes() for name in tree(place)} == before


def test_a_node_that_is_told_of_a_quorum_does_not_format_itself(place):
    with pytest.raises(DataDirectoryError, match=r"controller\.quorum"):
        formatted(place, "one", may_format=False)
    assert tree(place) == []


def test_anothers_directory_is_refused_and_nothing_written(place):
    formatted(place, "one").release()
    before = tree(place)
    with pytest.raises(DataDirectoryError, match="belongs to node 1"):
        formatted(place, "one", "two", node_id=2)
    assert tree(place) == before


def test_a_directory_with_other_peoples_files_is_refused(place):
    (place / "one").mkdir()
    (place / "one" / "thesis.txt").write_text("the only copy")
    with pytest.raises(DataDirectoryError, match="not a data directory"):
        formatted(place, "one")
    assert tree(place) == ["one/thesis.txt"]


def test_formatting_that_was_cut_off_is_done_again(place):
    formatted(place, "one", "two").release()
    os.remove(place / "one" / "meta.properties")
    directories = formatted(place, "one", "two")
    directories.release()
    history = QuorumHistory()
    SnapshotReader(OsFiles(), str(place / "one" / FIRST)).remember_quorum(history, -1)
    assert history.voters.voters[0].key.directory_id == directories.metadata.directory_id


def test_the_levels_of_a_new_cluster():
    assert bootstrap_levels() == [
        ("metadata.version", 30),
        ("eligible.leader.replicas.version", 1),
        ("group.version", 1),
        ("share.version", 1),
        ("streams.version", 1),
        ("transaction.version", 2),
    ]
    assert bootstrap_levels(25) == [
        ("metadata.version", 25),
        ("group.version", 1),
        ("transaction.version", 2),
    ]
    assert FEATURES["kraft.version"].default_level(20) == 0
