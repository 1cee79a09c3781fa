"""Reading a data directory without any right to change it."""

import os
from pathlib import Path

import pytest

from snakka.storage.files import StorageFailure
from snakka.storage.read_only_files import FileEntry, ReadOnlyFiles


def test_a_file_stays_what_it_was_whatever_its_name_becomes(tmp_path: Path) -> None:
    path = tmp_path / "00.log"
    path.write_bytes(b"first")
    files = ReadOnlyFiles()
    file = files.open(str(path))
    inode = path.stat().st_ino
    assert (file.size, file.inode) == (5, inode)
    assert files.entries(str(tmp_path)) == {"00.log": FileEntry(5, inode)}
    path.rename(tmp_path / "00.log.deleted")
    path.write_bytes(b"another")
    assert file.pread(0, 100) == b"first"
    assert files.open(str(path)).inode != inode


def test_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    files = ReadOnlyFiles((str(tmp_path),))
    for change in (
        lambda: files.open(str(path), create=True),
        lambda: files.make_directory(str(tmp_path / "new")),
        lambda: files.replace(str(path), b"other"),
        lambda: files.remove(str(path)),
        lambda: files.remove_tree(str(tmp_path)),
        lambda: files.rename(str(path), str(tmp_path / "other")),
        lambda: files.lock(str(path)),
        lambda: files.open(str(path)).append(b"more"),
    ):
        with pytest.raises(OSError, match=r"reading only|Bad file descriptor"):
            change()
    assert path.read_bytes() == b"content"
    assert os.listdir(tmp_path) == ["file"]


def test_what_can_not_be_opened(tmp_path: Path) -> None:
    files = ReadOnlyFiles()
    with pytest.raises(FileNotFoundError):
        files.open(str(tmp_path / "missing"))
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(StorageFailure, match="loop"):
        files.open(str(loop))
