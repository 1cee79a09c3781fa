"""What Linux says of a real file's pages, after some of them were forgotten on purpose."""

import os
import random
from collections.abc import Iterator
from mmap import PAGESIZE
from pathlib import Path

import pytest

from snakka.storage.page_cache import is_all_in_memory

PAGES = 64


@pytest.fixture
def file(tmp_path: Path) -> Iterator[int]:
    """Of its pages only the first eight and the last one are in memory."""
    path = tmp_path / "file"
    path.write_bytes(random.Random(4).randbytes(PAGES * PAGESIZE - 100))
    fd = os.open(path, os.O_RDWR)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)  # read ahead nothing
    os.pread(fd, 8 * PAGESIZE, 0)
    os.pread(fd, 10, (PAGES - 1) * PAGESIZE)
    yield fd
    os.close(fd)


@pytest.mark.skipif(
    not hasattr(os, "posix_fadvise"), reason="needs a system that forgets pages when it is told to"
)
def test_every_page_of_the_stretch_counts(file: int) -> None:
    if is_all_in_memory(file, 0, PAGESIZE) is None:
        pytest.skip("this system does not tell: Linux does since 6.5")
    if is_all_in_memory(file, 0, PAGES * PAGESIZE):
        pytest.skip("this file system keeps everything in memory")
    assert is_all_in_memory(file, 0, 8 * PAGESIZE)
    assert is_all_in_memory(file, 10, 1)
    assert is_all_in_memory(file, PAGESIZE - 1, 2)
    assert not is_all_in_memory(file, 0, 8 * PAGESIZE + 1)
    assert not is_all_in_memory(file, 7 * PAGESIZE + 5, PAGESIZE)
    assert not is_all_in_memory(file, 20 * PAGESIZE, 1)
    assert not is_all_in_memory(file, 7 * PAGESIZE, (PAGES - 7) * PAGESIZE - 100)
    assert is_all_in_memory(file, (PAGES - 1) * PAGESIZE, PAGESIZE - 100)
    os.pread(file, PAGES * PAGESIZE, 0)
    assert is_all_in_memory(file, 0, PAGES * PAGESIZE - 100)


def test_what_is_no_file_has_no_answer() -> None:
    assert is_all_in_memory(-1, 0, 10) is None
