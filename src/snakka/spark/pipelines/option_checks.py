"""The options that the file's keys become, checked as the formats themselves check them, but with the file's lines.

Rule: needs neither a cluster nor Spark, which would say it only when a query starts; the checks are the formats' own.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from snakka.spark.client_settings import PREFIX, SparkOptionError, consumer_settings
from snakka.spark.pipelines.cluster_topics import reads_topic
from snakka.spark.pipelines.declaration import DEAD_LETTERS, Pipeline, Sink, Source
from snakka.spark.pipelines.problems import Problem, did_you_mean
from snakka.spark.pipelines.progress import read_offsets
from snakka.spark.pipelines.query_checkpoint import offsets_json
from snakka.spark.pipelines.sink_writers import sink_options
from snakka.spark.pipelines.table_keys import Table
from snakka.spark.read_options import OPTIONS, read_options
from snakka.spark.tables.table_options import delta_options, iceberg_options
from snakka.spark.topic_sink.write_options import (
    DECISION_TOPIC,
    DELIVERY_GUARANTEE,
    TOPIC,
    TRANSACTION_TIMEOUT_MS,
    write_options,
)

_CHECKS: Mapping[str, Callable[[Mapping[str, str]], Any]] = MappingProxyType(
    {"topic": write_options, "delta": delta_options, "iceberg": iceberg_options}
)
# What options are called in the file, where that is another name.
_KEYS = MappingProxyType(
    {
        "startingoffsets": "starting_offsets",
        "subscribepattern": "pattern",
        "targetfilesizebytes": "target_file_size",
        "partitionby": "partition_by",
        "table": "table",
    }
)
_SETTINGS = ("options", "kafka", "catalog")
_WORD = re.compile(r"[\w.-]+")
# The formats take what they do not know for somebody else's; what a file says is for them alone.
_SOURCE_OPTIONS = tuple(option.name for option in OPTIONS)
_TOPIC_OPTIONS = (TOPIC, DELIVERY_GUARANTEE, DECISION_TOPIC, TRANSACTION_TIMEOUT_MS)


def option_problems(pipeline: Pipeline) -> list[Problem]:
    """All that is wrong with what sources and sinks are told."""
    problems: list[Problem] = []
    for source in pipeline.sources.values():
        problems += source_option_problems(pipeline, source, source_options(source, pipeline.name, {}))
    for sink in pipeline.all_sinks.values():
        problems += _sink_option_problems(pipeline, sink)
    return problems


def source_options(source: Source, group: str, starts: Mapping[str, Any]) -> dict[str, str]:
    """The options of the format `snakka`; what the file says under `options` and `kafka` wins."""
    options = {"kafka.group.id": group, "startingOffsets": source.starting_offsets}
    if source.pattern is not None:
        options["subscribePattern"] = source.pattern
    else:
        options["subscribe"] = ",".join(source.topics)
    if source.headers:
        options["includeHeaders"] = "true"
    options.update({f"kafka.{name}": value for name, value in source.kafka.items()})
    options.update(source.options)
    own = {topic: each for topic, each in starts.items() if reads_topic(source, topic)}
    if own:
        options["startingOffsets"] = offsets_json(read_offsets(own))
    return options


def source_option_problems(
    pipeline: Pipeline, source: Source, options: Mapping[str, str]
) -> Iterator[Problem]:
    try:
        consumer_settings(read_options(options, is_stream=True).settings)
    except SparkOptionError as error:
        yield _problem(pipeline, source.table, f"source {source.name}", error)
    yield from _unknown_options(source.table, _SOURCE_OPTIONS, f"source {source.name}")


def _sink_option_problems(pipeline: Pipeline, sink: Sink) -> Iterator[Problem]:
    check = _CHECKS.get(sink.format)
    if check is None:
        return
    title = "errors" if sink.name == DEAD_LETTERS else f"sink {sink.name}"
    try:
        check(sink_options(sink))
    except SparkOptionError as error:
        yield _problem(pipeline, sink.table, title, error)
    if sink.format == "topic":  # those of tables say it themselves
        yield from _unknown_options(sink.table, _TOPIC_OPTIONS, title)


def _unknown_options(table: Table, known: tuple[str, ...], title: str) -> Iterator[Problem]:
    names = {name.lower() for name in known}
    for name in table.get("options", {}):
        if name.lower() not in names and not name.lower().startswith(PREFIX):
            line = table.setting_line("options", name)
            yield Problem(line, f"{title}: there is no option {name}{did_you_mean(name, known)}")


def _problem(pipeline: Pipeline, table: Table, title: str, error: SparkOptionError) -> Problem:
    message = str(error)
    return Problem(
        _line(table, message) or _line(pipeline.table, message) or table.own_line, f"{title}: {message}"
    )


def _line(table: Table, message: str) -> int | None:
    """Where the table has what the message is about: one of its settings, or a key."""
    words = {word.strip(".") for word in _WORD.findall(message.lower())}
    for key in _SETTINGS:
        for name in table.get(key, {}):
            if {name.lower(), f"{key}.{name}".lower()} & words:
                return table.setting_line(key, name)
    return next((table.line(key) for option, key in _KEYS.items() if key in table and option in words), None)
