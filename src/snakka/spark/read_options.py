"""Every option of the source, declared once: names, defaults and rules are those of Spark's own Kafka source.

Rule: options are judged here, before anything is asked of a cluster. As in Spark names have no case and an unknown one is
ignored; one that is nearly right is warned about, since it has no effect.
"""

import hashlib
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeVar

from snakka.client.settings import ConsumerSettings, resolve
from snakka.client.topic_partition import TopicPartition
from snakka.spark.client_settings import (
    REFUSED_READING,
    SparkOptionError,
    client_settings,
    consumer_settings,
)
from snakka.spark.option_names import warn_of_near_misses
from snakka.spark.source.java_patterns import compile_java_pattern
from snakka.spark.source.offset_json import Offsets, offsets_of

_log = logging.getLogger(__name__)
T = TypeVar("T")

EARLIEST, LATEST = -2, -1
_MOST = (1 << 63) - 1
# As Spark's own: brokers that allow its jobs the groups that begin so allow ours.
DEFAULT_GROUP_PREFIX = "spark-kafka-source"
_POLL_TIMEOUT = "kafkaConsumer.pollTimeoutMs"
_MILLISECONDS = {
    "us": 0.001,
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "min": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
}


class Where(Enum):
    """In which queries an option has a meaning."""

    ANY = "batch and streaming"
    STREAM = "streaming"
    BATCH = "batch"


class ReadOption(NamedTuple):
    """One option, as the documentation shows it."""

    name: str
    default: str
    where: Where
    meaning: str


OPTIONS = (
    ReadOption("subscribe", "", Where.ANY, "Topics, with commas between them."),
    ReadOption("subscribePattern", "", Where.ANY, "All topics in whose names this Java pattern is found."),
    ReadOption("assign", "", Where.ANY, 'Exactly these partitions: {"topicA":[0,1],"topicB":[2,4]}.'),
    ReadOption("startingTimestamp", "", Where.ANY, "Begin at this time (ms) in all partitions."),
    ReadOption("startingOffsetsByTimestamp", "", Where.ANY, "Begin at these times, by topic and partition."),
    ReadOption("startingOffsets", "latest; earliest in batches", Where.ANY, "earliest, latest, or offsets."),
    ReadOption(
        "startingOffsetsByTimestampStrategy", "error", Where.ANY, "If no record is so new: error, latest."
    ),
    ReadOption("endingTimestamp", "", Where.BATCH, "End at this time (ms) in all partitions."),
    ReadOption("endingOffsetsByTimestamp", "", Where.BATCH, "End at these times, by topic and partition."),
    ReadOption("endingOffsets", "latest", Where.BATCH, "latest, or offsets by topic and partition."),
    ReadOption(
        "failOnDataLoss", "true", Where.ANY, "Whether lost records stop the query; else they are logged."
    ),
    ReadOption(
        _POLL_TIMEOUT, "spark.network.timeout (120 s)", Where.ANY, "How long an executor waits for records."
    ),
    ReadOption("fetchOffset.numRetries", "3", Where.ANY, "How often the driver asks for offsets."),
    ReadOption("fetchOffset.retryIntervalMs", "10", Where.ANY, "The pause before it asks again."),
    ReadOption("maxOffsetsPerTrigger", "", Where.STREAM, "The most that a micro-batch reads."),
    ReadOption(
        "minOffsetsPerTrigger", "", Where.STREAM, "The least that makes a micro-batch worth its while."
    ),
    ReadOption("maxTriggerDelay", "15m", Where.STREAM, "How long less than that may wait."),
    ReadOption(
        "minPartitions", "", Where.ANY, "Large partitions are divided so that there are so many tasks."
    ),
    ReadOption("maxRecordsPerPartition", "", Where.ANY, "Partitions are divided so that no task reads more."),
    ReadOption("groupIdPrefix", DEFAULT_GROUP_PREFIX, Where.ANY, "The beginning of the name of the group."),
    ReadOption("includeHeaders", "false", Where.ANY, "Whether there is a column of headers."),
    ReadOption(
        "pushDownFilters",
        "false",
        Where.BATCH,
        "Whether filters choose what is fetched; load a frame for each.",
    ),
)
_BY_NAME = {option.name.lower(): option for option in OPTIONS}
_SUBSCRIPTIONS = ("assign", "subscribe", "subscribePattern")


