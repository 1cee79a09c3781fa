"""Names of partitions' directories, and opening a node's data directories: locks, ownership, refusals, failures."""

from __future__ import annotations

import logging
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.storage.files import Lock, OsFiles
from snakka.storage.log_directory import (
    DataDirectories,
    Kind,
    PartitionDirectory,
    marked_name,
    open_data_directories,
    parse_name,
    partition_directories,
    partition_name,
)
from snakka.storage.meta_properties import DataDirectoryError, MetaProperties
from snakka.testing.simulated_files import SimulatedFiles

TOPICS = st.text("abcXYZ019._-", min_size=1, max_size=249)


@contextmanager
def opened(
    *paths: Path, files: OsFiles | SimulatedFiles | None = None, **options: object
) -> Iterator[DataDirectories]:
    arguments = {"node_id": 1, **options}
    directories = open_data_directories(
        files or OsFiles(),
        random.Random(7),
        log_directories=[str(path) for path in paths],
        **arguments,  # type: ignore[arg-type]
    )
    try:
        yield directories
    finally:
        directories.release()


@given(topic=TOPICS, partition=st.integers(0, 2**31 - 1))
def test_current_names_round_trip(topic: str, partition: int) -> None:
    name = partition_name(topic, partition)
    assert parse_name(name) == PartitionDirectory(name, topic, partition, Kind.CURRENT)


@given(
    topic=TOPICS,
    partition=st.integers(0, 2**31 - 1),
    kind=st.sampled_from(list(Kind)[1:]),
    seed=st.integers(),
)
def test_marked_names_fit_a_file_system(topic: str, partition: int, kind: Kind, seed: int) -> None:
    name = marked_name(topic, partition, kind, random.Random(seed))
    assert len(name) <= 255
    parsed = parse_name(name)
    assert parsed is not None
    assert topic.startswith(parsed.topic)
    assert (parsed.partition, parsed.kind) == (partition, kind)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "topic",
        "topic-",
        "-0",
        "topic-x",
        "lost+found",
        "topic-delete",
        "a b-0",
        "topic--delete",
        "t-0.-stray",
    ],
)
def test_other_names_are_not_partitions(name: str) -> None:
    assert parse_name(name) is None


def test_kafkas_name_of_a_deleted_partition() -> None:
    parsed = parse_name("my-topic-12.0d1b2c3f4a5e4a0c8f7e6d5c4b3a2918-delete")
    assert parsed is not None
    assert parsed[1:] == ("my-topic", 12, Kind.DELETED)


def test_listing_leaves_out_what_is_not_a_partition(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("b-1", "a-0", "__cluster_metadata-0", "remote-log-index-cache", "junk"):
        (tmp_path / name).mkdir()
    (tmp_path / "file-3").write_bytes(b"")
    with caplog.at_level(logging.WARNING):
        found = partition_directories(OsFiles(), str(tmp_path))
    assert [entry.name for entry in found] == ["a-0", "b-1"]
    assert [record.args[0] for record in caplog.records if isinstance(record.args, tuple)] == ["junk"]


def test_first_start_formats_every_directory(tmp_path: Path) -> None:
    created: dict[str, MetaProperties] = {}
    with opened(tmp_path / "a", tmp_path / "b", before_create=created.update) as directories:
        assert [directory.path for directory in directories.logs] == [
            str(tmp_path / "a"),
            str(tmp_path / "b"),
        ]
        assert len({directory.directory_id for directory in directories.logs}) == 2
        assert directories.metadata is directories.logs[0]
        assert set(created) == {str(tmp_path / "a"), str(tmp_path / "b")}
    with opened(tmp_path / "a", tmp_path / "b") as again:
        assert again.cluster_id == directories.cluster_id
        assert [d.directory_id for d in again.logs] == [d.directory_id for d in directories.logs]


@pytest.mark.parametrize("name", ["data", "data/", "./data", "deep/er/data"])
def test_relative_names_become_absolute_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    created: dict[str, MetaProperties] = {}
    for metadata in (None, name):
        directories = open_data_directories(
            OsFiles(),
            random.Random(7),
            log_directories=[name],
            metadata_directory=metadata,
            node_id=1,
            before_create=created.update,
        )
        directories.release()
        assert list(created) == [name]
        assert directories.logs[0].path == os.path.join(tmp_path, os.path.normpath(name))
        assert directories.metadata is directories.logs[0]
    with pytest.raises(DataDirectoryError, match="named twice"):
        open_data_directories(OsFiles(), random.Random(7), log_directories=["data", "data/"], node_id=1)


def test_a_separate_metadata_directory(tmp_path: Path) -> None:
    with opened(tmp_path / "a", metadata_directory=str(tmp_path / "m")) as directories:
        assert directories.metadata.path == str(tmp_path / "m")
        assert [directory.path for directory in directories.logs] == [str(tmp_path / "a")]
        assert (tmp_path / "m" / ".lock").exists()


def test_a_second_broker_in_this_process_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(DataDirectoryError, match="is in use"), opened(tmp_path):
        pass
    with opened(tmp_path) as directories:
        assert directories.logs[0].online


def test_a_second_broker_in_another_process_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path):
        program = (
            "import random, sys\n"
            "from snakka.storage.files import OsFiles\n"
            "from snakka.storage.log_directory import open_data_directories\n"
            "open_data_directories(OsFiles(), random.Random(), log_directories=sys.argv[1:], node_id=1)\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert ran.returncode == 1
    assert "is in use: locked by another process" in ran.stderr


def test_a_refusal_writes_nothing_and_keeps_no_lock(tmp_path: Path) -> None:
    with opened(tmp_path / "a"):
        pass
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "letter.txt").write_text("dear")
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    for options in ({"node_id": 2}, {"cluster_id": "another"}):
        with pytest.raises(DataDirectoryError), opened(tmp_path / "a", **options):
            pass
    with pytest.raises(DataDirectoryError), opened(tmp_path / "a", tmp_path / "foreign"):
        pass
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    with opened(tmp_path / "a"):
        pass


