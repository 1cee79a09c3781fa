"""Access control entries by their id, as their records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snakka.metadata.image.errors import InconsistentRecord
from snakka.protocol.message import Message
from snakka.protocol.uuids import Uuid, uuid_text

if TYPE_CHECKING:
    from snakka.protocol.record_types.metadata.access_control_entry_record import AccessControlEntryRecord
    from snakka.protocol.record_types.metadata.remove_access_control_entry_record import (
        RemoveAccessControlEntryRecord,
    )


@dataclass(slots=True)
class AclsImage:
    by_id: dict[Uuid, AccessControlEntryRecord] = field(default_factory=dict)

    def replay_add(self, record: AccessControlEntryRecord) -> None:
        self.by_id[record.id] = record

    def replay_remove(self, record: RemoveAccessControlEntryRecord) -> None:
        if self.by_id.pop(record.id, None) is None:
            raise InconsistentRecord(f"access control entry {uuid_text(record.id)} does not exist")

    def snapshot(self) -> Iterator[Message]:
        return iter(self.by_id.values())

    def copy(self) -> AclsImage:
        return AclsImage(dict(self.by_id))
