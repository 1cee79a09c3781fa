"""Avro values that nobody wants: only where they end is found, by few lanes one by one and by many at once."""

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.spark.test_decoding_avro import decoded, decoder, encoded, record, schemas_and_values

from snakka.spark.decoding.avro_schema import AvroSchema
from snakka.spark.decoding.avro_skipped import skipping
from snakka.spark.decoding.lanes import Lanes

MANY = 20  # more lanes than are walked one by one
TOO_DEEP = "has more than 300 values inside one another"
ENDS_EARLY = "ends before its last field does"
LONGER = "has an array that is longer than its bytes"
REST = b"the rest"
PROPERTIES = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def skipped(schema: Any, values: list[bytes]) -> tuple[list[int], list[str | None]]:
    """How many bytes are left behind the first value of each, and what is wrong with it."""
    parsed = AvroSchema.of(json.dumps(schema))
    lanes = Lanes.over(pa.array(values, pa.binary()))
    column = skipping(parsed, parsed.root).read(lanes)
    assert (column.type, len(column)) == (pa.null(), len(values))
    assert np.array_equal(lanes.position[lanes.failed()], lanes.end[lanes.failed()])
    return (lanes.end - lanes.position).tolist(), lanes.failures.column().to_pylist()


def skipped_both_ways(schema: Any, values: list[bytes]) -> tuple[list[int], list[str | None]]:
    """The same by few lanes, which are walked, and by many."""
    walked = [skipped(schema, [value]) for value in values]
    left, errors = [each[0][0] for each in walked], [each[1][0] for each in walked]
    assert skipped(schema, values * MANY) == (left * MANY, errors * MANY)
    return left, errors


@PROPERTIES
@given(schemas_and_values())
def test_any_value_of_any_schema_ends_where_its_writer_ended(drawn: tuple[Any, list[Any]]) -> None:
    schema, data = drawn
    values = [encoded(schema, datum) + REST for datum in data]
    assert skipped_both_ways(schema, values) == ([len(REST)] * len(values), [None] * len(values))


@PROPERTIES
@given(schemas_and_values(), st.data())
def test_few_and_many_say_the_same_of_any_bytes(drawn: tuple[Any, list[Any]], data: st.DataObject) -> None:
    schema, good = drawn
    values = []
    for value in (encoded(schema, datum) for datum in good):
        torn = value[: data.draw(st.integers(0, len(value)))]
        values += [value, torn, data.draw(st.binary(max_size=30))]
    left, errors = skipped_both_ways(schema, values)
    assert (left[::3], errors[::3]) == ([0] * len(good), [None] * len(good))
    # Whoever wants a value may refuse more than one who does not: what is read to its end is skipped to its end.
    _, told = decoder(schema).decode(pa.array(values, pa.binary()))
    for place in np.flatnonzero(told.is_null().to_numpy(zero_copy_only=False)):
        assert (left[place], errors[place]) == (0, None)


def zigzag(number: int) -> bytes:
    value = number << 1 if number >= 0 else (-number << 1) - 1
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*written, value))


NULLS = {"type": "array", "items": "null"}
EMPTY = {"type": "array", "items": record(name="Empty")}
THREES = {"type": "array", "items": {"type": "fixed", "name": "Three", "size": 3}}
TEXTS = {"type": "array", "items": "string"}


