"""Classic groups: the members elect a leader, who assigns."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from snakka.coordination.decision import Decision, Moment, Producer
from snakka.protocol.coordinator_framing import KeyedRecord

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def replay(shard: GroupShard, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
    """Take over a record of such a group."""


def loaded(shard: GroupShard, now: Moment) -> Decision[Any]:
    """All records are there: sessions begin anew."""
    return Decision()


def expire(shard: GroupShard, key: tuple[Hashable, ...], now: Moment) -> Decision[Any]:
    """A deadline of such a group is due."""
    return Decision()
