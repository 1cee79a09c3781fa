"""The kinds of values that options have: how their texts are read and how they are shown.

Rule: texts are read as Java reads them, so that a file which Apache Kafka accepts is accepted here, with the same meaning.
"""

from __future__ import annotations

import re
from enum import IntEnum

Value = bool | int | float | str | tuple[str, ...] | None


class Kind(IntEnum):
    """What an option's value is; the numbers are those of DescribeConfigs."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


_BITS = {Kind.SHORT: 16, Kind.INT: 32, Kind.LONG: 64}
_INTEGER = r"[+-]?\d+"  # patterns stay texts, compiled on first use: most starts need few of them
_DOUBLE = r"(?a)[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?|[+-]?(NaN|Infinity)"


def read_value(kind: Kind, text: str) -> Value:
    """The value that a text means; ValueError says in a few words what was expected instead."""
    text = text.strip()
    if kind in _BITS:
        return _read_integer(kind, text)
    if kind is Kind.BOOLEAN:
        return _read_boolean(text)
    if kind is Kind.LIST:
        return _read_list(text)
    if kind is Kind.DOUBLE:
        return _read_double(text)
    return text


def _read_integer(kind: Kind, text: str) -> int:
    if not re.fullmatch(_INTEGER, text) or len(text) > 40:
        raise ValueError(f"must be a whole number ({kind.name.lower()})")
    value = int(text)
    limit = 1 << (_BITS[kind] - 1)
    if not -limit <= value < limit:
        raise ValueError(f"must fit into {_BITS[kind]} bits ({kind.name.lower()})")
    return value


def _read_boolean(text: str) -> bool:
    lowered = text.lower()
    if lowered not in ("true", "false"):
        raise ValueError("must be true or false")
    return lowered == "true"


def _read_double(text: str) -> float:
    if not re.fullmatch(_DOUBLE, text):
        raise ValueError("must be a number (double)")
    return float(text.rstrip("dDfF") if text[-1] in "dDfF" else text)


def _read_list(text: str) -> tuple[str, ...]:
    """Entries between commas; one that is said twice counts once, as in Kafka 4."""
    if not text:
        return ()
    return tuple(dict.fromkeys(entry.strip() for entry in text.split(",")))


def show_value(value: Value) -> str | None:
    """The text that DescribeConfigs answers for a value."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _show_double(value)
    return ",".join(value)


def _show_double(value: float) -> str:
    """Java's notation: plain between a thousandth and ten million, otherwise one digit, a point and E."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    from decimal import Decimal  # rarely needed, and slow to import

    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    fraction = "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{digits[0]}.{fraction}E{int(exponent) + len(digits) - 1}"
