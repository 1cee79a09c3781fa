"""Regular expressions over topic names: RE2's syntax, whole matches, and no expression that takes long."""

import re
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.coordination.groups.consumer.patterns.syntax_tree import PatternError
from snakka.coordination.groups.consumer.patterns.topic_pattern import TopicPattern

NAMES = (
    "a",
    "b",
    "foo",
    "Foo",
    "foo.bar",
    "foo-1",
    "foo-22",
    "a_b",
    "aaaa",
    "abab",
    "_",
    "K9",
    "__consumer_offsets",
)


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        ("foo", {"foo"}),
        ("foo.*", {"foo", "foo.bar", "foo-1", "foo-22"}),
        ("foo\\.bar", {"foo.bar"}),
        ("foo-[0-9]+", {"foo-1", "foo-22"}),
        ("foo-\\d", {"foo-1"}),
        ("^foo$", {"foo"}),
        ("(?i)FOO", {"foo", "Foo"}),
        ("(?i:f)oo", {"foo", "Foo"}),
        ("(?i)fo(?-i)o|K9", {"foo", "Foo", "K9"}),
        ("a|b", {"a", "b"}),
        ("(a|b)+", {"a", "b", "aaaa", "abab"}),
        ("(?:ab){2}", {"abab"}),
        ("a{2,}", {"aaaa"}),
        ("a{,2}", set()),
        ("(?P<name>foo)", {"foo"}),
        ("[[:upper:]][[:digit:]]", {"K9"}),
        ("\\p{Lu}\\pN", {"K9"}),
        ("\\P{Lu}{3}", {"foo", "a_b"}),
        ("[^a-z]", {"_"}),
        ("[\\w-]+\\b.*\\B", set()),
        ("foo\\b.bar", {"foo.bar"}),
        ("a\\Bb.*", {"abab"}),
        ("\\Qfoo.bar\\E", {"foo.bar"}),
        ("\\x66\\x{6f}\\157", {"foo"}),
        ("__.+", {"__consumer_offsets"}),
        (".+?", set(NAMES)),
        ("", set()),
        ("ü|foo", {"foo"}),
    ],
)
def test_it_matches_whole_names(pattern: str, matching: set[str]) -> None:
    compiled = TopicPattern(pattern)
    assert {name for name in NAMES if compiled.matches(name)} == matching


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        (".*", {"app:1", "a b", "é", "a/é"}),
        ("app:\\d", {"app:1"}),
        ("a\\sb", {"a b"}),
        ("\\S+", {"app:1", "é", "a/é"}),
        ("[^a]+", {"é"}),
        ("[[:ascii:]]+", {"app:1", "a b"}),
        ("[[:graph:]]+", {"app:1"}),
        ("a/.", {"a/é"}),
        ("é", set()),
    ],
)
def test_names_that_are_no_topics(pattern: str, matching: set[str]) -> None:
    """Transactional ids may have any characters; those beyond ASCII are all alike."""
    compiled = TopicPattern(pattern)
    assert {name for name in ("app:1", "a b", "é", "a/é") if compiled.matches(name)} == matching


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "a)", "(?", "(?P<n>a)(?P<n>b)", "(?<!a)b", "(?=a)", "(?!a)b", "(?>a)", "(?x)a", "[", "[a", "[b-a]",
        "[[:none:]]", "*", "+a", "a|*", "(?i)*", "a**", "a*+", "a{2}{3}", "a{1001}", "a{3,2}", "\\", "\\1", "\\Z",
        "\\k", "\\C", "\\p{Nobody}", "\\x{110000}", "[a-\\d]", "(" * 200 + ")" * 200, "(?:a{1000}){1000}",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        TopicPattern(pattern)


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|a)*b", "(a*)*b", "((a?){20}){20}", "(.*a){20}"])
def test_what_sends_others_into_backtracking_is_quick(pattern: str) -> None:
    started = time.perf_counter()
    compiled = TopicPattern(pattern)
    for length in range(1, 249):
        compiled.matches("a" * length + "-")
    assert time.perf_counter() - started < 2


def test_an_expression_whose_states_have_no_end_is_refused() -> None:
    compiled = TopicPattern("(a|b)*a(a|b){200}")
    chance = Random(1)
    names = ["".join(chance.choices("ab", k=249)) for _ in range(200)]
    started = time.perf_counter()
    with pytest.raises(PatternError, match="costly"):
        list(map(compiled.matches, names))
    assert time.perf_counter() - started < 5


pieces = st.sampled_from(
    [
        "a",
        "b",
        ".",
        "[ab]",
        "[^a]",
        "(a|b)",
        "(?:ab)",
        "a*",
        "b+",
        "[a-z]?",
        "a{2}",
        "(ab){1,2}",
        "$",
        "^",
        "\\w",
        "\\b",
    ]
)


@given(st.lists(pieces, max_size=6).map("".join), st.text(alphabet="ab-._1", max_size=8))
def test_it_agrees_with_python_where_the_syntax_is_the_same(pattern: str, name: str) -> None:
    assert TopicPattern(pattern).matches(name) == (re.fullmatch(pattern, name) is not None)


def test_ten_thousand_topics_take_no_time() -> None:
    names = [f"orders.region-{number % 50}.shard-{number}" for number in range(10_000)]
    compiled = TopicPattern("orders\\.region-(1|2|30)\\..*7")
    started = time.perf_counter()
    found = sum(compiled.matches(name) for name in names)
    assert found == sum(re.fullmatch("orders\\.region-(1|2|30)\\..*7", name) is not None for name in names)
    assert time.perf_counter() - started < 1