@dataclass(frozen=True)
class Subscription:
    """Which partitions are read: exactly one of these says."""

    topics: tuple[str, ...] = ()
    pattern: str = ""
    partitions: tuple[TopicPartition, ...] = ()

    @property
    def text(self) -> str:
        """The same for the same subscription, however it is written."""
        if self.pattern:
            return f"pattern {self.pattern}"
        return ",".join(sorted(self.topics) or sorted(map(str, self.partitions)))


class BoundKind(Enum):
    """What an end of a range is given by."""

    EARLIEST = "earliest"
    LATEST = "latest"
    OFFSETS = "offsets"
    TIME = "a time"
    TIMES = "times"


@dataclass(frozen=True)
class Bound:
    """Where reading begins or ends, as it was asked for."""

    kind: BoundKind
    by_partition: Offsets = field(default_factory=dict)  # offsets or times
    time_ms: int = 0


@dataclass(frozen=True)
class ReadOptions:
    """The options of one query, checked."""

    settings: dict[str, str] = field(repr=False)
    subscription: Subscription
    start: Bound
    end: Bound
    begins_at_latest_without_match: bool
    fail_on_data_loss: bool
    poll_timeout_ms: int | None  # else what Spark says to a task
    offset_attempts: int
    offset_pause_ms: int
    most_offsets: int | None
    least_offsets: int | None
    most_delay_ms: int
    least_pieces: int | None
    most_records: int | None
    group_id: str
    default_group_id: str  # what it would be if the user named none
    include_headers: bool
    push_down_filters: bool

    @cached_property
    def is_read_committed(self) -> bool:
        """As the client understands it: driver and executors must agree on where a log ends."""
        settings = resolve(ConsumerSettings, {}, consumer_settings(self.settings))
        return settings.isolation_level == "read_committed"


def read_options(options: Mapping[str, str], *, is_stream: bool) -> ReadOptions:
    """The options as Spark hands them over; SparkOptionError names the first that can't be followed."""
    given = _Given({name.lower(): value for name, value in options.items()})
    warn_of_near_misses(options, tuple(option.name for option in OPTIONS))
    given.check_place(is_stream)
    settings = client_settings(options, REFUSED_READING, ConsumerSettings)
    subscription = _subscription(given)
    begins_latest = BoundKind.LATEST if is_stream else BoundKind.EARLIEST
    start = _bound(given, "starting", Bound(begins_latest))
    end = Bound(BoundKind.LATEST) if is_stream else _bound(given, "ending", Bound(BoundKind.LATEST))
    if not is_stream:
        _check_batch(start, end)
    least, most = given.number("minOffsetsPerTrigger"), given.number("maxOffsetsPerTrigger")
    if least is not None and most is not None and least > most:
        raise SparkOptionError(f"minOffsetsPerTrigger={least} is more than maxOffsetsPerTrigger={most}")
    return ReadOptions(
        settings=settings,
        subscription=subscription,
        start=start,
        end=end,
        begins_at_latest_without_match=_strategy(given) == "latest",
        fail_on_data_loss=given.flag("failOnDataLoss"),
        poll_timeout_ms=given.number(_POLL_TIMEOUT) if given.has(_POLL_TIMEOUT) else None,
        offset_attempts=given.needed_number("fetchOffset.numRetries", least=1),
        offset_pause_ms=given.needed_number("fetchOffset.retryIntervalMs"),
        most_offsets=most,
        least_offsets=least,
        most_delay_ms=given.read("maxTriggerDelay", duration_ms) or 0,
        least_pieces=given.number("minPartitions", least=1),
        most_records=given.number("maxRecordsPerPartition", least=1),
        group_id=_group_id(given, settings, subscription),
        default_group_id=_default_group_id(given, subscription),
        include_headers=given.flag("includeHeaders"),
        push_down_filters=given.flag("pushDownFilters"),
    )


