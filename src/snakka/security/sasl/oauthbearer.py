"""OAUTHBEARER (RFC 7628): a token proves who we are, and extensions may go with it (KIP-342)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from snakka.security.sasl.exchange import SaslError

_SEPARATOR = "\x01"
_TOKEN = r"[A-Za-z0-9._~+/-]+=*"
_EXTENSION_NAME = r"[A-Za-z]+"
_EXTENSION_VALUE = r"[\x21-\x7e \t\r\n]+"
_RESERVED = "auth"
_LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class BearerToken:
    """A token, and until when it is good: milliseconds since 1970, None if that is not known."""

    value: str = field(repr=False)
    expires_ms: int | None = None
    extensions: Mapping[str, str] = field(default_factory=dict)


class OauthBearerExchange:
    """Shows the token. A server that refuses it says why, and that is kept in `reason`."""

    mechanism = "OAUTHBEARER"

    def __init__(self, token: BearerToken, authorization_id: str = "") -> None:
        if not re.fullmatch(_TOKEN, token.value):
            raise SaslError("the token has characters that no bearer token may have")
        for name, value in token.extensions.items():
            if name == _RESERVED or not re.fullmatch(_EXTENSION_NAME, name):
                raise SaslError(f"an extension can't have the name {name!r}: only letters, and not auth")
            if not re.fullmatch(_EXTENSION_VALUE, value):
                raise SaslError(f"the extension {name} has a value that can't be sent")
        self._token = token
        self._authorization = (
            f"a={authorization_id.replace('=', '=3D').replace(',', '=2C')}" if authorization_id else ""
        )
        self._is_sent = False
        self.reason = ""

    def step(self, challenge: bytes) -> bytes | None:
        if not self._is_sent:
            self._is_sent = True
            return self._first()
        if not challenge:
            return None
        self.reason = _reason(challenge)
        return _SEPARATOR.encode()  # the server wants an answer before it fails the login

    def _first(self) -> bytes:
        words = [f"n,{self._authorization},", f"auth=Bearer {self._token.value}"]
        words += (f"{name}={value}" for name, value in self._token.extensions.items())
        return (_SEPARATOR.join(words) + 2 * _SEPARATOR).encode()


def _reason(challenge: bytes) -> str:
    """What a server said against the token, in a few words."""
    try:
        answer = json.loads(challenge)
    except ValueError:
        return challenge[:_LONGEST_REASON].decode("utf-8", "replace")
    if not isinstance(answer, dict):
        return str(answer)[:_LONGEST_REASON]
    words = [str(answer.get("status", "invalid_token"))]
    words += (
        f"{name} {answer[name]}"
        for name in ("scope", "openid-configuration", "openid_configuration")
        if answer.get(name)
    )
    return ", ".join(words)[:_LONGEST_REASON]
