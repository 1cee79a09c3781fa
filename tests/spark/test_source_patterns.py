"""Java's patterns, matched by Python: what is translated means the same, and what can't be is refused."""

import pytest

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.source.java_patterns import compile_java_pattern

NAMES = ["orders", "orders-eu", "Orders.v2", "clicks_1", "x", "a.b", "aab", "1-2-3", "UPPER"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("orders", ["orders", "orders-eu"]),  # anywhere in the name, as Spark searches
        ("^orders$", ["orders"]),
        (r"\Aorders\z", ["orders"]),
        (r"orders\Z", ["orders"]),
        (r"\Qa.b\E", ["a.b"]),
        (r"\Qa.b", ["a.b"]),
        (r"^\p{Upper}+$", ["UPPER"]),
        (r"^\p{Lu}", ["Orders.v2", "UPPER"]),
        (r"^\P{Alpha}", ["1-2-3"]),
        (r"^[\p{Digit}-]+$", ["1-2-3"]),
        (r"(?<letter>a)\k<letter>", ["aab"]),
        ("(?i)^upper$", ["UPPER"]),
        ("^(?i)ORDERS$", ["orders"]),
        ("^(?:(?i)o)RDERS|^o(?-i)rders$", ["orders"]),
        ("(?u)^x$", ["x"]),
        (r"^1(?i)X|^up|^A\.B$", ["a.b", "UPPER"]),  # flags hold in the alternatives behind them
        ("(^1(?i)X|^up)P|^A", ["UPPER"]),
        ("^(?i:UP)PER$", ["UPPER"]),
        ("(?<=orders)-", ["orders-eu"]),
        ("^a++b$", ["aab"]),
        ("^(?>a*)b$", ["aab"]),
        (r"^\x61\x{61}b$", ["aab"]),
        (r"clicks[_|&~]\d", ["clicks_1"]),
        (r"^[^\h]$", ["x"]),
    ],
)
def test_translated(pattern: str, found: list[str]) -> None:
    compiled = compile_java_pattern(pattern)
    assert [name for name in NAMES if compiled.search(name)] == found


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("[a-z&&[^b]]", "an intersection of classes"),
        ("[a[b]]", "a class inside of a class"),
        (r"\p{IsGreek}", r"\\p{IsGreek}"),
        (r"[\P{Alpha}]", r"\\P{Alpha} in brackets"),
        (r"\Gx", r"\\G"),
        (r"(?<a>x)\k<a", r"\\k with what follows"),
        (r"\x{61", r"\\x with what follows"),
        (r"\x{zz}", r"\\x with what follows"),
        (r"\p{^Alpha}", r"\\p{{}"),
        (r"\X", r"\\X"),
        ("(?U)x", "the flag U"),
        ("[abc", "brackets that are not closed"),
        ("abc\\", "a backslash at the end"),
        ("(abc", "is no pattern"),
    ],
)
def test_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(SparkOptionError, match=reason):
        compile_java_pattern(pattern)
