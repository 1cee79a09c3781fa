"""What the kernel says of a process: its memory, its children. Linux only; elsewhere the tests that need it are skipped."""

import os
import platform
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
WAIT_SECONDS = 20.0

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")


def resident_bytes(process_id: int) -> int:
    """Memory in use, as `VmRSS` in /proc says."""
    return _status(process_id, "VmRSS")


def peak_resident_bytes(process_id: int) -> int:
    """The most that it ever was, or since `forget_peak`."""
    return _status(process_id, "VmHWM")


def forget_peak(process_id: int) -> None:
    Path(f"/proc/{process_id}/clear_refs").write_text("5")


def open_files(process_id: int) -> int:
    return len(os.listdir(f"/proc/{process_id}/fd"))


def children_of(process_id: int) -> list[int]:
    text = Path(f"/proc/{process_id}/task/{process_id}/children").read_text()
    return [int(word) for word in text.split()]


def command_of(process_id: int) -> str:
    """Its command line; empty if it has ended."""
    try:
        return Path(f"/proc/{process_id}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_for(what: Callable[[], T | None], seconds: float = WAIT_SECONDS) -> T:
    """The first answer that is not None."""
    deadline = time.monotonic() + seconds
    while (answer := what()) is None:
        assert time.monotonic() < deadline, "it never came to pass"
        time.sleep(0.01)
    return answer


def _status(process_id: int, name: str) -> int:
    for line in Path(f"/proc/{process_id}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"/proc/{process_id}/status has no {name}")


def machine_line() -> str:
    """What figures are worth nothing without: where they were measured, and of what."""
    answer = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
    commit = answer.stdout.strip() or "unknown"
    system = f"{platform.system()} {platform.release()}"
    return f"{system}, {os.cpu_count()} cores, Python {platform.python_version()}; commit {commit}"
