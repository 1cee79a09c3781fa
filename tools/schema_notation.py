"""The notation in which Snakka keeps Kafka's message schemas, and its parser.

A schema file holds declarations, one a line; indentation of two spaces nests, `#` begins a comment line.

    api 0 Produce versions 3-13 flexible 9+ listeners broker
    request
      Acks       int16
      TopicData  []TopicProduceData
        Name     string   3-12 ignorable
        ErrorId  string?  13+ tag 0 = null
    response
      ...
      struct LeaderIdAndEpoch
        LeaderId  int32  = -1

A field is `Name type [versions] [tag N] [= default] [key] [ignorable] [plain] [@entity]`. Versions left out mean every
version of the enclosing struct. `?` after a type says that it may be null, `?2+` that it may be null from version 2. A field
with a struct's type has that struct's fields below it, unless `struct` declares them at the end of the message. `plain`
fields never take the compact form. Other messages begin with their kind: `header`, `metadata`, `coordinator-key`,
`coordinator-value` or `data`, then the same words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

SCALAR_TYPES = frozenset(
    "bool int8 int16 int32 int64 uint16 uint32 float64 uuid string bytes records".split()  # noqa: SIM905
)
RECORD_KINDS = frozenset({"header", "metadata", "coordinator-key", "coordinator-value", "data"})


class SchemaError(Exception):
    """A schema file breaks the notation; the text names file and line."""


class Versions(NamedTuple):
    """A closed range of versions."""

    low: int
    high: int

    def within(self, other: Versions) -> Versions | None:
        """What both ranges hold, or None."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Versions(low, high) if low <= high else None


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a struct, its version ranges cut to those in which the struct exists."""

    name: str
    attribute: str
    type: str
    is_array: bool
    versions: Versions
    nullable: Versions | None
    tag: int | None
    default: str | None
    ignorable: bool
    is_key: bool
    plain: bool
    entity: str | None

    @property
    def is_struct(self) -> bool:
        return self.type not in SCALAR_TYPES


@dataclass(kw_only=True)
class Struct:
    """A named list of fields; a message is a struct too."""

    name: str
    class_name: str
    versions: Versions
    fields: list[Field] = field(default_factory=list)


@dataclass(kw_only=True)
class Message:
    """A message: its own struct, and those below it with every struct after those that it uses."""

    kind: str
    name: str
    key: int | None
    valid: Versions
    flexible_from: int | None
    body: Struct
    structs: dict[str, Struct]


@dataclass(frozen=True, kw_only=True)
class Api:
    """An API key; `request` and `response` are None where Kafka keeps the key and speaks no version."""

    key: int
    name: str
    valid: Versions | None
    flexible_from: int | None
    listeners: tuple[str, ...]
    cluster_action: bool
    forwardable: bool
    unstable: bool
    request: Message | None
    response: Message | None


class Line(NamedTuple):
    number: int
    depth: int
    words: list[str]
    below: list[Line]


def snake_case(name: str) -> str:
    """Kafka's TopicId and clientId as Python's topic_id and client_id."""
    name = name.replace("KRaft", "Kraft").replace("2Pc", "_2pc")
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def parse_apis(path: Path) -> list[Api]:
    """The APIs that a file declares."""
    lines = _lines(path)
    apis: list[Api] = []
    for position, line in enumerate(lines):
        if line.words[0] == "api":
            parts = {other.words[0]: other for other in lines[position + 1 :] if other.words[0] != "api"}
            apis.append(_Parser(path).api(line, parts))
    return apis


def parse_messages(path: Path) -> list[Message]:
    """The headers or records that a file declares."""
    return [_Parser(path).message(line) for line in _lines(path)]


def parse_error_codes(path: Path) -> list[tuple[int, str, bool]]:
    """Code, name and whether a client may try again."""
    return [(int(line.words[1]), line.words[2], "retriable" in line.words) for line in _lines(path)]


def _lines(path: Path) -> list[Line]:
    """The file's lines as a forest by indentation."""
    roots: list[Line] = []
    open_lines: list[Line] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        indent = len(text) - len(text.lstrip())
        if indent % 2 or indent // 2 > len(open_lines):
            raise SchemaError(f"{path}:{number}: indentation is two spaces a level")
        line = Line(number, indent // 2, text.split(), [])
        del open_lines[line.depth :]
        (open_lines[-1].below if open_lines else roots).append(line)
        open_lines.append(line)
    return roots


def _versions(text: str, newest: int) -> Versions:
    """`3`, `3-7` or `3+`."""
    if text.endswith("+"):
        return Versions(int(text[:-1]), newest)
    low, _, high = text.partition("-")
    return Versions(int(low), int(high or low))


class _Parser:
    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, line: Line, why: str) -> SchemaError:
        return SchemaError(f"{self.path}:{line.number}: {why}")

    def api(self, line: Line, parts: dict[str, Line]) -> Api:
        key, name = int(line.words[1]), line.words[2]
        options = self.options(line, 3)
        request = response = None
        if options["versions"] != "none":
            request, response = (
                self.api_message(line, parts[side], side) for side in ("request", "response")
            )
        return Api(
            key=key,
            name=name,
            valid=request.valid if request else None,
            flexible_from=request.flexible_from if request else None,
            listeners=tuple(options.get("listeners", "").split(",")) if "listeners" in options else (),
            cluster_action="cluster-action" in options,
            forwardable="forwardable" in options,
            unstable="unstable" in options,
            request=request,
            response=response,
        )

    def api_message(self, api: Line, part: Line, side: str) -> Message:
        name = api.words[2] + side.capitalize()
        return self.build(side, name, int(api.words[1]), self.options(api, 3), part.below)

    def message(self, line: Line) -> Message:
        if line.words[0] not in RECORD_KINDS:
            raise self.fail(line, f"unknown kind {line.words[0]}")
        options = self.options(line, 2)
        key = int(options["key"]) if "key" in options else None
        return self.build(line.words[0], line.words[1], key, options, line.below)

    def options(self, line: Line, start: int) -> dict[str, str]:
        """The words of a message's first line: some take a value, the others stand alone."""
        options: dict[str, str] = {}
        words = iter(line.words[start:])
        for word in words:
            if word in ("versions", "flexible", "listeners", "key"):
                options[word] = next(words)
            elif word in ("cluster-action", "forwardable", "unstable"):
                options[word] = ""
            else:
                raise self.fail(line, f"unknown word {word}")
        return options

    def build(
        self, kind: str, name: str, key: int | None, options: dict[str, str], lines: list[Line]
    ) -> Message:
        valid = _versions(options["versions"], 0)
        flexible_from = _versions(options["flexible"], valid.high).low if "flexible" in options else None
        self.newest = valid.high
        self.shared = {line.words[1]: line for line in lines if line.words[0] == "struct"}
        self.structs: dict[str, Struct] = {}
        body = Struct(name=name, class_name=name, versions=valid)
        body.fields = self.fields([line for line in lines if line.words[0] != "struct"], valid)
        return Message(
            kind=kind,
            name=name,
            key=key,
            valid=valid,
            flexible_from=flexible_from,
            body=body,
            structs=self.structs,
        )

    def fields(self, lines: list[Line], enclosing: Versions) -> list[Field]:
        fields = []
        for line in lines:
            declared = self.field(line, enclosing)
            if declared.is_struct:
                self.struct(line, declared)
            fields.append(declared)
        return fields

    def struct(self, line: Line, user: Field) -> None:
        """Builds the struct that a field uses, unless another field has already."""
        name = user.type
        if line.below:
            if name in self.structs or name in self.shared:
                raise self.fail(line, f"struct {name} is declared twice")
            versions, below = user.versions, line.below
        elif name in self.structs:
            return
        else:
            if name not in self.shared:
                raise self.fail(line, f"no struct {name}")
            head = self.shared[name]
            below = head.below
            versions = _versions(head.words[2] if len(head.words) > 2 else "0+", self.newest)
        fields = self.fields(below, versions)
        self.structs[name] = Struct(name=name, class_name=name, versions=versions, fields=fields)

    def field(self, line: Line, enclosing: Versions) -> Field:
        name, type_text = line.words[:2]
        type_name, may_be_null, null_versions = type_text.partition("?")
        parsed = Field(
            name=name,
            attribute=snake_case(name),
            type=type_name.removeprefix("[]"),
            is_array=type_name.startswith("[]"),
            versions=enclosing,
            nullable=None,
            tag=None,
            default=None,
            ignorable="ignorable" in line.words,
            is_key="key" in line.words[2:],
            plain="plain" in line.words,
            entity=next((word[1:] for word in line.words if word.startswith("@")), None),
        )
        words = iter(line.words[2:])
        for word in words:
            if word[0].isdigit():
                versions = _versions(word, self.newest).within(enclosing)
                if versions is None:
                    raise self.fail(line, "no version has this field")
                parsed = replace(parsed, versions=versions)
            elif word == "tag":
                parsed = replace(parsed, tag=int(next(words)))
            elif word == "=":
                parsed = replace(parsed, default=next(words))
            elif word not in ("key", "ignorable", "plain") and word[0] != "@":
                raise self.fail(line, f"unknown word {word}")
        if may_be_null:
            nullable = _versions(null_versions or "0+", self.newest).within(parsed.versions)
            parsed = replace(parsed, nullable=nullable)
        return parsed
