"""A file system of a few megabytes, to be filled: a tmpfs, for which one must be root or be allowed to become it."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_FILLER = "filler"


class SmallDisk:
    """A mounted tmpfs. Files of its own stand in for whatever else fills a disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self, but: int = 0) -> None:
        """Until `but` bytes are free."""
        with (self.path / _FILLER).open("ab", buffering=0) as filler:
            while (more := self.free_bytes() - but) > 0:
                try:
                    filler.write(bytes(min(more, 1 << 20)))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    return

    def free(self) -> None:
        """What filled it is deleted."""
        (self.path / _FILLER).unlink()

    def free_bytes(self) -> int:
        status = os.statvfs(self.path)
        return status.f_bavail * status.f_frsize


@contextmanager
def small_disk(path: Path, size: int) -> Iterator[SmallDisk]:
    """Skips the test where nothing can be mounted."""
    path.mkdir()
    prefix = _privilege()
    options = f"size={size},mode=0777"
    mounted = subprocess.run(
        [*prefix, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"needs root to mount a tmpfs: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        # Lazily: a broker that a failed test left running must not keep it.
        subprocess.run([*prefix, "umount", "--lazy", str(path)], check=True)


def _privilege() -> list[str]:
    if not sys.platform.startswith("linux") or shutil.which("mount") is None:
        pytest.skip("needs root to mount a tmpfs, on Linux")
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        pytest.skip("needs root to mount a tmpfs")
    return ["sudo", "-n"]
