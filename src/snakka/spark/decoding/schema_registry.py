"""A client of a schema registry: schemas by id, and versions of a subject, over HTTP as Confluent's registry speaks it.

Rule: an answer that says "there is none" is a fact about a record or a setting; no answer is a failure of the query, so
that a registry which is away for a minute never sends good rows to the dead letters.
"""

from __future__ import annotations

import base64
import json
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from http.client import HTTPException
from typing import Any

from snakka.spark.decoding.spec import DecodingError

_PAUSES_SECONDS = (0.2, 0.5, 1.0, 2.0)
_MOST_BYTES = 16 * 1024 * 1024
_MOST_REFERENCES = 100
_OPTIONS = ("user", "password", "token", "timeout_ms", "ca_file")
# How a registry says that a subject, a version or a schema is not there. Whoever else says 404 is none, or in its way.
_UNKNOWN = (40401, 40402, 40403)


class RegistryUnavailableError(RuntimeError):
    """No registry answered, or it refused us: not the fault of any record."""


class UnknownSchemaError(LookupError):
    """The registry says that there is no such schema."""


@dataclass(frozen=True)
class RegistrySettings:
    """Where the registries are and how to speak to them; never shown with its secrets.

    A user and a password may also stand in the address: https://user:password@host.
    """

    urls: tuple[str, ...]
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    timeout_ms: int = 10_000
    ca_file: str | None = None

    @classmethod
    def of(cls, url: str, options: Mapping[str, str]) -> RegistrySettings:
        for name in options:
            if name not in _OPTIONS:
                raise DecodingError(f"registry_options.{name}", f"is none of {', '.join(_OPTIONS)}")
        known: dict[str, Any] = dict(options)
        urls = []
        for each in filter(None, map(str.strip, url.split(","))):
            parts = urllib.parse.urlsplit(each)
            if parts.scheme not in ("http", "https") or not _has_host(parts):
                shown = each.rpartition("@")[2]
                raise DecodingError("registry_url", f"{shown!r} is no http:// or https:// address")
            if parts.username is not None:
                known.setdefault("user", urllib.parse.unquote(parts.username))
                known.setdefault("password", urllib.parse.unquote(parts.password or ""))
            address = parts._replace(netloc=parts.netloc.rpartition("@")[2])
            urls.append(urllib.parse.urlunsplit(address).rstrip("/"))
        try:
            known["timeout_ms"] = int(known.get("timeout_ms", cls.timeout_ms))
        except ValueError as error:
            raise DecodingError("registry_options.timeout_ms", "is no number of milliseconds") from error
        if known.get("ca_file") and not os.path.isfile(known["ca_file"]):
            raise DecodingError("registry_options.ca_file", f"there is no file {known['ca_file']}")
        return cls(tuple(urls), **known)


@dataclass(frozen=True)
class RegisteredSchema:
    """What a registry holds: the text, its kind (AVRO, PROTOBUF, JSON), and what it refers to, dependencies first."""

    text: str
    kind: str
    references: tuple[tuple[str, str], ...]  # name, text
    id: int = 0
    version: int = 0


