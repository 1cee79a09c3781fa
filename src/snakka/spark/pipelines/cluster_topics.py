"""What the cluster says about a pipeline's topics: which there are, their partitions, and offsets in them.

Rule: a topic that does not exist is a problem of the file; a cluster that does not answer is not.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from snakka.client.blocking import Admin
from snakka.client.errors import ClientConfigError, ClientError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ApiError
from snakka.spark.client_settings import admin_settings
from snakka.spark.pipelines.declaration import BOOTSTRAP, Pipeline, Source
from snakka.spark.pipelines.offset_reset import LATEST
from snakka.spark.pipelines.problems import PipelineError, Problem, did_you_mean
from snakka.spark.source.java_patterns import compile_java_pattern

_ASK_MS = 20_000

Partitions = list[tuple[str, int]]


def topic_problems(pipeline: Pipeline) -> list[Problem]:
    """Topics that sources read or sinks write, and that do not exist."""
    problems: list[Problem] = []
    for source in pipeline.sources.values():
        existing = _topic_names(source.kafka)
        missing = [topic for topic in source.topics if topic not in existing]
        problems += [
            _missing(source.table.line("topics"), topic, source.kafka, existing) for topic in missing
        ]
        if source.pattern is not None and not any(reads_topic(source, each) for each in existing):
            problems.append(
                Problem(source.table.line("pattern"), f"no topic is called like {source.pattern}")
            )
    for sink in pipeline.all_sinks.values():
        topic = sink.text("topic")
        if sink.format == "topic" and topic:
            existing = _topic_names(sink.kafka)
            if topic not in existing:
                problems.append(_missing(sink.table.line("topic"), topic, sink.kafka, existing))
    return problems


def _missing(line: int, topic: str, kafka: Mapping[str, str], existing: Iterable[str]) -> Problem:
    near = did_you_mean(topic, existing)
    hint = f"{near} If not," if "did you mean" in near else ";"
    command = f"snakka topic create {topic} --bootstrap-server {kafka[BOOTSTRAP]}"
    return Problem(line, f"there is no topic {topic}{hint} `{command}` creates it")


def source_partitions(pipeline: Pipeline) -> dict[str, Partitions]:
    """The partitions that each source reads now."""
    found: dict[str, Partitions] = {}
    for source in pipeline.sources.values():
        with open_admin(source.kafka) as admin:
            found[source.name] = [
                (topic.name, partition.index)
                for topic in admin.list_topics(timeout_ms=_ASK_MS)
                if reads_topic(source, topic.name)
                for partition in topic.partitions
            ]
    return found


def offsets_at(pipeline: Pipeline, timestamp: int) -> dict[tuple[str, int], int]:
    """The offset of each partition at a time, or at an end of it (-1 latest, -2 earliest); behind all records: its end.

    PipelineError if a topic's name is not enough to tell whose partitions are meant.
    """
    found: dict[tuple[str, int], int] = {}
    partitions = source_partitions(pipeline)
    _refuse_namesakes(pipeline, partitions)
    for source in pipeline.sources.values():
        wanted = [TopicPartition(*each) for each in partitions[source.name]]
        with open_admin(source.kafka) as admin:
            at = admin.list_offsets(dict.fromkeys(wanted, timestamp), timeout_ms=_ASK_MS)
            ends = admin.list_offsets(dict.fromkeys(wanted, LATEST), timeout_ms=_ASK_MS)
            for each in wanted:
                offset = at[each].offset
                found[each.topic, each.partition] = ends[each].offset if offset < 0 else offset
    return found


def _refuse_namesakes(pipeline: Pipeline, partitions: Mapping[str, Partitions]) -> None:
    """Topics of one name at different brokers: the offsets of one would be taken for those of the other."""
    readers: dict[str, Source] = {}
    for name, source in pipeline.sources.items():
        for topic in sorted({topic for topic, _ in partitions[name]}):
            other = readers.setdefault(topic, source)
            if other.kafka[BOOTSTRAP] != source.kafka[BOOTSTRAP]:
                raise PipelineError(
                    f"sources {other.name} and {name} read {topic} at different brokers, which a reset can't tell apart: "
                    "give the pipeline another checkpoint, and these sources starting_offsets, instead"
                )


def reads_topic(source: Source, topic: str) -> bool:
    if source.pattern is None:
        return topic in source.topics
    return compile_java_pattern(source.pattern).search(topic) is not None


def _topic_names(kafka: Mapping[str, str]) -> list[str]:
    with open_admin(kafka) as admin:
        return [topic.name for topic in admin.list_topics(timeout_ms=_ASK_MS)]


@contextmanager
def open_admin(kafka: Mapping[str, str]) -> Iterator[Admin]:
    """A client for questions; what only consumers or producers know of the settings is not for it."""
    try:
        with Admin(admin_settings(kafka)) as admin:
            yield admin
    except ClientConfigError as error:
        raise PipelineError(f"kafka: {error}") from None
    except (ClientError, ApiError) as error:
        brokers, message = kafka.get(BOOTSTRAP, ""), str(error)
        raise PipelineError(message if brokers in message else f"{brokers}: {message}") from None
