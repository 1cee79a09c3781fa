"""What the system says of another process."""

import os
import subprocess
from pathlib import Path

import pytest


def resident_bytes(process_id: int) -> int:
    statm = Path(f"/proc/{process_id}/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    kilobytes = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(process_id)], capture_output=True, check=True, timeout=10
    )
    return int(kilobytes.stdout) * 1024


def open_descriptors(process_id: int) -> int:
    folder = Path(f"/proc/{process_id}/fd")
    if not folder.exists():
        pytest.skip("the system does not show another process's descriptors")
    return len(list(folder.iterdir()))
