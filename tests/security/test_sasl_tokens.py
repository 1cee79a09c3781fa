"""Where tokens and passwords come from: a function, a token endpoint, and Java's notation."""

import asyncio
import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from snakka.security.bearer_tokens import BearerTokens, Provider, RefreshRules, expiry_ms
from snakka.security.client_authentication import CredentialsError
from snakka.security.jaas import JaasError, parse_jaas
from snakka.security.sasl.oauthbearer import BearerToken
from snakka.security.token_endpoint import TokenEndpoint


class HandClock:
    def __init__(self) -> None:
        self.ms = 1_000_000

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


def jwt(**claims: object) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none'})}.{part(claims)}."


def tokens(provider: Provider, clock: HandClock, **extensions: str) -> BearerTokens:
    return BearerTokens(provider, clock, extensions, RefreshRules())


async def test_a_token_is_kept_for_most_of_its_life() -> None:
    clock = HandClock()
    asked = 0

    def provider() -> str:
        nonlocal asked
        asked += 1
        return jwt(exp=clock.ms / 1000 + 3600, number=asked)

    source = tokens(provider, clock, tenant="a")
    first = await source()
    assert first.extensions == {"tenant": "a"}
    clock.ms += int(3600_000 * 0.79)
    assert await source() is first
    clock.ms += int(3600_000 * 0.02)
    assert await source() is not first
    assert asked == 2


async def test_many_who_wait_ask_once() -> None:
    clock = HandClock()
    asked = 0

    async def provider() -> BearerToken:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0)
        return BearerToken("t", clock.ms + 1000)

    source = tokens(provider, clock)
    assert {token.value for token in await asyncio.gather(*(source() for _ in range(20)))} == {"t"}
    assert asked == 1


async def test_a_function_that_blocks_holds_up_nobody_and_is_not_called_again_meanwhile() -> None:
    clock = HandClock()
    may_end = threading.Event()
    threads: list[int] = []

    def provider() -> BearerToken:
        threads.append(threading.get_ident())
        may_end.wait(20)
        return BearerToken("t", clock.ms + 1000)

    source = tokens(provider, clock)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await source()
    may_end.set()
    assert (await source()).value == "t"
    (thread,) = threads
    assert thread != threading.get_ident()


async def test_an_old_token_serves_while_a_new_one_is_not_to_be_had() -> None:
    clock = HandClock()
    is_up = True

    def provider() -> BearerToken:
        if not is_up:
            raise OSError("down")
        return BearerToken("t", clock.ms + 10_000)

    source = tokens(provider, clock)
    await source()
    is_up = False
    clock.ms += 9_000
    assert (await source()).value == "t"
    clock.ms += 2_000
    with pytest.raises(CredentialsError, match="OSError: down"):
        await source()


@pytest.mark.parametrize("given", [None, 7, ("a", "b", "c")])
async def test_what_is_no_token_is_refused(given: object) -> None:
    with pytest.raises(CredentialsError, match="must return"):
        await tokens(lambda: given, HandClock())()  # type: ignore[arg-type,return-value]


async def test_a_token_that_is_over_already_is_refused() -> None:
    with pytest.raises(CredentialsError, match="expired already"):
        await tokens(lambda: jwt(exp=1), HandClock())()


async def test_the_form_of_another_client_is_understood() -> None:
    clock = HandClock()
    token = await tokens(lambda: ("t", clock.ms / 1000 + 5), clock)()  # type: ignore[arg-type,return-value]
    assert token.value == "t"
    assert token.expires_ms == clock.ms + 5000


@pytest.mark.parametrize("token", ["opaque", "a.b.c", jwt(), jwt(exp="soon"), "..", jwt(exp=float("inf"))])
def test_a_token_without_an_end(token: str) -> None:
    assert expiry_ms(token) is None


