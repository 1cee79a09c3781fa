"""Logical types of a writer and a reader: whether they mean the same, and how one's numbers become the other's.

Avro resolves the types that logical types stand on, and knows nothing of units: milliseconds that are read as microseconds
would be another year, silently.

Rule: where both sides say what a number means, it means that afterwards, or it is an error; where only one side does, its
word counts. A logical type that can't stand on its type is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SECOND = {"millis": 10**3, "micros": 10**6, "nanos": 10**9}
_SPARKS_SECOND = _SECOND["micros"]
# What each means and stands on. A time that is local is one, too: its number is counted in the same way.
_MEANINGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "date": ("date", ("int",)),
    "time-millis": ("time", ("int",)),
    "time-micros": ("time", ("long",)),
    **{f"{kind}timestamp-{unit}": ("timestamp", ("long",)) for kind in ("", "local-") for unit in _SECOND},
    "decimal": ("decimal", ("bytes", "fixed")),
    "uuid": ("uuid", ("string", "fixed")),
    "duration": ("duration", ("fixed",)),
}
_SIZES = {"uuid": 16, "duration": 12}  # of a fixed


@dataclass(frozen=True)
class Scaling:
    """What a number is multiplied with, or divided by."""

    factor: int = 1
    divisor: int = 1


def logical_type(node: Mapping[str, Any]) -> str | None:
    """None if it has none, or none that Avro knows and allows there; decimals that are none are gone already."""
    name = node.get("logicalType")
    if not isinstance(name, str) or node["type"] not in _MEANINGS.get(name, ("", ()))[1]:
        return None
    return name if node["type"] != "fixed" or node["size"] == _SIZES.get(name, node["size"]) else None


def contradict(source: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
    """Whether no number of one can be one of the other: days are no milliseconds, and digits in a text no decimal."""
    written, wanted = logical_type(source), logical_type(target)
    if written is None or wanted is None:
        return source["type"] == "string" and wanted == "decimal"
    return _MEANINGS[written][0] != _MEANINGS[wanted][0]


def time_scaling(source: Mapping[str, Any], target: Mapping[str, Any]) -> Scaling:
    """From the writer's unit to the column's, which is Spark's own for what Spark has a type for."""
    written, wanted = _unit(source), _unit(target)
    if wanted is None:
        return Scaling()
    shown = _SPARKS_SECOND if _is_moment(target) else wanted
    begin = wanted if written is None else written
    return Scaling(factor=shown // begin) if shown >= begin else Scaling(divisor=begin // shown)


def _is_moment(node: Mapping[str, Any]) -> bool:
    """Whether Spark has a type for it. Nanoseconds remain the number that they are."""
    name = logical_type(node) or ""
    return "timestamp" in name and not name.endswith("nanos")


def _unit(node: Mapping[str, Any]) -> int | None:
    """How many of them are a second; None if it is no time."""
    return _SECOND.get((logical_type(node) or "").rpartition("-")[2])
