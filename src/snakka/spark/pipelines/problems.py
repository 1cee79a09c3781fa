"""What is wrong with a pipeline's file: one line each, with the line of the file, and what to change.

Rule: everything that can be found is found in one go; nobody should have to run `check` once for each mistake.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A line of the file (0: the file as a whole), and what is wrong there."""

    line: int
    message: str

    def shown(self, file: Path) -> str:
        place = f"{file}:{self.line}" if self.line else str(file)
        return f"{place}: {self.message}"


class PipelineFileError(Exception):
    """The file can't be run as it is."""

    def __init__(self, file: Path, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = sorted(set(problems))
        super().__init__("\n".join(problem.shown(file) for problem in self.problems))


class GraphFilesError(Exception):
    """A graph of tables has many files: what is wrong with each."""

    def __init__(self, problems: Iterable[tuple[Path, Problem]]) -> None:
        super().__init__("\n".join(problem.shown(file) for file, problem in sorted(set(problems))))


class PipelineError(Exception):
    """Something else than the file keeps the pipeline from doing what was asked: one line."""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """` (did you mean X?)`, or all that there is if nothing is near."""
    names = list(known)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else f"; there is {', '.join(names)}" if names else ""
