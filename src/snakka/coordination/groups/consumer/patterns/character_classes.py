"""Classes with a name, as masks over the characters of names."""

import re
import string
from unicodedata import category

from snakka.coordination.groups.consumer.patterns.syntax_tree import (
    ALPHABET,
    EVERYTHING,
    OTHERS,
    PatternError,
    mask_of,
)

_ASCII = EVERYTHING & ~OTHERS
_SPACE = mask_of(" ")
_DIGIT = mask_of(string.digits)
_WORD = mask_of(string.ascii_letters + string.digits + "_")
_PUNCTUATION = mask_of(string.punctuation)

# Those of a backslash and a letter; there is no white space but the blank.
PERL_CLASSES = {
    "d": _DIGIT,
    "D": EVERYTHING & ~_DIGIT,
    "w": _WORD,
    "W": EVERYTHING & ~_WORD,
    "s": _SPACE,
    "S": EVERYTHING & ~_SPACE,
}

# Those of brackets and colons.
ASCII_CLASSES = {
    "alnum": mask_of(string.ascii_letters + string.digits),
    "alpha": mask_of(string.ascii_letters),
    "ascii": _ASCII,
    "blank": _SPACE,
    "cntrl": 0,
    "digit": _DIGIT,
    "graph": _ASCII & ~_SPACE,
    "lower": mask_of(string.ascii_lowercase),
    "print": _ASCII,
    "punct": _PUNCTUATION,
    "space": _SPACE,
    "upper": mask_of(string.ascii_uppercase),
    "word": _WORD,
    "xdigit": mask_of(string.hexdigits),
}

# Scripts that the characters belong to.
_SCRIPTS = {
    "Latin": mask_of(string.ascii_letters),
    "Common": mask_of(string.digits + string.punctuation + " "),
    "Any": EVERYTHING,
}
_CATEGORY = re.compile("L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfos]?")


def unicode_class(name: str) -> int:
    """A general category, or a script that a name could be written in."""
    if name in _SCRIPTS:
        return _SCRIPTS[name]
    if not _CATEGORY.fullmatch(name):
        raise PatternError(f"invalid character class range: `\\p{{{name}}}`")
    return mask_of("".join(character for character in ALPHABET if category(character).startswith(name)))
