"""What the driver decides for a stream: where it begins, how far each micro-batch goes, and what has been read.

Rule: it lives in a process of its own, as long as the query runs, and is asked one thing at a time. Spark says only what it
wants next, so the batch before is known to be done when the next one is asked for.
"""

import logging
import time
from collections.abc import Mapping
from typing import NamedTuple

from snakka.client.blocking import Admin, Consumer
from snakka.client.errors import ClientError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.uuids import ZERO_UUID, Uuid
from snakka.runtime.clock import Clock, SystemClock
from snakka.spark.client_settings import SparkOptionError, admin_settings, consumer_settings
from snakka.spark.read_options import ReadOptions
from snakka.spark.source.first_batch import FirstBatchNotes
from snakka.spark.source.group_progress import GroupProgress
from snakka.spark.source.offset_json import Offsets
from snakka.spark.source.offset_ranges import OffsetRange, limited, new_offsets, pieces
from snakka.spark.source.partition_reader import RangeToRead, ranges_to_read
from snakka.spark.source.topic_offsets import TopicOffsets, report_loss

_log = logging.getLogger(__name__)

# An idle query is answered after this: Spark asks again 10 ms later, and a broker should not hear of it each time.
NEWS_WAIT_MS = 250


class FirstBatch(NamedTuple):
    """The range of a query's first batch."""

    start: Offsets
    end: Offsets


class Plan(NamedTuple):
    """The ranges of a batch, for Spark may ask for them twice."""

    start: Offsets
    end: Offsets
    ranges: list[RangeToRead]


class StreamDriver:
    """One running query."""

    def __init__(self, options: ReadOptions, clock: Clock | None = None) -> None:
        self._options = options
        self._clock = clock or SystemClock()
        self._admin = Admin(admin_settings(options.settings))
        self._admin.start()
        self._offsets = TopicOffsets(self._admin, options)
        group_ids = options.group_id, options.default_group_id
        self._notes = FirstBatchNotes(self._admin, group_ids, repr(options.start))
        self._progress = GroupProgress(self._admin, options.group_id, self._clock)
        self._news = News(options)
        self._limits = TriggerLimits(options, self._clock)
        self._initial: Offsets | None = None
        self._obstacle: SparkOptionError | None = None  # why there is no initial offset
        self._first: FirstBatch | None = None
        self._first_is_planned = False
        self._plan: Plan | None = None
        self._start_ids: dict[str, Uuid] | None = None  # of the topics that the next batch starts in
        self._missing: list[str] = []  # what was told to be gone
        self._available_now = False
        self._target: Offsets | None = None
        self.available: Offsets = {}

    def close(self) -> None:
        self._news.close()
        self._admin.stop()

    # -- offsets ------------------------------------------------------------------------------------------------------

    def initial(self) -> Offsets:
        """Where the query begins, the same each time. What prevents it matters only to a query that is new."""
        if self._initial is None:
            try:
                self._initial = self._offsets.start(self._offsets.partitions())
                self._start_ids = self._offsets.topic_ids
            except SparkOptionError as error:
                self._initial, self._obstacle = {}, error
        return self._initial

    def end_at_what_is_there(self) -> None:
        """For Trigger.AvailableNow: what comes after the next question is left for the next run."""
        self._available_now = True

    def latest(self, start: Offsets, *, is_limited: bool) -> Offsets:
        """Where the next batch ends; where it starts, if there is nothing that is worth a batch."""
        is_first = start == self._initial and not self._first_is_planned
        if is_first and self._obstacle is not None:
            raise self._obstacle
        self.finished(start)
        end = self._next_end(start, is_limited)
        if not is_first and not self._available_now:
            deadline = self._clock.monotonic() + NEWS_WAIT_MS / 1000
            while (
                end == start
                and (remaining := deadline - self._clock.monotonic()) > 0
                and self._news.has_come(self.available, remaining)
            ):
                end = self._next_end(start, is_limited)
        if is_first:
            self._notes.write(start, end)
            self._first = FirstBatch(start, end)
        return end

    def _next_end(self, start: Offsets, is_limited: bool) -> Offsets:
        self.available = self._find_available(start)
        if not is_limited:
            return self.available
        if not self._available_now and self._limits.are_too_few(start, self.available):
            return start
        most = self._options.most_offsets
        if most is None:
            return self.available
        new = self._offsets.earliest(self.available.keys() - start.keys())
        return limited(most, {**new, **start}, self.available)

    def _find_available(self, start: Offsets) -> Offsets:
        if self._target is not None:
            return self._target
        partitions, missing = self._offsets.known_partitions()
        if missing and missing != self._missing:  # an idle query comes here several times a second
            report_loss(self._options, f"{', '.join(sorted(missing))} is gone")
        self._missing = missing
        if self._start_ids is None:
            self._start_ids = self._offsets.topic_ids
        found = self._offsets.latest(partitions, start)
        if self._available_now:
            self._target = found
        return found

    # -- ranges -------------------------------------------------------------------------------------------------------

    def plan(self, start: Offsets, end: Offsets) -> list[RangeToRead]:
        """What the tasks of a batch read."""
        if self._plan is None or self._plan[:2] != (start, end):
            self._plan = Plan(start, end, self._planned(start, end))
        return self._plan.ranges

    def _planned(self, start: Offsets, end: Offsets) -> list[RangeToRead]:
        if start == self._initial:
            start = self._first_start(end)
        if any(partition.topic not in self._offsets.topic_ids for partition in end):
            self._offsets.known_partitions()  # the batch is one of an earlier run
        options, topic_ids = self._options, self._offsets.topic_ids
        start = self._without_made_anew(start)
        new = end.keys() - start.keys()
        begins = self._offsets.earliest(new)
        if new - begins.keys():
            report_loss(options, f"{_listed(new - begins.keys())} came and is gone before it was read")
        for partition, offset in begins.items():
            if offset:
                report_loss(
                    options, f"{partition} is new, but what was before offset {offset} is gone already"
                )
        if start.keys() - end.keys():
            report_loss(options, f"{_listed(start.keys() - end.keys())} is gone")
        begins |= start
        ranges = []
        for partition in sorted(end.keys() & begins.keys()):
            if end[partition] < begins[partition]:
                report_loss(
                    options,
                    f"{partition} ends at {end[partition]}, before {begins[partition]}, where reading goes on: it was"
                    " made anew, or startingOffsets lie beyond its end",
                )
            ranges.append(OffsetRange(partition, begins[partition], end[partition]))
        self._start_ids = topic_ids
        return ranges_to_read(pieces(ranges, options.least_pieces, options.most_records), topic_ids)

    def _without_made_anew(self, start: Offsets) -> Offsets:
        """A topic that has another id than it had is another topic: nothing of it has been read yet."""
        before, now = self._start_ids or {}, self._offsets.topic_ids
        gone = {
            name
            for name, topic_id in now.items()
            if topic_id != before.get(name, topic_id) and ZERO_UUID not in (topic_id, before[name])
        }
        for name in sorted(gone & {each.topic for each in start}):
            report_loss(
                self._options, f"{name} was deleted and made anew: what was not read of it before is gone"
            )
        return {each: offset for each, offset in start.items() if each.topic not in gone}

    def _first_start(self, end: Offsets) -> Offsets:
        """Where the first batch began; it repeats one that failed if this process has not given out its end."""
        if self._first is None or (self._first.end != end and not self._first_is_planned):
            self._first = FirstBatch(self._notes.initial(end), end)
        self._first_is_planned = True
        return self._first.start if self._first.end == end else self.initial()

    # -- what has been read -------------------------------------------------------------------------------------------

    def finished(self, offsets: Offsets) -> None:
        """All before these has been processed: let the group say so. A group that can't is no reason to stop."""
        if self._first is not None and offsets == self._first.end:
            self._notes.finished()
        self._progress.commit(offsets)


