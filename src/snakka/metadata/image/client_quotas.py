"""Quotas by the entity that they bind: a user, a client id, an address, or a combination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snakka.protocol.message import Message
    from snakka.protocol.record_types.metadata.client_quota_record import ClientQuotaRecord

# Pairs of entity type and name, sorted by type; the name None is the default entity of that type.
QuotaEntity = tuple[tuple[str, str | None], ...]


def entity_of(record: ClientQuotaRecord) -> QuotaEntity:
    parts = {part.entity_type: part.entity_name for part in record.entity}
    return tuple(sorted(parts.items()))


@dataclass(slots=True)
class ClientQuotasImage:
    by_entity: dict[QuotaEntity, dict[str, float]] = field(default_factory=dict)

    def replay_quota(self, record: ClientQuotaRecord) -> None:
        entity = entity_of(record)
        if not record.remove:
            self.by_entity.setdefault(entity, {})[record.key] = record.value
            return
        quotas = self.by_entity.get(entity)
        if quotas is not None:
            quotas.pop(record.key, None)
            if not quotas:
                del self.by_entity[entity]

    def snapshot(self) -> Iterator[Message]:
        # Few clusters have quotas, so the record type is loaded only for those that do.
        from snakka.protocol.record_types.metadata.client_quota_record import ClientQuotaRecord, EntityData

        for entity, quotas in self.by_entity.items():
            for key, value in quotas.items():
                parts = [EntityData(entity_type=kind, entity_name=name) for kind, name in entity]
                yield ClientQuotaRecord(entity=parts, key=key, value=value, remove=False)

    def copy(self) -> ClientQuotasImage:
        return ClientQuotasImage({entity: dict(quotas) for entity, quotas in self.by_entity.items()})
