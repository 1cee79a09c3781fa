"""Lines of Python with indentation, and what a generated module needs at its top."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from tools.schema_notation import Versions

# How struct names the types of fixed size.
FORMATS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint16": "H",
    "uint32": "I",
    "float64": "d",
    "uuid": "16s",
}


def size_of(format_text: str) -> int:
    """The size of values packed by this format."""
    return struct.calcsize(">" + format_text)


class CodeWriter:
    """Collects a module's lines, the names that it imports and the struct formats that it compiles."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.imports: set[str] = set()
        self.readers: set[str] = set()
        self.packers: set[str] = set()
        self._depth = 0

    def line(self, text: str = "") -> None:
        self.lines.append("    " * self._depth + text if text else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Writes `head` and indents what is written inside."""
        self.line(head)
        self._depth += 1
        length = len(self.lines)
        yield
        if len(self.lines) == length:
            self.line("pass")
        self._depth -= 1

    def use(self, name: str) -> str:
        """The name, which the module will import from the runtime of messages."""
        self.imports.add(name)
        return name

    def reader(self, format_text: str) -> str:
        """The name of the compiled unpack of a format."""
        self.readers.add(format_text)
        return "_read_" + format_text.replace("?", "t")

    def packer(self, format_text: str) -> str:
        """The name of the compiled pack of a format."""
        self.packers.add(format_text)
        return "_pack_" + format_text.replace("?", "t")


def condition(wanted: Versions, known: Versions) -> str:
    """The test for `wanted` where the version is already known to lie in `known`."""
    if wanted.low > known.low and wanted.high < known.high:
        return f"{wanted.low} <= version <= {wanted.high}"
    if wanted.low == wanted.high and wanted.low in known:
        return f"version == {wanted.low}"
    if wanted.low > known.low:
        return f"version >= {wanted.low}"
    return f"version <= {wanted.high}"
