"""The consumer groups of a pipeline: they hear that a batch is done when it is.

A source hears of it only when Spark asks for the next batch: an hour later with `every 1h`, and in a run that ends not at
all. So whoever follows the queries says it too.

Rule: this is for those who look at the lag. It fails in silence, since the source commits the same once it hears of it.
"""

from collections.abc import Iterator
from contextlib import suppress

from snakka.client.topic_partition import TopicPartition
from snakka.spark.pipelines.cluster_topics import open_admin, reads_topic
from snakka.spark.pipelines.declaration import DEAD_LETTERS, Pipeline, Source, Trigger
from snakka.spark.pipelines.option_checks import source_options
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.progress import Offsets
from snakka.spark.read_options import read_options

_COMMIT_MS = 5_000
# With shorter intervals the source is soon asked again, and its commit might come before ours of an earlier batch.
_LONG_SECONDS = 1.0


def group_of(pipeline: Pipeline, sink: str) -> str:
    """The consumer group that shows how far a sink's query is: the pipeline's name, and the sink's if there are several."""
    if sink == DEAD_LETTERS or len(pipeline.sinks) > 1:
        return f"{pipeline.name}-{sink}"
    return pipeline.name


class GroupCommits:
    """Of one run."""

    def __init__(self, pipeline: Pipeline, trigger: Trigger) -> None:
        self._pipeline = pipeline
        self._is_long = trigger.kind == "once" or trigger.seconds >= _LONG_SECONDS
        self._done: dict[str, Offsets] = {}  # by sink

    def batch_done(self, sink: str, ends: Offsets) -> None:
        """Another batch will follow, but perhaps much later."""
        if self._is_long:
            self.all_done(sink, ends)

    def all_done(self, sink: str, ends: Offsets) -> None:
        """The query has ended, and this is how far it came."""
        if not ends or self._done.get(sink) == ends:
            return
        self._done[sink] = {topic: dict(offsets) for topic, offsets in ends.items()}
        for source, offsets in self._by_source(ends):
            options = read_options(source_options(source, group_of(self._pipeline, sink), {}), is_stream=True)
            with suppress(PipelineError), open_admin(source.kafka) as admin:
                admin.alter_group_offsets(options.group_id, offsets, timeout_ms=_COMMIT_MS)

    def _by_source(self, ends: Offsets) -> Iterator[tuple[Source, dict[TopicPartition, int]]]:
        """Topics that several sources have are left out, unless all have them at the same brokers."""
        sources = self._pipeline.sources.values()
        for source in sources:
            own = {
                TopicPartition(topic, int(partition)): offset
                for topic, offsets in ends.items()
                if reads_topic(source, topic)
                and all(each.kafka == source.kafka for each in sources if reads_topic(each, topic))
                for partition, offset in offsets.items()
            }
            if own:
                yield source, own