@pytest.mark.parametrize(
    ("schema", "value", "left", "error"),
    [
        # Items without bytes may be as many as there are numbers, and cost nothing.
        (NULLS, zigzag(2**62) + b"\0", 0, None),
        (EMPTY, zigzag(2**62) * 3 + b"\0", 0, None),
        # Items of one size are stepped over at once, all others one by one.
        (THREES, zigzag(2) + b"abcdef" + zigzag(1) + b"ghi\0", 0, None),
        (THREES, zigzag(3) + b"abcdef\0", 0, LONGER),
        (THREES, zigzag(2**62) + b"abcdef\0", 0, LONGER),
        (TEXTS, zigzag(2) + b"\x02a\x04bc\0", 0, None),
        (TEXTS, zigzag(9) + b"\x02a\x04bc\0", 0, LONGER),
        (TEXTS, zigzag(5) + b"\x02a\x04bc\0", 0, ENDS_EARLY),
        # A block that says how many bytes it has is not looked into.
        (TEXTS, zigzag(-2) + zigzag(3) + b"???" + zigzag(1) + b"\x02a\0", 0, None),
        (TEXTS, zigzag(-1) + zigzag(30) + b"???\0", 0, ENDS_EARLY),
        (TEXTS, zigzag(-1) + zigzag(-3) + b"???\0", 0, ENDS_EARLY),
        ({"type": "fixed", "name": "Vast", "size": 2**70}, b"abc", 0, ENDS_EARLY),
        ("long", b"\xff" * 11, 0, "has a number of more than ten bytes"),
        ("int", zigzag(2**31) + b"x", 0, "has an int of more than 32 bits"),
        ("int", zigzag(-(2**31)) + b"x", 1, None),
        ("boolean", b"\2", 0, "has a boolean that is neither 0 nor 1"),
        (["null", "string"], b"\4a", 0, "has a branch that its union does not have"),
        (["null", "string"], b"\1a", 0, "has a branch that its union does not have"),
        ("string", b"\3ab", 0, ENDS_EARLY),
    ],
)
def test_blocks_and_what_is_wrong(schema: Any, value: bytes, left: int, error: str | None) -> None:
    assert skipped_both_ways(schema, [value]) == ([left], [error])


CHAIN = record(("next", ["null", "Chain"]), name="Chain")


def test_a_value_may_be_300_deep() -> None:
    """A record, and a union in each; deeper ones fail alone."""
    deep, deeper = b"\2" * 149 + b"\0", b"\2" * 150 + b"\0"
    assert skipped_both_ways(CHAIN, [deep, deeper, b"\0"]) == ([0, 0, 0], [None, TOO_DEEP, None])


@pytest.mark.parametrize(
    "schema",
    [
        record(("left", "Twice"), ("right", "Twice"), name="Twice"),
        record(("left", ["null", "Twice"]), ("right", ["null", "Twice"]), name="Twice"),
        record(("all", {"type": "array", "items": "Twice"}), ("more", "Twice"), name="Twice"),
        record(("all", {"type": "map", "values": "Twice"}), ("more", "Twice"), name="Twice"),
    ],
)
@pytest.mark.timeout(30)
def test_a_record_that_is_inside_itself_twice_costs_no_more_for_that(schema: Any) -> None:
    """Else its 300 levels would be twice as much work each: more than all machines have done."""
    values = [b"", b"\2" * 5, b"\2" * 5000, b"\2\2a" * 500, b"\2\0" * 500 + b"\2"]
    left, errors = skipped_both_ways(schema, values)
    assert left == [0] * len(values)
    assert None not in errors


@pytest.mark.timeout(30)
def test_a_tree_of_many_leaves_is_found_to_its_end() -> None:
    schema = record(
        ("kids", {"type": "array", "items": "Tree"}),
        ("named", {"type": "map", "values": "Tree"}),
        ("label", ["null", "string"]),
        name="Tree",
    )

    def tree(depth: int) -> dict[str, Any]:
        kids = [tree(depth - 1) for _ in range(3)] if depth else []
        return {"kids": kids, "named": {"a": tree(0)} if depth else {}, "label": "x" * depth or None}

    values = [encoded(schema, tree(depth)) + REST for depth in range(6)]
    assert skipped_both_ways(schema, values) == ([len(REST)] * 6, [None] * 6)


def test_what_is_skipped_beside_what_is_wanted_fails_its_own_row_only() -> None:
    schema = record(("gone", TEXTS), ("id", "long"))
    rows, errors = decoded(record(("id", "long")), [b"\2", b""])
    assert (rows, errors) == ([{"id": 1}, None], [None, ENDS_EARLY])
    assert skipped_both_ways(schema, [b"\0\2", b"\2\x02a\0\2", b"\2"]) == ([0, 0, 0], [None, None, LONGER])
