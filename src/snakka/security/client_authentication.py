"""Who we are towards a peer: credentials that give a fresh exchange for each login.

Rule: secrets are in no text and no repr.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

from snakka.security.sasl.exchange import SaslExchange
from snakka.security.sasl.oauthbearer import BearerToken, OauthBearerExchange
from snakka.security.sasl.plain import PlainExchange
from snakka.security.sasl.scram import ScramExchange


class CredentialsError(Exception):
    """There are no credentials to be had now, for example since a token endpoint refuses."""

    def __init__(self, text: str, *, passes: bool = False) -> None:
        super().__init__(text)
        self.passes = passes  # the same may succeed in a moment


class Credentials(Protocol):
    """What a login needs."""

    @property
    def mechanism(self) -> str: ...

    async def exchange(self) -> SaslExchange:
        """A new exchange; CredentialsError if it can't be."""


class PlainCredentials:
    """User and password, sent as they are."""

    mechanism = "PLAIN"

    def __init__(self, username: str, password: str) -> None:
        self._username = username
        self._password = password

    async def exchange(self) -> SaslExchange:
        return PlainExchange(self._username, self._password)


class ScramCredentials:
    """User and password, which never leaves us. `nonce` makes a new unguessable text each time."""

    def __init__(
        self,
        mechanism: str,
        username: str,
        password: str,
        nonce: Callable[[], str],
        extensions: dict[str, str] | None = None,
    ) -> None:
        self.mechanism = mechanism
        self._username = username
        self._password = password
        self._nonce = nonce
        self._extensions = extensions

    async def exchange(self) -> SaslExchange:
        return ScramExchange(self.mechanism, self._username, self._password, self._nonce(), self._extensions)


class BearerCredentials:
    """A token that somebody gives us, each time one is needed."""

    mechanism = "OAUTHBEARER"

    def __init__(self, token: Callable[[], Awaitable[BearerToken]]) -> None:
        self._token = token

    async def exchange(self) -> SaslExchange:
        return OauthBearerExchange(await self._token())
