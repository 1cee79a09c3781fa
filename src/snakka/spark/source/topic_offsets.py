"""What the cluster says of the partitions that a query reads: which there are, and where they begin and end.

Rule: only the driver asks. Everything is asked anew each time, since partitions and topics may come and go while a stream
runs, and what fails is asked for as often as the options say.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from snakka.client.blocking import Admin
from snakka.client.errors import ClientError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import Uuid
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.read_options import EARLIEST, LATEST, Bound, BoundKind, ReadOptions
from snakka.spark.source.java_patterns import compile_java_pattern
from snakka.spark.source.offset_json import Offsets

_log = logging.getLogger(__name__)
T = TypeVar("T")
GOES_ON = "With failOnDataLoss=false the query goes on with what is left"
_UNKNOWN = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


class DataLossError(Exception):
    """Records are gone before they were read, and failOnDataLoss=true says that this ends the query."""


class TopicOffsets:
    """The partitions of one subscription."""

    def __init__(self, admin: Admin, options: ReadOptions) -> None:
        self.topic_ids: dict[str, Uuid] = {}  # of the topics that were found last
        self._admin = admin
        self._options = options

    # -- partitions ---------------------------------------------------------------------------------------------------

    def partitions(self) -> list[TopicPartition]:
        """All that the subscription means now; SparkOptionError if a topic that it names does not exist."""
        found, missing = self.known_partitions()
        if missing:
            raise SparkOptionError(f"{_listed(missing)}: there is no such topic or partition")
        return found

    def known_partitions(self) -> tuple[list[TopicPartition], list[str]]:
        """Those that exist, and what the subscription names that does not."""
        return self._repeatedly(self._look)

    def _look(self) -> tuple[list[TopicPartition], list[str]]:
        subscription = self._options.subscription
        if subscription.pattern:
            pattern = compile_java_pattern(subscription.pattern)
            matching = [topic for topic in self._admin.list_topics() if pattern.search(topic.name)]
            self.topic_ids = {topic.name: topic.topic_id for topic in matching}
            return sorted(
                TopicPartition(topic.name, each.index) for topic in matching for each in topic.partitions
            ), []
        names = subscription.topics or tuple(dict.fromkeys(each.topic for each in subscription.partitions))
        described = self._admin.describe_topics(names)
        self.topic_ids = {topic.name: topic.topic_id for topic in described.results.values()}
        missing = [name for name, error in described.errors.items() if is_unknown(error)]
        for name, error in described.errors.items():
            if name not in missing:
                raise error
        found = [
            TopicPartition(topic.name, each.index)
            for topic in described.results.values()
            for each in topic.partitions
        ]
        if subscription.partitions:
            known = set(found)
            missing += [str(each) for each in subscription.partitions if each not in known]
            found = [each for each in subscription.partitions if each in known]
        return sorted(found), missing

    # -- offsets ------------------------------------------------------------------------------------------------------

    def earliest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Where these begin; those that do not exist any more are left out."""
        return self._asked(dict.fromkeys(partitions, EARLIEST))

    def latest(
        self, partitions: Iterable[TopicPartition], known: Mapping[TopicPartition, int] | None = None
    ) -> Offsets:
        """Where these end. An end before what is `known` is asked for again: a new leader may not know it yet."""
        wanted = dict.fromkeys(partitions, LATEST)
        for attempt in range(self._options.offset_attempts):
            ends = self._asked(wanted)
            behind = {each for each, end in ends.items() if end < (known or {}).get(each, 0)}
            if not behind:
                break
            _log.warning("%s: the log ends before what was read already", _listed(map(str, behind)))
            if attempt + 1 < self._options.offset_attempts:
                self._pause()
        return ends

    def start(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Where a new query begins."""
        return self._resolved(self._options.start, list(partitions), is_start=True)

    def end(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Where a batch query ends."""
        return self._resolved(self._options.end, list(partitions), is_start=False)

    def high_watermarks(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Where the logs of these end, whatever is committed of them."""
        return self._asked(dict.fromkeys(partitions, LATEST), read_committed=False)

    def at_times(self, times: Mapping[TopicPartition, int]) -> Offsets:
        """The first record of each time or later; where there is none, the end."""
        found = self._asked(times)
        missing = [each for each, offset in found.items() if offset < 0]
        return {**found, **self._asked(dict.fromkeys(missing, LATEST))}

    def _resolved(self, bound: Bound, partitions: list[TopicPartition], *, is_start: bool) -> Offsets:
        if bound.kind in (BoundKind.OFFSETS, BoundKind.TIMES):
            self._check_complete(bound, partitions)
        if bound.kind is BoundKind.EARLIEST:
            return self.earliest(partitions)
        if bound.kind is BoundKind.LATEST:
            return self.latest(partitions)
        if bound.kind is BoundKind.OFFSETS:
            named = {
                each: offset for each, offset in bound.by_partition.items() if offset in (EARLIEST, LATEST)
            }
            return {**bound.by_partition, **self._asked(named)}
        times = bound.by_partition or dict.fromkeys(partitions, bound.time_ms)
        if is_start and not self._options.begins_at_latest_without_match:
            for partition, offset in self._asked(times).items():
                if offset < 0:
                    raise SparkOptionError(
                        f"{partition} has no record of {times[partition]} (ms) or later to begin at:"
                        " startingOffsetsByTimestampStrategy=latest begins at its end then"
                    )
        return self.at_times(times)

    def _check_complete(self, bound: Bound, partitions: list[TopicPartition]) -> None:
        differing = bound.by_partition.keys() ^ set(partitions)
        if differing:
            raise SparkOptionError(
                "offsets and times must be given for all partitions that are read, and for no other (-2 is the earliest"
                f" offset, -1 the latest); they differ in {_listed(map(str, differing))}"
            )

    def _asked(self, wanted: Mapping[TopicPartition, int], *, read_committed: bool | None = None) -> Offsets:
        """The offsets of these times; -1 where there is none, nothing of partitions that do not exist."""
        if not wanted:
            return {}
        if read_committed is None:
            read_committed = self._options.is_read_committed

        def ask() -> Offsets:
            listed = self._admin.list_offsets(wanted, read_committed=read_committed)
            for error in listed.errors.values():
                if not is_unknown(error):
                    raise error
            return {partition: each.offset for partition, each in listed.results.items()}

        return self._repeatedly(ask)

    def _repeatedly(self, ask: Callable[[], T]) -> T:
        for _ in range(self._options.offset_attempts - 1):
            try:
                return ask()
            except (ApiError, ClientError) as error:
                _log.warning("asking for offsets has failed, and is tried again: %s", error)
                self._pause()
        return ask()

    def _pause(self) -> None:
        time.sleep(self._options.offset_pause_ms / 1000)


def report_loss(options: ReadOptions, what: str) -> None:
    """Records are gone: as failOnDataLoss says."""
    if options.fail_on_data_loss:
        raise DataLossError(f"{what}. {GOES_ON}")
    _log.warning("%s; the query goes on with what is left, as failOnDataLoss=false says", what)


def is_unknown(error: Exception) -> bool:
    """Whether a broker says that there is no such topic or partition."""
    return isinstance(error, ApiError) and error.code in _UNKNOWN


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
