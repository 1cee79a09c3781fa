"""Where processes listen for connections, as the system knows it."""

import ipaddress
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

_LISTENS = "0A"


def beyond_loopback(processes: Iterable[int]) -> list[str]:
    """Where others than this machine could reach them, or what they have started. They must listen somewhere at all."""
    addresses = listening_addresses(_with_descendants(processes))
    assert addresses
    return [each for each in addresses if not each.startswith("127.0.0.1:")]


def listening_addresses(processes: Iterable[int]) -> list[str]:
    """ADDRESS:PORT of each socket; IPv4 also where the socket takes both kinds."""
    if not Path("/proc/self/net/tcp").exists():
        pytest.skip("needs /proc")
    inodes = {inode for process in processes for inode in _sockets(process)}
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]
    ]
    return sorted(_address(row[1]) for row in rows if row[3] == _LISTENS and row[9] in inodes)


def _with_descendants(processes: Iterable[int]) -> list[int]:
    shown = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents = dict(map(int, line.split()) for line in shown.stdout.splitlines())
    found = list(processes)
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def _sockets(process: int) -> Iterator[str]:
    try:
        descriptors = list(Path(f"/proc/{process}/fd").iterdir())
    except OSError:
        return  # it has ended
    for each in descriptors:
        try:
            target = os.readlink(each)
        except OSError:
            continue
        if target.startswith("socket:["):
            yield target.removeprefix("socket:[").removesuffix("]")


def _address(row: str) -> str:
    """The table has words of four bytes, each in the machine's order."""
    words, _, port = row.partition(":")
    packed = b"".join(bytes.fromhex(words[at : at + 8])[::-1] for at in range(0, len(words), 8))
    address = ipaddress.ip_address(packed)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return f"{mapped or address}:{int(port, 16)}"
