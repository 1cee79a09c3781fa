"""Classes with a name, as masks over the characters of topic names."""

import re
import string
from unicodedata import category

from snakka.coordination.groups.consumer.patterns.syntax_tree import (
    ALPHABET,
    EVERYTHING,
    PatternError,
    mask_of,
)

_DIGIT = mask_of(string.digits)
_WORD = mask_of(string.ascii_letters + string.digits + "_")
_PUNCTUATION = mask_of(string.punctuation)

# Those of a backslash and a letter; a topic's name has no white space.
PERL_CLASSES = {
    "d": _DIGIT,
    "D": EVERYTHING & ~_DIGIT,
    "w": _WORD,
    "W": EVERYTHING & ~_WORD,
    "s": 0,
    "S": EVERYTHING,
}

# Those of brackets and colons.
ASCII_CLASSES = {
    "alnum": mask_of(string.ascii_letters + string.digits),
    "alpha": mask_of(string.ascii_letters),
    "ascii": EVERYTHING,
    "blank": 0,
    "cntrl": 0,
    "digit": _DIGIT,
    "graph": EVERYTHING,
    "lower": mask_of(string.ascii_lowercase),
    "print": EVERYTHING,
    "punct": _PUNCTUATION,
    "space": 0,
    "upper": mask_of(string.ascii_uppercase),
    "word": _WORD,
    "xdigit": mask_of(string.hexdigits),
}

# Scripts that characters of topic names belong to.
_SCRIPTS = {
    "Latin": mask_of(string.ascii_letters),
    "Common": mask_of(string.digits + "._-"),
    "Any": EVERYTHING,
}
_CATEGORY = re.compile("L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfos]?")


def unicode_class(name: str) -> int:
    """A general category, or a script that a topic's name could be written in."""
    if name in _SCRIPTS:
        return _SCRIPTS[name]
    if not _CATEGORY.fullmatch(name):
        raise PatternError(f"invalid character class range: `\\p{{{name}}}`")
    return mask_of("".join(character for character in ALPHABET if category(character).startswith(name)))
