"""`reset`: gathers what a reset must know, of the checkpoints and of the cluster, and lets `offset_reset` decide.

Rule: the lock is held from the first look to the last write, so a pipeline that runs is never reset.
"""

from snakka.runtime.clock import SystemClock
from snakka.spark.pipelines.checkpoint_fit import owner_problems
from snakka.spark.pipelines.cluster_topics import offsets_at
from snakka.spark.pipelines.declaration import Pipeline
from snakka.spark.pipelines.offset_reset import (
    LATEST,
    SinkReset,
    Target,
    carry_out,
    check_offsets,
    noted_starts,
    plan_reset,
)
from snakka.spark.pipelines.problems import PipelineError, PipelineFileError, did_you_mean
from snakka.spark.pipelines.progress import read_offsets
from snakka.spark.pipelines.query_checkpoint import QueryCheckpoint, read_checkpoint
from snakka.spark.pipelines.run_state import RunState


def reset(
    pipeline: Pipeline, target: Target, names: tuple[str, ...], *, is_dry: bool, abandon: bool
) -> list[SinkReset]:
    """What was done, or with `is_dry` would be."""
    for name in names:
        if name not in pipeline.all_sinks:
            raise PipelineError(f"there is no sink {name}{did_you_mean(name, pipeline.all_sinks)}")
    state = RunState(pipeline)
    with state.locked():
        if problems := list(owner_problems(pipeline)):
            raise PipelineFileError(pipeline.file, problems)
        checkpoints: dict[str, QueryCheckpoint | None] = {}
        for name in names or tuple(pipeline.all_sinks):
            directory = state.local_sink_checkpoint(name)
            if directory is None:
                raise PipelineError(
                    f"{state.checkpoint} is not on this machine; give the pipeline another checkpoint and "
                    "starting_offsets instead"
                )
            checkpoints[name] = read_checkpoint(directory)
        found = offsets_at(pipeline, target.asked)
        if target.offsets:
            check_offsets(target, found, offsets_at(pipeline, LATEST))
        starts = state.starts()
        resets = plan_reset(
            checkpoints,
            {name: read_offsets(text) for name, text in starts.items()},
            target,
            found,
            output_formats={name: sink.format for name, sink in pipeline.all_sinks.items()},
            abandon=abandon,
        )
        if not is_dry:
            state.write_starts(noted_starts(resets, starts))
            carry_out(resets, SystemClock().now_ms())
    return resets
