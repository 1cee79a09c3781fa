"""One option: its name, kind, default, bounds, who may change it at run time, and what it does.

Rule: an option is declared once, in the `options.py` of its feature, in the notation of `declare`; parsing, validation,
DescribeConfigs and the reference page derive from that declaration. Secrets never appear in an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from snakka.options.allowed import objection
from snakka.options.kinds import Kind, Value, read_value

READ_ONLY = "read-only"
PER_BROKER = "per-broker"
CLUSTER_WIDE = "cluster-wide"

# Options that may be set for one listener, and below that for one SASL mechanism of it.
_LISTENER_PREFIX = r"listener\.name\.[^.]*\.(.+)"
_MECHANISM_OPTIONS = (
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.server.callback.handler.class",
    "connections.max.reauth.ms",
)


class OptionError(ValueError):
    """A bad option: one line that names it, what it was set to and what is allowed."""


class Option:
    """The declaration of one option. Texts are looked into only when somebody asks: most options are never set."""

    __slots__ = (
        "allowed",
        "default_text",
        "doc",
        "effect",
        "importance",
        "internal",
        "kind",
        "name",
        "required",
        "synonyms",
        "update",
    )

    def __init__(self, name: str, kind: Kind, default_text: str | None, doc: str) -> None:
        self.name = name
        self.kind = kind
        self.default_text = default_text
        self.doc = doc
        self.required = False  # has no default and must be set
        self.allowed = ""  # see options.allowed
        self.importance = "medium"
        self.update = READ_ONLY
        self.effect = True  # False: known, accepted and described, but nothing here looks at it
        self.internal = False  # described only if it is set
        self.synonyms: tuple[
            tuple[str, int], ...
        ] = ()  # broker options, in order of precedence, and their factors

    @property
    def default(self) -> Value:
        return None if self.default_text is None else read_value(self.kind, self.default_text)

    @property
    def sensitive(self) -> bool:
        return self.kind is Kind.PASSWORD

    def convert(self, text: str) -> Value:
        """The value of a text, by kind only; what was stored once is not judged again."""
        try:
            return read_value(self.kind, text)
        except ValueError as error:
            raise OptionError(self._complaint(text, str(error))) from None

    def parse(self, text: str) -> Value:
        """The value of a text that also keeps to what is allowed."""
        value = self.convert(text)
        complaint = objection(self.allowed, value)
        if complaint is not None:
            raise OptionError(self._complaint(text, complaint))
        return value

    def _complaint(self, text: str, why: str) -> str:
        shown = "[hidden]" if self.sensitive else text.strip()
        return f"Invalid value {shown} for configuration {self.name}: {why}"

    def __repr__(self) -> str:
        return f"Option({self.name})"


def declare(notation: str) -> dict[str, Option]:
    """Options from their notation: a line of words, then indented lines that say what it does.

    name kind default [allowed] importance [update mode] [flags]

    A default is a text without spaces, '' (empty), null or required. What is allowed begins with one of the signs of
    options.allowed. Flags: inert (has no effect here), internal, and <a,b*60000 for the broker options that give a topic's
    or a group's config its default, in order of precedence, with what each is multiplied by.
    """
    options: dict[str, Option] = {}
    option: Option | None = None
    for line in notation.splitlines():
        if not line or line[0] == "#":
            continue
        if line[0] == " " and option is not None:
            option.doc = f"{option.doc} {line.strip()}".lstrip()
            continue
        option = _declared(line)
        options[option.name] = option
    return options


def _declared(line: str) -> Option:
    name, kind, default, *words = line.split()
    default_text = None if default in ("null", "required") else "" if default == "''" else default
    option = Option(name, Kind[kind.upper()], default_text, "")
    option.required = default == "required"
    for word in words:
        if word in ("high", "medium", "low"):
            option.importance = word
        elif word in (PER_BROKER, CLUSTER_WIDE):
            option.update = word
        elif word == "inert":
            option.effect = False
        elif word == "internal":
            option.internal = True
        elif word[0] == "<":
            option.synonyms = tuple(_synonym(entry) for entry in word[1:].split(","))
        else:
            option.allowed = word
    return option


def _synonym(entry: str) -> tuple[str, int]:
    name, _, factor = entry.partition("*")
    return name, int(factor or 1)


def base_name(name: str) -> str:
    """The option that a name means, without the prefix of a listener or of a listener's SASL mechanism."""
    match = re.fullmatch(_LISTENER_PREFIX, name) if name.startswith("listener.name.") else None
    if match is None:
        return name
    rest = match[1]
    return next((option for option in _MECHANISM_OPTIONS if rest.endswith(option)), rest)


def find_option(options: Mapping[str, Option], name: str) -> Option | None:
    """The declaration for a name as it may stand in a file, with or without a listener's prefix."""
    return options.get(name) or options.get(base_name(name))
