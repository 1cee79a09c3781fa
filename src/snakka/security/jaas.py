"""The notation of JAAS, in which Java's clients and brokers keep credentials: a module, a flag, and options.

org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="secret";

Rule: what Java reads is read as Java reads it, with its escapes and comments. Beyond that a value may go without quotes, and
the semicolon may be left out.
"""

import re
from typing import NamedTuple

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_MODULE = re.compile(r"[\w.$-]+")
_FLAG = re.compile(r"(?:required|requisite|sufficient|optional)(?![\w.$-])", re.IGNORECASE)
_QUOTED = r""""((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'"""
_NAME = re.compile(rf"{_QUOTED}|([\w.$-]+)", re.DOTALL)
_VALUE = re.compile(rf"{_QUOTED}|([^\s;\"']+)", re.DOTALL)
_EQUALS = re.compile("=")
_END = re.compile(";?")
_ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FORM = (
    'must look like: MODULE required username="..." password="..."; where quotes and backslashes of a value have'
    " a backslash before them"
)


class JaasError(ValueError):
    """The text is not in this notation. What it contains is not repeated: it may be a secret."""


class JaasEntry(NamedTuple):
    """One login module with its options."""

    module: str
    options: dict[str, str]

    def __repr__(self) -> str:
        return f"JaasEntry({self.module})"


class _Scanner:
    """Where we are in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def take(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """The next word if it is one of those, past spaces and comments."""
        place = self._past_space()
        found = what.match(self._text, place)
        if found is not None:
            self._place = found.end()
        return found

    def need(self, what: re.Pattern[str]) -> re.Match[str]:
        found = self.take(what)
        if found is None:
            raise JaasError(_FORM)
        return found

    def is_at_end(self) -> bool:
        return self._past_space() == len(self._text)

    def _past_space(self) -> int:
        found = _SPACE.match(self._text, self._place)
        return self._place if found is None else found.end()


def parse_jaas(text: str) -> JaasEntry:
    """The one entry of a sasl.jaas.config; JaasError says what it must look like."""
    scanner = _Scanner(text)
    module = scanner.need(_MODULE).group()
    scanner.need(_FLAG)
    options: dict[str, str] = {}
    while (name := scanner.take(_NAME)) is not None:
        scanner.need(_EQUALS)
        options[_meant(name)] = _meant(scanner.need(_VALUE))
    scanner.need(_END)
    if not scanner.is_at_end():
        raise JaasError(_FORM)
    return JaasEntry(module, options)


def _meant(word: re.Match[str]) -> str:
    quoted, single, bare = word.groups()
    if bare is not None:
        return str(bare)
    return _ESCAPE.sub(_unescaped, quoted if quoted is not None else single)


def _unescaped(escape: re.Match[str]) -> str:
    """As Java's StreamTokenizer has it: numbers are octal, and what has no meaning is itself."""
    sign = escape[1]
    return chr(int(sign, 8)) if sign[0] in "01234567" else _CONTROLS.get(sign, sign)
