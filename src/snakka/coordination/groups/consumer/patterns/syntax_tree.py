"""What the parser makes of an expression. Characters are masks over those that names are made of."""

import string
from dataclasses import dataclass
from enum import Enum

# Bit n of a mask stands for the n-th of them. A topic's name has fewer; a transactional id may have others, which are all
# alike: an expression can let any of them pass, but not name one.
ALPHABET = string.ascii_letters + string.digits + string.punctuation + " "
BITS = {character: 1 << place for place, character in enumerate(ALPHABET)}
OTHERS = 1 << len(ALPHABET)
EVERYTHING = (OTHERS << 1) - 1


class PatternError(ValueError):
    """Why an expression is refused."""


class Assertion(Enum):
    """What must hold between two characters."""

    BEGIN = "begin"
    END = "end"
    WORD_BOUNDARY = "word boundary"
    NO_WORD_BOUNDARY = "no word boundary"


@dataclass(frozen=True, slots=True)
class Characters:
    mask: int


@dataclass(frozen=True, slots=True)
class Condition:
    assertion: Assertion


@dataclass(frozen=True, slots=True)
class Sequence:
    nodes: "tuple[Node, ...]" = ()


@dataclass(frozen=True, slots=True)
class Choice:
    nodes: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Repetition:
    """`most` is None: as often as you like."""

    node: "Node"
    least: int
    most: int | None


Node = Characters | Condition | Sequence | Choice | Repetition


def mask_of(characters: str) -> int:
    mask = 0
    for character in characters:
        mask |= BITS.get(character, 0)
    return mask


def mask_of_range(first: str, last: str) -> int:
    return mask_of("".join(character for character in ALPHABET if first <= character <= last))


def without_case(mask: int) -> int:
    """The mask with the other case of each letter."""
    there = "".join(character for character in ALPHABET if mask & BITS[character])
    return mask | mask_of(there.swapcase())
