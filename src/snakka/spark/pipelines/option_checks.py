"""The options that the file's keys become, checked as the formats themselves check them, but with the file's lines.

Rule: needs neither a cluster nor Spark, which would say it only when a query starts; the checks are the formats' own. They
end at the first that is wrong; here that is put right, and they are asked again, until all has been said.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from snakka.client.setting_rules import dotted
from snakka.spark.client_settings import BOOTSTRAP, PREFIX, SparkOptionError, consumer_settings
from snakka.spark.pipelines.cluster_topics import reads_topic
from snakka.spark.pipelines.declaration import BOOTSTRAP as _SERVERS
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
# What must be there, as it may be: for what is wrong, and for what is missing, which has been said.
_BOOTSTRAP = MappingProxyType({BOOTSTRAP: "localhost:9092"})
_NEEDED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"topic": _BOOTSTRAP, "delta": {"path": "/table"}, "iceberg": {"table": "space.table"}}
)
# What options are called in the file, where that is another name.
_KEYS = MappingProxyType(
    {
        "startingoffsets": "starting_offsets",
        "subscribe": "topics",
        "subscribepattern": "pattern",
        "targetfilesizebytes": "target_file_size",
        "partitionby": "partition_by",
        "table": "table",
        "path": "path",
    }
)
# All that say where a query begins: a time wins over offsets, and of two that differ in case the last one does.
_STARTS = ("startingoffsets", "startingtimestamp", "startingoffsetsbytimestamp")
_SETTINGS = ("options", "kafka", "catalog")
_WORD = re.compile(r"[\w.-]+")
_SUGGESTION = re.compile(r"; (?:did you mean|there are) .*", re.DOTALL)
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
    return [*problems, *_returning_dead_letters(pipeline)]


def source_options(source: Source, group: str, starts: Mapping[str, Any]) -> dict[str, str]:
    """The options of the format `snakka`; what the file says under `options` and `kafka` wins, and `starts` over that."""
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
        options = {name: value for name, value in options.items() if name.lower() not in _STARTS}
        options["startingOffsets"] = offsets_json(read_offsets(own))
    return options


def source_option_problems(
    pipeline: Pipeline, source: Source, options: Mapping[str, str]
) -> Iterator[Problem]:
    title = f"source {source.name}"
    topics = {"subscribe": "topic"} if source.pattern is None else {"subscribePattern": ".*"}
    known = {name: value for name, value in options.items() if _is_option(name, _SOURCE_OPTIONS)}
    for message in _refusals(_check_source, known, {**_BOOTSTRAP, **topics}):
        yield _problem(pipeline, source.table, title, message)
    yield from _unknown_options(source.table, _SOURCE_OPTIONS, title)


def _check_source(options: Mapping[str, str]) -> None:
    consumer_settings(read_options(options, is_stream=True).settings)


def _sink_option_problems(pipeline: Pipeline, sink: Sink) -> Iterator[Problem]:
    check = _CHECKS.get(sink.format)
    if check is None:
        return
    title = "errors" if sink.name == DEAD_LETTERS else f"sink {sink.name}"
    options = sink_options(sink)
    if sink.format == "topic":
        options = {name: value for name, value in options.items() if _is_option(name, _TOPIC_OPTIONS)}
    for message in _refusals(check, options, _NEEDED[sink.format]):
        yield _problem(pipeline, sink.table, title, message)
    if sink.format == "topic":  # those of tables say it themselves
        yield from _unknown_options(sink.table, _TOPIC_OPTIONS, title)


def _refusals(
    check: Callable[[Mapping[str, str]], Any], options: Mapping[str, str], needed: Mapping[str, str]
) -> Iterator[str]:
    """All that a format has against its options."""
    left = {
        name: value for name, value in options.items() if dotted(name) == name or dotted(name) not in needed
    }
    left.update({name: options.get(name) or right for name, right in needed.items()})
    said: set[str] = set()
    while True:
        try:
            check(left)
        except SparkOptionError as error:
            message = str(error)
        else:
            return
        if message not in said:
            yield message
        said.add(message)
        wrong = next((name for name in _named(left, message) if left[name] != needed.get(name)), None)
        if wrong is None:
            return
        del left[wrong]
        left.update({name: right for name, right in needed.items() if name == wrong})


def _named(options: Mapping[str, str], message: str) -> Iterator[str]:
    """The options that a message is about, in its order; the client knows its settings without the prefix."""
    for word in _words(message):
        for name in options:
            if word in (name.lower(), name.lower().removeprefix(PREFIX)):
                yield name


def _unknown_options(table: Table, known: tuple[str, ...], title: str) -> Iterator[Problem]:
    for name in table.get("options", {}):
        if not _is_option(name, known):
            line = table.setting_line("options", name)
            yield Problem(line, f"{title}: there is no option {name}{did_you_mean(name, known)}")


def _is_option(name: str, known: tuple[str, ...]) -> bool:
    return name.lower().startswith(PREFIX) or name.lower() in {each.lower() for each in known}


def _returning_dead_letters(pipeline: Pipeline) -> Iterator[Problem]:
    """What can't be decoded can't be when it is read again: it would be written again, for ever."""
    sink = pipeline.dead_letters
    topic = "" if sink is None or sink.format != "topic" else sink.text("topic")
    if sink is None or not topic:
        return
    for source in pipeline.sources.values():
        is_read = source.decode != "raw" and source.kafka.get(_SERVERS) == sink.kafka.get(_SERVERS)
        with suppress(SparkOptionError):  # a pattern that is none has been said
            if is_read and reads_topic(source, topic):
                message = f"errors has topic {topic}, which source {source.name} reads: each dead letter would come back"
                yield Problem(sink.table.line("topic"), f"{message} for ever; name another topic")


def _problem(pipeline: Pipeline, table: Table, title: str, message: str) -> Problem:
    line = _line((table, pipeline.table), message)
    return Problem(table.own_line if line is None else line, f"{title}: {message}")


def _line(tables: tuple[Table, ...], message: str) -> int | None:
    """Where one of the tables has what the message is about: one of its settings, or a key."""
    for word in _words(message):
        for table in tables:
            for key in _SETTINGS:
                for name in table.get(key, {}):
                    if word in (name.lower(), f"{key}.{name}".lower()):
                        return table.setting_line(key, name)
            if _KEYS.get(word, "") in table:
                return table.line(_KEYS[word])
    return None


def _words(message: str) -> list[str]:
    """Without what may have been meant: that is not in the file, or right where it is."""
    return [word.strip(".") for word in _WORD.findall(_SUGGESTION.sub("", message).lower())]
