"""Reads RE2 syntax: what Perl has, without what needs backtracking (look-around, references back, possessive repetition)."""

import re

from snakka.coordination.groups.consumer.patterns.character_classes import (
    ASCII_CLASSES,
    PERL_CLASSES,
    unicode_class,
)
from snakka.coordination.groups.consumer.patterns.syntax_tree import (
    EVERYTHING,
    Assertion,
    Characters,
    Choice,
    Condition,
    Node,
    PatternError,
    Repetition,
    Sequence,
    mask_of,
    mask_of_range,
    without_case,
)

_MAX_REPEATS = 1_000
_MAX_DEPTH = 100
_COUNT = re.compile(r"\{(\d{1,9})(?:(,)(\d{1,9})?)?\}")
_NAMED_GROUP = re.compile(r"\?P?<(\w+)>", re.ASCII)
_FLAGS = re.compile(r"\?([imsU]*)(?:-([imsU]+))?([:)])")
_UNICODE = re.compile(r"[pP](?:\{(\^?)(\w+)\}|([A-Z]))", re.ASCII)
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))")
_OCTAL = re.compile(r"(?:0[0-7]{0,2}|[1-7][0-7]{1,2})")
_CONTROL = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CONDITIONS = {
    "A": Assertion.BEGIN,
    "z": Assertion.END,
    "b": Assertion.WORD_BOUNDARY,
    "B": Assertion.NO_WORD_BOUNDARY,
}


