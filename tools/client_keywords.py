"""src/snakka/client/keywords.py: the keywords of the clients with their types, derived from the declared settings.

Rule: a setting is declared in `client.settings` and nowhere else; this only tells type checkers and editors. None counts as
not given, so every keyword may be None. A list may come as one text with commas, and `acks` as a number.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from snakka.client.setting_rules import rules_of
from snakka.client.settings import AdminSettings, ConnectionSettings, ConsumerSettings, ProducerSettings
from tools.blocking_stub import formatted

_HEADER = '''"""What clients take as keywords, for type checkers and editors: Kafka's names, with underscores for dots."""
# GENERATED from client/settings.py by `make generate`: do not edit.

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from snakka.client.settings import TokenProvider

'''
_KINDS: tuple[tuple[str, type[Any], str], ...] = (
    ("ConnectionKeywords", ConnectionSettings, "What every client takes."),
    ("ProducerKeywords", ProducerSettings, "What a producer takes."),
    ("ConsumerKeywords", ConsumerSettings, "What a consumer takes."),
    ("AdminKeywords", AdminSettings, "What an admin takes."),
)
_LISTS = "tuple[str, ...]"
_ALSO = {"acks": "int"}


def client_keywords() -> str:
    """The whole file, formatted."""
    inherited = frozenset(rules_of(ConnectionSettings))
    return formatted(
        _HEADER
        + "\n\n".join(
            _class(name, kind, doc, frozenset() if kind is ConnectionSettings else inherited)
            for name, kind, doc in _KINDS
        ),
        "keywords.py",
    )


def _class(name: str, kind: type[Any], doc: str, inherited: frozenset[str]) -> str:
    base = "ConnectionKeywords" if inherited else "TypedDict"
    rules = rules_of(kind)
    lines = [
        f"    {field.name}: {_type(field.name, str(_annotation(field.type)))}"
        for field in fields(kind)
        if field.name in rules and field.name not in inherited
    ]
    return f'class {name}({base}, total=False):\n    """{doc}"""\n\n' + "\n".join(lines) + "\n"


def _annotation(kind: object) -> str:
    """As the source has it."""
    text = kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__args__") else str(kind)
    text = re.sub(r"\b(?:typing|collections\.abc|ssl)\.(?=[A-Z])", "", text).replace("NoneType", "None")
    return text.replace("SSLContext", "ssl.SSLContext")


def _type(name: str, annotation: str) -> str:
    if annotation == _LISTS:
        annotation = "str | Sequence[str]"
    if "BearerToken" in annotation:
        annotation = "TokenProvider"
    more = [_ALSO[name]] if name in _ALSO else []
    return " | ".join([annotation.removesuffix(" | None"), *more, "None"])
