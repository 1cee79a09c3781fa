"""A token endpoint (RFC 6749): client id and secret in, bearer token out. Blocking; it is called in a thread.

Rule: the secret goes into one header of one request and nowhere else; answers are read up to a bound.
"""

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from ssl import SSLContext

from snakka.security.client_authentication import CredentialsError
from snakka.security.sasl.oauthbearer import BearerToken

_LARGEST_ANSWER = 1 << 20
_LONGEST_REASON = 300


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The secret is for the endpoint that was named, and for no other that it may point to."""

    def redirect_request(self, *_: object) -> None:
        return None


def _passes(status: int) -> bool:
    """Whether an endpoint that answers so may answer otherwise in a moment."""
    return status in (408, 429) or (status >= 500 and status not in (501, 505))


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """Where to ask, as whom, and for what."""

    url: str
    client_id: str
    client_secret: str = field(repr=False)
    scope: str | None = None
    encodes_header: bool = False
    timeout_seconds: float = 10.0
    tls: SSLContext | None = None

    def fetch(self, now_ms: int) -> BearerToken:
        """A new token; CredentialsError says what the endpoint answered."""
        form = {"grant_type": "client_credentials"}
        if self.scope:
            form["scope"] = self.scope
        request = urllib.request.Request(
            self.url,
            urllib.parse.urlencode(form).encode(),
            {
                "Authorization": f"Basic {self._basic()}",
                "Accept": "application/json",
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=self.tls), _NoRedirects())
        try:
            with opener.open(request, timeout=self.timeout_seconds) as response:
                answer = response.read(_LARGEST_ANSWER)
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(_LONGEST_REASON).decode("utf-8", "replace").strip()
            raise CredentialsError(
                f"{self.url} answers {error.code} {error.reason}: {said}", passes=_passes(error.code)
            ) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise CredentialsError(
                f"{self.url} can't be asked for a token: {reason}", passes=isinstance(error, OSError)
            ) from None
        return self._parsed(answer, now_ms)

    def _basic(self) -> str:
        parts = [self.client_id, self.client_secret]
        if self.encodes_header:
            parts = [urllib.parse.quote_plus(part) for part in parts]
        return base64.b64encode(":".join(parts).encode()).decode()

    def _parsed(self, answer: bytes, now_ms: int) -> BearerToken:
        try:
            document = json.loads(answer)
            token = document["access_token"]
            lifetime = document.get("expires_in")
            expires_ms = None if lifetime is None else now_ms + int(float(lifetime) * 1000)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise CredentialsError(f"{self.url} answers without an access_token") from None
        return BearerToken(str(token), expires_ms)
