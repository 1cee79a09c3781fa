"""One decision about a classic group in the making: what it has come to so far, and whom it will answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snakka.coordination.decision import Answer, Decision, Moment
from snakka.coordination.groups.classic.deadline_keys import Key, group_key, session_key
from snakka.coordination.groups.classic.group import ClassicGroup, ClassicMember
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.join_group import JoinGroupResponse
from snakka.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


@dataclass(slots=True)
class Turn:
    """The group's functions take one and add to it; `decision` is what has come of it."""

    shard: GroupShard
    group: ClassicGroup
    now: Moment
    records: list[KeyedRecord] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    # What puts memory right if the records are refused; it returns whom to tell what.
    refused: Callable[[ErrorCode], Sequence[Answer]] | None = None

    def decision(self, response: Any = None) -> Decision[Any]:
        return Decision(self.records, response, self.answers, refused=self.refused)

    def answer_join(self, member_id: str, response: JoinGroupResponse) -> None:
        """If it waits for an answer of JoinGroup."""
        ticket = self.group.joining.pop(member_id, None)
        if ticket is not None:
            self.answers.append(Answer(ticket, response))

    def answer_sync(self, member_id: str, response: SyncGroupResponse) -> None:
        """If it waits for an answer of SyncGroup."""
        ticket = self.group.syncing.pop(member_id, None)
        if ticket is not None:
            self.answers.append(Answer(ticket, response))

    def start_session(self, member: ClassicMember, timeout_ms: int | None = None) -> None:
        """It is heard of again within its session's time, or removed."""
        self.shard.deadlines.set(
            session_key(self.group.group_id, member.member_id),
            self.now.steady_ms + (member.session_timeout_ms if timeout_ms is None else timeout_ms),
        )

    def end_session(self, member_id: str) -> None:
        self.shard.deadlines.cancel(session_key(self.group.group_id, member_id))

    def set_deadline(self, what: str, timeout_ms: int) -> None:
        self.shard.deadlines.set(self._key(what), self.now.steady_ms + timeout_ms)

    def cancel_deadline(self, what: str) -> None:
        self.shard.deadlines.cancel(self._key(what))

    def _key(self, what: str) -> Key:
        return group_key(self.group.group_id, what)
