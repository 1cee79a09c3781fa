"""Where the paths of a pipeline's file lead: beside the file, wherever the command is given.

Rule: pure. What is no path of this machine, an address such as s3a://BUCKET/TABLE, stays as it is.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

# What SQLAlchemy takes for a file: behind three slashes a path, behind two none at all. The rest is SQLite's own.
_SQLITE = re.compile(r"(sqlite(?:\+\w+)?:///)((?!/|:memory:|file:)[^?]+)(.*)", re.DOTALL)
# Catalogs whose warehouse is a directory. A REST catalog's is a name, and of one that is told elsewhere nothing is known.
_CATALOGS_OF_PATHS = ("sql", "hive", "in-memory", "glue", "dynamodb")
_SCHEMES_OF_PATHS = ("sqlite", "postgresql", "thrift")


def resolved_place(text: str, directory: Path) -> str:
    """A path beside the file as an absolute one; an address such as s3a://... as it is."""
    return text if "://" in text or text.startswith("file:") else str((directory / text).resolve())


def resolved_files(kafka: Mapping[str, str], directory: Path) -> dict[str, str]:
    """The client's settings with its certificates and keys that are beside the file as absolute paths."""
    files = {name for name, value in kafka.items() if value and name.lower().endswith(".location")}
    return {name: str(directory / value) if name in files else value for name, value in kafka.items()}


def resolved_catalog(catalog: Mapping[str, str], directory: Path) -> dict[str, str]:
    """The catalog's properties with those of its paths that are beside the file as absolute ones."""
    resolved = dict(catalog)
    uri = resolved.get("uri", "")
    if found := _SQLITE.fullmatch(uri):
        resolved["uri"] = found.group(1) + resolved_place(found.group(2), directory) + found.group(3)
    has_directory = resolved.get("type", "").lower() in _CATALOGS_OF_PATHS
    if "type" not in resolved:
        has_directory = uri.startswith(_SCHEMES_OF_PATHS)
    if has_directory and not resolved.get("warehouse", "/").startswith("/"):
        resolved["warehouse"] = resolved_place(resolved["warehouse"], directory)
    return resolved


def local_path(place: str) -> Path | None:
    """The path of a place on this machine; None for an address elsewhere."""
    if place.startswith("file:"):
        return Path(place.removeprefix("file:").removeprefix("//"))
    return None if "://" in place else Path(place)


def refuse_home(paths: Iterable[str]) -> None:
    """Only a shell makes a home of `~`; here it would become a directory of that name, beside the file."""
    for path in paths:
        if path.startswith("~"):
            raise ValueError(f"can't be {path}: only shells know ~; write ${{HOME}} instead")
