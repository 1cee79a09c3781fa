"""`meta.properties`: whose data a directory holds. One lies in each log directory and in the metadata directory.

Rule: reading and judging never write. A directory that belongs to another node or cluster is refused before anything in
it changes, with one line that says what to do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from snakka.options.option import OptionError
from snakka.options.properties_file import parse_properties
from snakka.protocol.errors import ProtocolError
from snakka.protocol.uuids import Uuid, uuid_from_text, uuid_text
from snakka.storage.files import Files

META_PROPERTIES = "meta.properties"
VERSION = 1
_RESERVED_DIRECTORY_IDS = 100
_METADATA_LOG = "__cluster_metadata-0"
# What formatting, locking and a new file system leave behind.
_NO_DATA = (".lock", "lost+found", META_PROPERTIES, "bootstrap.checkpoint")


class DataDirectoryError(Exception):
    """A data directory cannot be used; the text is one line for whoever started the broker."""


@dataclass(frozen=True, slots=True)
class MetaProperties:
    """What the file says. `directory_id` is None in a file from before Kafka 3.7; it gets one when it is adopted."""

    cluster_id: str
    node_id: int
    directory_id: Uuid | None = None
    version: int = VERSION

    def encode(self) -> bytes:
        pairs = {"version": str(self.version), "cluster.id": self.cluster_id, "node.id": str(self.node_id)}
        if self.directory_id is not None:
            pairs["directory.id"] = uuid_text(self.directory_id)
        lines = [f"{name}={_escaped(value)}" for name, value in pairs.items()]
        return "\n".join(["#", *lines, ""]).encode()


@dataclass(slots=True)
class FoundDirectories:
    """What lies in the configured directories, before anybody judged it."""

    formatted: dict[str, MetaProperties] = field(default_factory=dict)
    with_data: list[str] = field(default_factory=list)  # those of the formatted ones that were in use already
    empty: list[str] = field(default_factory=list)
    failed: dict[str, OSError] = field(default_factory=dict)

    @property
    def cluster_id(self) -> str | None:
        """The cluster that the first formatted directory belongs to; None if there is none."""
        return next((found.cluster_id for found in self.formatted.values()), None)


def parse(data: bytes, path: str) -> MetaProperties:
    """Read the file's bytes; DataDirectoryError if they are not what Kafka 4 understands."""
    try:
        pairs = parse_properties(data.decode(errors="replace"))
    except OptionError:
        raise DataDirectoryError(f"{path} is damaged: it is not a properties file") from None
    version = pairs.get("version", "0")
    if version != str(VERSION):
        raise DataDirectoryError(
            f"{path} has version {version}: only directories of KRaft nodes (1) are known"
        )
    cluster_id = pairs.get("cluster.id", "")
    node_id = pairs.get("node.id", "")
    if not cluster_id or not (node_id.isascii() and node_id.isdigit()):
        raise DataDirectoryError(f"{path} is damaged: it must name cluster.id and node.id")
    directory_id = None
    if "directory.id" in pairs:
        try:
            directory_id = uuid_from_text(pairs["directory.id"])
        except ProtocolError:
            raise DataDirectoryError(f"{path} is damaged: directory.id is not a UUID") from None
        if int.from_bytes(directory_id, "big") < _RESERVED_DIRECTORY_IDS:
            raise DataDirectoryError(f"{path} has directory.id={pairs['directory.id']}, which is reserved")
    return MetaProperties(cluster_id, int(node_id), directory_id)


def find(files: Files, directories: Sequence[str]) -> FoundDirectories:
    """Look into every directory, without writing. One that does not exist yet counts as empty."""
    found = FoundDirectories()
    for directory in directories:
        path = os.path.join(directory, META_PROPERTIES)
        try:
            with_data = _has_data(files, directory)
            if files.exists(path):
                found.formatted[directory] = parse(files.read(path), path)
                if with_data:
                    found.with_data.append(directory)
            elif with_data:
                raise DataDirectoryError(
                    f"{directory} has files but no {META_PROPERTIES}: it is not a data directory, or a damaged one"
                )
            else:
                found.empty.append(directory)
        except OSError as error:
            found.failed[directory] = error
    return found


def verify(found: FoundDirectories, *, node_id: int, cluster_id: str | None) -> None:
    """All formatted directories must belong to this node and to one cluster (`cluster_id`, if that is known)."""
    expected = cluster_id or found.cluster_id
    owners: dict[Uuid, str] = {}
    for directory, properties in found.formatted.items():
        if properties.node_id != node_id:
            raise DataDirectoryError(
                f"{directory} belongs to node {properties.node_id}, and this is node {node_id}:"
                " set node.id, or use another directory"
            )
        if properties.cluster_id != expected:
            raise DataDirectoryError(
                f"{directory} belongs to cluster {properties.cluster_id}, and this node to {expected}:"
                " use another directory"
            )
        if properties.directory_id is not None:
            other = owners.setdefault(properties.directory_id, directory)
            if other != directory:
                raise DataDirectoryError(
                    f"{other} and {directory} have the same directory.id: one is a copy, remove that line from it"
                )
    if found.with_data and found.empty:
        # Formatting it would hide a disk that is not mounted, and the partitions on it would start empty.
        raise DataDirectoryError(
            f"{found.empty[0]} is empty but {found.with_data[0]} is in use: is a disk not mounted?"
            f" To add a new directory, copy {META_PROPERTIES} into it without its directory.id line"
        )


def load_or_create(
    files: Files,
    found: FoundDirectories,
    *,
    node_id: int,
    cluster_id: str,
    new_directory_id: Callable[[], Uuid],
    before_create: Callable[[Mapping[str, MetaProperties]], None],
) -> dict[str, MetaProperties]:
    """What each usable directory is, after writing what is missing: whole new files, or an old file's directory id.

    `before_create` writes what else a new node needs. It comes first, because a directory with this file counts as
    formatted: a crash in between leaves a node that formats itself again. A directory that cannot be written is added
    to `found.failed`.
    """
    created = {
        directory: MetaProperties(cluster_id, node_id, new_directory_id()) for directory in found.empty
    }
    completed = {
        directory: replace(properties, directory_id=new_directory_id())
        for directory, properties in found.formatted.items()
        if properties.directory_id is None
    }
    if created:
        before_create(created)
    result = dict(found.formatted)
    for directory, properties in (created | completed).items():
        try:
            files.replace(os.path.join(directory, META_PROPERTIES), properties.encode())
            result[directory] = properties
        except OSError as error:
            found.failed[directory] = error
    return result


def _has_data(files: Files, directory: str) -> bool:
    """Whether anything lies here that formatting could not have left, had it been cut off at any point."""
    if not files.exists(directory):
        return False
    for name in files.list(directory):
        if name == _METADATA_LOG:
            if any(inner.endswith(".log") for inner in files.list(os.path.join(directory, name))):
                return True
        elif name.removesuffix(".tmp") not in _NO_DATA:
            return True
    return False


def _escaped(value: str) -> str:
    return re.sub(r"([=:#!\\])", r"\\\1", value)