class SchemaRegistry:
    """Asks once for what never changes: a schema's id, and a version of a subject."""

    def __init__(self, settings: RegistrySettings) -> None:
        self._settings = settings
        self._by_id = lru_cache(maxsize=1000)(self._ask_id)
        self._by_version = lru_cache(maxsize=1000)(self._ask_version)

    def by_id(self, schema_id: int) -> RegisteredSchema:
        """UnknownSchemaError if there is none."""
        return self._by_id(schema_id)

    def version(self, subject: str, version: int | None) -> RegisteredSchema:
        return self.latest(subject) if version is None else self._by_version(subject, str(version))

    def latest(self, subject: str) -> RegisteredSchema:
        return self._ask_version(subject, "latest")

    def _ask_id(self, schema_id: int) -> RegisteredSchema:
        answer = self._get(f"/schemas/ids/{schema_id}", f"schema id {schema_id}")
        return self._schema({**answer, "id": schema_id})

    def _ask_version(self, subject: str, version: str) -> RegisteredSchema:
        path = f"/subjects/{urllib.parse.quote(subject, safe='')}/versions/{version}"
        return self._schema(self._get(path, f"version {version} of {subject}"))

    def _schema(self, answer: Mapping[str, Any]) -> RegisteredSchema:
        found: dict[str, str] = {}
        self._collect(answer.get("references") or [], found)
        return RegisteredSchema(
            answer["schema"],
            answer.get("schemaType") or "AVRO",
            tuple(found.items()),
            answer.get("id", 0),
            answer.get("version", 0),
        )

    def _collect(self, references: list[Mapping[str, Any]], found: dict[str, str]) -> None:
        for each in references:
            if each["name"] in found:
                continue
            if len(found) >= _MOST_REFERENCES:
                raise RegistryUnavailableError(f"a schema refers to more than {_MOST_REFERENCES} others")
            schema = self._by_version(each["subject"], str(each["version"]))
            for name, text in schema.references:
                found.setdefault(name, text)
            found[each["name"]] = schema.text

    def _get(self, path: str, what: str) -> dict[str, Any]:
        """Each address in turn, a few times: a registry that restarts is back soon."""
        reason = "no address is given"
        for pause in (*_PAUSES_SECONDS, None):
            for url in self._settings.urls:
                try:
                    return self._get_from(url + path)
                except urllib.error.HTTPError as error:
                    if error.code == 404 and _error_code(error) in _UNKNOWN:
                        raise UnknownSchemaError(f"{what} is not known to the schema registry") from None
                    error.close()
                    reason = f"{url}: {error.code} {error.reason}"
                    if error.code in (401, 403):
                        raise RegistryUnavailableError(f"the schema registry refused us: {reason}") from None
                except (OSError, HTTPException, ValueError) as error:
                    reason = f"{url}: {getattr(error, 'reason', error)}"
            if pause is not None:
                time.sleep(pause)
        raise RegistryUnavailableError(f"the schema registry did not say what {what} is: {reason}")

    def _get_from(self, url: str) -> dict[str, Any]:
        request = urllib.request.Request(url, headers=self._headers())
        handlers: list[urllib.request.BaseHandler] = [_Redirects()]
        if url.startswith("https:"):
            context = ssl.create_default_context(cafile=self._settings.ca_file)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        opener = urllib.request.build_opener(*handlers)
        with opener.open(request, timeout=self._settings.timeout_ms / 1000) as response:
            answer = json.loads(response.read(_MOST_BYTES))
        if not isinstance(answer, dict) or "schema" not in answer:
            raise ValueError("the answer is no schema")
        return answer

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
        if self._settings.token is not None:
            headers["Authorization"] = f"Bearer {self._settings.token}"
        elif self._settings.user is not None:
            pair = f"{self._settings.user}:{self._settings.password or ''}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        return headers


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Goes wherever a registry sends us, but takes what it knows us by to no other server."""

    def redirect_request(self, req: urllib.request.Request, *answer: Any) -> urllib.request.Request | None:
        following = super().redirect_request(req, *answer)
        if following is not None and not _is_at_home(req.full_url, following.full_url):
            following.remove_header("Authorization")
        return following


def _is_at_home(url: str, other: str) -> bool:
    """Whether both are of one server, which may have sent us to where it speaks TLS."""
    before, after = urllib.parse.urlsplit(url), urllib.parse.urlsplit(other)
    places = (before.scheme, before.port), (after.scheme, after.port)
    is_same = places[0] == places[1] or places == (("http", None), ("https", None))
    return before.hostname == after.hostname and is_same


def _has_host(parts: urllib.parse.SplitResult) -> bool:
    """And a port that is one, if any: who writes another would wait for an answer in vain."""
    try:
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _error_code(error: urllib.error.HTTPError) -> Any:
    """The registry's own number in an answer that is none; None if it has none."""
    with error:
        try:
            answer = json.loads(error.read(_MOST_BYTES))
        except (OSError, HTTPException, ValueError):
            return None
    return answer.get("error_code") if isinstance(answer, dict) else None


@lru_cache(maxsize=16)
def shared_registry(settings: RegistrySettings) -> SchemaRegistry:
    """One a process: a Python worker decodes many batches, and asks for a schema once."""
    return SchemaRegistry(settings)
