"""A token endpoint: whoever has the client's id and secret gets a token that Kafka's own validator for tests takes."""

import base64
import json
import time

from tests.spark.http_server import HttpServer, JsonHandler

LIFE_SECONDS = 600


class TokenServer(HttpServer):
    """Listens on loopback; `given` counts the tokens."""

    def __init__(self, client_id: str, client_secret: str, *, subject: str) -> None:
        pair = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
        outer = self

        class Answers(JsonHandler):
            def do_POST(self) -> None:  # noqa: N802 -- http.server's name
                self.body()
                if self.headers["Authorization"] == f"Basic {pair}":
                    outer.given += 1
                    self.answer(200, {"access_token": _token(subject), "expires_in": LIFE_SECONDS})
                else:
                    self.answer(401, {})

        super().__init__(Answers)
        self.given = 0
        self.url += "/token"


def _token(subject: str) -> str:
    """A JWT without a signature."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    now = time.time() - 5  # Kafka does not take a token of the next millisecond
    claims = {"sub": subject, "iat": now, "exp": now + LIFE_SECONDS, "scope": "kafka"}
    return f"{part({'alg': 'none'})}.{part(claims)}."
