"""The mechanisms by their RFCs' own examples, and against whoever does not keep to them."""

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.security.sasl.exchange import SaslError
from snakka.security.sasl.oauthbearer import BearerToken, OauthBearerExchange
from snakka.security.sasl.plain import PlainExchange
from snakka.security.sasl.scram import DIGESTS, ScramExchange, escaped_name

NONCE = "rOprNGfwEbeRWgbNEkqO"
SALT = base64.b64encode(b"salt").decode()


def test_plain_is_one_message() -> None:
    exchange = PlainExchange("tim", "tanstaaftanstaaf", "Ursel")
    assert exchange.step(b"") == b"Ursel\0tim\0tanstaaftanstaaf"
    assert exchange.step(b"") is None


def test_plain_refuses_what_would_move_its_fields() -> None:
    with pytest.raises(SaslError, match="password"):
        PlainExchange("tim", "tan\0staaf")


def test_the_example_of_rfc_7677() -> None:
    exchange = ScramExchange("SCRAM-SHA-256", "user", "pencil", NONCE)
    assert exchange.step(b"") == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    first = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    assert exchange.step(first) == (
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    assert exchange.step(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=") is None
    with pytest.raises(SaslError, match="after the end"):
        exchange.step(b"")


class ScramServer:
    """The other half, from the stored keys only, as a broker has them."""

    def __init__(self, mechanism: str, password: str, iterations: int = 4096) -> None:
        self.digest = DIGESTS[mechanism]
        salted = hashlib.pbkdf2_hmac(self.digest, password.encode(), b"salt", iterations)
        self.stored_key = hashlib.new(self.digest, self._hmac(salted, b"Client Key")).digest()
        self.server_key = self._hmac(salted, b"Server Key")
        self.iterations = iterations

    def first(self, message: bytes) -> bytes:
        self.client_first = message.removeprefix(b"n,,")
        nonce = self.client_first.partition(b"r=")[2].partition(b",")[0]
        self.said = b"r=%s-server,s=%s,i=%d" % (nonce, SALT.encode(), self.iterations)
        return self.said

    def last(self, message: bytes) -> bytes:
        without_proof, _, proof = message.partition(b",p=")
        signed = b",".join((self.client_first, self.said, without_proof))
        signature = self._hmac(self.stored_key, signed)
        key = bytes(a ^ b for a, b in zip(signature, base64.b64decode(proof), strict=True))
        assert hashlib.new(self.digest, key).digest() == self.stored_key, "the proof is wrong"
        return b"v=" + base64.b64encode(self._hmac(self.server_key, signed))

    def _hmac(self, key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, self.digest)


@given(
    mechanism=st.sampled_from(sorted(DIGESTS)),
    username=st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=10),
    password=st.text(st.characters(blacklist_categories=("Cs",)), max_size=20),
    extensions=st.sampled_from([None, {"tokenauth": "true"}]),
)
def test_any_user_and_password_convince_a_server(
    mechanism: str, username: str, password: str, extensions: dict[str, str] | None
) -> None:
    exchange = ScramExchange(mechanism, username, password, NONCE, extensions)
    server = ScramServer(mechanism, password)
    hello = exchange.step(b"")
    assert hello is not None
    assert hello.decode().split(",r=")[0] == f"n,,n={escaped_name(username)}"
    assert ("tokenauth=true" in hello.decode()) == (extensions is not None)
    proof = exchange.step(server.first(hello))
    assert proof is not None
    assert password.encode() not in proof or len(password) < 3
    assert exchange.step(server.last(proof)) is None


def test_a_server_that_does_not_know_the_password_is_an_impostor() -> None:
    exchange = ScramExchange("SCRAM-SHA-512", "u", "secret", NONCE)
    exchange.step(b"")
    exchange.step(f"r={NONCE}more,s={SALT},i=4096".encode())
    with pytest.raises(SaslError, match="impostor"):
        exchange.step(b"v=" + base64.b64encode(bytes(64)))


@pytest.mark.parametrize(
    ("first", "complaint"),
    [
        (f"r=other,s={SALT},i=4096", "does not continue ours"),
        (f"r={NONCE},s={SALT},i=4096", "does not continue ours"),
        (f"r={NONCE}x,s={SALT},i=4095", "4095 iterations"),
        (f"r={NONCE}x,s={SALT},i=999999999999999", "iterations, where 4096 to"),
        (f"r={NONCE}x,s={SALT},i=many", "no number of iterations"),
        (f"r={NONCE}x,s=*,i=4096", "no valid 's'"),
        (f"r={NONCE}x,i=4096", "no valid 's'"),
        (f"m=ext,r={NONCE}x,s={SALT},i=4096", "extension that is not known"),
        ("nonsense", "no list of attributes"),
        ("", "no list of attributes"),
    ],
)
def test_what_a_server_may_not_say_first(first: str, complaint: str) -> None:
    exchange = ScramExchange("SCRAM-SHA-256", "u", "p", NONCE)
    exchange.step(b"")
    with pytest.raises(SaslError, match=complaint):
        exchange.step(first.encode())


def test_a_scram_server_s_refusal_is_passed_on() -> None:
    exchange = ScramExchange("SCRAM-SHA-256", "u", "p", NONCE)
    exchange.step(b"")
    exchange.step(f"r={NONCE}x,s={SALT},i=4096".encode())
    with pytest.raises(SaslError, match="unknown-user"):
        exchange.step(b"e=unknown-user")


@given(st.binary(max_size=200))
def test_no_bytes_of_a_server_do_worse_than_end_the_login(message: bytes) -> None:
    exchange = ScramExchange("SCRAM-SHA-256", "u", "p", NONCE)
    exchange.step(b"")
    with pytest.raises(SaslError):
        exchange.step(message)


def test_a_token_is_shown_with_its_extensions() -> None:
    token = BearerToken("abc.def.ghi", extensions={"logicalCluster": "lkc-1", "poolId": "p 2"})
    exchange = OauthBearerExchange(token, "u,s")
    assert exchange.step(b"") == (
        b"n,a=u=2Cs,\x01auth=Bearer abc.def.ghi\x01logicalCluster=lkc-1\x01poolId=p 2\x01\x01"
    )
    assert exchange.step(b"") is None
    assert OauthBearerExchange(BearerToken("t")).step(b"") == b"n,,\x01auth=Bearer t\x01\x01"


@pytest.mark.parametrize(
    ("challenge", "reason"),
    [
        (b'{"status":"invalid_token","scope":"kafka"}', "invalid_token, scope kafka"),
        (b"[]", "[]"),
        (b"no json", "no json"),
    ],
)
def test_a_refused_token_is_confirmed_and_its_reason_kept(challenge: bytes, reason: str) -> None:
    exchange = OauthBearerExchange(BearerToken("t"))
    exchange.step(b"")
    assert exchange.step(challenge) == b"\x01"
    assert exchange.reason == reason


@pytest.mark.parametrize(
    "token",
    [
        BearerToken("with space"),
        BearerToken("with\x01separator"),
        BearerToken(""),
        BearerToken("t", extensions={"auth": "x"}),
        BearerToken("t", extensions={"9": "x"}),
        BearerToken("t", extensions={"a": "x\x01auth=Bearer other"}),
    ],
)
def test_what_would_forge_a_field_is_refused(token: BearerToken) -> None:
    with pytest.raises(SaslError):
        OauthBearerExchange(token)


def test_no_secret_is_shown() -> None:
    assert "abc" not in repr(BearerToken("abc"))
