"""Layers of options: what wins, typed access, and changes at run time."""

import pytest

from snakka.options.option import OptionError, declare
from snakka.options.option_set import ConfigSource, Layer, OptionSet

DECLARED = declare("""
depth int 3 >=1 high cluster-wide
    Depth.
wide boolean false low
    Width.
ratio double 0.5 0..1 low
    Ratio.
place string null low
    Place.
limit int null low
    Limit.
places list null low
    Places.
id int required high
    Id.
""")


def option_set(**static: str) -> OptionSet:
    return OptionSet(DECLARED, [Layer(ConfigSource.STATIC_BROKER_CONFIG, static)])


def test_values_have_their_types() -> None:
    options = option_set(wide="true", ratio="1", places="a,b", id="7")
    assert options.integer("depth") == 3
    assert options.boolean("wide") is True
    assert options.double("ratio") == 1.0
    assert options.entries("places") == ("a", "b")
    assert options.text_or_none("place") is None
    assert options.integer_or_none("limit") is None
    assert options.integer_or_none("id") == 7
    assert option_set().entries("places") == ()


def test_asking_for_the_wrong_type_is_a_mistake_of_the_program() -> None:
    options = option_set(wide="true")
    for ask in (options.integer, options.text, options.entries):
        with pytest.raises(TypeError):
            ask("wide")
    with pytest.raises(KeyError):
        options.integer("no.such.option")


def test_a_required_option_that_is_missing_is_named() -> None:
    with pytest.raises(OptionError, match='"id"'):
        option_set().integer("id")


def test_a_bad_value_is_found_at_once() -> None:
    with pytest.raises(OptionError, match="Invalid value 0 for configuration depth"):
        option_set(depth="0")


def test_the_first_layer_that_names_an_option_wins() -> None:
    options = OptionSet(
        DECLARED,
        [
            Layer(ConfigSource.STATIC_BROKER_CONFIG, {"depth": "5"}),
            Layer(ConfigSource.DEFAULT_CONFIG, {"depth": "4", "id": "1"}),
        ],
    )
    assert options.integer("depth") == 5
    assert options.integer("id") == 1
    assert options.is_set("depth")
    assert not options.is_set("id")


def test_run_time_changes_go_over_the_start_and_can_be_taken_back() -> None:
    start = option_set(depth="5")
    changed = start.with_dynamic({"depth": "6"}, {"depth": "7"}, pytest.fail)
    assert changed.integer("depth") == 7
    assert changed.with_dynamic({"depth": "6"}, {}, pytest.fail).integer("depth") == 6
    assert changed.with_dynamic({}, {}, pytest.fail).integer("depth") == 5
    assert start.integer("depth") == 5


def test_a_stored_value_that_is_bad_is_left_out_and_reported() -> None:
    complaints: list[str] = []
    options = option_set(depth="5").with_dynamic({"depth": "0"}, {"wide": "perhaps"}, complaints.append)
    assert options.integer("depth") == 5
    assert options.boolean("wide") is False
    assert len(complaints) == 2


def test_a_listener_sees_what_is_set_for_it() -> None:
    options = option_set(**{"listener.name.inner.depth": "9", "depth": "5"})
    assert options.for_listener("INNER").integer("depth") == 9
    assert options.for_listener("OUTER").integer("depth") == 5
    with pytest.raises(OptionError, match="depth"):
        option_set(**{"listener.name.inner.depth": "0"})
