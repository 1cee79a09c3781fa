"""How a table of the file is read: which keys it may have, of which kinds, and what is said if that is not so.

Rule: a key is declared once, as a `Key`; reading, the errors and the reference in the documentation come from it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any

from snakka.spark.pipelines.document import Value
from snakka.spark.pipelines.places import refuse_home
from snakka.spark.pipelines.problems import Problem, did_you_mean


class Kind(Enum):
    """What a value may be; the text is for the reader."""

    TEXT = "a text"
    SQL = "a text of SQL"  # as it is: `${...}` belongs to Spark here
    TEXTS = "a text, or a list of texts"
    PATH = "a path"
    PATHS = "a path, or a list of paths"
    FLAG = "true or false"
    BYTES = "a size, such as 134217728 or 128 MiB"
    DURATION = "a time, such as 5s, 10 minutes or 7d"
    SETTINGS = "a table of settings"
    TABLES = "a table of named tables"
    TABLE = "a table"


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table: its kind, what it is for, and which texts it may be if only some will do."""

    kind: Kind
    doc: str
    choices: tuple[str, ...] = ()
    required: bool = False


Keys = Mapping[str, Key]

_SIZES = {
    "": 1,
    "b": 1,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
}
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_SECOND_NAMES = {
    "millisecond": "ms",
    "second": "s",
    "sec": "s",
    "minute": "m",
    "min": "m",
    "hour": "h",
    "day": "d",
}
# Kafka writes env: before the name. Other names with dots or colons are Spark's and Hadoop's own.
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z]*)")
# Spark and tables can't reckon with much longer ones.
LONGEST_DAYS = 100_000


