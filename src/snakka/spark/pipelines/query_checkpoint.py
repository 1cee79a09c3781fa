"""Spark's checkpoint of one query, as far as a reset must understand it: the last batch that was planned, and done.

    offsets/N    a version, the batch's settings, then a line for each source: its end, as JSON; `-` if it had none
    commits/N    the batch is done

Rule: a reset changes only where the last batch that is done ended, which is where the next one begins. The query keeps
its id and its numbers, so what sinks remember of (query, batch) stays true, and no batch is there that a sink never had:
Spark's own log of Parquet files must have every number.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.progress import Offsets, read_offsets

_NOTHING = "-"
_FIRST_SOURCE_LINE = 2


@dataclass(frozen=True, slots=True)
class QueryCheckpoint:
    """What is known of a query that has planned at least one batch."""

    directory: Path
    planned: int
    done: int
    lines: tuple[str, ...]  # of the last plan
    has_state: bool

    @property
    def offsets(self) -> Offsets:
        """Where the last planned batch ends, of all sources."""
        return {topic: partitions for source in self.sources for topic, partitions in source.items()}

    @property
    def sources(self) -> list[Offsets]:
        """The same for each source, in Spark's order."""
        return [read_offsets(line) for line in self.lines[_FIRST_SOURCE_LINE:]]

    @property
    def is_between_batches(self) -> bool:
        return self.planned == self.done

    def with_offsets(self, target: Offsets) -> str:
        """The last plan, but that it ends at `target`; partitions that it does not name stay where they are."""
        changed = [*self.lines[:_FIRST_SOURCE_LINE]]
        for line in self.lines[_FIRST_SOURCE_LINE:]:
            own = read_offsets(line)
            for topic, partitions in own.items():
                partitions.update(target.get(topic, {}))
            changed.append(offsets_json(own) if own else line)
        return "\n".join(changed)


def read_checkpoint(directory: Path) -> QueryCheckpoint | None:
    """None if the query has planned nothing yet. PipelineError if it is no checkpoint that we understand."""
    planned, done = last_number(directory / "offsets"), last_number(directory / "commits")
    if planned < 0:
        return None
    lines = tuple((directory / "offsets" / str(planned)).read_text(encoding="utf-8").splitlines())
    if not lines or lines[0] != "v1":
        raise PipelineError(
            f"{directory / 'offsets' / str(planned)} is of a kind that can't be reset: {lines[:1]}"
        )
    return QueryCheckpoint(directory, planned, done, lines, has_state=(directory / "state").is_dir())


def move_offsets(checkpoint: QueryCheckpoint, target: Offsets) -> None:
    """Let the last batch end at `target`. If it is not done it counts as done from now on, and that comes first: a plan
    with other ends must never be carried out."""
    if not checkpoint.is_between_batches:
        commits = checkpoint.directory / "commits"
        last = commits / str(checkpoint.done)
        done = last.read_text(encoding="utf-8") if checkpoint.done >= 0 else 'v1\n{"nextBatchWatermarkMs":0}'
        _put(commits / str(checkpoint.planned), done)
    _put(checkpoint.directory / "offsets" / str(checkpoint.planned), checkpoint.with_offsets(target))


def offsets_json(offsets: Offsets) -> str:
    """As Spark writes them: compact, topics and partitions in order."""
    ordered = {
        topic: {partition: partitions[partition] for partition in sorted(partitions, key=int)}
        for topic, partitions in sorted(offsets.items())
    }
    return json.dumps(ordered, separators=(",", ":"))


def last_number(directory: Path) -> int:
    """Of the batches that a log of Spark's has; -1 if it has none. Several may be in one file, of the last one's number."""
    if not directory.is_dir():
        return -1
    names = (each.name.removesuffix(".compact") for each in directory.iterdir())
    return max((int(name) for name in names if name.isdecimal()), default=-1)


def _put(file: Path, text: str) -> None:
    """Whole or not at all; Hadoop's checksum of an older file of that name would not fit."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.fresh")
    fresh.write_text(text, encoding="utf-8")
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    fresh.replace(file)