def test_when_a_token_is_replaced() -> None:
    rules = RefreshRules(0.8, 60_000, 300_000)
    assert rules.refresh_at_ms(0, 3_600_000) == 2_880_000
    assert rules.refresh_at_ms(0, 1_000_000) == 700_000  # five minutes before its end at the latest
    assert rules.refresh_at_ms(0, 100_000) == 80_000  # too short for that


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.seen.append((self.headers["Authorization"], form))  # type: ignore[attr-defined]
        status, body = self.server.answers.pop(0)  # type: ignore[attr-defined]
        self.send_response(status)
        if status == 302:
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")  # type: ignore[attr-defined]
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.seen = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_client_credentials_become_a_token(endpoint: ThreadingHTTPServer) -> None:
    endpoint.answers = [(200, b'{"access_token": "abc", "expires_in": 60}')]  # type: ignore[attr-defined]
    url = f"http://127.0.0.1:{endpoint.server_port}/token"
    token = TokenEndpoint(url, "me", "s:e/c", "kafka read", encodes_header=True).fetch(1000)
    assert (token.value, token.expires_ms) == ("abc", 61_000)
    ((authorization, form),) = endpoint.seen  # type: ignore[attr-defined]
    assert base64.b64decode(authorization.removeprefix("Basic ")) == b"me:s%3Ae%2Fc"
    assert form == {"grant_type": ["client_credentials"], "scope": ["kafka read"]}


@pytest.mark.parametrize(
    ("status", "body", "complaint", "passes"),
    [
        (401, b'{"error":"invalid_client"}', "answers 401 Unauthorized: .*invalid_client", False),
        (503, b"", "answers 503", True),
        (302, b"", "answers 302", False),
        (200, b"no json", "without an access_token", False),
        (200, b"[]", "without an access_token", False),
    ],
)
def test_what_an_endpoint_refuses_is_told_without_the_secret(
    endpoint: ThreadingHTTPServer, status: int, body: bytes, complaint: str, passes: bool
) -> None:
    endpoint.answers = [(status, body)]  # type: ignore[attr-defined]
    asked = TokenEndpoint(f"http://127.0.0.1:{endpoint.server_port}/", "me", "secret")
    with pytest.raises(CredentialsError, match=complaint) as caught:
        asked.fetch(0)
    assert caught.value.passes is passes
    assert "secret" not in f"{caught.value}{asked!r}"


def test_an_endpoint_that_is_not_there() -> None:
    with pytest.raises(CredentialsError, match=r"can't be asked for a token: .*refused") as caught:
        TokenEndpoint("http://127.0.0.1:1/", "me", "secret").fetch(0)
    assert caught.value.passes


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (
            'org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="a;b=\\"c\\\\";',
            {"username": "alice", "password": 'a;b="c\\'},
        ),
        ("M required\n  username='bob'\n  password=plain ;", {"username": "bob", "password": "plain"}),
        ("M required", {}),
        # What follows was read by Apache Kafka's own parser, too, with the same outcome.
        ("M REQUIRED username='a' password='it\\'s';", {"username": "a", "password": "it's"}),
        (
            'M required password="a\\nb\\tc\\101\\q\\\\"username="a";',
            {"username": "a", "password": "a\nb\tcAq\\"},
        ),
        (
            '// who\nM sufficient /* the\nuser */ "username" = "a" password="b"; // end',
            {"username": "a", "password": "b"},
        ),
        ('M required password="b" password="c";', {"password": "c"}),
        ("M required password=YWJj==;", {"password": "YWJj=="}),  # but for this one, which Java wants quoted
    ],
)
def test_java_s_notation(text: str, options: dict[str, str]) -> None:
    entry = parse_jaas(text)
    assert entry.options == options
    assert "alice" not in repr(entry)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "M",
        'M required password="secret',
        'M perhaps a="secret";',
        "M required secret;",
        'M required password="secret"s";',
        'M required password="secret"; M required password="secret";',
    ],
)
def test_what_is_not_java_s_notation_is_not_repeated(text: str) -> None:
    with pytest.raises(JaasError) as caught:
        parse_jaas(text)
    assert "secret" not in str(caught.value)
