"""A log directory's checkpoints and its mark of a clean stop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snakka.storage.directory_checkpoints import (
    NO_BROKER_EPOCH,
    Checkpoint,
    read_directory_checkpoint,
    take_clean_marker,
    write_clean_marker,
    write_directory_checkpoint,
)
from snakka.storage.files import OsFiles


def test_kafkas_names_and_format(tmp_path: Path) -> None:
    write_directory_checkpoint(
        OsFiles(), str(tmp_path), Checkpoint.HIGH_WATERMARK, {("a-b", 0): 5, ("c", 12): 0}
    )
    assert (tmp_path / "replication-offset-checkpoint").read_text() == "0\n2\na-b 0 5\nc 12 0\n"
    assert {which.value for which in Checkpoint} == {
        "recovery-point-offset-checkpoint",
        "log-start-offset-checkpoint",
        "replication-offset-checkpoint",
        "cleaner-offset-checkpoint",
    }


@pytest.mark.parametrize("which", list(Checkpoint))
def test_round_trip(tmp_path: Path, which: Checkpoint) -> None:
    offsets = {("t", partition): partition * 10**12 for partition in range(100)}
    write_directory_checkpoint(OsFiles(), str(tmp_path), which, offsets)
    assert read_directory_checkpoint(OsFiles(), str(tmp_path), which) == offsets
    write_directory_checkpoint(OsFiles(), str(tmp_path), which, {})
    assert read_directory_checkpoint(OsFiles(), str(tmp_path), which) == {}


@pytest.mark.parametrize(
    "content", ["1\n0\n", "0\n2\na 0 1\n", "0\n1\na 0\n", "0\n1\na 0 x\n", "zzz", "0\nx\n"]
)
def test_a_damaged_checkpoint_is_not_used(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / Checkpoint.RECOVERY_POINT.value).write_text(content)
    assert read_directory_checkpoint(OsFiles(), str(tmp_path), Checkpoint.RECOVERY_POINT) == {}
    assert "is damaged" in caplog.text


def test_missing_and_empty_checkpoints_say_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert read_directory_checkpoint(OsFiles(), str(tmp_path), Checkpoint.LOG_START) == {}
    (tmp_path / Checkpoint.LOG_START.value).write_text("")
    assert read_directory_checkpoint(OsFiles(), str(tmp_path), Checkpoint.LOG_START) == {}
    assert not caplog.records


def test_the_clean_marker_is_kafkas_json_and_is_taken_once(tmp_path: Path) -> None:
    files, directory = OsFiles(), str(tmp_path)
    assert take_clean_marker(files, directory) is None
    write_clean_marker(files, directory, 42)
    assert json.loads((tmp_path / ".kafka_cleanshutdown").read_text()) == {"version": 0, "brokerEpoch": 42}
    assert take_clean_marker(files, directory) == 42
    assert take_clean_marker(files, directory) is None


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", "not json"])
def test_an_older_marker_still_counts(tmp_path: Path, content: str) -> None:
    (tmp_path / ".kafka_cleanshutdown").write_text(content)
    assert take_clean_marker(OsFiles(), str(tmp_path)) == NO_BROKER_EPOCH
