"""Where bearer tokens come from: a function of the user, or a token endpoint; kept until they are nearly at their end.

Rule: one token serves many logins, and is asked for once even if many wait for it. A token endpoint and a plain function
are asked in a thread, since they may block.
"""

import asyncio
import base64
import binascii
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from snakka.runtime.clock import Clock
from snakka.security.client_authentication import CredentialsError
from snakka.security.sasl.oauthbearer import BearerToken

Provider = Callable[[], "str | BearerToken | Awaitable[str | BearerToken]"]


@dataclass(frozen=True, slots=True)
class RefreshRules:
    """When a token is replaced: after a part of its life, but neither too often nor too late."""

    window_factor: float = 0.8
    minimum_period_ms: int = 60_000
    buffer_ms: int = 300_000

    def refresh_at_ms(self, had_ms: int, expires_ms: int) -> int:
        """The time from which on a new token is asked for."""
        life_ms = expires_ms - had_ms
        if (
            life_ms <= self.minimum_period_ms + self.buffer_ms
        ):  # too short for both: as Kafka does, only the window
            return had_ms + int(life_ms * self.window_factor)
        wished = had_ms + int(life_ms * self.window_factor)
        return max(min(wished, expires_ms - self.buffer_ms), had_ms + self.minimum_period_ms)


class BearerTokens:
    """Gives a valid token whenever it is called."""

    def __init__(
        self, provider: Provider, clock: Clock, extensions: Mapping[str, str], rules: RefreshRules
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._extensions = extensions
        self._rules = rules
        self._token: BearerToken | None = None
        self._refresh_at_ms = 0
        self._asking = asyncio.Lock()
        self._call: asyncio.Future[Any] | None = None  # of a plain function, in its thread

    async def __call__(self) -> BearerToken:
        """A token; CredentialsError if none is to be had."""
        if self._token is None or self._clock.now_ms() >= self._refresh_at_ms:
            async with self._asking:
                if self._token is None or self._clock.now_ms() >= self._refresh_at_ms:
                    await self._refresh()
        assert self._token is not None
        return self._token

    async def _refresh(self) -> None:
        try:
            token = await self._asked()
        except CredentialsError:
            if self._token is not None and not self._is_over(self._token):
                return  # the old one is still good; the next login asks again
            raise
        now_ms = self._clock.now_ms()
        expires_ms = token.expires_ms if token.expires_ms is not None else expiry_ms(token.value)
        token = replace(token, expires_ms=expires_ms, extensions={**self._extensions, **token.extensions})
        if self._is_over(token):
            raise CredentialsError(
                "the token that was given has expired already: check the clock, or its source"
            )
        self._token = token
        # Without an end it can't be kept: whoever gives it knows when it changes.
        self._refresh_at_ms = now_ms if expires_ms is None else self._rules.refresh_at_ms(now_ms, expires_ms)

    def _is_over(self, token: BearerToken) -> bool:
        return token.expires_ms is not None and token.expires_ms <= self._clock.now_ms()

    async def _asked(self) -> BearerToken:
        try:
            given: Any = await self._called()
            if inspect.isawaitable(given):
                given = await given
        except CredentialsError:
            raise
        except Exception as error:
            raise CredentialsError(
                f"sasl.oauthbearer.token.provider failed: {type(error).__name__}: {error}"
            ) from error
        return _token(given)

    async def _called(self) -> Any:
        """What the provider gives. A function that is slow is not called again while it runs: threads are few."""
        if inspect.iscoroutinefunction(self._provider):
            return await self._provider()
        if self._call is None:
            self._call = asyncio.get_running_loop().run_in_executor(None, self._provider)
        await asyncio.wait((self._call,))
        call, self._call = self._call, None
        return call.result()


def _token(given: Any) -> BearerToken:
    if isinstance(given, str):
        return BearerToken(given)
    if isinstance(given, tuple) and len(given) == 2:  # confluent-kafka's form: a token and its end in seconds
        return BearerToken(str(given[0]), int(float(given[1]) * 1000))
    if isinstance(given, BearerToken):
        return given
    raise CredentialsError("sasl.oauthbearer.token.provider must return a text or a BearerToken")


def expiry_ms(token: str) -> int | None:
    """The end that a JWT names; None if it names none, or is no JWT. It is not verified here: brokers do that."""
    words = token.split(".")
    if len(words) != 3:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(words[1] + "=" * (-len(words[1]) % 4)))
        return int(float(claims["exp"]) * 1000)
    except (ValueError, KeyError, TypeError, OverflowError, binascii.Error):
        return None
