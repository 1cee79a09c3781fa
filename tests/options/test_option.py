"""A declaration, what it allows, and the one line that a bad value gets."""

import pytest

from snakka.options.option import CLUSTER_WIDE, READ_ONLY, OptionError, base_name, declare, find_option

DECLARED = declare("""
# A section, which is a comment
lamp.count int 3 >=1 high cluster-wide
    How many lamps
    there are.
lamp.colour string white {white,red} low inert
    Their colour.
lamp.level int -1 1..9|-1 low
    How bright.
lamp.mode string soft ~{SOFT,HARD} low internal
    Soft or hard.
lamp.places list null + high
    Where they hang.
lamp.secret password null medium
    Do not tell.
lamp.name string required high
    Called so.
lamp.ms long 5 >=0 medium <lamp.time.ms,lamp.time.hours*3600000
    A time.
lamp.note string '' low
    Anything.
""")


def test_a_declaration_has_all_that_was_said() -> None:
    count = DECLARED["lamp.count"]
    assert (count.default, count.importance, count.update, count.effect) == (3, "high", CLUSTER_WIDE, True)
    assert count.doc == "How many lamps there are."
    assert not DECLARED["lamp.colour"].effect
    assert DECLARED["lamp.colour"].update == READ_ONLY
    assert DECLARED["lamp.mode"].internal
    assert DECLARED["lamp.places"].default is None
    assert DECLARED["lamp.name"].required
    assert DECLARED["lamp.note"].default == ""
    assert DECLARED["lamp.ms"].synonyms == (("lamp.time.ms", 1), ("lamp.time.hours", 3_600_000))
    assert len(DECLARED) == 9


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("lamp.count", "1", 1),
        ("lamp.level", "-1", -1),
        ("lamp.level", "9", 9),
        ("lamp.mode", "hard", "hard"),
        ("lamp.places", "hall,kitchen", ("hall", "kitchen")),
    ],
)
def test_allowed_values_pass(name: str, text: str, value: object) -> None:
    assert DECLARED[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("lamp.count", "0", "Invalid value 0 for configuration lamp.count: must be at least 1"),
        ("lamp.count", "x", "Invalid value x for configuration lamp.count: must be a whole number (int)"),
        ("lamp.level", "10", "Invalid value 10 for configuration lamp.level: must be between 1 and 9 or -1"),
        ("lamp.colour", "RED", "Invalid value RED for configuration lamp.colour: must be one of white, red"),
        ("lamp.places", "", "Invalid value  for configuration lamp.places: must not be empty"),
        (
            "lamp.places",
            "a,,b",
            "Invalid value a,,b for configuration lamp.places: must not contain empty entries",
        ),
    ],
)
def test_a_bad_value_names_option_value_and_what_is_allowed(name: str, text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        DECLARED[name].parse(text)
    assert str(caught.value) == message


def test_a_stored_value_is_read_but_not_judged() -> None:
    assert DECLARED["lamp.count"].convert("0") == 0
    with pytest.raises(OptionError):
        DECLARED["lamp.count"].convert("none")


def test_a_secret_is_in_no_message() -> None:
    option = declare("key password null + high\n  A key.")["key"]
    assert option.sensitive
    with pytest.raises(OptionError) as caught:
        option.parse("  ")
    assert "[hidden]" in str(caught.value)


@pytest.mark.parametrize(
    ("allowed", "kind", "good", "bad"),
    [
        ("@voters", "list", ["", "1@host:9093,2@[::1]:9093"], ["1", "host:9093", "x@h:1", "1@h:"]),
        ("@servers", "list", ["host:9093", "[fe80::1]:1,h:2"], ["host", "h:123456"]),
        ("@replicas", "list", ["", "*", "0:1,1:2"], ["0-1", "none", "0:1,*"]),
        (
            "@reset",
            "string",
            ["latest", "earliest", "by_duration:PT1H", "by_duration:P1DT2H3M4.5S"],
            ["", "EARLIEST", "by_duration:", "by_duration:P", "by_duration:-PT1H", "by_duration:PT"],
        ),
        ("@host-counts", "string", ["", "127.0.0.1:5", "::1:5, host:7"], ["127.0.0.1", ":5", "a b:5", "h:x"]),
        ("+{a,b}", "list", ["a", "b,a"], ["", "c", "a,"]),
        ("{a,b}", "list", ["", "a,b,a"], ["A"]),
    ],
)
def test_formats(allowed: str, kind: str, good: list[str], bad: list[str]) -> None:
    option = declare(f"it {kind} null {allowed} low\n  It.")["it"]
    for text in good:
        option.parse(text)
    for text in bad:
        with pytest.raises(OptionError):
            option.parse(text)


def test_a_listener_s_prefix_and_a_mechanism_lead_to_the_option() -> None:
    assert base_name("listener.name.internal.max.connections") == "max.connections"
    assert base_name("listener.name.sasl_ssl.plain.sasl.jaas.config") == "sasl.jaas.config"
    assert base_name("listeners") == "listeners"
    assert find_option(DECLARED, "listener.name.x.lamp.count") is DECLARED["lamp.count"]
    assert find_option(DECLARED, "listener.name.x.lamp.unknown") is None
