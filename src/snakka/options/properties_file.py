"""Config files: Java's .properties syntax, and TOML.

Rule: a file becomes texts by option name and nothing more; what they mean is not known here. Errors never show a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from snakka.options.option import OptionError

_BLANKS = " \t\f"
_LINE_ENDS = r"\r\n|\r|\n"
_TRAILING_BACKSLASHES = r"\\*\Z"
_KEY = r"(?s:\\.|[^\\=: \t\f])*"
_SEPARATOR = r"^[ \t\f]*[=:]?[ \t\f]*"
_ESCAPE = r"(?s)\\(u[0-9a-fA-F]{4}|.)"
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_config_file(path: str) -> dict[str, str]:
    """The texts of a config file; one whose name ends in .toml is TOML, all others are properties."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise OptionError(f"can't read the config file {path}: {error.strerror}") from None
    if path.endswith(".toml"):
        return parse_toml(content, path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:  # what Java has always written
        text = content.decode("latin-1")
    return parse_properties(text, path)


def parse_properties(text: str, name: str = "properties") -> dict[str, str]:
    """What java.util.Properties.load reads; of a key that comes twice the last one counts."""
    properties = {}
    for number, line in _logical_lines(text):
        key = re.match(_KEY, line)
        assert key is not None  # the pattern matches the empty string too
        rest = re.sub(_SEPARATOR, "", line[key.end() :], count=1)
        try:
            properties[_unescaped(key[0])] = _unescaped(rest)
        except ValueError:
            raise OptionError(f"{name}, line {number}: malformed \\uXXXX escape") from None
    return properties


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without blanks in front, comments left out, and joined where one ends in an odd number of backslashes."""
    pending: str | None = None
    first_number = 0
    for number, natural in enumerate(re.split(_LINE_ENDS, text), 1):
        line = natural.lstrip(_BLANKS)
        if pending is None:
            if not line or line[0] in "#!":
                continue
            pending, first_number = "", number
        trailing = re.search(_TRAILING_BACKSLASHES, line)
        if trailing is not None and len(trailing[0]) % 2:
            pending = (pending + line[:-1]) or None  # a line of one backslash is as good as none
            continue
        yield first_number, pending + line
        pending = None
    if pending:
        yield first_number, pending


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    # Two escapes may be the halves of one character, since Java's are 16 bits wide.
    halves = re.sub(_ESCAPE, _replacement, text).encode("utf-16-le", "surrogatepass")
    return halves.decode("utf-16-le", "replace")


def _replacement(match: re.Match[str]) -> str:
    escape = match[1]
    if escape == "u":
        raise ValueError
    if len(escape) == 5:
        return chr(int(escape[1:], 16))
    return _ESCAPED.get(escape, escape)


def parse_toml(content: bytes, name: str = "TOML") -> dict[str, str]:
    """TOML whose tables give dotted names: `[log] dirs = [...]` is log.dirs, and so is `"log.dirs" = [...]`."""
    import tomllib  # only who has a TOML file pays for it

    try:
        document = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionError(f"{name}: {error}") from None
    texts: dict[str, str] = {}
    for key, value in _flattened("", document):
        if key in texts:
            raise OptionError(f"{name}: {key} is set twice")
        texts[key] = _toml_text(name, key, value)
    return texts


def _flattened(prefix: str, table: dict[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flattened(f"{prefix}{key}.", value)
        else:
            yield prefix + key, value


def _toml_text(name: str, key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        return ",".join(_toml_text(name, key, entry) for entry in value)
    raise OptionError(f"{name}: {key} must be a text, a number, true or false, or a list of these")
