"""The notation of JAAS, in which Java's clients and brokers keep credentials: a module, a flag, and options.

org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="secret";
"""

import re
from typing import NamedTuple

_VALUE = r"""(?:"((?:\\.|[^"\\])*)"|'([^']*)'|([^\s;"']+))"""
_OPTION = rf"([\w.$-]+)\s*=\s*{_VALUE}"
_ENTRY = rf"\s*([\w.$]+)\s+(?:required|requisite|sufficient|optional)((?:\s+{_OPTION})*)\s*;?\s*"


class JaasError(ValueError):
    """The text is not in this notation. What it contains is not repeated: it may be a secret."""


class JaasEntry(NamedTuple):
    """One login module with its options."""

    module: str
    options: dict[str, str]

    def __repr__(self) -> str:
        return f"JaasEntry({self.module})"


def parse_jaas(text: str) -> JaasEntry:
    """The one entry of a sasl.jaas.config; JaasError says what it must look like."""
    match = re.fullmatch(_ENTRY, text)
    if match is None:
        raise JaasError('must look like: MODULE required username="..." password="...";')
    options = {}
    for option in re.finditer(_OPTION, match[2]):
        name, quoted, single, bare = option.groups()
        if quoted is not None:
            options[name] = re.sub(r"\\(.)", r"\1", quoted)
        else:
            options[name] = single if single is not None else bare
    return JaasEntry(match[1], options)
