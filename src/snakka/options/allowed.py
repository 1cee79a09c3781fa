"""What an option's value may be, beyond its kind.

Rule: one sign a rule, written into the declarations; the answer is None or a few words that say what is allowed.

    >=1              a number of at least 1
    1..9             a number between both, inclusive; 1..9|-1 allows one more
    {a,b}            one of these texts, or for a list: entries out of these; ~{a,b} whatever the case
    +                not empty; for a list the entries are not empty either
    +{a,b}           a list that is not empty, of these entries
    @voters @servers @replicas @reset @host-counts   the formats below
"""

from __future__ import annotations

import re

from snakka.options.kinds import Value

_HOST_PORT = r"(?:\[[0-9a-zA-Z:.%_]+\]|[0-9a-zA-Z._%-]*):\d{1,5}"
_FORMATS = {
    "@voters": (rf"\d+@{_HOST_PORT}", "entries must look like ID@HOST:PORT"),
    "@servers": (_HOST_PORT, "entries must look like HOST:PORT"),
    "@replicas": (r"\d+:\d+", "must be * or entries that look like PARTITION:BROKER"),
}
_DURATION = r"by_duration:P(?!$)(\d+D)?(T(?=\d|\.)(\d+H)?(\d+M)?(\d+(\.\d{1,9})?S)?)?"


def objection(allowed: str, value: Value) -> str | None:
    """None if the value is allowed, else what would be."""
    if isinstance(value, tuple):
        return _list_objection(allowed, value)
    if not allowed:
        return None
    if isinstance(value, int | float):
        return _number_objection(allowed, value)
    return _text_objection(allowed, value or "")


def _number_objection(allowed: str, value: float) -> str | None:
    if allowed.startswith(">="):
        return f"must be at least {allowed[2:]}" if value < float(allowed[2:]) else None
    bounds, _, extra = allowed.partition("|")
    low, high = bounds.split("..")
    if value < float(low) or value > float(high):
        if extra and value == float(extra):
            return None
        return f"must be between {low} and {high}" + (f" or {extra}" if extra else "")
    return None


def _text_objection(allowed: str, value: str) -> str | None:
    if allowed == "+":
        return None if value else "must not be empty"
    if allowed == "@reset":
        if value in ("earliest", "latest") or re.fullmatch(_DURATION, value):
            return None
        return "must be earliest, latest or by_duration: and an ISO 8601 duration such as PT1H"
    if allowed == "@host-counts":
        return _host_counts_objection(value)
    choices = allowed.lstrip("~")[1:-1].split(",")
    if value in choices or (allowed[0] == "~" and value.upper() in (choice.upper() for choice in choices)):
        return None
    return f"must be one of {', '.join(choices)}"


def _host_counts_objection(value: str) -> str | None:
    for entry in filter(None, (part.strip() for part in value.split(","))):
        host, _, count = entry.rpartition(":")
        if not host or " " in host or not count.isdecimal():
            return "entries must look like HOST:COUNT"
    return None


def _list_objection(allowed: str, entries: tuple[str, ...]) -> str | None:
    if allowed in _FORMATS:
        pattern, phrase = _FORMATS[allowed]
        if allowed == "@replicas" and entries == ("*",):
            return None
        return None if all(re.fullmatch(pattern, entry) for entry in entries) else phrase
    if not entries:
        return "must not be empty" if allowed.startswith("+") else None
    choices = allowed.lstrip("+")[1:-1].split(",") if allowed.endswith("}") else None
    if choices is not None and not set(entries) <= set(choices):
        return f"entries must be one of {', '.join(choices)}"
    return "must not contain empty entries" if "" in entries else None