class _WrongError(ValueError):
    """A part of a value can't be what it is: with a line of its own."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Table:
    """A table of the file after reading: typed values and the lines of its keys."""

    def __init__(self, values: Mapping[str, Any], found: Mapping[str, Value], line: int) -> None:
        self.values = MappingProxyType(dict(values))
        self._found = found
        self.own_line = line

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)

    def is_given(self, name: str) -> bool:
        """Also if what is given is no value that it can have."""
        return name in self._found

    def is_wrong(self, name: str) -> bool:
        """Given, but no value that it can have. That has been said, and nothing more can be said of what depends on it."""
        return name in self._found and name not in self.values

    def line(self, name: str) -> int:
        """The line of a key; of the table where it does not have it."""
        return self._found[name].line if name in self._found else self.own_line

    def setting_line(self, name: str, setting: str) -> int:
        """The line of one setting of a table of settings, by its dotted name."""
        return _line_inside(self._found[name], setting) or self._found[name].line

    def value(self, name: str) -> Value:
        return self._found[name]

    def with_value(self, name: str, value: Any) -> "Table":
        """The same, but for what one key stands for."""
        return Table({**self.values, name: value}, self._found, self.own_line)


def read_table(
    value: Value,
    keys: Keys,
    title: str,
    problems: list[Problem],
    environment: Mapping[str, str],
    keys_of_file: Keys = MappingProxyType({}),
) -> Table:
    """What is right with the table; what is wrong goes to `problems`. `${NAME}` stands for what the environment has."""
    if not isinstance(value.content, dict):
        problems.append(Problem(value.line, f"{title} must be a table, not {_shown(value.content)}"))
        return Table({}, {}, value.line)
    values: dict[str, Any] = {}
    for name, each in value.content.items():
        key = keys.get(name)
        if key is None:
            is_of_file = name in keys_of_file
            hint = ", which belongs at the top of the file" if is_of_file else did_you_mean(name, keys)
            problems.append(Problem(each.line, f"{title} has no key {name}{hint}"))
            continue
        try:
            values[name] = _converted(key, each, environment)
        except ValueError as error:
            line = error.line if isinstance(error, _WrongError) else each.line
            problems.append(Problem(line, f"{name} of {title} {error}"))
    missing = [name for name, key in keys.items() if key.required and name not in value.content]
    problems.extend(Problem(value.line, f"{title} needs {name}: {keys[name].doc}") for name in missing)
    return Table(values, value.content, value.line)


def _converted(key: Key, value: Value, environment: Mapping[str, str]) -> Any:
    content = value.content
    converted: Any
    match key.kind:
        case Kind.SQL if isinstance(content, str) and content.strip():
            converted = content
        case Kind.TEXT | Kind.PATH if isinstance(content, str) and content.strip():
            converted = _filled(content, environment, value.line)
        case Kind.TEXTS | Kind.PATHS if isinstance(content, str) and content.strip():
            converted = (_filled(content, environment, value.line),)
        case Kind.TEXTS | Kind.PATHS if isinstance(content, list) and content:
            converted = tuple(_element(each, environment) for each in content)
        case Kind.FLAG if isinstance(content, bool):
            converted = content
        case Kind.BYTES:
            converted = read_bytes(content)
        case Kind.DURATION:
            converted = read_duration(content)
        case Kind.SETTINGS if isinstance(content, dict):
            converted = _settings(value, environment)
        case Kind.TABLES | Kind.TABLE if isinstance(content, dict):
            converted = content
        case _:
            raise ValueError(f"must be {key.kind.value}, not {_shown(content)}")
    if key.kind in (Kind.PATH, Kind.PATHS):
        refuse_home([converted] if isinstance(converted, str) else converted)
    if key.choices and converted not in key.choices:
        near = did_you_mean(str(converted), key.choices)
        raise ValueError(f"can't be {converted}{near}")
    return converted


def read_bytes(content: object) -> int:
    """A number of bytes; ValueError if it is none."""
    if isinstance(content, int) and not isinstance(content, bool) and content > 0:
        return content
    found = _AMOUNT.fullmatch(content.strip()) if isinstance(content, str) else None
    if found is None or found.group(2).lower() not in _SIZES or float(found.group(1)) <= 0:
        raise ValueError(f"must be {Kind.BYTES.value}, not {_shown(content)}")
    return int(float(found.group(1)) * _SIZES[found.group(2).lower()])


def read_duration(content: object) -> float:
    """Seconds; ValueError if it is no time."""
    found = _AMOUNT.fullmatch(content.strip()) if isinstance(content, str) else None
    if found is not None:
        unit = found.group(2).lower()
        unit = _SECOND_NAMES.get(unit.removesuffix("s") if len(unit) > 2 else unit, unit)
        if unit in _SECONDS:
            seconds = float(found.group(1)) * _SECONDS[unit]
            if seconds > LONGEST_DAYS * _SECONDS["d"]:
                raise ValueError(f"can't be {_shown(content)}: {LONGEST_DAYS}d at most")
            return seconds
    raise ValueError(f"must be {Kind.DURATION.value}, not {_shown(content)}")


def _element(value: Value, environment: Mapping[str, str]) -> str:
    """YAML takes some words, such as no, for something else."""
    if isinstance(value.content, str) and value.content.strip():
        return _filled(value.content, environment, value.line)
    quotes = "" if isinstance(value.content, dict | list | None) else "; put it in quotes"
    raise _WrongError(value.line, f"has {_shown(value.content)}, which must be a text{quotes}")


def _settings(value: Value, environment: Mapping[str, str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for name, each in _flat(value, ""):
        content = each.content
        if name in settings:
            raise _WrongError(each.line, f"has {name} twice: once as a name in quotes, or with other dots")
        if isinstance(content, bool):
            settings[name] = "true" if content else "false"
        elif isinstance(content, str | int | float):
            settings[name] = _filled(str(content), environment, each.line)
        else:
            raise _WrongError(
                each.line, f"has {name}, which must be a text or a number, not {_shown(content)}"
            )
    return settings


def _flat(value: Value, prefix: str) -> Iterator[tuple[str, Value]]:
    """Settings by their dotted names: TOML reads `a.b = 1` as a table in a table."""
    for name, each in value.content.items():
        if isinstance(each.content, dict):
            yield from _flat(each, f"{prefix}{name}.")
        else:
            yield prefix + name, each


def _filled(text: str, environment: Mapping[str, str], line: int) -> str:
    """The text with its variables; secrets need not be in the file."""

    def known(found: re.Match[str]) -> str:
        if found.group(1) not in environment:
            raise _WrongError(line, f"uses ${{{found.group(1)}}}, which the environment does not have")
        return environment[found.group(1)]

    return _VARIABLE.sub(known, text)


def _line_inside(value: Value, setting: str) -> int | None:
    """Dots part tables from tables, or belong to a name in quotes."""
    if not isinstance(value.content, dict):
        return None
    for name, each in value.content.items():
        inner: int | None = each.line if name == setting else None
        if setting.startswith(name + "."):
            inner = _line_inside(each, setting[len(name) + 1 :])
        if inner is not None:
            return inner
    return None


def _shown(content: object) -> str:
    if isinstance(content, dict):
        return "a table"
    if isinstance(content, list):
        return "a list" if content else "an empty list"
    if content is None or content == "":
        return "nothing"
    if isinstance(content, bool):
        return str(content).lower()
    return str(content)
