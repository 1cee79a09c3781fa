"""A REST catalog after Iceberg's open specification, for tests: namespaces, tables, staged creation, conditional commits.

It keeps its tables in a catalog of pyiceberg's on SQLite; what is tested is that our sinks need nothing but the protocol.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter
from pyiceberg.catalog.rest import CreateTableRequest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    TableAlreadyExistsError,
)
from pyiceberg.table import CommitTableRequest
from tests.spark.http_server import HttpServer, JsonHandler

NAMESPACE_SEPARATOR = "\x1f"
CODES = {
    NoSuchTableError: 404,
    NoSuchNamespaceError: 404,
    NoSuchViewError: 404,
    NamespaceAlreadyExistsError: 409,
    TableAlreadyExistsError: 409,
    CommitFailedException: 409,
}


class _NamedTable:
    """All that a commit asks of the table it is handed."""

    def __init__(self, identifier: tuple[str, ...]) -> None:
        self._identifier = identifier

    def name(self) -> tuple[str, ...]:
        return self._identifier


class RestCatalog:
    """What the server answers; `requests` is what it was asked."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(exist_ok=True)
        self._catalog = SqlCatalog(
            "server", uri=f"sqlite:///{directory}/server.db", warehouse=f"file://{directory}/warehouse"
        )
        self._one_at_a_time = threading.Lock()
        self.requests: list[str] = []

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        with self._one_at_a_time:
            self.requests.append(f"{method} {path}")
            try:
                return 200, self._dispatch(method, [unquote(part) for part in path.split("/")[2:]], body)
            except tuple(CODES) as error:
                code = CODES[type(error)]
                return code, {"error": {"message": str(error), "type": type(error).__name__, "code": code}}

    def _dispatch(self, method: str, parts: list[str], body: bytes) -> Any:
        if parts == ["config"]:
            return {"defaults": {}, "overrides": {}}
        namespace = tuple(parts[1].split(NAMESPACE_SEPARATOR)) if len(parts) > 1 else ()
        match method, parts:
            case "POST", ["namespaces"]:
                asked = json.loads(body)
                for depth in range(1, len(asked["namespace"])):
                    self._catalog.load_namespace_properties(
                        tuple(asked["namespace"][:depth])
                    )  # must be there
                self._catalog.create_namespace(tuple(asked["namespace"]))
                return {"namespace": asked["namespace"], "properties": {}}
            case "GET" | "HEAD", ["namespaces", _]:
                self._catalog.load_namespace_properties(namespace)
                return {"namespace": list(namespace), "properties": {}}
            case "POST", ["namespaces", _, "tables"]:
                return self._create(
                    namespace, CreateTableRequest.model_validate({"location": None, **json.loads(body)})
                )
            case "GET" | "HEAD", ["namespaces", _, "tables", table]:
                return self._described(self._catalog.load_table((*namespace, table)))
            case "GET" | "HEAD", ["namespaces", _, "views", view]:
                raise NoSuchViewError(view)  # it has none
            case "POST", ["namespaces", _, "tables", table]:
                return self._commit((*namespace, table), body)
        raise ValueError(f"{method} {parts} is not in this catalog")

    def _create(self, namespace: tuple[str, ...], asked: CreateTableRequest) -> Any:
        identifier = (*namespace, asked.name)
        if self._catalog.table_exists(identifier):
            raise TableAlreadyExistsError(".".join(identifier))
        create = self._catalog._create_staged_table if asked.stage_create else self._catalog.create_table
        table = create(identifier, asked.table_schema, location=asked.location, properties=asked.properties)
        return self._described(table)

    def _commit(self, identifier: tuple[str, ...], body: bytes) -> Any:
        asked = TypeAdapter(CommitTableRequest).validate_json(body)
        done = self._catalog.commit_table(_NamedTable(identifier), asked.requirements, asked.updates)  # type: ignore[arg-type]
        return {
            "metadata-location": done.metadata_location,
            "metadata": json.loads(done.metadata.model_dump_json()),
        }

    @staticmethod
    def _described(table: Any) -> Any:
        return {
            "metadata-location": table.metadata_location,
            "metadata": json.loads(table.metadata.model_dump_json()),
            "config": {},
        }


@contextmanager
def running_rest_catalog(directory: Path) -> Iterator[tuple[str, RestCatalog]]:
    """The server's address while it runs, and what it was asked."""
    catalog = RestCatalog(directory)

    class Handler(JsonHandler):
        def _pass_on(self) -> None:
            self.answer(*catalog.answer(self.command, urlsplit(self.path).path, self.body()))

        do_GET = do_POST = do_HEAD = do_DELETE = _pass_on  # noqa: N815 -- http.server's names

    with HttpServer(Handler) as server:
        yield server.url, catalog
