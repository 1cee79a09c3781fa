"""Logging in on a connection: SaslHandshake, then SaslAuthenticate as often as the mechanism needs it.

Rule: a login that is refused is PeerAuthenticationError, and says what the peer would take or what it complained of.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from snakka.network.peer_errors import PeerAuthenticationError, PeerTimeoutError
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.message import Message
from snakka.protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from snakka.protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from snakka.security.client_authentication import Credentials, CredentialsError
from snakka.security.sasl.exchange import SaslError, SaslExchange

# A mechanism takes three messages at most; a peer that never comes to an end is none of ours.
_MOST_STEPS = 8

Ask = Callable[[Message, int], asyncio.Future[Any]]


async def log_in(
    peer: str,
    credentials: Credentials,
    ask: Ask,
    highest_version: Callable[[int], int],
    deadline: float,
) -> int:
    """For how many milliseconds the login is good; 0 for ever. The deadline is a time of the event loop."""
    try:
        await _shake_hands(peer, credentials.mechanism, ask, highest_version)
        exchange = await _new_exchange(peer, credentials, deadline)
        return await _exchange(peer, exchange, ask, highest_version(ApiKey.SASL_AUTHENTICATE))
    except (SaslError, CredentialsError) as error:
        raise PeerAuthenticationError(
            f"can't log in at {peer} with {credentials.mechanism}: {error}"
        ) from None


async def _new_exchange(peer: str, credentials: Credentials, deadline: float) -> SaslExchange:
    """Credentials may come from elsewhere, which nobody waits for in vain."""
    try:
        async with asyncio.timeout_at(deadline):
            return await credentials.exchange()
    except TimeoutError:
        raise PeerTimeoutError(
            f"can't log in at {peer} with {credentials.mechanism}: no credentials came in time; look at the"
            " token provider or token endpoint that they come from"
        ) from None


async def _shake_hands(peer: str, mechanism: str, ask: Ask, highest_version: Callable[[int], int]) -> None:
    try:
        version = highest_version(ApiKey.SASL_HANDSHAKE)
    except ApiError:
        raise PeerAuthenticationError(f"{peer} knows no logins: {_NO_LOGIN}") from None
    response: SaslHandshakeResponse = await ask(SaslHandshakeRequest(mechanism=mechanism), version)
    if response.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM:
        offered = ", ".join(response.mechanisms) or "none"
        raise PeerAuthenticationError(f"{peer} does not take sasl.mechanism={mechanism}; it takes {offered}")
    if response.error_code == ErrorCode.ILLEGAL_SASL_STATE:
        raise PeerAuthenticationError(f"{peer} expects no login: {_NO_LOGIN}")
    if response.error_code:
        raise PeerAuthenticationError(f"{peer} refuses to log us in: {ErrorCode(response.error_code).name}")


_NO_LOGIN = "use security.protocol=PLAINTEXT or SSL, or another port"


async def _exchange(peer: str, exchange: SaslExchange, ask: Ask, version: int) -> int:
    challenge, lifetime_ms = b"", 0
    for _ in range(_MOST_STEPS):
        message = exchange.step(challenge)
        if message is None:
            return lifetime_ms
        response: SaslAuthenticateResponse = await ask(SaslAuthenticateRequest(auth_bytes=message), version)
        if response.error_code:
            raise SaslError(_refusal(exchange, response))
        challenge, lifetime_ms = bytes(response.auth_bytes), response.session_lifetime_ms
    raise SaslError("the peer never comes to an end")


def _refusal(exchange: SaslExchange, response: SaslAuthenticateResponse) -> str:
    reason = getattr(exchange, "reason", "") or response.error_message or ErrorCode(response.error_code).name
    return f"{reason}: check user, password or token"
