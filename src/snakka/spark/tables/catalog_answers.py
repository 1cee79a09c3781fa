"""Catalogs that are asked over a network: none is waited for without end, and none is given up at the first failure.

Rule: a request that was not answered may have been done. Whoever sees UnansweredError asks the table
before he does it again.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import requests
from pydantic import ValidationError
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import (
    CommitStateUnknownException,
    RESTError,
    ServerError,
    ServiceUnavailableError,
    TooManyRequestsError,
)

from snakka.spark.tables.table_writer import UnansweredError

CONNECT_SECONDS = 10.0
# As long as a catalog may take for a commit; its store may be slow.
ANSWER_SECONDS = 60.0

_UNANSWERED = (
    CommitStateUnknownException,
    ServerError,
    ServiceUnavailableError,
    TooManyRequestsError,
    requests.ConnectionError,
    requests.Timeout,
)


class BoundedRestCatalog(RestCatalog):
    """A REST catalog whose requests end. pyiceberg's wait for ever, those for the settings and for a token too."""

    def _config_headers(self, session: Any) -> None:
        """pyiceberg comes here with each session before it uses it."""
        session.request = partial(session.request, timeout=(CONNECT_SECONDS, ANSWER_SECONDS))
        super()._config_headers(session)


def is_rest(settings: Mapping[str, str]) -> bool:
    """Whether pyiceberg would take it for a catalog with Iceberg's REST protocol, and can find it."""
    uri = str(settings.get("uri", ""))
    kind = str(settings.get("type", "") or ("rest" if uri.startswith("http") else ""))
    return bool(uri) and kind.lower() == "rest" and "py-catalog-impl" not in settings


@contextmanager
def naming_server(catalog: str) -> Iterator[None]:
    """What a catalog says when it does not do what it is asked."""
    try:
        yield
    except _UNANSWERED as error:
        raise UnansweredError(f"catalog {catalog} does not answer: {_words(error)}") from error


def without_password(uri: str) -> str:
    """An address without the name and the password that may be in it."""
    try:
        netloc = urlsplit(uri).netloc
    except ValueError:
        return "(an address that can't be read)"
    return uri.replace(netloc, netloc.rpartition("@")[2]) if "@" in netloc else uri


def is_no_catalog(error: Exception) -> bool:
    """Whether what answered speaks another protocol."""
    return isinstance(error, ValidationError) or type(error) is RESTError


def _words(error: BaseException) -> str:
    """The first cause, for the libraries in between wrap it up in their own words."""
    cause: BaseException | None = error
    while cause is not None and isinstance(cause, requests.RequestException) and cause.args:
        inner = cause.args[0]
        reason = getattr(inner, "reason", inner)
        if not isinstance(reason, BaseException):
            break
        cause = reason
    return " ".join(str(cause).split()) or type(error).__name__
