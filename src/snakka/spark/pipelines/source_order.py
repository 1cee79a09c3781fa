"""Whether the sources of a query are in the order of its checkpoint, which knows them by their places alone.

Tables of a file that change places, or a step that takes its views the other way round, make another order. Spark would hand
one source the offsets of another, whose topics are gone for it: either it fails, and has planned a batch by then that fits
neither order; or, with failOnDataLoss = false, it reads all of its own once more.

Rule: a problem is only what is certain. Whether there are as many sources as before Spark finds out by itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.pipelines.declaration import DEAD_LETTERS, Sink
from snakka.spark.pipelines.problems import PipelineError, Problem
from snakka.spark.pipelines.progress import Offsets
from snakka.spark.pipelines.query_checkpoint import read_checkpoint
from snakka.spark.source.java_patterns import compile_java_pattern

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Reads = Callable[[str], bool]  # whether a source reads the topic

_STREAM = "StreamingRelation"
_OURS = "StreamingRelationV2"
_FORMAT = "snakka"
_SHARED = "CTERelationRef"  # how often Spark makes a source of what it stands for is not known


def order_problems(frame: "DataFrame", sink: Sink, directory: Path | None) -> Iterator[Problem]:
    """Sources that would go on where others of the query have been."""
    places = _places(directory)
    sources = _query_sources(frame) if len(places) > 1 else None
    if sources is None or not are_moved(places, sources):
        return
    order = ", then ".join(" and ".join(sorted(place)) or "one without records" for place in places)
    instead = "give the pipeline another checkpoint"
    if sink.name != DEAD_LETTERS:
        instead = "call the sink something else to begin anew"
    yield Problem(
        sink.table.line("from"),
        f"sink {sink.name} can't go on with its sources in another order than its checkpoint's, {order}: put them back, "
        f"or {instead}",
    )


def are_moved(places: Sequence[Offsets], sources: Sequence[Reads]) -> bool:
    """Whether a topic is now read by another source than the one in whose place the checkpoint has it."""
    return len(places) == len(sources) and any(
        not source(topic) and any(reads(topic) for reads in sources)
        for place, source in zip(places, sources, strict=True)
        for topic in place
    )


def _places(directory: Path | None) -> list[Offsets]:
    """How far each source is; nothing where there is no checkpoint, where it is elsewhere or only Spark understands it."""
    with suppress(PipelineError):
        checkpoint = None if directory is None else read_checkpoint(directory)
        return [] if checkpoint is None else checkpoint.sources
    return []


def _query_sources(frame: "DataFrame") -> list[Reads] | None:
    """What each source reads, in the order in which Spark numbers them; None if that is not certain."""
    leaves = frame._jdf.queryExecution().analyzed().collectLeaves()
    sources: list[Reads] = []
    for index in range(leaves.size()):
        leaf = leaves.apply(index)
        kind = str(leaf.getClass().getSimpleName())
        if kind == _SHARED:
            return None
        if kind.startswith(_STREAM):
            is_ours = kind == _OURS and leaf.sourceName() == _FORMAT
            reads = _reads(leaf.extraOptions()) if is_ours else None
            if reads is None:
                return None
            sources.append(reads)
    return sources


def _reads(options: Mapping[str, str]) -> Reads | None:
    topics, pattern = options.get("subscribe"), options.get("subscribePattern")
    if topics is not None:
        names = {topic.strip() for topic in topics.split(",")}
        return names.__contains__
    with suppress(SparkOptionError):
        if pattern is not None:
            compiled = compile_java_pattern(pattern)
            return lambda topic: compiled.search(topic) is not None
    return None
