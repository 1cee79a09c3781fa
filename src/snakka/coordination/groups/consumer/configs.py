"""What holds for a group: its own configs, within the broker's bounds, or the broker's options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from snakka.coordination.groups.consumer.assignors import ASSIGNORS
from snakka.metadata.image.configs import ConfigResourceType

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# Kafka also takes the names of its classes.
_CLASS_NAMES = {
    "org.apache.kafka.coordinator.group.assignor.UniformAssignor": "uniform",
    "org.apache.kafka.coordinator.group.assignor.RangeAssignor": "range",
}


def session_timeout_ms(shard: GroupShard, group_id: str) -> int:
    settings = shard.settings
    return _within(
        _own(shard, group_id, "consumer.session.timeout.ms"),
        settings.group_consumer_min_session_timeout_ms,
        settings.group_consumer_max_session_timeout_ms,
        settings.group_consumer_session_timeout_ms,
    )


def heartbeat_interval_ms(shard: GroupShard, group_id: str) -> int:
    settings = shard.settings
    return _within(
        _own(shard, group_id, "consumer.heartbeat.interval.ms"),
        settings.group_consumer_min_heartbeat_interval_ms,
        settings.group_consumer_max_heartbeat_interval_ms,
        settings.group_consumer_heartbeat_interval_ms,
    )


def assignment_interval_ms(shard: GroupShard, group_id: str) -> int:
    settings = shard.settings
    return _within(
        _own(shard, group_id, "consumer.assignment.interval.ms"),
        settings.group_consumer_min_assignment_interval_ms,
        settings.group_consumer_max_assignment_interval_ms,
        settings.group_consumer_assignment_interval_ms,
    )


def supported_assignors(option: Iterable[str]) -> tuple[str, ...]:
    """What `group.consumer.assignors` names; the first one is for groups whose members do not ask for any."""
    names = (_CLASS_NAMES.get(entry, entry) for entry in option)
    return tuple(name for name in names if name in ASSIGNORS) or tuple(ASSIGNORS)


def _own(shard: GroupShard, group_id: str, name: str) -> str | None:
    return shard.image.configs.of(ConfigResourceType.GROUP, group_id).get(name)


def _within(own: str | None, least: int, most: int, otherwise: int) -> int:
    """A config that was set before the broker's bounds were is kept within them."""
    if own is None:
        return otherwise
    try:
        return min(max(int(own), least), most)
    except ValueError:
        return otherwise
