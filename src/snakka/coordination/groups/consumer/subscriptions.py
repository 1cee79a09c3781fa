"""What the group is subscribed to, and when that calls for another epoch: names and regular expressions of its members, and
what the topics are like.
"""

from __future__ import annotations

from collections.abc import Callable

from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.metadata_hash import metadata_hash
from snakka.coordination.groups.consumer.patterns.syntax_tree import PatternError
from snakka.coordination.groups.consumer.patterns.topic_pattern import TopicPattern
from snakka.coordination.groups.consumer.records import (
    ResolvedPattern,
    group_record,
    partition_metadata_tombstone,
    pattern_record,
    pattern_tombstone,
)
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

# Whether whoever asks may know of a topic.
MayDescribe = Callable[[str], bool]

# Looking at all topics again costs something: new topics may have to wait this long to be seen.
_MIN_REFRESH_INTERVAL_MS = 10_000


def bump_epoch_if_needed(draft: Draft, *, is_needed: bool) -> None:
    """The group's next epoch, if it is needed for what was decided before, or because the topics are not as they were."""
    group = draft.group
    if not is_needed and group.is_metadata_current:
        return
    found = metadata_hash(draft.shard.image, group.subscribed_topics())
    if is_needed or found != group.metadata_hash:
        draft.add(group_record(group.group_id, group.epoch + 1, found))
        if group.has_partition_metadata:
            draft.add(partition_metadata_tombstone(group.group_id))
        return
    known = draft.shard.groups.get(group.group_id)
    if isinstance(known, ConsumerGroup):
        known.is_metadata_current = True


def drop_unused_pattern(draft: Draft, pattern: str) -> None:
    """Nobody subscribes to it any more."""
    if pattern in draft.group.resolved and pattern not in draft.group.pattern_counts:
        draft.add(pattern_tombstone(draft.group.group_id, pattern))


def resolve_patterns(draft: Draft, own_pattern: str, may_describe: MayDescribe) -> bool:
    """Find the topics of new expressions, and of all if that was long ago; whether the group has other topics now.

    `own_pattern` is that of the member that asks: it is told if it can't be used. Another's is left as it was.
    """
    has_changed = False
    for pattern in _to_resolve(draft):
        try:
            topics = _matching(pattern, draft, may_describe)
        except PatternError as error:
            if pattern == own_pattern:
                raise invalid(pattern, error) from None
            continue
        known = draft.group.resolved.get(pattern)
        has_changed |= topics != (frozenset() if known is None else known.topics)
        resolved = ResolvedPattern(topics, draft.shard.image.offset, draft.now.wall_ms)
        draft.add(pattern_record(draft.group.group_id, pattern, resolved))
    return has_changed


def check_pattern(pattern: str) -> None:
    try:
        TopicPattern(pattern)
    except PatternError as error:
        raise invalid(pattern, error) from None


def invalid(pattern: str, error: PatternError) -> ApiError:
    return ApiError(
        ErrorCode.INVALID_REGULAR_EXPRESSION, f"the regular expression `{pattern}` is not valid: {error}"
    )


def _to_resolve(draft: Draft) -> list[str]:
    group = draft.group
    known = [group.resolved[pattern] for pattern in group.pattern_counts if pattern in group.resolved]
    if known and _is_refresh_due(draft, known):
        return sorted(group.pattern_counts)
    if len(known) == len(group.pattern_counts):
        return []
    return sorted(pattern for pattern in group.pattern_counts if pattern not in group.resolved)


def _is_refresh_due(draft: Draft, known: list[ResolvedPattern]) -> bool:
    age_ms = draft.now.wall_ms - min(resolved.timestamp_ms for resolved in known)
    if age_ms > draft.shard.settings.group_consumer_regex_refresh_interval_ms:
        return True
    has_new_topics = min(resolved.version for resolved in known) < draft.group.newest_topics_version
    # A clock that was set back must not hide new topics.
    return has_new_topics and not 0 <= age_ms <= _MIN_REFRESH_INTERVAL_MS


def _matching(pattern: str, draft: Draft, may_describe: MayDescribe) -> frozenset[str]:
    compiled = TopicPattern(pattern)
    names = draft.shard.image.topics.by_name
    return frozenset(name for name in names if compiled.matches(name) and may_describe(name))
