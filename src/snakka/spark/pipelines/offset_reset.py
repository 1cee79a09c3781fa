"""Sending a pipeline to other offsets: what would be read again or left out, and the change itself.

How depends on the query of each sink. One that has not begun gets its first offsets noted. One without state has its
offsets moved (`query_checkpoint`). One with state (an aggregation, say) must begin anew, since
its state belongs to what it has read: its checkpoint is put aside, and the next run begins at the noted offsets with
an empty state.

Rule: `plan_reset` is pure and says everything; `carry_out` does what the plan says, nothing else, and may be cut at any
step: then the reset is given once more. Neither works while it runs.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.progress import Offsets, read_offsets
from snakka.spark.pipelines.query_checkpoint import QueryCheckpoint, move_offsets, offsets_json

EARLIEST = -2
LATEST = -1


@dataclass(frozen=True, slots=True)
class Target:
    """Where to: a name or a time (as ListOffsets has them), or offsets themselves."""

    timestamp: int | None
    offsets: Offsets

    @property
    def asked(self) -> int:
        """What must be asked of the cluster; where only some offsets are given, new partitions begin at their earliest."""
        return EARLIEST if self.timestamp is None else self.timestamp


@dataclass(frozen=True, slots=True)
class Move:
    """One partition of a sink's query."""

    topic: str
    partition: int
    before: int | None
    after: int

    @property
    def again(self) -> int:
        """How many offsets are read a second time; negative: how many are left out."""
        return 0 if self.before is None else self.before - self.after


@dataclass(frozen=True, slots=True)
class SinkReset:
    """What becomes of one sink's query."""

    sink: str
    how: str  # begin, move, anew
    moves: tuple[Move, ...]
    checkpoint: QueryCheckpoint | None

    @property
    def target(self) -> Offsets:
        offsets: Offsets = {}
        for move in self.moves:
            offsets.setdefault(move.topic, {})[str(move.partition)] = move.after
        return offsets


def parse_target(text: str) -> Target:
    """ValueError if it is none of: earliest, latest, a time, offsets as JSON."""
    stripped = text.strip()
    if stripped in ("earliest", "latest"):
        return Target(EARLIEST if stripped == "earliest" else LATEST, {})
    if stripped.startswith("{"):
        return Target(None, _explicit(stripped))
    if stripped.isdecimal():
        return Target(int(stripped), {})
    try:
        when = datetime.fromisoformat(stripped)
    except ValueError:
        raise ValueError(
            f"{text} is no place to go to: earliest, latest, a time (2026-01-31T12:00, or milliseconds), or "
            '{"topic":{"0":42}}'
        ) from None
    when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return Target(int(when.timestamp() * 1000), {})


def _explicit(text: str) -> Offsets:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{text} is no JSON of offsets: {error}") from None
    topics = list(given.values()) if all(isinstance(each, dict) for each in given.values()) else []
    entries = [entry for each in topics for entry in each.items()]
    if not entries or not all(_is_place(*entry) for entry in entries):
        raise ValueError(f'{text} must be offsets from 0 on by topic and partition: {{"topic":{{"0":42}}}}')
    return read_offsets(given)


def _is_place(partition: str, offset: object) -> bool:
    """Not 1.7, nor true, which Python would make a number of."""
    return partition.isascii() and partition.isdecimal() and type(offset) is int and offset >= 0


def check_offsets(
    target: Target, earliest: Mapping[tuple[str, int], int], latest: Mapping[tuple[str, int], int]
) -> None:
    """Offsets that are given must be there: a query that is sent elsewhere would fail, or wait for ever."""
    for topic, partitions in target.offsets.items():
        for partition, offset in partitions.items():
            place = (topic, int(partition))
            if place not in earliest:
                raise PipelineError(f"the pipeline does not read {topic} {partition}")
            if not earliest[place] <= offset <= latest[place]:
                raise PipelineError(
                    f"{topic} {partition} has offsets from {earliest[place]} to {latest[place]}, not {offset}"
                )


