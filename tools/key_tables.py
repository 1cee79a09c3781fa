"""Generated tables: API keys, error codes, and which metadata record has which key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tools.message_code import GENERATED
from tools.schema_notation import Api, Message, snake_case

_LISTENERS = {
    (): "_NOWHERE",
    ("broker",): "_BROKER",
    ("controller",): "_CONTROLLER",
    ("broker", "controller"): "_BOTH",
}

_API_KEYS = '''"""Kafka's API keys: their versions, their listeners, and the classes of their messages."""
{generated}

from __future__ import annotations

from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import NamedTuple

from snakka.protocol.message import Message


class ApiKey(IntEnum):
    """Every key that Kafka 4.3 knows."""

{keys}


class ApiFacts(NamedTuple):
    """What Kafka 4.3 says of an API. One whose highest version is -1 keeps its key, and nobody speaks it any more."""

    name: str
    module: str
    min_version: int
    max_version: int
    flexible_from: int
    listeners: frozenset[str]
    unstable: bool
    cluster_action: bool
    forwardable: bool


# No version is flexible.
NEVER = 32767

_NOWHERE: frozenset[str] = frozenset()
_BROKER = frozenset({{"broker"}})
_CONTROLLER = frozenset({{"controller"}})
_BOTH = _BROKER | _CONTROLLER

API_FACTS: dict[int, ApiFacts] = {{
{facts}
}}


def request_class(api_key: int) -> type[Message]:
    """The class of an API's request, imported on first use."""
    return _message_class(api_key, "Request")


def response_class(api_key: int) -> type[Message]:
    """The class of an API's response, imported on first use."""
    return _message_class(api_key, "Response")


@cache
def _message_class(api_key: int, side: str) -> type[Message]:
    facts = API_FACTS[api_key]
    found: type[Message] = getattr(
        import_module(f"snakka.protocol.messages.{{facts.module}}"), facts.name + side
    )
    return found
'''

_ERROR_CODES = '''"""Kafka's error codes."""
{generated}

import logging
from enum import IntEnum

_log = logging.getLogger(__name__)


class ErrorCode(IntEnum):
    """Every code that Kafka 4.3 knows. A number that it does not know, of a newer broker, is UNKNOWN_SERVER_ERROR."""

{codes}

    @classmethod
    def _missing_(cls, value: object) -> "ErrorCode | None":
        if not isinstance(value, int):
            return None
        _log.warning("error code %d is not known here: the broker is newer", value)
        return cls.UNKNOWN_SERVER_ERROR


# A client may try again what failed with one of these.
RETRIABLE = frozenset(
    {{
{retriable}
    }}
)
'''

_RECORD_KEYS = '''"""Which record has which key."""
{generated}

# Module and class by key.
METADATA_RECORDS: dict[int, tuple[str, str]] = {{
{rows}
}}

# Coordinators' records by folder and key. Each is a pair: module + "_key" has the class + "Key", and so with the value.
COORDINATOR_RECORDS: dict[str, dict[int, tuple[str, str]]] = {{
{coordinator_rows}
}}
'''


def api_keys(apis: Sequence[Api]) -> str:
    ordered = sorted(apis, key=lambda api: api.key)
    return _API_KEYS.format(
        generated=GENERATED,
        keys="\n".join(f"    {snake_case(api.name).upper()} = {api.key}" for api in ordered),
        facts="\n".join(map(_facts, ordered)),
    )


def _facts(api: Api) -> str:
    low, high = api.valid or (0, -1)
    flexible = "NEVER" if api.flexible_from is None else api.flexible_from
    listeners = _LISTENERS[tuple(sorted(api.listeners))]
    module = snake_case(api.name)
    return (
        f'    {api.key}: ApiFacts("{api.name}", "{module}", {low}, {high}, {flexible}, {listeners}, '
        f"{api.unstable}, {api.cluster_action}, {api.forwardable}),"
    )


def error_codes(codes: Iterable[tuple[int, str, bool]]) -> str:
    rows = sorted(codes)
    return _ERROR_CODES.format(
        generated=GENERATED,
        codes="\n".join(f"    {name} = {code}" for code, name, _ in rows),
        retriable="\n".join(f"        ErrorCode.{name}," for _, name, retriable in rows if retriable),
    )


def record_keys(records: Iterable[Message], coordinators: Mapping[str, Sequence[Message]]) -> str:
    """The metadata records, and those of each coordinator's folder."""
    rows = sorted((message.key, message.name) for message in records if message.key is not None)
    return _RECORD_KEYS.format(
        generated=GENERATED,
        rows="\n".join(f'    {key}: ("{snake_case(name)}", "{name}"),' for key, name in rows),
        coordinator_rows="\n".join(
            f'    "{folder}": {{\n{_coordinator_rows(messages)}\n    }},'
            for folder, messages in coordinators.items()
        ),
    )


def _coordinator_rows(messages: Sequence[Message]) -> str:
    rows = sorted(
        (message.key, message.name.removesuffix("Key"))
        for message in messages
        if message.key is not None and message.kind == "coordinator-key"
    )
    return "\n".join(f'        {key}: ("{snake_case(name)}", "{name}"),' for key, name in rows)
