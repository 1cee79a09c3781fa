"""How a client's settings are declared, read and judged.

Rule: a setting is a field of a dataclass and is declared nowhere else. Its keyword is the field's name, its Kafka name the
same with dots. A wrong name says which one was meant; the value of a secret never appears in a text.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from snakka.client.errors import ClientConfigError
from snakka.options.kinds import Kind, read_value

HIDDEN = "[hidden]"
_CLOSE_ENOUGH = 0.6
_RULE = "rule"


class Rule(NamedTuple):
    """What may stand in a setting, and what it is for."""

    kind: Kind | None  # None: a Python object
    doc: str
    lowest: float | None = None
    highest: float | None = None
    also: float | None = None  # one more number, outside of the bounds
    choices: tuple[str, ...] = ()
    any_case: bool = False

    @property
    def is_secret(self) -> bool:
        return self.kind is Kind.PASSWORD


def number(
    default: int | None,
    doc: str,
    *,
    lowest: int | None = 0,
    highest: int | None = None,
    also: int | None = None,
) -> Any:
    """A whole number, not negative unless it is said."""
    return _declared(default, Rule(Kind.LONG, doc, lowest, highest, also))


def real(default: float, doc: str, *, lowest: float, highest: float) -> Any:
    return _declared(default, Rule(Kind.DOUBLE, doc, lowest, highest))


def flag(default: bool, doc: str) -> Any:
    return _declared(default, Rule(Kind.BOOLEAN, doc))


def text(default: str | None, doc: str, *, choices: tuple[str, ...] = (), any_case: bool = False) -> Any:
    """A text. Where case does not matter, it becomes that of the choice."""
    return _declared(default, Rule(Kind.STRING, doc, choices=choices, any_case=any_case))


def secret(doc: str) -> Any:
    """A text that is shown nowhere."""
    return _declared(None, Rule(Kind.PASSWORD, doc))


def entries(default: tuple[str, ...], doc: str, *, choices: tuple[str, ...] = ()) -> Any:
    """A list of texts; as one text, there are commas between them."""
    return _declared(default, Rule(Kind.LIST, doc, choices=choices))


def python_object(doc: str) -> Any:
    """A function or another object that only Python can give."""
    return _declared(None, Rule(None, doc))


def _declared(default: Any, rule: Rule) -> Any:
    return field(default=default, metadata={_RULE: rule}, repr=False)


def rules_of(kind: type[Any]) -> dict[str, Rule]:
    """The rules of all settings of a class, by keyword."""
    return {name: each.metadata[_RULE] for name, each in kind.__dataclass_fields__.items() if each.metadata}


def dotted(keyword: str) -> str:
    """The name that Kafka has for it."""
    return keyword.replace("_", ".")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that one class of settings answers to."""

    rules: Mapping[str, Rule]
    synonyms: Mapping[str, str]  # another client's name: ours
    elsewhere: Mapping[str, str]  # what has no meaning here: what to do instead

    def keyword(self, name: str) -> str:
        """The setting that a name means; ClientConfigError says which one was probably meant."""
        keyword = name.replace(".", "_")
        if keyword in self.rules:
            return keyword
        plain = dotted(keyword)
        if plain in self.synonyms:
            return self.synonyms[plain].replace(".", "_")
        if plain in self.elsewhere:
            raise ClientConfigError(f"{plain} has no meaning here: {self.elsewhere[plain]}")
        raise ClientConfigError(f"there is no setting {name}{self._suggestion(keyword)}")

    def _suggestion(self, keyword: str) -> str:
        known = [*self.rules, *(name.replace(".", "_") for name in self.synonyms)]
        close = difflib.get_close_matches(keyword, known, 1, _CLOSE_ENOUGH)
        return f"; did you mean {dotted(close[0])}?" if close else ""


def gather(vocabulary: Vocabulary, *sources: Mapping[str, object]) -> dict[str, object]:
    """The values by keyword; what is None counts as not given, and what is given twice must be the same."""
    values: dict[str, object] = {}
    for source in sources:
        for name, given in source.items():
            keyword = vocabulary.keyword(name)
            if given is None:
                continue
            value = read_setting(keyword, vocabulary.rules[keyword], given)
            if keyword in values and values[keyword] != value:
                raise ClientConfigError(f"{dotted(keyword)} is given twice, with different values")
            values[keyword] = value
    return values


def read_setting(keyword: str, rule: Rule, given: object) -> object:
    """The value of what was given, as Python's own type or as the text that a file would have."""
    if rule.kind is None:
        return given
    try:
        value = _converted(rule.kind, given)
        complaint = _complaint(rule, value)
    except ValueError as error:
        complaint = str(error)
    if complaint:
        shown = HIDDEN if rule.is_secret else repr(given)
        raise ClientConfigError(f"{dotted(keyword)}: {shown} {complaint}")
    if rule.any_case:
        return next(choice for choice in rule.choices if choice.lower() == str(value).lower())
    return value


def _converted(kind: Kind, given: object) -> object:
    if isinstance(given, str):
        return read_value(kind, given)
    convert: Callable[[Any], object] | None = None
    if kind is Kind.LIST and isinstance(given, Iterable):
        convert = _text_entries
    elif kind is Kind.DOUBLE and isinstance(given, int | float) and not isinstance(given, bool):
        convert = float
    elif kind is Kind.LONG and isinstance(given, int) and not isinstance(given, bool):
        convert = int
    elif kind is Kind.BOOLEAN and isinstance(given, bool):
        convert = bool
    elif kind is Kind.STRING and isinstance(given, int) and not isinstance(given, bool):
        convert = str  # acks=1
    if convert is None:
        raise ValueError(_EXPECTED[kind])
    return convert(given)


def _text_entries(given: Iterable[object]) -> tuple[str, ...]:
    texts = tuple(given)
    if not all(isinstance(entry, str) for entry in texts):
        raise ValueError("must contain texts only")
    return tuple(str(entry).strip() for entry in texts)


_EXPECTED = {
    Kind.LONG: "must be a whole number",
    Kind.DOUBLE: "must be a number",
    Kind.BOOLEAN: "must be true or false",
    Kind.STRING: "must be a text",
    Kind.PASSWORD: "must be a text",
    Kind.LIST: "must be a list of texts",
}


def _complaint(rule: Rule, value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if rule.also is not None and value == rule.also:
            return ""
        if rule.lowest is not None and value < rule.lowest:
            return f"must be at least {rule.lowest}"
        if rule.highest is not None and value > rule.highest:
            return f"must be at most {rule.highest}"
    if rule.choices:
        for entry in value if isinstance(value, tuple) else (value,):
            known = rule.choices
            if rule.any_case:
                known, entry = tuple(choice.lower() for choice in known), str(entry).lower()
            if entry not in known:
                return f"must be one of {', '.join(rule.choices)}"
    return ""