def includes_headers(options: Mapping[str, str]) -> bool:
    """Whether the source has a column of headers.

    That is the first that Spark asks, when a DataFrame is made, so what is wrong in any query is refused here already.
    """
    given = _Given({name.lower(): value for name, value in options.items()})
    consumer_settings(client_settings(options, REFUSED_READING, ConsumerSettings))
    _subscription(given)
    return given.flag("includeHeaders")


def duration_ms(text: str, plain_unit: str = "ms") -> int:
    """A duration as Spark writes it: 15m, 30s, 100ms; a number alone is of the plain unit."""
    found = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", text.lower())
    if found is None or (found[2] or plain_unit) not in _MILLISECONDS:
        raise ValueError("a duration such as 15m, 30s or 100ms is wanted")
    return int(int(found[1]) * _MILLISECONDS[found[2] or plain_unit])


class _Given:
    """What the user has set, by lower-case name."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    def text(self, name: str) -> str | None:
        """What is set, else the default; None where neither is."""
        given = self._options.get(name.lower())
        return given.strip() if given is not None else _BY_NAME[name.lower()].default or None

    def has(self, name: str) -> bool:
        return name.lower() in self._options

    def read(self, name: str, convert: Callable[[str], T]) -> T | None:
        text = self.text(name)
        if text is None:
            return None
        try:
            return convert(text)
        except ValueError as error:
            raise SparkOptionError(f"{name}={text}: {error}") from None

    def flag(self, name: str) -> bool:
        return bool(self.read(name, _flag))

    def number(self, name: str, *, least: int = 0) -> int | None:
        return self.read(name, lambda text: _number(text, least))

    def needed_number(self, name: str, *, least: int = 0) -> int:
        number = self.number(name, least=least)
        assert number is not None  # it has a default
        return number

    def check_place(self, is_stream: bool) -> None:
        """An end is refused in streams; what limits triggers is ignored in batches, with a warning."""
        for name, option in _BY_NAME.items():
            if name not in self._options:
                continue
            if is_stream and option.where is Where.BATCH and name.startswith("ending"):
                raise SparkOptionError(f"{option.name} can't be set for a stream: it has no end")
            if not is_stream and option.where is Where.STREAM:
                _log.warning("%s is ignored in batch queries", option.name)


def _flag(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError("true or false is wanted")
    return text.lower() == "true"


def _number(text: str, least: int) -> int:
    if not re.fullmatch(r"[+-]?\d+", text):
        raise ValueError("a number is wanted")
    number = int(text)
    _check_fits(number, least)
    return number


def _check_fits(number: int, least: int) -> None:
    if number < least:
        raise ValueError(f"{number} is too small: at least {least} is wanted")
    if number > _MOST:
        raise ValueError(f"{number} is too large: it must fit into 64 bits")


# -- partitions ------------------------------------------------------------------------------------------------------


def _subscription(given: _Given) -> Subscription:
    chosen = [name for name in _SUBSCRIPTIONS if given.has(name)]
    if len(chosen) != 1:
        raise SparkOptionError(
            f"{' and '.join(chosen)} are set: choose one of them"
            if chosen
            else f"one of {', '.join(_SUBSCRIPTIONS)} must be set: it says which topics are read"
        )
    (name,) = chosen
    text = given.text(name) or ""
    if name == "subscribePattern":
        if not text:
            raise SparkOptionError(
                "subscribePattern is empty: it matches topics' names, for example orders-.*"
            )
        compile_java_pattern(text)
        return Subscription(pattern=text)
    if name == "subscribe":
        topics = tuple(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))
        if not topics:
            raise SparkOptionError(f"subscribe={text} names no topic")
        return Subscription(topics=topics)
    partitions = given.read(name, _partitions) or ()
    return Subscription(partitions=partitions)


def _partitions(text: str) -> tuple[TopicPartition, ...]:
    example = 'JSON such as {"topicA":[0,1],"topicB":[2,4]} is wanted'
    value = _json(text, example)
    partitions = []
    for topic, indexes in value.items():
        if not isinstance(indexes, list) or not all(type(each) is int and each >= 0 for each in indexes):
            raise ValueError(example)
        partitions += [TopicPartition(topic, index) for index in indexes]
    if not partitions:
        raise ValueError("it names no partition")
    return tuple(dict.fromkeys(partitions))


def _json(text: str, example: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError:
        raise ValueError(example) from None
    if not isinstance(value, dict):
        raise ValueError(example)
    return value


def _by_partition(text: str, example: str) -> Offsets:
    value = _json(text, example)
    partitions: dict[str, dict[str, int]] = {}
    for topic, offsets in value.items():
        if not isinstance(offsets, dict) or not all(
            key.isascii() and key.isdigit() and type(each) is int for key, each in offsets.items()
        ):
            raise ValueError(example)
        for each in offsets.values():
            _check_fits(each, EARLIEST)
        partitions[topic] = offsets
    return offsets_of(partitions)


def _group_id(given: _Given, settings: Mapping[str, str], subscription: Subscription) -> str:
    """The group that finished batches are committed to: named by the user, or by what is read."""
    named = settings.get("group.id")
    if named:
        if given.has("groupIdPrefix"):
            _log.warning("groupIdPrefix is ignored, because kafka.group.id is set")
        return named
    return _default_group_id(given, subscription)


def _default_group_id(given: _Given, subscription: Subscription) -> str:
    short = hashlib.sha256(subscription.text.encode()).hexdigest()[:12]
    return f"{given.text('groupIdPrefix')}-{short}"


# -- begin and end ---------------------------------------------------------------------------------------------------


def _bound(given: _Given, edge: str, default: Bound) -> Bound:
    """A time for all partitions goes before times for each, and those before offsets."""
    timestamp, by_timestamp, offsets = f"{edge}Timestamp", f"{edge}OffsetsByTimestamp", f"{edge}Offsets"
    if given.has(timestamp):
        return Bound(BoundKind.TIME, time_ms=given.needed_number(timestamp))
    if given.has(by_timestamp):
        example = 'JSON such as {"topicA":{"0":1700000000000,"1":1700000000000}} is wanted'
        times = given.read(by_timestamp, lambda text: _by_partition(text, example))
        return Bound(BoundKind.TIMES, times or {})
    if not given.has(offsets):
        return default
    text = given.text(offsets) or ""
    if text.lower() in ("earliest", "latest"):
        return Bound(BoundKind(text.lower()))
    example = 'earliest, latest or JSON such as {"topicA":{"0":23,"1":-1},"topicB":{"0":-2}} is wanted'
    numbers = given.read(offsets, lambda value: _by_partition(value, example))
    return Bound(BoundKind.OFFSETS, numbers or {})


def _strategy(given: _Given) -> str:
    text = (given.text("startingOffsetsByTimestampStrategy") or "").lower()
    if text not in ("error", "latest"):
        raise SparkOptionError(f"startingOffsetsByTimestampStrategy={text}: error or latest is wanted")
    return text


def _check_batch(start: Bound, end: Bound) -> None:
    if start.kind is BoundKind.LATEST or LATEST in _offsets(start).values():
        raise SparkOptionError("startingOffsets can't be latest in a batch: there would be nothing to read")
    if end.kind is BoundKind.EARLIEST or EARLIEST in _offsets(end).values():
        raise SparkOptionError("endingOffsets can't be earliest in a batch: there would be nothing to read")
    if start.kind is end.kind and start.kind in (BoundKind.OFFSETS, BoundKind.TIMES):
        names = ", ".join(sorted(map(str, start.by_partition.keys() ^ end.by_partition.keys())))
        if names:
            raise SparkOptionError(
                f"start and end must name the same partitions; only one of them has {names}"
            )
        for partition, begin in start.by_partition.items():
            stop = end.by_partition[partition]
            if begin > stop >= 0:
                raise SparkOptionError(f"{partition} would begin at {begin} and end before that, at {stop}")


def _offsets(bound: Bound) -> Offsets:
    return bound.by_partition if bound.kind is BoundKind.OFFSETS else {}
