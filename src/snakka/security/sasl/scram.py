"""SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, 7677), without channel binding, as Kafka has them.

Rule: the password never leaves this side, and the server must prove that it knows it too, before the login counts.
"""

import base64
import binascii
import hashlib
import hmac

from snakka.security.sasl.exchange import SaslError

DIGESTS = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
# Kafka's own bounds. More would let a false server keep us busy for as long as it likes.
FEWEST_ITERATIONS = 4096
MOST_ITERATIONS = 16384
_NO_CHANNEL_BINDING = "n,,"
_BINDING_ATTRIBUTE = base64.b64encode(_NO_CHANNEL_BINDING.encode()).decode()


class ScramExchange:
    """One login. `nonce` is fresh printable text without a comma; `extensions` are Kafka's, such as tokenauth=true."""

    def __init__(
        self,
        mechanism: str,
        username: str,
        password: str,
        nonce: str,
        extensions: dict[str, str] | None = None,
    ) -> None:
        self.mechanism = mechanism
        self._digest = DIGESTS[mechanism]
        self._password = password
        self._nonce = nonce
        more = "".join(f",{name}={value}" for name, value in (extensions or {}).items())
        self._first = f"n={escaped_name(username)},r={nonce}{more}"
        self._expected_signature = b""
        self._steps = (self._say_hello, self._prove, self._verify)
        self._position = 0

    def step(self, challenge: bytes) -> bytes | None:
        if self._position == len(self._steps):
            raise SaslError("the server goes on after the end of the login")
        take = self._steps[self._position]
        self._position += 1
        return take(challenge)

    def _say_hello(self, challenge: bytes) -> bytes:
        return (_NO_CHANNEL_BINDING + self._first).encode()

    def _prove(self, challenge: bytes) -> bytes:
        attributes = parse_attributes(challenge)
        nonce, iterations = attributes.get("r", ""), attributes.get("i", "")
        if not nonce.startswith(self._nonce) or len(nonce) == len(self._nonce):
            raise SaslError("the server's nonce does not continue ours")
        if not iterations.isascii() or not iterations.isdecimal():
            raise SaslError("the server names no number of iterations")
        rounds = int(iterations[:9])
        if not FEWEST_ITERATIONS <= rounds <= MOST_ITERATIONS:
            raise SaslError(
                f"the server wants {iterations[:9]} iterations, where {FEWEST_ITERATIONS} to {MOST_ITERATIONS} are allowed"
            )
        salted = hashlib.pbkdf2_hmac(self._digest, self._password.encode(), _decoded(attributes, "s"), rounds)
        without_proof = f"c={_BINDING_ATTRIBUTE},r={nonce}"
        signed = b",".join((self._first.encode(), challenge, without_proof.encode()))
        client_key = self._hmac(salted, b"Client Key")
        signature = self._hmac(hashlib.new(self._digest, client_key).digest(), signed)
        proof = bytes(left ^ right for left, right in zip(client_key, signature, strict=True))
        self._expected_signature = self._hmac(self._hmac(salted, b"Server Key"), signed)
        return f"{without_proof},p={base64.b64encode(proof).decode()}".encode()

    def _verify(self, challenge: bytes) -> None:
        attributes = parse_attributes(challenge)
        if "e" in attributes:
            raise SaslError(f"the server refuses the login: {attributes['e'][:200]}")
        if not hmac.compare_digest(_decoded(attributes, "v"), self._expected_signature):
            raise SaslError("the server does not know the password: it may be an impostor")

    def _hmac(self, key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, self._digest)


def escaped_name(name: str) -> str:
    """A user's name as it stands in a message: the two signs that have a meaning there are spelled out."""
    return name.replace("=", "=3D").replace(",", "=2C")


def parse_attributes(message: bytes) -> dict[str, str]:
    """The attributes of a server's message by their letters."""
    try:
        words = message.decode().split(",")
    except UnicodeDecodeError:
        raise SaslError("the server's message is no text") from None
    attributes: dict[str, str] = {}
    for word in words:
        letter, equals, value = word.partition("=")
        if not equals or len(letter) != 1:
            raise SaslError("the server's message is no list of attributes")
        if letter == "m":
            raise SaslError("the server demands an extension that is not known")
        attributes.setdefault(letter, value)
    return attributes


def _decoded(attributes: dict[str, str], letter: str) -> bytes:
    try:
        value = base64.b64decode(attributes[letter], validate=True)
    except (KeyError, binascii.Error, ValueError):
        value = b""
    if not value:
        raise SaslError(f"the server's message has no valid {letter!r}")
    return value
