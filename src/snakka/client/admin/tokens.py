"""Delegation tokens: a login that can be handed on, and ends by itself.

They can be had only over a connection that is logged in, and not with a token.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from snakka.client.admin.calls import AdminCalls
from snakka.protocol.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from snakka.protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from snakka.protocol.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from snakka.protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)

BROKER_DECIDES = -1
_AT_ONCE = -1


@dataclass(frozen=True, slots=True)
class DelegationToken:
    """A token: log in with SCRAM as its id, with the HMAC in base64 as password. Principals are like User:alice."""

    token_id: str
    hmac: bytes = field(repr=False)
    owner: str
    requester: str
    issued_ms: int
    expires_ms: int
    ends_ms: int
    renewers: tuple[str, ...] = ()


class TokenAdmin(AdminCalls):
    """What can be done to delegation tokens."""

    async def create_delegation_token(
        self,
        *,
        owner: str | None = None,
        renewers: Iterable[str] = (),
        max_lifetime_ms: int = BROKER_DECIDES,
        timeout_ms: int | None = None,
    ) -> DelegationToken:
        """A new token for us, or for `owner` if we may act for them.

        >>> token = await admin.create_delegation_token(renewers=["User:alice"], max_lifetime_ms=60_000)
        >>> token.renewers, token.ends_ms - token.issued_ms
        (('User:alice',), 60000)
        """
        owner_type, owner_name = (None, None) if owner is None else _principal(owner)
        given = tuple(renewers)
        request = CreateDelegationTokenRequest(
            owner_principal_type=owner_type,
            owner_principal_name=owner_name,
            renewers=[
                CreatableRenewers(principal_type=kind, principal_name=name)
                for kind, name in map(_principal, given)
            ],
            max_lifetime_ms=max_lifetime_ms,
        )
        row = await self._ask_any(request, CreateDelegationTokenResponse, self._deadline(timeout_ms))
        return DelegationToken(
            row.token_id,
            row.hmac,
            f"{row.principal_type}:{row.principal_name}",
            f"{row.token_requester_principal_type}:{row.token_requester_principal_name}",
            row.issue_timestamp_ms,
            row.expiry_timestamp_ms,
            row.max_timestamp_ms,
            given,
        )

    async def renew_delegation_token(
        self, hmac: bytes, *, renew_period_ms: int = BROKER_DECIDES, timeout_ms: int | None = None
    ) -> int:
        """When the token expires now, in milliseconds since 1970."""
        request = RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=renew_period_ms)
        response = await self._ask_any(request, RenewDelegationTokenResponse, self._deadline(timeout_ms))
        return response.expiry_timestamp_ms

    async def expire_delegation_token(
        self, hmac: bytes, *, expiry_period_ms: int = _AT_ONCE, timeout_ms: int | None = None
    ) -> int:
        """Let a token expire at once, or after a time; the result is when, in milliseconds since 1970."""
        request = ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=expiry_period_ms)
        response = await self._ask_any(request, ExpireDelegationTokenResponse, self._deadline(timeout_ms))
        return response.expiry_timestamp_ms

    async def describe_delegation_tokens(
        self, owners: Iterable[str] | None = None, *, timeout_ms: int | None = None
    ) -> list[DelegationToken]:
        """The tokens of these owners, or all that we may see.

        >>> await admin.describe_delegation_tokens(["User:nobody"])
        []
        """
        rows = None
        if owners is not None:
            rows = [
                DescribeDelegationTokenOwner(principal_type=kind, principal_name=name)
                for kind, name in map(_principal, owners)
            ]
        request = DescribeDelegationTokenRequest(owners=rows)
        response = await self._ask_any(request, DescribeDelegationTokenResponse, self._deadline(timeout_ms))
        return [
            DelegationToken(
                row.token_id,
                row.hmac,
                f"{row.principal_type}:{row.principal_name}",
                f"{row.token_requester_principal_type}:{row.token_requester_principal_name}",
                row.issue_timestamp,
                row.expiry_timestamp,
                row.max_timestamp,
                tuple(f"{each.principal_type}:{each.principal_name}" for each in row.renewers),
            )
            for row in response.tokens
        ]


def _principal(text: str) -> tuple[str, str]:
    """Type and name of a principal; one without a type is a user."""
    kind, colon, name = text.partition(":")
    return (kind, name) if colon else ("User", text)
