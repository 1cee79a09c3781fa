"""A schema registry for tests: a real HTTP server with the paths that decoders ask for."""

import base64
import re
from typing import Any
from urllib.parse import unquote

from tests.spark.http_server import HttpServer, JsonHandler


class Registry(HttpServer):
    """`with Registry() as registry: registry.register("orders-value", schema)`; what it was asked is in `asked`."""

    def __init__(
        self, *, user: str | None = None, password: str = "", certificate: str | None = None
    ) -> None:
        super().__init__(self._handler(), certificate=certificate)
        self.schemas: dict[int, dict[str, Any]] = {}
        self.subjects: dict[str, list[int]] = {}
        self.asked: list[str] = []
        self.authorizations: list[str | None] = []
        self.moved_to: dict[
            str, str
        ] = {}  # the address that takes the place of ours, by the beginning of a path
        self.failures_left = 0
        self._user = user
        self._password = password

    def register(
        self, subject: str, schema: str, kind: str = "AVRO", references: list[dict[str, Any]] | None = None
    ) -> int:
        """The schema's id."""
        number = len(self.schemas) + 1
        self.schemas[number] = {"schema": schema, "schemaType": kind, "references": references or []}
        self.subjects.setdefault(subject, []).append(number)
        return number

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
            if int(found[1]) > 2**31 - 1:  # what is no int of Java's is no path that it knows
                return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}
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

    def _handler(self) -> type[JsonHandler]:
        registry = self

        class Handler(JsonHandler):
            def do_GET(self) -> None:  # noqa: N802 -- http.server's name
                for path, url in registry.moved_to.items():
                    if self.path.startswith(path + "/"):
                        self.send_response(302)
                        self.send_header("Location", url + self.path.removeprefix(path))
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                        return
                registry.authorizations.append(self.headers.get("Authorization"))
                self.answer(*registry.answer(self.path, self.headers.get("Authorization")))

        return Handler