def parse(pattern: str) -> Node:
    """The tree of an expression; PatternError if it is none."""
    return _Parser(pattern).parse()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._place = 0
        self._depth = 0
        self._ignores_case = False
        self._names: dict[str, None] = {}

    def parse(self) -> Node:
        node = self._choice()
        if self._place < len(self._text):
            raise PatternError("unexpected )")
        return node

    # -- structure ------------------------------------------------------------------------------------------------

    def _choice(self) -> Node:
        """Alternatives up to the group's or the expression's end."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise PatternError("expression nests too deeply")
        alternatives = [self._sequence()]
        while self._take("|"):
            alternatives.append(self._sequence())
        self._depth -= 1
        return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))

    def _sequence(self) -> Node:
        nodes: list[Node] = []
        while self._place < len(self._text) and self._text[self._place] not in "|)":
            limits = self._repetition()
            if limits is not None:
                if not nodes:
                    raise PatternError("missing argument to repetition operator")
                nodes[-1] = self._repeated(nodes[-1], limits)
            elif self._text.startswith("\\Q", self._place):
                nodes += self._quoted()
            elif not self._flags():
                nodes.append(self._atom())
        return nodes[0] if len(nodes) == 1 else Sequence(tuple(nodes))

    def _repeated(self, node: Node, limits: tuple[int, int | None]) -> Node:
        # A question mark says that it should take as little as it can: the same names match.
        self._take("?")
        if self._repetition() is not None:
            raise PatternError("invalid nested repetition operator")
        return Repetition(node, *limits)

    def _repetition(self) -> tuple[int, int | None] | None:
        if self._take("*"):
            return 0, None
        if self._take("+"):
            return 1, None
        if self._take("?"):
            return 0, 1
        found = _COUNT.match(self._text, self._place)
        if found is None:
            return None
        least = int(found[1])
        most = least if found[2] is None else None if found[3] is None else int(found[3])
        if least > _MAX_REPEATS or (most is not None and not least <= most <= _MAX_REPEATS):
            raise PatternError(f"invalid repeat count: `{found[0]}`")
        self._place = found.end()
        return least, most

    def _atom(self) -> Node:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return Characters(self._class())
        if character == ".":
            return Characters(EVERYTHING)
        if character == "^":
            return Condition(Assertion.BEGIN)
        if character == "$":
            return Condition(Assertion.END)
        if character != "\\":
            return self._literal(character)
        if self._text[self._place : self._place + 1] in _CONDITIONS:
            return Condition(_CONDITIONS[self._next()])
        mask = self._class_escape()
        return self._literal(self._escaped()) if mask is None else Characters(mask)

    def _group(self) -> Node:
        ignores_case_outside = self._ignores_case
        if self._text.startswith("?", self._place):
            named = _NAMED_GROUP.match(self._text, self._place)
            flags = _FLAGS.match(self._text, self._place)
            if named is not None:
                if named[1] in self._names:
                    raise PatternError(f"duplicate capture group name: `{named[1]}`")
                self._names[named[1]] = None
                self._place = named.end()
            elif flags is not None and flags[3] == ":":
                self._set(flags)
            else:
                raise PatternError("invalid or unsupported Perl syntax")
        node = self._choice()
        if not self._take(")"):
            raise PatternError("missing closing )")
        self._ignores_case = ignores_case_outside
        return node

    def _flags(self) -> bool:
        """Flags on their own hold for the rest of the group that they stand in, whose end sets them back."""
        found = _FLAGS.match(self._text, self._place + 1) if self._text.startswith("(", self._place) else None
        if found is None or found[3] != ")":
            return False
        self._set(found)
        return True

    def _set(self, flags: re.Match[str]) -> None:
        self._place = flags.end()
        if "i" in flags[1]:
            self._ignores_case = True
        if flags[2] and "i" in flags[2]:
            self._ignores_case = False

    def _quoted(self) -> list[Node]:
        end = self._text.find("\\E", self._place + 2)
        stop = len(self._text) if end < 0 else end
        literals: list[Node] = [self._literal(character) for character in self._text[self._place + 2 : stop]]
        self._place = stop if end < 0 else stop + 2
        return literals

    # -- characters -----------------------------------------------------------------------------------------------

    def _literal(self, character: str) -> Characters:
        return Characters(self._cased(mask_of(character)))

    def _cased(self, mask: int) -> int:
        return without_case(mask) if self._ignores_case else mask

    def _class(self) -> int:
        negated = self._take("^")
        mask, first = 0, True
        while first or not self._take("]"):
            first = False
            if self._place >= len(self._text):
                raise PatternError("missing closing ]")
            mask |= self._class_item()
        mask = self._cased(mask)
        return EVERYTHING & ~mask if negated else mask

    def _class_item(self) -> int:
        if self._text.startswith("[:", self._place):
            end = self._text.find(":]", self._place + 2)
            if end >= 0:
                name = self._text[self._place + 2 : end]
                if name.removeprefix("^") not in ASCII_CLASSES:
                    raise PatternError(f"invalid character class range: `[:{name}:]`")
                self._place = end + 2
                mask = ASCII_CLASSES[name.removeprefix("^")]
                return EVERYTHING & ~mask if name.startswith("^") else mask
        if self._text.startswith("\\", self._place):
            self._place += 1
            mask_or_none = self._class_escape()
            if mask_or_none is not None:
                return mask_or_none
            low = self._escaped()
        else:
            low = self._next()
        if not self._text.startswith("-", self._place) or self._text.startswith("-]", self._place):
            return mask_of(low)
        self._place += 1
        high = self._next()
        if high == "\\":
            high = self._escaped()
        if high < low:
            raise PatternError(f"invalid character class range: `{low}-{high}`")
        return mask_of_range(low, high)

    def _class_escape(self) -> int | None:
        """After a backslash: a whole class, or None if it is a single character."""
        letter = self._text[self._place : self._place + 1]
        if letter in PERL_CLASSES:
            self._place += 1
            return PERL_CLASSES[letter]
        if letter in ("p", "P"):
            found = _UNICODE.match(self._text, self._place)
            if found is None:
                raise PatternError("invalid character class range")
            self._place = found.end()
            mask = self._cased(unicode_class(found[2] or found[3]))
            return EVERYTHING & ~mask if (letter == "P") != bool(found[1]) else mask
        return None

    def _escaped(self) -> str:
        """After a backslash: the character that it stands for."""
        for kind, base in ((_OCTAL, 8), (_HEX, 16)):
            found = kind.match(self._text, self._place)
            if found is not None:
                self._place = found.end()
                number = int(next((digits for digits in found.groups() if digits), found[0]), base)
                if number > 0x10FFFF:
                    raise PatternError("invalid escape sequence")
                return chr(number)
        if self._place >= len(self._text):
            raise PatternError("trailing backslash at end of expression")
        character = self._next()
        if character in _CONTROL:
            return _CONTROL[character]
        if character.isascii() and character.isalnum():
            raise PatternError(f"invalid escape sequence: `\\{character}`")
        return character

    # -- reading --------------------------------------------------------------------------------------------------

    def _next(self) -> str:
        if self._place >= len(self._text):
            raise PatternError("missing closing ]")
        self._place += 1
        return self._text[self._place - 1]

    def _take(self, character: str) -> bool:
        if self._text.startswith(character, self._place):
            self._place += 1
            return True
        return False
