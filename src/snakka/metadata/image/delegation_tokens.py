"""Delegation tokens by their id, as their records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snakka.protocol.message import Message

if TYPE_CHECKING:
    from snakka.protocol.record_types.metadata.delegation_token_record import DelegationTokenRecord
    from snakka.protocol.record_types.metadata.remove_delegation_token_record import (
        RemoveDelegationTokenRecord,
    )


@dataclass(slots=True)
class DelegationTokensImage:
    by_id: dict[str, DelegationTokenRecord] = field(default_factory=dict)

    def replay_token(self, record: DelegationTokenRecord) -> None:
        self.by_id[record.token_id] = record

    def replay_remove(self, record: RemoveDelegationTokenRecord) -> None:
        self.by_id.pop(record.token_id, None)

    def snapshot(self) -> Iterator[Message]:
        return iter(self.by_id.values())

    def copy(self) -> DelegationTokensImage:
        return DelegationTokensImage(dict(self.by_id))
