"""A token endpoint: whoever has the client's id and secret gets a token that Kafka's own validator for tests takes."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

LIFE_SECONDS = 600


class TokenServer:
    """Listens on loopback; `given` counts the tokens."""

    def __init__(self, client_id: str, client_secret: str, *, subject: str) -> None:
        pair = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
        outer = self

        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                is_known = self.headers["Authorization"] == f"Basic {pair}"
                self.send_response(200 if is_known else 401)
                self.end_headers()
                outer.given += is_known
                answer = {"access_token": _token(subject), "expires_in": LIFE_SECONDS} if is_known else {}
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.given = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self._thread = threading.Thread(target=self._server.serve_forever, name="tokens", daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}/token"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _token(subject: str) -> str:
    """A JWT without a signature."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    now = time.time() - 5  # Kafka does not take a token of the next millisecond
    claims = {"sub": subject, "iat": now, "exp": now + LIFE_SECONDS, "scope": "kafka"}
    return f"{part({'alg': 'none'})}.{part(claims)}."
