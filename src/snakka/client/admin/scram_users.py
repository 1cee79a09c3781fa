"""Users who log in with SCRAM: brokers keep no password of theirs, only what is derived from it here."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, outcome, outcomes_of
from snakka.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from snakka.protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    UserName,
)
from snakka.security.sasl.scram import DIGESTS, FEWEST_ITERATIONS

_SALT_BYTES = 16
_NUMBERS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
_MECHANISMS = {number: mechanism for mechanism, number in _NUMBERS.items()}


@dataclass(frozen=True, slots=True)
class ScramCredential:
    """How a user can log in: SCRAM-SHA-256 or SCRAM-SHA-512."""

    mechanism: str
    iterations: int


@dataclass(frozen=True, slots=True)
class ScramUser:
    """A user to be created or to get another password; the salt is random unless said."""

    name: str
    password: str = field(repr=False)
    mechanism: str = "SCRAM-SHA-512"
    iterations: int = FEWEST_ITERATIONS
    salt: bytes | None = None


@dataclass(frozen=True, slots=True)
class ScramDeletion:
    """A user who shall not log in with this mechanism any more."""

    name: str
    mechanism: str = "SCRAM-SHA-512"


class ScramUserAdmin(AdminCalls):
    """What can be done to SCRAM users."""

    async def describe_scram_users(
        self, names: Iterable[str] | None = None, *, timeout_ms: int | None = None
    ) -> Outcomes[str, tuple[ScramCredential, ...]]:
        """How these users can log in, or all users.

        >>> (await admin.describe_scram_users(["nobody"]))["nobody"]
        Traceback (most recent call last):
        snakka.protocol.errors.ApiError: RESOURCE_NOT_FOUND
        """
        users = None if names is None else [UserName(name=name) for name in names]
        request = DescribeUserScramCredentialsRequest(users=users)
        response = await self._ask_any(
            request, DescribeUserScramCredentialsResponse, self._deadline(timeout_ms)
        )
        return outcomes_of(
            (row.user, outcome(known, row.error_code, row.error_message, f"user {row.user}"))
            for row in response.results
            for known in (
                tuple(
                    ScramCredential(_MECHANISMS.get(each.mechanism, "UNKNOWN"), each.iterations)
                    for each in row.credential_infos
                ),
            )
        )

    async def alter_scram_users(
        self, changes: Iterable[ScramUser | ScramDeletion], *, timeout_ms: int | None = None
    ) -> Outcomes[str, None]:
        """Create users, change their passwords, or delete them; the outcomes are by name.

        >>> changed = await admin.alter_scram_users([ScramUser("carol", "her secret")])
        >>> changed["carol"]
        >>> changed = await admin.alter_scram_users([ScramDeletion("carol")])
        """
        deadline = self._deadline(timeout_ms)
        wanted: dict[str, list[ScramUser | ScramDeletion]] = {}
        for change in changes:
            wanted.setdefault(change.name, []).append(change)

        async def attempt(pending: list[str]) -> Iterable[Row[str, None]]:
            ours = [change for name in pending for change in wanted[name]]
            request = AlterUserScramCredentialsRequest(
                deletions=[_deletion(each) for each in ours if isinstance(each, ScramDeletion)],
                upsertions=[_upsertion(each) for each in ours if isinstance(each, ScramUser)],
            )
            response = await self._ask_any(request, AlterUserScramCredentialsResponse, deadline)
            return [
                (row.user, outcome(None, row.error_code, row.error_message, f"user {row.user}"))
                for row in response.results
            ]

        return await self._each(wanted, attempt, deadline)


def _deletion(change: ScramDeletion) -> ScramCredentialDeletion:
    return ScramCredentialDeletion(name=change.name, mechanism=_NUMBERS.get(change.mechanism, 0))


def _upsertion(user: ScramUser) -> ScramCredentialUpsertion:
    salt = secrets.token_bytes(_SALT_BYTES) if user.salt is None else user.salt
    salted = b""
    if user.mechanism in DIGESTS and user.iterations > 0:
        salted = hashlib.pbkdf2_hmac(DIGESTS[user.mechanism], user.password.encode(), salt, user.iterations)
    return ScramCredentialUpsertion(
        name=user.name,
        mechanism=_NUMBERS.get(user.mechanism, 0),
        iterations=user.iterations,
        salt=salt,
        salted_password=salted,
    )
