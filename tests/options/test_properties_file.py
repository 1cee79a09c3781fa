"""Config files: every turn of Java's properties syntax, and TOML."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.options.option import OptionError
from snakka.options.properties_file import parse_properties, parse_toml, read_config_file


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", {"a": "b"}),
        ("a:b\nc d\ne\tf\ng", {"a": "b", "c": "d", "e": "f", "g": ""}),
        ("a = b ", {"a": "b "}),
        ("  \t\f a \t= \f b", {"a": "b"}),
        ("a==b", {"a": "=b"}),
        ("a b=c", {"a": "b=c"}),
        ("# no\n ! no\n\n   \na=#yes", {"a": "#yes"}),
        ("a=1\ra=2\r\na=3", {"a": "3"}),
        ("a=b,\\\n    c,\\\r\n\td", {"a": "b,c,d"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a=b\\\\\\\nc", {"a": "b\\c"}),
        ("a=b\\\n# not a comment", {"a": "b# not a comment"}),
        ("# comment \\\na=b", {"a": "b"}),
        ("\\\n  # a comment\na=b", {"a": "b"}),
        ("a=b\\\n\nc=d", {"a": "b", "c": "d"}),
        ("a\\ b\\=c\\:d=e", {"a b=c:d": "e"}),
        ('a=\\t\\n\\r\\f\\z\\"', {"a": '\t\n\r\fz"'}),
        ("a=\\u0041\\u00e9\\uD83D\\uDE00", {"a": "Aé😀"}),
        ("a=b\\", {"a": "b"}),
        ("", {}),
    ],
)
def test_properties_mean_what_they_mean_to_java(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


def test_a_bad_escape_is_named_by_its_line_and_not_by_its_value() -> None:
    with pytest.raises(OptionError) as caught:
        parse_properties("a=1\n\nssl.key.password=geheim\\u12", "server.properties")
    assert str(caught.value) == "server.properties, line 3: malformed \\uXXXX escape"


NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)


@given(st.dictionaries(NAMES, st.text(st.characters(exclude_categories=("Cs",)))))
def test_what_is_escaped_reads_back(entries: dict[str, str]) -> None:
    def escaped(text: str) -> str:
        return "".join(c if c.isascii() and c.isalnum() else _unit_escapes(c) for c in text)

    assert (
        parse_properties("\n".join(f"{escaped(key)}={escaped(value)}" for key, value in entries.items()))
        == entries
    )


def _unit_escapes(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


@given(st.lists(st.sampled_from([*"ab=: \t\f\\\n\r#!u0041", "\\u", "\\u0041"]), max_size=40).map("".join))
def test_any_text_is_properties_or_an_option_error(text: str) -> None:
    try:
        properties = parse_properties(text)
    except OptionError as error:
        said = re.fullmatch(r"properties, line (\d+): malformed \\uXXXX escape", str(error))
        assert said is not None
        assert "\\u" in "".join(re.split(r"\r\n|\r|\n", text)[int(said[1]) - 1 :])
        return
    # Nothing is made up, and nothing that separates is left in a key unless it was escaped.
    assert all(set(key + value) <= {*text, "A", "\n"} for key, value in properties.items())
    if "\\" not in text:
        assert not [key for key in properties if set(key) & set("=: \t\f\r\n")]


def test_toml_tables_give_dotted_names() -> None:
    content = b"""
    "log.dirs" = ["/a", "/b"]
    num.partitions = 3
    [log.retention]
    ms = -1
    [log.cleaner]
    enable = false
    min.cleanable.ratio = 0.25
    """
    assert parse_toml(content) == {
        "log.dirs": "/a,/b",
        "num.partitions": "3",
        "log.retention.ms": "-1",
        "log.cleaner.enable": "false",
        "log.cleaner.min.cleanable.ratio": "0.25",
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = ", "broker.toml: "),
        (b"a = 1979-05-27", "broker.toml: a must be"),
        (b'"a.b" = 1\n[a]\nb = 2', "broker.toml: a.b is set twice"),
        (b"\xff = 1", "broker.toml: "),
    ],
)
def test_bad_toml_is_one_line(content: bytes, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_toml(content, "broker.toml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_files_are_told_apart_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[num]\npartitions = 3\n")
    (tmp_path / "a.properties").write_bytes("broker.rack=Zürich\n".encode())
    (tmp_path / "old").write_bytes("broker.rack=Zürich\n".encode("latin-1"))
    assert read_config_file(str(tmp_path / "a.toml")) == {"num.partitions": "3"}
    assert read_config_file(str(tmp_path / "a.properties")) == {"broker.rack": "Zürich"}
    assert read_config_file(str(tmp_path / "old")) == {"broker.rack": "Zürich"}


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"can't read the config file .*: No such file"):
        read_config_file(str(tmp_path / "nothing.properties"))
