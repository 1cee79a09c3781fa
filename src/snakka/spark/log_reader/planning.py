"""What the driver does: finds the partitions in the data directories, resolves where reading begins and ends, makes tasks.

Rule: everything is looked at once. What the broker appends later is not read; what it deletes later is data loss.
"""

import logging
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from snakka.client.topic_partition import TopicPartition
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.log_reader.damage import Damages
from snakka.spark.log_reader.log_options import LogOptions
from snakka.spark.log_reader.partition_view import DataDirectory, PartitionView
from snakka.spark.log_reader.segment_ranges import (
    Cut,
    LogRange,
    Stretch,
    aborted_between,
    bytes_a_task,
    divide,
)
from snakka.spark.log_reader.segments import ChangingDirectoryError, SegmentFile
from snakka.spark.read_options import EARLIEST, LATEST, Bound, BoundKind, Subscription
from snakka.spark.source.filters import PushedFilters
from snakka.spark.source.java_patterns import compile_java_pattern
from snakka.storage.read_only_files import ReadOnlyFiles
from snakka.storage.transaction_index import AbortedTransaction

_logger = logging.getLogger(__name__)

# What a pattern never means, as with any consumer; by name they can be read.
_INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")

_LOOKS = 20
_MOST_SHOWN = 10


class OffsetsLostError(Exception):
    """Offsets that were asked for are not in the log."""


class _Wanted(NamedTuple):
    """What is read of one partition."""

    view: PartitionView
    first_offset: int
    end_offset: int
    stretches: list[Stretch]
    aborted: tuple[AbortedTransaction, ...]


def plan(options: LogOptions, filters: PushedFilters, tasks_at_a_time: int) -> list[LogRange]:
    """The tasks of a query; `filters` leave out what can't pass."""
    for _ in range(_LOOKS):
        try:
            return _planned(options, filters, tasks_at_a_time)
        except ChangingDirectoryError as error:
            # The broker has just compacted or removed something: all is looked at again.
            latest = error
    raise latest


def _planned(options: LogOptions, filters: PushedFilters, tasks_at_a_time: int) -> list[LogRange]:
    damages = Damages(options.source.fail_on_data_loss)
    views = _views(options, damages)
    _check_named(options.source.start, "start", views)
    _check_named(options.source.end, "end", views)
    wanted = [_wanted(view, options, filters) for key, view in views.items() if filters.may_have(key)]
    total = sum(each.end - each.start for one in wanted for each in one.stretches)
    most_bytes = bytes_a_task(total, options.source.least_pieces, options.most_bytes, tasks_at_a_time)
    return [each for one in wanted for each in _ranges(one, most_bytes)]


# -- partitions ------------------------------------------------------------------------------------------------------


def _views(options: LogOptions, damages: Damages) -> dict[TopicPartition, PartitionView]:
    files = ReadOnlyFiles(options.paths)
    homes: dict[TopicPartition, list[DataDirectory]] = {}
    for path in options.paths:
        home = _opened(files, path)
        for topic, partition in home.partitions():
            homes.setdefault(TopicPartition(topic, partition), []).append(home)
    chosen = _chosen(options, sorted(homes))
    if not options.source.subscription.partitions:
        _warn_of_gaps(options, chosen)
    return {key: _newest([PartitionView(home, key, damages) for home in homes[key]]) for key in chosen}


def _opened(files: ReadOnlyFiles, path: str) -> DataDirectory:
    if not files.is_directory(path):
        raise SparkOptionError(f"path={path}: there is no such directory here")
    return DataDirectory(files, path)


def _chosen(options: LogOptions, there: Sequence[TopicPartition]) -> list[TopicPartition]:
    subscription: Subscription = options.source.subscription
    where = ", ".join(options.paths)
    if subscription.pattern:
        pattern = compile_java_pattern(subscription.pattern)
        return [each for each in there if each.topic not in _INTERNAL and pattern.search(each.topic)]
    if subscription.partitions:
        missing = [str(each) for each in subscription.partitions if each not in there]
    else:
        missing = [name for name in subscription.topics if name not in {each.topic for each in there}]
    if missing:
        raise SparkOptionError(f"{', '.join(missing)}: not in {where}; {_what_is_there(there)}")
    if subscription.partitions:
        return sorted(subscription.partitions)
    return [each for each in there if each.topic in subscription.topics]


def _warn_of_gaps(options: LogOptions, chosen: Sequence[TopicPartition]) -> None:
    """A whole topic is wanted, and some of it is seen to lie elsewhere; that there are partitions after the last is not."""
    for topic, group in groupby(chosen, key=lambda each: each.topic):
        there = [each.partition for each in group]
        missing = sorted(set(range(there[-1])).difference(there))
        if missing:
            more = f" and {len(missing) - _MOST_SHOWN} more" if len(missing) > _MOST_SHOWN else ""
            _logger.warning(
                "partitions of %s are not in %s, and not read: %s%s; if other brokers have them, name their directories too",
                topic,
                ", ".join(options.paths),
                ", ".join(map(str, missing[:_MOST_SHOWN])),
                more,
            )


def _what_is_there(there: Sequence[TopicPartition]) -> str:
    """For one whose topic is not: its name or the path is wrong."""
    if not there:
        return "no partition is there, such as orders-0: the path must be a data directory (log.dirs) of a broker"
    topics = sorted({each.topic for each in there if each.topic not in _INTERNAL})
    more = f" and {len(topics) - _MOST_SHOWN} more" if len(topics) > _MOST_SHOWN else ""
    return f"there are {', '.join(topics[:_MOST_SHOWN]) or 'internal topics only'}{more}"


