"""Stands before a catalog and fails as networks and servers do: before the catalog has done what it is asked, or after."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.spark.http_server import HttpServer, JsonHandler

NOT_PASSED_ON = ("host", "content-length", "accept-encoding")


@dataclass
class Faults:
    """What becomes of the next requests of a method to a path that ends so; each happens once."""

    coming: list[tuple[str, str, str]] = field(default_factory=list)
    happened: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def plan(self, method: str, path_end: str, *what: str) -> None:
        """Each is `before` or `after` the catalog's turn, and a status code, `cut` or `silence`."""
        self.coming += [(method, path_end, each) for each in what]

    def of(self, method: str, path: str) -> tuple[str, str]:
        for planned in self.coming:
            if planned[0] == method and path.endswith(planned[1]):
                self.coming.remove(planned)
                self.happened.append(planned[2])
                when, _, what = planned[2].partition(" ")
                return when, what
        return "", ""


@contextmanager
def failing_proxy(target: str) -> Iterator[tuple[str, Faults]]:
    """The address to use in the target's place, and what will go wrong there."""
    faults = Faults()
    to = urlsplit(target)

    class Handler(JsonHandler):
        def _pass_on(self) -> None:
            body = self.body()
            when, what = faults.of(self.command, urlsplit(self.path).path)
            if when == "before":
                return self._fail(what)
            connection = http.client.HTTPConnection(to.hostname or "", to.port, timeout=30)
            headers = {name: text for name, text in self.headers.items() if name.lower() not in NOT_PASSED_ON}
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            if when == "after":
                return self._fail(what)
            return self.answer_bytes(answer.status, content)

        def _fail(self, what: str) -> None:
            if what.isdecimal():
                error = {"message": "not now", "type": "Fault", "code": int(what)}
                return self.answer(int(what), {"error": error})
            if what == "silence":
                faults.stopped.wait(60)
            self.close_connection = True
            return None

        do_GET = do_POST = do_HEAD = do_DELETE = _pass_on  # noqa: N815 -- http.server's names

    with HttpServer(Handler) as server:
        try:
            yield server.url, faults
        finally:
            faults.stopped.set()
