"""The platters under `simulated_files`: files and directories as they are, and as a power cut would leave them.

Every file and every directory is a node with two states: what a running program sees, and what is on the disk. A sync copies
the first to the second. Names belong to their directory and bytes to their file, so a file that is renamed, replaced or made
again under an old name never mixes with another one. As on a real disk a sector is written whole or not at all and in any
order, the changes of one directory reach the disk in the order in which they were made, and those of different directories
know nothing of each other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

SECTOR_BYTES = 512


@dataclass(eq=False, slots=True)
class FileNode:
    """A file's bytes and its time of change."""

    modified_ms: int
    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    synced_modified_ms: int = 0

    def __post_init__(self) -> None:
        # That the file exists since then is written with its name.
        self.synced_modified_ms = self.modified_ms

    def sync(self) -> None:
        self.synced = bytes(self.data)
        self.synced_modified_ms = self.modified_ms

    def lose_power(self, chance: random.Random) -> None:
        """Keep what was synced, and of the rest whatever chance has written."""
        now, before = bytes(self.data), self.synced
        if now != before:
            fate = chance.choice(("nothing", "everything", "sectors"))
            if fate == "everything":
                before = now
            elif fate == "sectors":
                before = _mixed(now, before, chance)
            if fate != "nothing":
                self.synced_modified_ms = self.modified_ms
        self.data = bytearray(before)
        self.synced = before
        self.modified_ms = self.synced_modified_ms


def _mixed(now: bytes, before: bytes, chance: random.Random) -> bytes:
    size = chance.randint(min(len(now), len(before)), max(len(now), len(before)))
    mixed = bytearray()
    for start in range(0, size, SECTOR_BYTES):
        source = now if chance.random() < 0.7 else before
        mixed += source[start : start + SECTOR_BYTES].ljust(SECTOR_BYTES, b"\0")
    return bytes(mixed[:size])


class _Change(NamedTuple):
    """`node` is called `name` now, and `old_name` no longer. Without a node the name is gone."""

    name: str
    node: Node | None
    old_name: str | None = None

    def apply(self, names: dict[str, Node]) -> None:
        if self.old_name is not None:
            names.pop(self.old_name, None)
        if self.node is None:
            names.pop(self.name, None)
        else:
            names[self.name] = self.node


@dataclass(eq=False, slots=True)
class DirectoryNode:
    """The names in a directory, those on the disk, and what was done to them since they were synced, in order."""

    names: dict[str, Node] = field(default_factory=dict)
    synced: dict[str, Node] = field(default_factory=dict)
    pending: list[_Change] = field(default_factory=list)

    def link(self, name: str, node: Node) -> None:
        self._do(_Change(name, node))

    def unlink(self, name: str) -> None:
        self._do(_Change(name, None))

    def rename(self, source: str, target: str) -> None:
        """One change: the disk has the old name or the new one."""
        self._do(_Change(target, self.names[source], source))

    def _do(self, change: _Change) -> None:
        change.apply(self.names)
        self.pending.append(change)

    def sync(self) -> None:
        for change in self.pending:
            change.apply(self.synced)
        self.pending.clear()

    def lose_power(self, chance: random.Random) -> None:
        """Some of the last changes never reached the disk; what is left is asked the same, name by name."""
        for change in self.pending[: chance.randint(0, len(self.pending))]:
            change.apply(self.synced)
        self.pending.clear()
        self.names = dict(self.synced)
        for name in sorted(self.names):
            self.names[name].lose_power(chance)

    def files(self) -> Iterator[FileNode]:
        """Every file here and below."""
        for node in self.names.values():
            if isinstance(node, FileNode):
                yield node
            else:
                yield from node.files()


Node = FileNode | DirectoryNode


class SimulatedDisk:
    """One file system, which outlives the programs that use it."""

    def __init__(self) -> None:
        self.root = DirectoryNode()

    def lose_power(self, chance: random.Random) -> None:
        """What was not synced survives in part."""
        self.root.lose_power(chance)

    def used_bytes(self) -> int:
        return sum(len(node.data) for node in self.root.files())

    def find(self, path: str) -> Node | None:
        node: Node = self.root
        for name in path.split("/"):
            if name:
                if isinstance(node, FileNode) or name not in node.names:
                    return None
                node = node.names[name]
        return node

    def parent(self, path: str) -> tuple[DirectoryNode, str] | None:
        """The directory of `path` and the last name in it; None if there is no such directory."""
        above, _, name = path.rpartition("/")
        node = self.find(above)
        return (node, name) if isinstance(node, DirectoryNode) else None
