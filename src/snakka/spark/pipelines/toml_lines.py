"""On which lines of a TOML text its keys and values are: what the standard parser knows and does not tell.

Rule: the text has been parsed already, so it is valid; this only walks over it and counts lines.
"""

import re
import tomllib
from bisect import bisect_right
from dataclasses import dataclass

Path = tuple[str | int, ...]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BLANKS = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' + r"|'''.*?'{3,5}" + r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}\n#]*")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key or an element begins, and where its text does if it is one of several lines."""

    line: int
    text_line: int


def toml_lines(text: str) -> dict[Path, Place]:
    """The place of every key and element by its path; a table's is its header, or its first key."""
    return _Walk(text).places()


class _Walk:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line_starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._places: dict[Path, Place] = {}
        self._array_sizes: dict[Path, int] = {}

    def places(self) -> dict[Path, Place]:
        table: Path = ()
        while self._skip(_GAP) < len(self._text):
            if self._text.startswith("[", self._at):
                table = self._header()
            else:
                self._entry(table)
        return self._places

    def _header(self) -> Path:
        line = self._line()
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        keys = self._key()
        self._at = self._text.index("]", self._at) + (2 if is_array else 1)
        path = (*self._inside(keys[:-1]), keys[-1])
        for length in range(1, len(path) + 1):
            self._note(path[:length], line)
        if not is_array:
            return self._inside(keys)
        self._array_sizes[path] = self._array_sizes.get(path, 0) + 1
        path = (*path, self._array_sizes[path] - 1)
        self._note(path, line)
        return path

    def _inside(self, keys: list[str]) -> Path:
        """The path of a table; where a key is an array of tables, its last one."""
        path: Path = ()
        for key in keys:
            path = (*path, key)
            if path in self._array_sizes:
                path = (*path, self._array_sizes[path] - 1)
        return path

    def _entry(self, table: Path) -> None:
        line = self._line()
        path = table
        for key in self._key():
            path = (*path, key)
            self._note(path, line)
        self._at = self._text.index("=", self._at) + 1
        self._value(path)

    def _key(self) -> list[str]:
        keys = []
        while True:
            self._skip(_BLANKS)
            found = _STRING.match(self._text, self._at) or _BARE_KEY.match(self._text, self._at)
            assert found is not None, "the text was parsed before"
            self._at = found.end()
            (key,) = tomllib.loads(f"{found.group()} = 0")
            keys.append(key)
            if self._skip(_BLANKS) >= len(self._text) or self._text[self._at] != ".":
                return keys
            self._at += 1

    def _value(self, path: Path) -> None:
        self._skip(_BLANKS)
        string = _STRING.match(self._text, self._at)
        if string is not None:
            if string.group().startswith(('"""\n', "'''\n", '"""\r\n', "'''\r\n")):
                self._places[path] = Place(self._places[path].line, self._line() + 1)
            self._at = string.end()
        elif self._text.startswith("[", self._at):
            self._array(path)
        elif self._text.startswith("{", self._at):
            self._inline_table(path)
        else:
            self._skip(_SCALAR)

    def _array(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._text[self._skip(_GAP)] != "]":
            self._note((*path, index), self._line())
            self._value((*path, index))
            index += 1
            if self._text[self._skip(_GAP)] == ",":
                self._at += 1
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while self._text[self._skip(_GAP)] != "}":
            self._entry(path)
            if self._text[self._skip(_GAP)] == ",":
                self._at += 1
        self._at += 1

    def _note(self, path: Path, line: int) -> None:
        self._places.setdefault(path, Place(line, line))

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._at)
        self._at = self._at if found is None else found.end()
        return self._at

    def _line(self) -> int:
        return bisect_right(self._line_starts, self._at)