def test_a_node_of_a_given_quorum_does_not_format_itself(tmp_path: Path) -> None:
    with (
        pytest.raises(DataDirectoryError, match="is not formatted"),
        opened(tmp_path / "a", may_format=False),
    ):
        pass
    assert not (tmp_path / "a").exists()


def test_the_same_directory_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataDirectoryError, match="named twice"), opened(tmp_path, tmp_path):
        pass


def test_a_broken_log_directory_is_offline_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("not a directory")
    with opened(tmp_path / "a", tmp_path / "b") as directories:
        assert [directory.online for directory in directories.logs] == [True, False]


def test_without_a_working_directory_there_is_no_start(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("not a directory")
    with pytest.raises(DataDirectoryError, match="b cannot be used: Not a directory"), opened(tmp_path / "b"):
        pass
    with (
        pytest.raises(DataDirectoryError, match="b cannot be used"),
        opened(tmp_path / "b", metadata_directory=str(tmp_path / "a")),
    ):
        pass
    with (
        pytest.raises(DataDirectoryError, match="b cannot be used"),
        opened(tmp_path / "a", metadata_directory=str(tmp_path / "b")),
    ):
        pass


class UnlockableFiles(OsFiles):
    """One directory whose lock file cannot even be made."""

    def lock(self, path: str) -> Lock:
        if os.path.basename(os.path.dirname(path)) == "b":
            raise OSError(5, "Input/output error", path)
        return super().lock(path)


def test_a_directory_that_cannot_be_locked_is_offline(tmp_path: Path) -> None:
    with opened(tmp_path / "a", tmp_path / "b", files=UnlockableFiles()) as directories:
        assert [directory.online for directory in directories.logs] == [True, False]
    with opened(tmp_path / "a"), opened(tmp_path / "b"):
        pass  # both locks are free again, and a later start may format what was offline


def test_a_directory_that_goes_offline_gives_its_lock_back(tmp_path: Path) -> None:
    with opened(tmp_path) as directories:
        directories.logs[0].go_offline(OSError(5, "gone"))
        with opened(tmp_path) as others:
            assert others.logs[0].online


@pytest.mark.parametrize("made", ["/disks", "/disks/one", "/disks/one/data"])
def test_a_power_cut_takes_no_directory_that_an_earlier_start_made_and_did_not_sync(made: str) -> None:
    for seed in range(8):
        files = SimulatedFiles()
        files.make_directory(made)
        with opened(Path("/disks/one/data"), files=files):
            pass
        files.crash(random.Random(seed))
        assert files.exists("/disks/one/data/meta.properties")