def plan_reset(
    sinks: Mapping[str, QueryCheckpoint | None],
    begins: Mapping[str, Offsets],
    target: Target,
    found: Mapping[tuple[str, int], int],
    *,
    output_formats: Mapping[str, str],
    abandon: bool,
) -> list[SinkReset]:
    """What each sink's query must do. `found` is what the cluster says; `begins` is for queries without a batch."""
    resets = []
    for sink, checkpoint in sinks.items():
        before = begins.get(sink, {}) if checkpoint is None else checkpoint.offsets
        moves = _moves(before, target, found, only_known=checkpoint is not None and not checkpoint.has_state)
        if checkpoint is None:
            how = "begin"
        elif checkpoint.has_state:
            how = "anew"
            if output_formats.get(sink) == "parquet":
                raise PipelineError(
                    f"sink {sink} has state and writes Parquet, which takes no batch number twice: give it another "
                    "path and another checkpoint instead"
                )
        else:
            how = "move"
        if checkpoint is not None and not checkpoint.is_between_batches:
            _check_abandoning(sink, checkpoint, output_formats.get(sink, ""), abandon=abandon)
        resets.append(SinkReset(sink, how, moves, checkpoint))
    return resets


def _check_abandoning(sink: str, checkpoint: QueryCheckpoint, output_format: str, *, abandon: bool) -> None:
    stopped = f"sink {sink} was stopped inside batch {checkpoint.planned}; run the pipeline until it is done"
    if output_format == "parquet":
        raise PipelineError(f"{stopped}: Spark's log of Parquet files can't do without it")
    if not abandon:
        raise PipelineError(f"{stopped}, or give --abandon to leave that batch as it is")


def _moves(
    before: Offsets, target: Target, found: Mapping[tuple[str, int], int], *, only_known: bool
) -> tuple[Move, ...]:
    moves = []
    for (topic, partition), offset in sorted(found.items()):
        known = before.get(topic, {}).get(str(partition))
        if only_known and known is None:
            continue  # a partition that the query has not met begins at its earliest anyway
        given = target.offsets.get(topic, {}).get(str(partition), known)
        after = offset if target.timestamp is not None else given
        moves.append(Move(topic, partition, known, offset if after is None else after))
    return tuple(moves)


def noted_starts(resets: Iterable[SinkReset], starts: Mapping[str, str]) -> dict[str, str]:
    """Where queries begin that have no checkpoint. Written before anything is put aside, and ignored by who has one."""
    fresh = {reset.sink: offsets_json(reset.target) for reset in resets if reset.how != "move"}
    return {**starts, **fresh}


def completed_starts(starts: Offsets, partitions: Iterable[tuple[str, int]]) -> Offsets:
    """Where a source begins that has these partitions now, by what was noted for some of them.

    Those that came later begin at their earliest, those that are gone begin nowhere: Spark wants each of them, and no
    other. Nothing, if nothing was noted for any.
    """
    present = [(topic, str(partition)) for topic, partition in partitions]
    if not any(partition in starts.get(topic, {}) for topic, partition in present):
        return {}
    completed: Offsets = {}
    for topic, partition in present:
        completed.setdefault(topic, {})[partition] = starts.get(topic, {}).get(partition, EARLIEST)
    return completed


def carry_out(resets: Iterable[SinkReset], now_ms: int) -> None:
    """Do to the checkpoints what was planned."""
    for reset in resets:
        if reset.checkpoint is None:
            continue
        if reset.how == "move":
            move_offsets(reset.checkpoint, reset.target)
        else:
            directory: Path = reset.checkpoint.directory
            directory.rename(directory.with_name(f"{directory.name}.before-{now_ms}"))


def reset_lines(resets: Iterable[SinkReset]) -> list[str]:
    """For people: what will be read again, and what will not be read."""
    ways = {
        "begin": "has not begun; it will begin there",
        "move": "goes on there",
        "anew": "has state, so it begins anew there, with a new checkpoint and empty state",
    }
    lines = []
    for reset in resets:
        lines.append(f"sink {reset.sink} {ways[reset.how]}")
        for move in reset.moves:
            place = f"  {move.topic} {move.partition}: "
            if move.before is None or move.again == 0:
                lines.append(f"{place}at {move.after}")
            elif move.again > 0:
                records = "1 record is" if move.again == 1 else f"{move.again:,} records are"
                lines.append(f"{place}{move.before} -> {move.after}, {records} read again")
            else:
                records = "1 record is" if move.again == -1 else f"{-move.again:,} records are"
                lines.append(f"{place}{move.before} -> {move.after}, {records} not read")
    return lines