def _newest(views: Sequence[PartitionView]) -> PartitionView:
    """Of the replicas in several brokers' directories the one that would lead: of the last epoch, and the longest."""
    if len({view.topic_id for view in views}) > 1:
        where = ", ".join(view.directory for view in views)
        raise SparkOptionError(
            f"{where} are of different topics that had one name: leave out of path what is left of a deleted one"
        )
    best = max(views, key=lambda view: (view.last_leader_epoch, view.log_end_offset))
    if len(views) > 1:
        _logger.warning("%s lies in %d directories: %s is read", best.name, len(views), best.directory)
    return best


# -- begin and end ---------------------------------------------------------------------------------------------------


def _check_named(bound: Bound, edge: str, views: Mapping[TopicPartition, PartitionView]) -> None:
    if bound.kind in (BoundKind.OFFSETS, BoundKind.TIMES):
        names = ", ".join(sorted(map(str, bound.by_partition.keys() ^ views.keys())))
        if names:
            raise SparkOptionError(
                f"the {edge} must be given for exactly the partitions that are read; not so for {names}"
            )


def _wanted(view: PartitionView, options: LogOptions, filters: PushedFilters) -> _Wanted:
    upper_bound = view.high_watermark if options.ends_at_high_watermark else view.log_end_offset
    aborted: tuple[AbortedTransaction, ...] = ()
    if options.is_read_committed:
        upper_bound, aborted = view.decided(upper_bound)
    upper_bound = max(upper_bound, view.log_start_offset)
    end = _end(view, options, upper_bound)
    if end >= view.log_end_offset:
        view.check_end()
    start = min(_start(view, options, upper_bound), max(end, view.log_start_offset))
    start = max(start, filters.first_offset)
    if filters.first_time_ms is not None:
        found = view.offset_for_timestamp(filters.first_time_ms, end)
        start = max(start, end if found is None else found)
    end = end if filters.stop_offset is None else min(end, filters.stop_offset)
    return _Wanted(view, start, end, _stretches(view, start, end), aborted)


def _start(view: PartitionView, options: LogOptions, upper_bound: int) -> int:
    bound = options.source.start
    asked = _asked(bound, view)
    if bound.kind in (BoundKind.TIME, BoundKind.TIMES):
        found = view.offset_for_timestamp(asked, upper_bound)
        if found is None and not options.source.begins_at_latest_without_match:
            raise SparkOptionError(
                f"{view.name} has no record from {asked} on;"
                " startingOffsetsByTimestampStrategy=latest would read nothing of it"
            )
        return upper_bound if found is None else found
    if bound.kind is BoundKind.EARLIEST or asked == EARLIEST:
        return view.log_start_offset
    return _within(view, options, asked, upper_bound)


def _end(view: PartitionView, options: LogOptions, upper_bound: int) -> int:
    bound = options.source.end
    asked = _asked(bound, view)
    if bound.kind in (BoundKind.TIME, BoundKind.TIMES):
        found = view.offset_for_timestamp(asked, upper_bound)
        return upper_bound if found is None else found
    if bound.kind is BoundKind.LATEST or asked == LATEST:
        return upper_bound
    return _within(view, options, asked, upper_bound)


def _asked(bound: Bound, view: PartitionView) -> int:
    """Offset or time."""
    if bound.kind is BoundKind.TIME:
        return bound.time_ms
    return bound.by_partition.get(TopicPartition(view.topic, view.partition), 0)


def _within(view: PartitionView, options: LogOptions, offset: int, upper_bound: int) -> int:
    """The offset, which must be one that can be read up to or from; else it is data loss."""
    nearest = min(max(offset, view.log_start_offset), upper_bound)
    if nearest != offset:
        why = f"offset {offset} of {view.name} is not there: it has {view.log_start_offset} to {upper_bound}"
        if options.source.fail_on_data_loss:
            raise OffsetsLostError(f"{why}. With the option failOnDataLoss=false what is there is read")
        _logger.warning("%s; reading what is there", why)
    return nearest


# -- tasks -----------------------------------------------------------------------------------------------------------


def _stretches(view: PartitionView, first_offset: int, end_offset: int) -> list[Stretch]:
    if first_offset >= end_offset:
        return []
    begin = view.place_of(first_offset)
    if begin is None or begin.offset >= end_offset:
        return []
    finish = view.place_of(end_offset)
    stretches = []
    for segment in view.segments_between(first_offset, end_offset):
        if segment.base_offset < begin.segment.base_offset:
            continue
        is_first = segment.base_offset == begin.segment.base_offset
        start = begin.position if is_first else 0
        is_last = finish is not None and finish.segment.base_offset == segment.base_offset
        end = finish.position if finish is not None and is_last else segment.size
        # The batch in which the end lies is read in part.
        end = max(end, start + 1)
        stretches.append(Stretch(segment, start, end, first_offset if is_first else segment.base_offset))
    return stretches


def _ranges(wanted: _Wanted, most_bytes: int) -> list[LogRange]:
    view = wanted.view

    def cut_near(segment: SegmentFile, position: int) -> Cut | None:
        place = view.place_near(segment, position)
        if place is None or not wanted.first_offset < place.offset < wanted.end_offset:
            return None
        return Cut(place.position, place.offset)

    groups = divide(wanted.stretches, most_bytes, cut_near)
    ends = [*(group[0].first_offset for group in groups), wanted.end_offset][1:]
    return [
        LogRange(
            view.topic,
            view.partition,
            view.directory,
            view.topic_id,
            group[0].first_offset,
            end_offset,
            group[0].segment,
            group[0].start,
            view.header_at(group[0].segment, group[0].start),
            sum(each.end - each.start for each in group),
            aborted_between(wanted.aborted, group[0].first_offset, end_offset),
            tuple(each.segment for each in group[1:]),
        )
        for group, end_offset in zip(groups, ends, strict=True)
    ]
