"""Quotas of users, client ids and addresses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import Enum, IntEnum

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, outcome
from snakka.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntityData,
    AlterClientQuotasRequestEntryData,
    AlterClientQuotasResponse,
    OpData,
)
from snakka.protocol.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)


class QuotaName(Enum):
    """In place of a name: what holds for those without a quota of their own; and, in a question, any name."""

    DEFAULT = "default"
    ANY = "any"


class _Match(IntEnum):
    EXACT = 0
    DEFAULT = 1
    SPECIFIED = 2


Name = str | QuotaName | None


@dataclass(frozen=True, slots=True)
class QuotaEntity:
    """Whom a quota is for: a user, a client id, both together, or an IP address. None: it does not matter.

    >>> str(QuotaEntity(user="alice", client_id=QuotaName.DEFAULT))
    'user alice, client-id (default)'
    """

    user: Name = None
    client_id: Name = None
    ip: Name = None

    def parts(self) -> list[tuple[str, str | QuotaName]]:
        """The parts that matter, by Kafka's names for them."""
        named = [(each.name.replace("_", "-"), getattr(self, each.name)) for each in fields(self)]
        return [(kind, name) for kind, name in named if name is not None]

    def __str__(self) -> str:
        shown = (
            f"{kind} {f'({name.value})' if isinstance(name, QuotaName) else name}"
            for kind, name in self.parts()
        )
        return ", ".join(shown)


class QuotaAdmin(AdminCalls):
    """What can be done to quotas."""

    async def describe_quotas(
        self, which: QuotaEntity | None = None, *, strict: bool = False, timeout_ms: int | None = None
    ) -> dict[QuotaEntity, dict[str, float]]:
        """The quotas whose entities have these parts, by name or QuotaName; with `strict` no others besides them.

        >>> await admin.describe_quotas(QuotaEntity(user="nobody"))
        {}
        """
        wanted = which or QuotaEntity()
        components = [
            ComponentData(
                entity_type=kind,
                match_type=_match(name),
                match=name if isinstance(name, str) else None,
            )
            for kind, name in wanted.parts()
        ]
        request = DescribeClientQuotasRequest(components=components, strict=strict)
        response = await self._ask_any(request, DescribeClientQuotasResponse, self._deadline(timeout_ms))
        return {
            _entity((part.entity_type, part.entity_name) for part in entry.entity): {
                value.key: value.value for value in entry.values
            }
            for entry in response.entries or ()
        }

    async def alter_quotas(
        self,
        changes: Mapping[QuotaEntity, Mapping[str, float | None]],
        *,
        validate_only: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[QuotaEntity, None]:
        """Set quotas such as producer_byte_rate; None removes one.

        >>> alice = QuotaEntity(user="alice")
        >>> changed = await admin.alter_quotas({alice: {"producer_byte_rate": 1_000_000.0}})
        >>> changed[alice]
        >>> changed = await admin.alter_quotas({alice: {"producer_byte_rate": None}})
        """
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[QuotaEntity]) -> Iterable[Row[QuotaEntity, None]]:
            request = AlterClientQuotasRequest(
                entries=[_entry(entity, changes[entity]) for entity in pending], validate_only=validate_only
            )
            response = await self._ask_any(request, AlterClientQuotasResponse, deadline)
            return [
                (entity, outcome(None, row.error_code, row.error_message, str(entity)))
                for row in response.entries
                for entity in (_entity((part.entity_type, part.entity_name) for part in row.entity),)
            ]

        return await self._each(changes, attempt, deadline)


def _match(name: str | QuotaName) -> _Match:
    if isinstance(name, str):
        return _Match.EXACT
    return _Match.DEFAULT if name is QuotaName.DEFAULT else _Match.SPECIFIED


def _entity(parts: Iterable[tuple[str, str | None]]) -> QuotaEntity:
    names = {kind.replace("-", "_"): QuotaName.DEFAULT if name is None else name for kind, name in parts}
    return QuotaEntity(**names)


def _entry(entity: QuotaEntity, changes: Mapping[str, float | None]) -> AlterClientQuotasRequestEntryData:
    return AlterClientQuotasRequestEntryData(
        entity=[
            AlterClientQuotasRequestEntityData(
                entity_type=kind, entity_name=name if isinstance(name, str) else None
            )
            for kind, name in entity.parts()
        ],
        ops=[
            OpData(key=key, value=0.0 if value is None else value, remove=value is None)
            for key, value in changes.items()
        ],
    )