class TriggerLimits:
    """minOffsetsPerTrigger: little waits for more, but not for longer than maxTriggerDelay."""

    def __init__(self, options: ReadOptions, clock: Clock) -> None:
        self._least = options.least_offsets
        self._most_delay_ms = options.most_delay_ms
        self._clock = clock
        self._last_ms = 0

    def are_too_few(self, start: Offsets, end: Offsets) -> bool:
        """Whether a batch of these would be too small now."""
        if self._least is None:
            return False
        now_ms = self._clock.now_ms()
        is_due = now_ms - self._last_ms >= self._most_delay_ms
        if not is_due and new_offsets(start, end) < self._least:
            return True
        self._last_ms = now_ms
        return False


class News:
    """Waits at the brokers themselves until records come: a fetch at the ends of the partitions."""

    def __init__(self, options: ReadOptions) -> None:
        self._settings = {
            **consumer_settings(options.settings),
            "fetch.max.wait.ms": NEWS_WAIT_MS,
            "fetch.min.bytes": 1,
            # Whatever came is read by executors: here the least that a broker sends will do.
            "max.partition.fetch.bytes": 1,
            "prefetch.memory.bytes": 1,
        }
        self._consumer: Consumer | None = None
        self._ends: Offsets = {}

    def has_come(self, ends: Mapping[TopicPartition, int], seconds: float) -> bool:
        """Wait until there is something after these ends; False if there is nothing in time."""
        try:
            consumer = self._watching(ends)
            fetched = consumer.fetch_arrow(
                timeout_ms=max(int(seconds * 1000), 1), columns=["topic", "partition"]
            )
            for batch in fetched:  # each of one partition, whose position has moved
                self._ends.pop(TopicPartition(*(column[0].as_py() for column in batch.columns)), None)
            return bool(fetched)
        except (ApiError, ClientError, ProtocolError) as error:
            _log.info("waiting for records has failed, and begins anew: %s", error)
            self.close()
            time.sleep(seconds)
        return True

    def _watching(self, ends: Mapping[TopicPartition, int]) -> Consumer:
        if self._consumer is None:
            self._consumer = Consumer(self._settings)
            self._consumer.start()
        if self._ends.keys() != ends.keys():
            self._consumer.assign(ends)
        for partition, end in ends.items():
            if self._ends.get(partition) != end:
                self._consumer.seek(partition, end)
        self._ends = dict(ends)
        return self._consumer

    def close(self) -> None:
        consumer, self._consumer, self._ends = self._consumer, None, {}
        if consumer is not None:
            consumer.stop()


def _listed(partitions: "set[TopicPartition]") -> str:
    return ", ".join(map(str, sorted(partitions)))
