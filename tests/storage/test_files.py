"""The real file layer: whole writes or none, regions that outlive their files, locks, failures that name their directory."""

import errno
import os
import random
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from snakka.protocol.file_region import FileRegion
from snakka.storage import page_cache
from snakka.storage.files import LockedElsewhere, OsFiles, StorageFailure


@pytest.fixture
def files(tmp_path: Path) -> OsFiles:
    return OsFiles([str(tmp_path)])


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """The kernel cuts writes beyond `size` short: the nearest thing to a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_appends_follow_each_other_and_are_read_back(files: OsFiles, tmp_path: Path) -> None:
    file = files.open(str(tmp_path / "log"), create=True)
    file.append(b"one")
    file.append(memoryview(bytearray(b"two")))
    assert file.size == 6
    assert file.pread(1, 100) == b"netwo"
    assert (tmp_path / "log").read_bytes() == b"onetwo"


def test_a_short_write_is_undone_before_it_is_reported(files: OsFiles, tmp_path: Path) -> None:
    file = files.open(str(tmp_path / "log"), create=True)
    file.append(b"x" * 10)
    with largest_file(15), pytest.raises(StorageFailure) as caught:
        file.append(b"y" * 10)
    assert caught.value.directory == str(tmp_path)
    assert file.size == 10
    assert (tmp_path / "log").read_bytes() == b"x" * 10
    file.append(b"z")
    assert (tmp_path / "log").read_bytes() == b"x" * 10 + b"z"


def test_a_failed_write_is_undone_before_it_is_reported(files: OsFiles, tmp_path: Path) -> None:
    file = files.open(str(tmp_path / "log"), create=True)
    file.append(b"x" * 10)
    with largest_file(10), pytest.raises(StorageFailure) as caught:
        file.append(b"y")
    assert caught.value.errno == errno.EFBIG
    assert (tmp_path / "log").read_bytes() == b"x" * 10


def test_creating_empties_an_old_file(files: OsFiles, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"old")
    assert files.open(str(tmp_path / "log"), create=True).size == 0
    assert (tmp_path / "log").read_bytes() == b""


def test_preallocated_room_is_not_part_of_the_file_and_is_given_back(files: OsFiles, tmp_path: Path) -> None:
    file = files.open(str(tmp_path / "log"), create=True)
    file.preallocate(4096)
    file.append(b"abc")
    assert (tmp_path / "log").stat().st_size == 4096
    assert file.pread(0, 100) == b"abc"
    file.truncate(file.size)
    assert (tmp_path / "log").read_bytes() == b"abc"


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_region_is_readable_after_its_file_was_deleted_and_closed(
    files: OsFiles, tmp_path: Path, in_memory: bool
) -> None:
    file = files.open(str(tmp_path / "log"), create=True)
    file.append(b"0123456789")
    region = file.region(2, 8, in_memory=in_memory)
    files.remove(str(tmp_path / "log"))
    file.close()
    assert len(region) == 6
    # Bytes that were just written are in the page cache, so a read that may not block finds them.
    buffer = bytearray(100)
    assert region.read_into(0, memoryview(buffer)) == 6
    assert buffer[:6] == b"234567"
    assert region.read_blocking(1, 2) == b"34"


def test_a_region_of_a_truncated_file_is_no_disk_failure(files: OsFiles, tmp_path: Path) -> None:
    file = files.open(str(tmp_path / "log"), create=True)
    file.append(b"0123456789")
    region = file.region(2, 8)
    file.truncate(4)
    with pytest.raises(OSError, match="truncated") as caught:
        region.read_blocking(0, 6)
    assert not isinstance(caught.value, StorageFailure)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A sender that does not wait, and a receiver that waits for ten seconds at most."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        receiver = socket.create_connection(server.getsockname(), timeout=10)
        sender, _ = server.accept()
    with sender, receiver:
        sender.setblocking(False)
        yield sender, receiver


def region_of(files: OsFiles, path: Path, data: bytes, *, in_memory: bool = True) -> FileRegion:
    """All of a new file."""
    file = files.open(str(path), create=True)
    file.append(data)
    file.sync()
    return file.region(0, len(data), in_memory=in_memory)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux sends files so")


@on_linux
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_region_goes_into_a_socket_until_that_is_full(
    files: OsFiles, tmp_path: Path, pair: tuple[socket.socket, socket.socket], in_memory: bool
) -> None:
    sender, receiver = pair
    data = random.Random(2).randbytes(64 * 1024 * 1024)
    region = region_of(files, tmp_path / "log", data, in_memory=in_memory)
    assert region.send(5, 7, sender.fileno()) == 7
    assert receiver.recv(100) == data[5:12]
    position = 0
    while sent := region.send(position, 4 * 1024 * 1024, sender.fileno()):
        position += sent
    assert sent == 0
    assert 0 < position < len(region)
    with receiver.makefile("rb") as received:
        assert received.read(position) == data[:position]


@on_linux
def test_a_region_of_a_truncated_file_is_not_sent(
    files: OsFiles, tmp_path: Path, pair: tuple[socket.socket, socket.socket]
) -> None:
    region = region_of(files, tmp_path / "log", b"0123456789")
    os.truncate(tmp_path / "log", 2)
    assert region.send(0, 6, pair[0].fileno()) == 2
    with pytest.raises(OSError, match="truncated"):
        region.send(2, 4, pair[0].fileno())


@on_linux
@pytest.mark.parametrize("can_count", [True, False])
def test_what_the_disk_must_be_asked_for_is_read_and_not_sent(
    files: OsFiles,
    tmp_path: Path,
    pair: tuple[socket.socket, socket.socket],
    monkeypatch: pytest.MonkeyPatch,
    can_count: bool,
) -> None:
    """A megabyte of which only the beginning and the end are in memory."""
    if not can_count:
        monkeypatch.setattr(page_cache, "_system_call", None)
    data = random.Random(3).randbytes(1024 * 1024)
    region = region_of(files, tmp_path / "log", data, in_memory=False)
    reading = os.open(tmp_path / "log", os.O_RDONLY)
    os.posix_fadvise(reading, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(reading, 0, 0, os.POSIX_FADV_RANDOM)  # read ahead nothing
    assert os.pread(reading, 256 * 1024, 0) + os.pread(reading, 256 * 1024, 768 * 1024)
    os.close(reading)
    if region.read_into(512 * 1024, memoryview(bytearray(1))) is not None:
        pytest.skip("this file system keeps everything in memory")
    assert region.send(0, len(data), pair[0].fileno()) is None
    assert region.send(0, 256 * 1024, pair[0].fileno()) == 256 * 1024
    # Reading brings it back.
    assert region.read_blocking(0, len(data)) == data
    assert region.send(0, len(data), pair[0].fileno())


@on_linux
def test_a_socket_that_is_broken_is_left_to_whoever_writes_to_it(
    files: OsFiles, tmp_path: Path, pair: tuple[socket.socket, socket.socket]
) -> None:
    region = region_of(files, tmp_path / "log", b"0123456789")
    pair[0].shutdown(socket.SHUT_RDWR)
    assert region.send(0, 10, pair[0].fileno()) is None
    # The file is none the worse for it.
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as other,
    ):
        assert region.send(0, 10, other.fileno()) == 10


@on_linux
def test_what_cannot_be_sent_so_is_not_tried_again(
    files: OsFiles, tmp_path: Path, pair: tuple[socket.socket, socket.socket]
) -> None:
    """A descriptor that is no socket and only for appending is one that the system refuses."""
    region = region_of(files, tmp_path / "log", b"0123456789")
    refusing = os.open(tmp_path / "other", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        assert region.send(0, 10, refusing) is None
    finally:
        os.close(refusing)
    assert region.send(0, 10, pair[0].fileno()) is None  # though this one would take it
    assert region.read_blocking(0, 10) == b"0123456789"


def test_only_so_many_descriptors_are_open_and_a_closed_file_opens_again(tmp_path: Path) -> None:
    files = OsFiles([str(tmp_path)], open_files=3)
    opened = [files.open(str(tmp_path / str(number)), create=True) for number in range(10)]
    regions = []
    for number, file in enumerate(opened):
        file.append(b"%d" % number)
        regions.append(file.region(0, 1))
    assert len(files.open_files) == 3
    for number, (file, region) in enumerate(zip(opened, regions, strict=True)):
        assert file.pread(0, 1) == region.read_blocking(0, 1) == b"%d" % number


def test_descriptors_close_with_their_last_user(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    files = OsFiles([str(tmp_path)])
    file = files.open(str(tmp_path / "log"), create=True)
    file.append(b"abc")
    region = file.region(0, 3)
    file.close()
    assert len(os.listdir("/dev/fd")) == before + 1
    del region
    assert len(os.listdir("/dev/fd")) == before


def test_a_failed_sync_is_never_tried_again(
    files: OsFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = files.open(str(tmp_path / "log"), create=True)
    calls = []

    def fail(fd: int) -> None:
        calls.append(fd)
        raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr("snakka.storage.file_regions.sync_data", fail)
    for _ in range(2):
        with pytest.raises(StorageFailure) as caught:
            file.sync()
        assert caught.value.directory == str(tmp_path)
    assert len(calls) == 1


def test_failures_name_the_log_directory_and_not_the_partitions(tmp_path: Path) -> None:
    files = OsFiles([str(tmp_path / "a"), str(tmp_path / "ab")])
    missing = files.open(str(tmp_path / "ab" / "topic-0" / "x.log"), size=10)
    with pytest.raises(StorageFailure) as caught:
        missing.pread(0, 1)
    assert caught.value.directory == str(tmp_path / "ab")
    assert caught.value.errno == errno.ENOENT


def test_replacing_a_file_leaves_no_draft(files: OsFiles, tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint")
    files.replace(path, b"one")
    files.replace(path, b"two", sync=False)
    assert files.read(path) == b"two"
    assert files.list(str(tmp_path)) == ["checkpoint"]


def test_directories(files: OsFiles, tmp_path: Path) -> None:
    root = str(tmp_path / "deep" / "er")
    files.make_directory(root)
    files.make_directory(root)
    files.replace(os.path.join(root, "b"), b"12")
    files.replace(os.path.join(root, "a"), b"1")
    assert files.is_directory(root)
    assert files.sizes(root) == {"a": 1, "b": 2}
    assert files.sizes(str(tmp_path / "deep")) == {}
    assert files.list(str(tmp_path / "deep")) == ["er"]
    files.rename(root, root + ".x-delete")
    files.remove_tree(root + ".x-delete")
    files.remove_tree(root)
    files.remove(root)
    files.sync_file(root)
    files.sync_directory(root)
    assert not files.exists(root)
    assert files.disk_space(str(tmp_path)).total_bytes > files.disk_space(str(tmp_path)).usable_bytes > 0


def test_files_that_vanish_while_a_directory_is_read_are_passed_over(
    files: OsFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("draft.tmp", "kept"):
        (tmp_path / name).write_bytes(b"12")
    scandir = os.scandir

    @contextmanager
    def slow_scandir(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        with scandir(path) as entries:
            seen = list(entries)
            (tmp_path / "draft.tmp").unlink()
            yield iter(seen)

    monkeypatch.setattr(os, "scandir", slow_scandir)
    assert files.sizes(str(tmp_path)) == {"kept": 2}


def test_a_lock_excludes_other_brokers_in_this_process(tmp_path: Path) -> None:
    path = str(tmp_path / ".lock")
    lock = OsFiles().lock(path)
    for _ in range(2):
        with pytest.raises(LockedElsewhere, match="this process"):
            OsFiles().lock(path)
    lock.release()
    lock.release()
    OsFiles().lock(path).release()


def test_a_lock_excludes_other_processes(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    program = (
        "import fcntl, sys\n"
        "file = open(sys.argv[1], 'w')\n"
        "fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(LockedElsewhere, match="another process"):
            OsFiles().lock(str(path))
        other.communicate(timeout=10)
    OsFiles().lock(str(path)).release()
