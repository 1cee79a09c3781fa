"""Spark's checkpoint of one query, as far as a reset must understand it: the last batch that was planned, and done.

    offsets/N    a version, the batch's settings, then a line for each source: its end, as JSON; `-` if it had none
    commits/N    the batch is done

Rule: nothing that Spark wrote is changed. A reset adds a batch that reads nothing and ends where the next one is to
begin, so that the query keeps its id and its numbers: what sinks remember of (query, batch) stays true.
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
        merged: Offsets = {}
        for line in self.lines[_FIRST_SOURCE_LINE:]:
            merged.update(read_offsets(line))
        return merged

    @property
    def is_between_batches(self) -> bool:
        return self.planned == self.done

    def with_offsets(self, target: Offsets) -> str:
        """The plan of a batch that ends at `target`; partitions that it does not name stay where they are."""
        changed = [*self.lines[:_FIRST_SOURCE_LINE]]
        for line in self.lines[_FIRST_SOURCE_LINE:]:
            own = read_offsets(line)
            for topic, partitions in own.items():
                partitions.update(target.get(topic, {}))
            changed.append(offsets_json(own) if own else line)
        return "\n".join(changed)


def read_checkpoint(directory: Path) -> QueryCheckpoint | None:
    """None if the query has planned nothing yet. PipelineError if it is no checkpoint that we understand."""
    planned, done = _newest(directory / "offsets"), _newest(directory / "commits")
    if planned < 0:
        return None
    lines = tuple((directory / "offsets" / str(planned)).read_text(encoding="utf-8").splitlines())
    if not lines or lines[0] != "v1":
        raise PipelineError(
            f"{directory / 'offsets' / str(planned)} is of a kind that can't be reset: {lines[:1]}"
        )
    return QueryCheckpoint(directory, planned, done, lines, has_state=(directory / "state").is_dir())


def move_offsets(checkpoint: QueryCheckpoint, target: Offsets) -> int:
    """Add the batch that does nothing but end at `target`; its number. As Spark does, the plan is written first."""
    batch = checkpoint.planned + 1
    commit = checkpoint.directory / "commits" / str(checkpoint.done)
    done = commit.read_text(encoding="utf-8") if checkpoint.done >= 0 else 'v1\n{"nextBatchWatermarkMs":0}'
    _put(checkpoint.directory / "offsets" / str(batch), checkpoint.with_offsets(target))
    _put(checkpoint.directory / "commits" / str(batch), done)
    return batch


def offsets_json(offsets: Offsets) -> str:
    """As Spark writes them: compact, topics and partitions in order."""
    ordered = {
        topic: {partition: partitions[partition] for partition in sorted(partitions, key=int)}
        for topic, partitions in sorted(offsets.items())
    }
    return json.dumps(ordered, separators=(",", ":"))


def _newest(directory: Path) -> int:
    if not directory.is_dir():
        return -1
    return max((int(each.name) for each in directory.iterdir() if each.name.isdecimal()), default=-1)


def _put(file: Path, text: str) -> None:
    """Whole or not at all; Hadoop's checksum of an older file of that name would not fit."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.fresh")
    fresh.write_text(text, encoding="utf-8")
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    fresh.replace(file)
