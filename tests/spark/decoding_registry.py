"""A schema registry for tests: a real HTTP server with the paths that decoders ask for."""

import base64
import json
import re
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote


class Registry:
    """`with Registry() as registry: registry.register("orders-value", schema)`; what it was asked is in `asked`."""

    def __init__(
        self, *, user: str | None = None, password: str = "", certificate: str | None = None
    ) -> None:
        self.schemas: dict[int, dict[str, Any]] = {}
        self.subjects: dict[str, list[int]] = {}
        self.asked: list[str] = []
        self.failures_left = 0
        self._user = user
        self._password = password
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._scheme = "http"
        if certificate is not None:
            self._scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        host = "localhost" if self._scheme == "https" else "127.0.0.1"
        return f"{self._scheme}://{host}:{self._server.server_port}"

    def register(
        self, subject: str, schema: str, kind: str = "AVRO", references: list[dict[str, Any]] | None = None
    ) -> int:
        """The schema's id."""
        number = len(self.schemas) + 1
        self.schemas[number] = {"schema": schema, "schemaType": kind, "references": references or []}
        self.subjects.setdefault(subject, []).append(number)
        return number

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def answer(self, path: str, authorization: str | None) -> tuple[int, dict[str, Any]]:
        self.asked.append(path)
        if self.failures_left:
            self.failures_left -= 1
            return 503, {"error_code": 50301, "message": "starting"}
        if self._user is not None:
            wanted = base64.b64encode(f"{self._user}:{self._password}".encode()).decode()
            if authorization != f"Basic {wanted}":
                return 401, {"error_code": 401, "message": "Unauthorized"}
        if found := re.fullmatch(r"/schemas/ids/(\d+)", path):
            schema = self.schemas.get(int(found[1]))
            return (200, schema) if schema else (404, {"error_code": 40403, "message": "Schema not found"})
        if found := re.fullmatch(r"/subjects/([^/]+)/versions/(latest|\d+)", path):
            return self._version(unquote(found[1]), found[2])
        return 404, {"error_code": 404, "message": "no such path"}

    def _version(self, subject: str, text: str) -> tuple[int, dict[str, Any]]:
        ids = self.subjects.get(subject, [])
        version = len(ids) if text == "latest" else int(text)
        if not 1 <= version <= len(ids):
            return 404, {"error_code": 40402, "message": "Version not found"}
        number = ids[version - 1]
        return 200, {**self.schemas[number], "subject": subject, "version": version, "id": number}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                code, body = registry.answer(self.path, self.headers.get("Authorization"))
                data = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- the library's name
                pass

        return Handler
