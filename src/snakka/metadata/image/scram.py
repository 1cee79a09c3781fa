"""SCRAM credentials by user and mechanism, as their records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snakka.protocol.message import Message

if TYPE_CHECKING:
    from snakka.protocol.record_types.metadata.remove_user_scram_credential_record import (
        RemoveUserScramCredentialRecord,
    )
    from snakka.protocol.record_types.metadata.user_scram_credential_record import UserScramCredentialRecord


@dataclass(slots=True)
class ScramImage:
    by_user: dict[tuple[str, int], UserScramCredentialRecord] = field(default_factory=dict)

    def replay_credential(self, record: UserScramCredentialRecord) -> None:
        self.by_user[record.name, record.mechanism] = record

    def replay_remove(self, record: RemoveUserScramCredentialRecord) -> None:
        self.by_user.pop((record.name, record.mechanism), None)

    def snapshot(self) -> Iterator[Message]:
        return iter(self.by_user.values())

    def copy(self) -> ScramImage:
        return ScramImage(dict(self.by_user))
