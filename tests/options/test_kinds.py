"""Values are read and shown as Java reads and shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.options.kinds import Kind, Value, read_value, show_value


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.INT, " 2000000 ", 2_000_000),
        (Kind.INT, "+5", 5),
        (Kind.INT, "-0", 0),
        (Kind.INT, "007", 7),
        (Kind.INT, "-2147483648", -(2**31)),
        (Kind.LONG, "9223372036854775807", 2**63 - 1),
        (Kind.SHORT, "-32768", -32768),
        (Kind.BOOLEAN, "TRUE", True),
        (Kind.BOOLEAN, " false ", False),
        (Kind.DOUBLE, " 1e3 ", 1000.0),
        (Kind.DOUBLE, "1d", 1.0),
        (Kind.DOUBLE, ".5", 0.5),
        (Kind.DOUBLE, "-Infinity", float("-inf")),
        (Kind.LIST, "", ()),
        (Kind.LIST, " a , b,,c ", ("a", "b", "", "c")),
        (Kind.LIST, "a,b,a", ("a", "b")),
        (Kind.STRING, "  spaced out ", "spaced out"),
        (Kind.PASSWORD, "pa=ss", "pa=ss"),
        (Kind.CLASS, "org.example.Thing", "org.example.Thing"),
    ],
)
def test_texts_mean_what_they_mean_to_java(kind: Kind, text: str, value: Value) -> None:
    assert read_value(kind, text) == value


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (Kind.INT, "", "whole number"),
        (Kind.INT, "0x10", "whole number"),
        (Kind.INT, "2_000", "whole number"),
        (Kind.INT, "1.5", "whole number"),
        (Kind.INT, "2147483648", "32 bits"),
        (Kind.SHORT, "40000", "16 bits"),
        (Kind.LONG, "9" * 10_000, "whole number"),
        (Kind.BOOLEAN, "yes", "true or false"),
        (Kind.DOUBLE, "half", "number"),
        (Kind.DOUBLE, "1_0", "number"),
        (Kind.DOUBLE, "", "number"),
    ],
)
def test_what_is_no_value_says_what_was_expected(kind: Kind, text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        read_value(kind, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e7, "1.0E7"),
        (9999999.0, "9999999.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (123456789.5, "1.234567895E8"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (-1e21, "-1.0E21"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (0.0, "0.0"),
        (("a", "b"), "a,b"),
        ((), ""),
        (False, "false"),
        (7, "7"),
        (None, None),
    ],
)
def test_values_are_shown_as_java_shows_them(value: Value, text: str | None) -> None:
    assert show_value(value) == text


@given(st.floats(allow_nan=False))
def test_a_shown_double_reads_back(value: float) -> None:
    shown = show_value(value)
    assert shown is not None
    assert read_value(Kind.DOUBLE, shown) == value


@given(st.sampled_from(Kind), st.text(max_size=30))
def test_any_text_is_a_value_or_a_value_error(kind: Kind, text: str) -> None:
    try:
        value = read_value(kind, text)
    except ValueError:
        return
    assert show_value(value) is not None
