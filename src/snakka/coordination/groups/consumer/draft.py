"""A decision about a consumer group in the making.

Its records are applied to a copy of the group as they are added, by the code that replays them later. So each step of a
decision sees what the steps before it have decided, and the group itself stays as it is. A decision without records, as
most heartbeats are, copies nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snakka.coordination.decision import Answer, Decision, Moment
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.replaying import apply
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


@dataclass(slots=True)
class Draft:
    shard: GroupShard
    # As it is now, or as it will be when the records are replayed.
    group: ConsumerGroup
    now: Moment
    records: list[KeyedRecord] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    # What puts memory right if the records are refused; it returns whom to tell what.
    refused: Callable[[ErrorCode], Sequence[Answer]] | None = None
    # Whether the group may be changed: it is a copy, or not in the shard yet.
    is_own: bool = False

    def add(self, *records: KeyedRecord) -> None:
        if not self.is_own:
            self.group = self.group.copy()
            self.is_own = True
        for record in records:
            apply(self.group, record)
            self.records.append(record)

    def decision(self, response: Any = None) -> Decision[Any]:
        return Decision(self.records, response, self.answers, refused=self.refused)
