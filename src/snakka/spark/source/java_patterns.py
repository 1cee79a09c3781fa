"""`subscribePattern` in the notation of java.util.regex, as Spark has it, matched by Python.

Rule: what Python writes otherwise is translated, and what it can't express is refused with the reason: a pattern never
quietly means something else. Names of topics are ASCII, so nothing is lost where Java and Python differ beyond that.
"""

import re

from snakka.spark.client_settings import SparkOptionError

# What \p{...} means within ASCII, ready to stand inside of brackets.
_CLASSES = {
    "Lower": "a-z",
    "javaLowerCase": "a-z",
    "Ll": "a-z",
    "IsLowercase": "a-z",
    "Upper": "A-Z",
    "javaUpperCase": "A-Z",
    "Lu": "A-Z",
    "IsUppercase": "A-Z",
    "Alpha": "a-zA-Z",
    "L": "a-zA-Z",
    "IsL": "a-zA-Z",
    "IsAlphabetic": "a-zA-Z",
    "IsLatin": "a-zA-Z",
    "Digit": "0-9",
    "Nd": "0-9",
    "N": "0-9",
    "IsDigit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~",
    "IsPunctuation": r"!-#%-*,-/:;?@\[-\]_{}",
    "Graph": "!-~",
    "Print": " -~",
    "Blank": r" \t",
    "Space": r"\s",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "ASCII": r"\x00-\x7f",
}
_SPACES = {"h": r" \t", "v": r"\n\x0b\f\r"}
_ENDS = {"z": r"\Z", "Z": r"\Z"}
_PLAIN_CHARACTERS = {"e": r"\x1b", "R": r"(?:\r\n|[\n\x0b\f\r])"}
_UNKNOWN_HERE = frozenset("GXNCpP0")  # \0: octal numbers are written otherwise
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_FLAGS_WITHOUT_EFFECT = frozenset("ud")  # Unicode's case rules, and lines that end with \n only
_KNOWN_FLAGS = frozenset("imsx")
_NAME = re.compile(r"<(\w+)>")
_CODE = re.compile(r"\{([0-9a-fA-F]{1,5})\}")


def compile_java_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern for `search`: Spark takes a topic if the pattern is found anywhere in its name."""
    try:
        return re.compile(_Translation(pattern).text())
    except (re.error, OverflowError) as error:
        raise SparkOptionError(f"subscribePattern {pattern!r} is no pattern: {error}") from None


class _Translation:
    """Walks through a pattern once."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._position = 0
        # In each open group: what began the groups for flags that hold to its end.
        self._open_flags: list[list[str]] = [[]]

    def text(self) -> str:
        parts = []
        while self._position < len(self._pattern):
            parts.append(self._next())
        parts.append(")" * len(self._open_flags[0]))
        return "".join(parts)

    def _next(self) -> str:
        character = self._pattern[self._position]
        if character == "\\":
            return self._escape(in_brackets=False)
        if character == "[":
            return self._brackets()
        self._position += 1
        if character == "(":
            self._position -= 1
            return self._group()
        if character == ")":
            closed = self._open_flags.pop() if len(self._open_flags) > 1 else []
            return ")" * (len(closed) + 1)
        if character == "|":
            # Flags hold in the alternatives behind them too, which must not become a part of theirs.
            return f"{')' * len(self._open_flags[-1])}|{''.join(self._open_flags[-1])}"
        return character

    def _group(self) -> str:
        rest = self._pattern[self._position :]
        flags = _FLAGS.match(rest)
        if flags is not None:
            return self._flags(flags)
        self._open_flags.append([])
        self._position += 1
        if rest.startswith("(?<") and rest[3:4] not in ("=", "!"):
            self._position += 2
            return "(?P<"
        return "("

    def _flags(self, found: re.Match[str]) -> str:
        on = "".join(dict.fromkeys(each for each in found[1] if each not in _FLAGS_WITHOUT_EFFECT))
        off = "".join(dict.fromkeys(each for each in found[2] or "" if each not in _FLAGS_WITHOUT_EFFECT))
        for flag in on + off:
            if flag not in _KNOWN_FLAGS:
                raise self._refusal(f"the flag {flag}")
        self._position += len(found[0])
        beginning = f"(?{on}{'-' + off if off else ''}:"
        if found[3] == ":":
            self._open_flags.append([])
        elif on or off:
            self._open_flags[-1].append(beginning)  # up to the end of the group around it
        else:
            return ""
        return beginning

    def _escape(self, *, in_brackets: bool) -> str:
        pattern, begins = self._pattern, self._position
        if begins + 1 >= len(pattern):
            raise self._refusal("a backslash at the end")
        letter = pattern[begins + 1]
        self._position += 2
        if letter == "Q":
            end = pattern.find("\\E", self._position)
            quoted = pattern[self._position :] if end < 0 else pattern[self._position : end]
            self._position = len(pattern) if end < 0 else end + 2
            return re.escape(quoted)
        if letter in "pP":
            return self._named_class(letter == "P", in_brackets)
        if letter in _SPACES:
            return _SPACES[letter] if in_brackets else f"[{_SPACES[letter]}]"
        if letter == "k" and not in_brackets:
            return f"(?P={self._enclosed(letter, _NAME)})"
        if letter == "x" and pattern[self._position : self._position + 1] == "{":
            return re.escape(chr(int(self._enclosed(letter, _CODE), 16)))
        if not in_brackets and letter in _ENDS:
            return _ENDS[letter]
        if letter in _PLAIN_CHARACTERS and not (in_brackets and letter == "R"):
            return _PLAIN_CHARACTERS[letter]
        if letter in _UNKNOWN_HERE or letter in "HVcN":
            raise self._refusal(f"\\{letter}")
        return f"\\{letter}"

    def _enclosed(self, letter: str, kind: re.Pattern[str]) -> str:
        """What stands in the brackets behind a letter."""
        found = kind.match(self._pattern, self._position)
        if found is None:
            raise self._refusal(f"\\{letter} with what follows it")
        self._position = found.end()
        return found[1]

    def _named_class(self, is_negated: bool, in_brackets: bool) -> str:
        rest = self._pattern[self._position :]
        braced = re.match(r"\{(\w+)\}", rest)
        name = braced[1] if braced else rest[:1]
        self._position += len(braced[0]) if braced else 1
        members = _CLASSES.get(name)
        if members is None:
            raise self._refusal(f"\\p{{{name}}}")
        if not in_brackets:
            return f"[{'^' if is_negated else ''}{members}]"
        if is_negated:
            raise self._refusal(f"\\P{{{name}}} in brackets")
        return members

    def _brackets(self) -> str:
        parts = ["["]
        self._position += 1
        if self._pattern[self._position : self._position + 1] == "^":
            parts.append("^")
            self._position += 1
        is_first = True
        while self._position < len(self._pattern):
            character = self._pattern[self._position]
            if character == "]" and not is_first:
                self._position += 1
                return "".join([*parts, "]"])
            if character == "[":
                raise self._refusal("a class inside of a class")
            if self._pattern.startswith("&&", self._position):
                raise self._refusal("an intersection of classes (&&)")
            if character == "\\":
                parts.append(self._escape(in_brackets=True))
            else:
                parts.append(re.escape(character) if character in "]~|&" else character)
                self._position += 1
            is_first = False
        raise self._refusal("brackets that are not closed")

    def _refusal(self, what: str) -> SparkOptionError:
        return SparkOptionError(
            f"subscribePattern {self._pattern!r}: {what} can't be read here; write it without, or name the topics"
            " with subscribe"
        )
