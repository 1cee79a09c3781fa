"""What Spark's dry run of a graph of tables prints, pure: its progress, and what is wrong, with file and line.

Spark says which file it reads, which table it can't resolve, and where in the SQL; a trace says where in Python. The file
of a table is the one that defines it. Rule: nothing is made up; what is not understood is left for the reader as it came.
"""

import re
from collections.abc import Callable
from pathlib import Path

from snakka.spark.pipelines.problems import Problem
from snakka.spark.pipelines.spark_errors import plain

_EVENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (.*)")
_READS_FILE = re.compile(r"(?:Registering SQL file|Importing) (.+)\.\.\.")
_FAILED_TABLE = re.compile(r"Failed to resolve flow: '(.+)'\.")
_FAILED_WITH_IT = "Failed to resolve flow due to upstream failure"
_TRACE = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "(.+)", line (\d+), in ')
_PLACE = re.compile(r"line (\d+),? pos \d+")
_TABLE = re.compile(r"'(?:[\w`]+\.)*`?(\w+)`?'")
_FIELD = re.compile(r"spec field `(\w+)`")
# By whom it was raised is of no use to a reader, unless it is all that there is.
_RAISED = re.compile(r"(?:pyspark\.[\w.]+)(?:Exception|Error): ?")
# How a file defines the table of a name.
_DEFINITIONS = {
    ".sql": r"CREATE\s+(?:\w+\s+)*?(?:VIEW|TABLE|FLOW)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:`?\w+`?\.)*`?{0}`?(?!\w)",
    ".py": r"def\s+{0}\s*\(|.*\bname\s*=\s*[\"'](?:\w+\.)*{0}[\"']",
}

Place = tuple[Path, Problem]


class DryRunOutput:
    """Takes the output line by line."""

    def __init__(self, spec: Path, read: Callable[[Path], str]) -> None:
        self._spec = spec
        self._read = read
        self._files: list[Path] = []
        self._tables: list[tuple[str, list[str]]] = []
        self._trace: list[str] = []
        self._into: list[str] | None = None  # whose text the next lines are

    def take(self, line: str) -> str | None:
        """The progress that it tells of, if any."""
        event = _EVENT.fullmatch(line)
        if line == _TRACE and not self._trace:
            self._into = self._trace
        elif event is not None:
            self._into = None
            return self._progress(event.group(1))
        elif self._into is not None:
            self._into.append(line)
        return None

    def _progress(self, event: str) -> str | None:
        failed = _FAILED_TABLE.fullmatch(event)
        if failed is not None:
            self._into = []
            self._tables.append((failed.group(1), self._into))
            return None
        if event.startswith(_FAILED_WITH_IT):
            return None  # the others say why
        file = _READS_FILE.fullmatch(event)
        if file is not None:
            self._files.append(Path(file.group(1)))
        return event

    def problems(self) -> list[Place]:
        """All that is wrong; nothing if that is not understood."""
        if self._tables:
            return [self._of_table(name, "\n".join(lines)) for name, lines in self._tables]
        for index, line in enumerate(self._trace):
            if line and not line.startswith(" "):
                return [self._of_trace(index)]
        return []

    def _of_table(self, table: str, text: str) -> Place:
        name = table.rpartition(".")[2].strip("`")
        message = f"table {name}: {plain(text.removeprefix('Error: ')).rstrip(';')}"
        file, line = self._definition(name)
        return file, Problem(_line_of_sql(file, text) or line, message)

    def _of_trace(self, raised: int) -> Place:
        frames = [found for line in self._trace[:raised] if (found := _FRAME.match(line))]
        text = _RAISED.sub("", "\n".join(self._trace[raised:]), count=1).strip()
        message = plain(text)
        own = [each for each in frames if Path(each.group(1)) in self._files]
        if own:
            return Path(own[-1].group(1)), Problem(int(own[-1].group(2)), message)
        place = _line_of_sql(self._files[-1], text) if self._files else 0
        if place:
            return self._files[-1], Problem(place, message)
        table = _TABLE.search(text)
        if table is not None:
            file, line = self._definition(table.group(1))
            return file, Problem(line, message)
        field = _FIELD.search(text)
        return self._spec, Problem(
            0 if field is None else self._line(self._spec, rf"{field.group(1)}\s*:"), message
        )

    def _definition(self, table: str) -> tuple[Path, int]:
        """Which file defines the table, and at which line; the graph's own file if none does."""
        for file in self._files:
            pattern = _DEFINITIONS.get(file.suffix)
            found = 0 if pattern is None else self._line(file, pattern.format(re.escape(table)))
            if found:
                return file, found
        return self._spec, 0

    def _line(self, file: Path, pattern: str) -> int:
        """The first line that begins so; 0 if none does, or the file is not there any more."""
        try:
            text = self._read(file)
        except OSError:
            return 0
        found = re.search(rf"^[ \t]*(?:{pattern})", text, re.MULTILINE | re.IGNORECASE)
        return 0 if found is None else text.count("\n", 0, found.start()) + 1


def _line_of_sql(file: Path, text: str) -> int:
    """The line that Spark names, 0 if it names none. In Python it counts those of a text somewhere in the file."""
    place = _PLACE.search(text)
    return 0 if place is None or file.suffix != ".sql" else int(place.group(1))
