"""Whether the checkpoints of an earlier run still fit the file.

Rule: only what is certain, without Spark: a directory is one pipeline's, a query can't go on from offsets of topics that
nobody reads any more, and Parquet files belong to one query. What else may not fit (the number of sources, an aggregation)
Spark says when the query starts, before it reads anything.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from snakka.spark.pipelines.cluster_topics import reads_topic
from snakka.spark.pipelines.declaration import Pipeline, Sink, read_pipeline
from snakka.spark.pipelines.places import local_path
from snakka.spark.pipelines.problems import PipelineError, PipelineFileError, Problem
from snakka.spark.pipelines.query_checkpoint import last_number, read_checkpoint
from snakka.spark.pipelines.run_state import RunState

_LOSS = "failondataloss"
_LOG_OF_FILES = "_spark_metadata"


def checkpoint_problems(pipeline: Pipeline) -> Iterator[Problem]:
    """Topics that a sink's query has read and that are no source's now."""
    if any(_may_lose(source.options) for source in pipeline.sources.values()):
        return
    state = RunState(pipeline)
    for name, sink in pipeline.all_sinks.items():
        gone = [
            topic
            for topic in _topics_read(state, name)
            if not any(reads_topic(source, topic) for source in pipeline.sources.values())
        ]
        if gone:
            yield Problem(
                sink.table.own_line,
                f"sink {name} has read {', '.join(gone)} until now, which no source reads any more: name it in a source "
                "again, or give the pipeline another checkpoint, or set failOnDataLoss = false under the source's options",
            )


def owner_problems(pipeline: Pipeline) -> Iterator[Problem]:
    """Two files that name one directory would show each other's state, and wait for each other's runs."""
    state = RunState(pipeline)
    other = Path(str((state.read() or {}).get("file", "")))
    if not other.is_file() or other.resolve() == pipeline.file.resolve():
        return
    try:
        is_shared = RunState(read_pipeline(other)).directory == state.directory
    except (PipelineError, PipelineFileError):
        return  # whatever it is, it can't be run
    if is_shared:
        yield Problem(
            pipeline.table.line("checkpoint"),
            f"checkpoint {pipeline.checkpoint} is that of {other}: give this pipeline another one, or remove that file",
        )


def file_problems(pipeline: Pipeline) -> Iterator[Problem]:
    """Parquet files of another checkpoint: Spark leaves out batches whose numbers its log of files has, without a word.

    And after ten batches it looks for those before them in that log, which must have them all.
    """
    state = RunState(pipeline)
    for name, sink in pipeline.all_sinks.items():
        place, directory = _files_of(sink), state.local_sink_checkpoint(name)
        if place is None or directory is None:
            continue
        planned, done = last_number(directory / "offsets"), last_number(directory / "commits")
        written = last_number(place / _LOG_OF_FILES)
        if written > planned:
            yield Problem(
                sink.table.line("path"),
                f"sink {name}: the files in {place} are of batches up to {written} of another checkpoint, so Spark would "
                "leave out the rows of as many new ones: name another path, or put that directory away",
            )
        elif written < done:
            yield Problem(
                sink.table.line("path"),
                f"sink {name} is at batch {done}, but {place} has none of its files, which Spark will want to know: name "
                "the path that it had, or call the sink something else to begin anew",
            )


def _files_of(sink: Sink) -> Path | None:
    return local_path(sink.path) if sink.format == "parquet" else None


def _topics_read(state: RunState, sink: str) -> list[str]:
    directory = state.local_sink_checkpoint(sink)
    try:
        checkpoint = None if directory is None else read_checkpoint(directory)
    except PipelineError:
        return []  # written in a way that only Spark understands
    return [] if checkpoint is None else sorted(checkpoint.offsets)


def _may_lose(options: Mapping[str, str]) -> bool:
    return any(name.lower() == _LOSS and value.lower() == "false" for name, value in options.items())
