"""Avro into Arrow columns, against fastavro, which encodes and decodes on its own."""

import datetime
import decimal
import io
import json
import struct
import uuid
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.spark.decoding_registry import Registry

from snakka.spark.decoding import DecodingError, DecodingSpec
from snakka.spark.decoding.avro import AvroDecoder
from snakka.spark.decoding.avro_columns import Whole
from snakka.spark.decoding.lanes import Lanes

UTC = datetime.UTC


def encoded(schema: Any, datum: Any) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(schema), datum)
    return buffer.getvalue()


def decoder(schema: Any, **more: Any) -> AvroDecoder:
    return AvroDecoder.of(DecodingSpec("avro", schema=json.dumps(schema), **more))


def decoded(schema: Any, values: list[bytes | None]) -> tuple[list[Any], list[str | None]]:
    rows, errors = decoder(schema).decode(pa.array(values, pa.binary()))
    rows.validate(full=True)
    return rows.to_pylist(), errors.to_pylist()


def record(*fields: tuple[Any, ...], name: str = "Order") -> dict[str, Any]:
    """Fields are (name, type) or (name, type, default)."""
    keys = ("name", "type", "default")
    return {
        "type": "record",
        "name": name,
        "fields": [dict(zip(keys, each, strict=False)) for each in fields],
    }


def framed(schema_id: int, value: bytes) -> bytes:
    return struct.pack(">bI", 0, schema_id) + value


# -- Any schema, any value ---------------------------------------------------------------------------------------------

_MICROS = st.integers(-(10**15), 10**15)
_SIMPLE = {
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False),
    "double": st.floats(allow_nan=False),
    "bytes": st.binary(max_size=20),
    "string": st.text(max_size=12),
}
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


def _logical(kind: str, logical: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": logical, **more}


class Schemas:
    """Draws schemas whose named types have names of their own."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._names = 0

    def _name(self) -> str:
        self._names += 1
        return f"N{self._names}"

    def type(self, depth: int) -> Any:
        kinds = [
            *_SIMPLE,
            "date",
            "millis",
            "micros",
            "local",
            "decimal",
            "fixed-decimal",
            "uuid",
            "enum",
            "fixed",
        ]
        if depth:
            kinds += ["record", "array", "map", "nullable", "nullable", "union"]
        kind = self._draw(st.sampled_from(kinds))
        made = {
            "date": lambda: _logical("int", "date"),
            "millis": lambda: _logical("long", "timestamp-millis"),
            "micros": lambda: _logical("long", "timestamp-micros"),
            "local": lambda: _logical("long", "local-timestamp-micros"),
            "decimal": lambda: _logical("bytes", "decimal", precision=12, scale=3),
            "fixed-decimal": lambda: _logical(
                "fixed", "decimal", precision=12, scale=3, size=7, name=self._name()
            ),
            "uuid": lambda: _logical("string", "uuid"),
            "enum": lambda: {"type": "enum", "name": self._name(), "symbols": ["A", "B", "C"]},
            "fixed": lambda: {"type": "fixed", "name": self._name(), "size": 3},
            "record": lambda: self.record(depth - 1),
            "array": lambda: {"type": "array", "items": self.type(depth - 1)},
            "map": lambda: {"type": "map", "values": self.type(depth - 1)},
            "nullable": lambda: ["null", self._not_a_union(depth - 1)],
            "union": lambda: ["null", "string", "double", self.record(depth - 1)],
        }
        return made[kind]() if kind in made else kind

    def _not_a_union(self, depth: int) -> Any:
        kind = self.type(depth)
        return kind if not isinstance(kind, list) else kind[1]

    def record(self, depth: int) -> dict[str, Any]:
        count = self._draw(st.integers(1, 4))
        return record(*((f"f{place}", self.type(depth)) for place in range(count)), name=self._name())


def _value(draw: st.DrawFn, schema: Any) -> Any:
    if isinstance(schema, list):
        return _value(draw, draw(st.sampled_from([None, *schema[1:]])))
    if schema is None:
        return None
    kind = schema if isinstance(schema, str) else schema["type"]
    logical = None if isinstance(schema, str) else schema.get("logicalType")
    if logical == "date":
        return draw(st.dates())
    if logical is not None and "timestamp" in logical:
        moment = _EPOCH + datetime.timedelta(microseconds=draw(_MICROS))
        if logical.endswith("millis"):
            moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        return moment.replace(tzinfo=None) if logical.startswith("local") else moment
    if logical == "decimal":
        return decimal.Decimal(draw(st.integers(-(10**12) + 1, 10**12 - 1))).scaleb(-3)
    if logical == "uuid":
        return draw(st.uuids())
    if kind == "enum":
        return draw(st.sampled_from(schema["symbols"]))
    if kind == "fixed":
        return draw(st.binary(min_size=schema["size"], max_size=schema["size"]))
    if kind == "array":
        return [_value(draw, schema["items"]) for _ in range(draw(st.integers(0, 3)))]
    if kind == "map":
        return {key: _value(draw, schema["values"]) for key in draw(st.sets(st.text(max_size=3), max_size=3))}
    if kind == "record":
        return {field["name"]: _value(draw, field["type"]) for field in schema["fields"]}
    return draw(_SIMPLE[kind])


@st.composite
def schemas_and_values(draw: st.DrawFn) -> tuple[Any, list[Any]]:
    schema = Schemas(draw).record(2)
    return schema, [_value(draw, schema) for _ in range(draw(st.integers(1, 5)))]


def _as_columns(schema: Any, value: Any) -> Any:
    """What fastavro makes of a value, as Arrow shows it."""
    if isinstance(schema, list):
        members = schema[1:]
        if value is None:
            return None
        if len(members) == 1:
            return _as_columns(members[0], value)
        kinds = {str: 0, float: 1, dict: 2}
        return {
            f"member{place}": _as_columns(member, value) if kinds[type(value)] == place else None
            for place, member in enumerate(members)
        }
    kind = schema if isinstance(schema, str) else schema["type"]
    if kind == "record":
        return {field["name"]: _as_columns(field["type"], value[field["name"]]) for field in schema["fields"]}
    if kind == "array":
        return [_as_columns(schema["items"], each) for each in value]
    if kind == "map":
        return [(key, _as_columns(schema["values"], each)) for key, each in value.items()]
    return str(value) if isinstance(value, uuid.UUID) else value


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas_and_values())
def test_any_value_of_any_schema_is_what_fastavro_reads(drawn: tuple[Any, list[Any]]) -> None:
    schema, data = drawn
    values = [encoded(schema, datum) for datum in data]
    parsed = fastavro.parse_schema(schema)
    wanted = [_as_columns(schema, fastavro.schemaless_reader(io.BytesIO(value), parsed)) for value in values]
    for times in (1, 20):  # what few values have many of is found in another way
        rows, errors = decoded(schema, values * times)
        assert errors == [None] * len(values) * times
        assert rows == wanted * times


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas_and_values(), st.data())
def test_broken_values_never_harm_their_neighbours(drawn: tuple[Any, list[Any]], data: st.DataObject) -> None:
    schema, good = drawn
    values = [encoded(schema, datum) for datum in good]
    rows, _ = decoded(schema, values)
    mixed: list[bytes | None] = []
    for value in values:
        torn = value[: data.draw(st.integers(0, len(value)))]
        mixed += [data.draw(st.binary(max_size=30)), value, torn, None, value + b"\0"]
    found, told = decoder(schema).decode(pa.array(mixed, pa.binary()))
    found.validate(full=True)
    errors = told.to_pylist()
    # Any bytes may be a date that Spark knows and Python does not: only what is compared becomes Python's.
    assert [found[place].as_py() for place in range(1, len(mixed), 5)] == rows
    assert [errors[place] for place in range(1, len(mixed), 5)] == [None] * len(rows)
    assert not any(row.is_valid for row, error in zip(found, errors, strict=True) if error)
    assert not any(found[place].is_valid or errors[place] for place in range(3, len(mixed), 5))
    assert all(errors[place] == "goes on after its last field" for place in range(4, len(mixed), 5))
    many, told = decoder(schema).decode(pa.array(mixed * 20, pa.binary()))
    assert told.to_pylist() == errors * 20
    assert many.slice(0, len(mixed)).equals(found)


# -- What is wrong, in words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("long", b"", "ends before its last field does"),
        ("long", b"\xff" * 11, "has a number of more than ten bytes"),
        ("int", b"\x80\x80\x80\x80\x80\x01", "has an int of more than 32 bits"),
        ("string", b"\x04\xff\xff", "holds text that is not UTF-8"),
        ("string", b"\x05", "ends before its last field does"),
        ("boolean", b"\x02", "has a boolean that is neither 0 nor 1"),
        (["null", "long"], b"\x04", "has a branch that its union does not have"),
        (
            {"type": "array", "items": "long"},
            b"\xfe\xff\xff\xff\x0f",
            "has an array that is longer than its bytes",
        ),
        (
            {"type": "array", "items": "null"},
            b"\xfe\xff\xff\xff\x0f\0",
            "has an array that is longer than its bytes",
        ),
        (
            {"type": "enum", "name": "E", "symbols": ["A"]},
            b"\x02",
            "has an enum's symbol that its schema does not know",
        ),
        (
            _logical("bytes", "decimal", precision=2, scale=0),
            b"\x02\x70",
            "has a decimal of more than 2 digits",
        ),
        (
            _logical("long", "timestamp-millis"),
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            "has a time beyond Spark's",
        ),
    ],
)
def test_an_error_says_what_is_wrong(kind: Any, value: bytes, error: str) -> None:
    rows, errors = decoded(record(("f", kind)), [value])
    assert (rows, errors) == ([None], [error])


def test_a_slice_of_a_batch_is_decoded_as_such() -> None:
    schema = record(("id", "long"), ("name", "string"))
    values = pa.array([encoded(schema, {"id": number, "name": f"n{number}"}) for number in range(10)])
    rows, errors = decoder(schema).decode(values.slice(3, 4))
    assert [row["id"] for row in rows.to_pylist()] == [3, 4, 5, 6]
    assert errors.null_count == 4
    rows, errors = decoder(schema).decode(values.slice(0, 0))
    assert len(rows) == len(errors) == 0
    large, _ = decoder(schema).decode(values.cast(pa.large_binary()).slice(3, 4))
    assert [row["id"] for row in large.to_pylist()] == [3, 4, 5, 6]


def test_a_schema_that_is_no_record_becomes_one_column() -> None:
    assert decoded("long", [encoded("long", 7), b""]) == (
        [{"value": 7}, None],
        [None, "ends before its last field does"],
    )


def test_sixteen_bytes_are_shown_as_a_uuid() -> None:
    schema = record(("id", {"type": "fixed", "size": 16, "name": "U", "logicalType": "uuid"}))
    one = uuid.UUID("0123abcd-4567-89ef-0123-456789abcdef")
    assert decoded(schema, [one.bytes]) == ([{"id": str(one)}], [None])


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"scale": 2},
        {"precision": 0},
        {"precision": -4},
        {"precision": "4"},
        {"precision": True},
        {"precision": 2, "scale": 3},
        {"precision": 4, "scale": -1},
        {"precision": 4, "scale": None},
        {"precision": 39},  # right for Avro, and more than Spark's decimals have
    ],
)
def test_a_decimal_against_avros_rules_is_the_bytes_that_it_is_made_of(wrong: dict[str, Any]) -> None:
    schema = record(
        ("price", _logical("bytes", "decimal", **wrong)),
        ("paid", ["null", _logical("fixed", "decimal", size=2, name="Paid", **wrong)]),
        ("rest", {"type": "array", "items": "Paid"}),
        ("good", _logical("bytes", "decimal", precision=4, scale=4)),
    )
    row = {"price": b"\x04\xd2", "paid": b"\xff\xfe", "rest": [b"ab"], "good": decimal.Decimal("0.1234")}
    values: list[bytes | None] = [
        b"\x04\x04\xd2" + b"\x02\xff\xfe" + b"\x02ab\x00" + b"\x04\x04\xd2",
        b"\x04",
    ]
    assert decoded(schema, values) == ([row, None], [None, "ends before its last field does"])


def test_only_as_many_digits_as_fit_make_a_fixed_a_decimal() -> None:
    def fixed(digits: int) -> Any:
        return record(("f", _logical("fixed", "decimal", size=2, name="F", precision=digits)))

    assert decoded(fixed(4), [b"\x04\xd2"]) == ([{"f": decimal.Decimal(1234)}], [None])
    assert decoded(fixed(5), [b"\x04\xd2"]) == ([{"f": b"\x04\xd2"}], [None])


def test_a_decimal_may_have_more_bytes_than_it_needs() -> None:
    fixed = {"type": "fixed", "size": 20, "name": "F", "logicalType": "decimal", "precision": 38, "scale": 2}
    numbers = [
        decimal.Decimal(text) for text in ("0", "12.34", "-12.34", f"{'9' * 36}.99", f"-{'9' * 36}.99")
    ]
    rows, errors = decoded(
        record(("d", fixed)), [encoded(record(("d", fixed)), {"d": each}) for each in numbers]
    )
    assert ([row["d"] for row in rows], errors) == (numbers, [None] * 5)
    padded = _logical("bytes", "decimal", precision=5, scale=1)
    values = [
        b"\x24" + b"\xff" * 17 + b"\x85",  # eighteen bytes, -123
        b"\x04\xff\x85",
        b"\x24" + b"\0" * 17 + b"\x7b",
        b"\x24" + b"\0\1" + b"\0" * 16,
        b"\x22\0" + b"\xff" * 16,  # a first bit that is no sign
        b"\x22\xff" + b"\0" * 16,
    ]
    rows, errors = decoded(record(("d", padded)), values)
    assert rows[:3] == [{"d": decimal.Decimal(text)} for text in ("-12.3", "-12.3", "12.3")]
    assert rows[3:] == [None] * 3
    assert errors == [None] * 3 + ["has a decimal of more than sixteen bytes"] * 3


def test_a_fixed_of_another_size_is_no_uuid() -> None:
    schema = record(("id", {"type": "fixed", "size": 4, "name": "U", "logicalType": "uuid"}), ("n", "int"))
    assert decoded(schema, [b"abcd\x0e"]) == ([{"id": b"abcd", "n": 7}], [None])


def test_a_writers_decimal_without_precision_is_read_as_the_readers_decimal() -> None:
    reader = record(("price", _logical("bytes", "decimal", precision=4, scale=2)))
    with Registry() as registry:
        made = decoder(reader, registry_url=registry.url)
        texts = [
            json.dumps(record(("price", _logical("bytes", "decimal", **wrong))))
            for wrong in ({}, {"precision": 1, "scale": 2})
        ]
        values = [framed(registry.register("orders-value", text), b"\x04\x04\xd2") for text in texts]
        rows, errors = made.decode(pa.array(values))
    assert rows.to_pylist() == [{"price": decimal.Decimal("12.34")}] * 2
    assert errors.to_pylist() == [None, None]


def test_blocks_with_their_size_in_bytes_are_read() -> None:
    schema = record(("items", {"type": "array", "items": "long"}), ("end", "int"))
    # Two blocks: minus two items of two bytes, then one item.
    value = b"\x03\x04\x02\x04" + b"\x02\x06" + b"\x00" + b"\x0e"
    assert decoded(schema, [value]) == ([{"items": [1, 2, 3], "end": 7}], [None])


def test_few_values_of_many_items_take_no_step_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step has its price, however few values take it: of one value of a megabyte, they would take a minute."""
    item = record(("name", "string"), ("many", {"type": "array", "items": ["null", "string"]}), name="Item")
    schema = record(
        ("numbers", {"type": "array", "items": "int"}),
        ("by_name", {"type": "map", "values": item}),
        ("last", "string"),
    )
    datum = {
        "numbers": [(number * 7919) % 100_000 for number in range(150_000)],
        "by_name": {
            f"k{number}": {"name": "n" * (number % 3), "many": [None, "x"]} for number in range(3000)
        },
        "last": "z",
    }
    value = encoded(schema, datum)
    steps = 0
    reads = Whole.read

    def counted(self: Whole, lanes: Lanes) -> pa.Array:
        nonlocal steps
        steps += 1
        return reads(self, lanes)

    monkeypatch.setattr(Whole, "read", counted)
    rows, errors = decoded(schema, [value, value[: len(value) // 3], value])
    assert steps < 10
    assert errors == [None, "ends before its last field does", None]
    assert rows[1] is None
    for row in (rows[0], rows[2]):
        assert row["numbers"] == datum["numbers"]
        assert dict(row["by_name"]) == datum["by_name"]
        assert row["last"] == "z"


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{", "is no Avro schema"),
        ('{"type": "record", "name": "R"}', "R has no fields"),
        ('{"type": "strong"}', "is no Avro schema"),
        (json.dumps(record(("next", ["null", "Order"]))), "holds itself"),
    ],
)
def test_a_schema_that_can_not_be_used_is_refused(schema: str, reason: str) -> None:
    with pytest.raises(DecodingError, match=reason):
        AvroDecoder.of(DecodingSpec("avro", schema=schema))


# -- Writers' schemas and ours -----------------------------------------------------------------------------------------


def evolved(registry: Registry, reader: Any, *written: tuple[Any, Any]) -> tuple[list[Any], list[str | None]]:
    """Each value was written by its own schema and is read by the reader's."""
    made = decoder(reader, registry_url=registry.url)
    values = [
        framed(registry.register("orders-value", json.dumps(schema)), encoded(schema, datum))
        for schema, datum in written
    ]
    rows, errors = made.decode(pa.array(values))
    rows.validate(full=True)
    return rows.to_pylist(), errors.to_pylist()


def test_values_of_many_writers_become_the_columns_of_one_reader() -> None:
    reader = record(
        ("id", "long"),
        ("amount", "double"),
        ("note", ["null", "string"], None),
        ("currency", "string", "EUR"),
        ("tags", {"type": "array", "items": "string"}, ["new"]),
        ("at", _logical("long", "timestamp-millis"), 1000),
        ("raw", "bytes", "\u00ff"),
        ("line", record(("sku", "string"), ("n", "int", 1), name="Line"), {"sku": "-"}),
        ("counts", {"type": "map", "values": "long"}, {"a": 1}),
    )
    first = record(("id", "int"), ("amount", "float"))
    second = record(
        ("gone", {"type": "map", "values": "string"}), ("note", "string"), ("amount", "long"), ("id", "int")
    )
    third = record(
        ("id", "long"),
        ("amount", ["null", "double"]),
        ("line", record(("n", "int"), ("sku", "string"), name="Line")),
    )
    defaults = {
        "currency": "EUR",
        "tags": ["new"],
        "at": datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
        "raw": b"\xff",
        "line": {"sku": "-", "n": 1},
        "counts": [("a", 1)],
    }
    with Registry() as registry:
        rows, errors = evolved(
            registry,
            reader,
            (first, {"id": 1, "amount": 1.5}),
            (second, {"gone": {"x": "y"}, "note": "hi", "amount": 2, "id": 2}),
            (third, {"id": 3, "amount": 3.0, "line": {"n": 4, "sku": "s"}}),
            (third, {"id": 4, "amount": None, "line": {"n": 4, "sku": "s"}}),
        )
    assert rows[0] == {"id": 1, "amount": 1.5, "note": None, **defaults}
    assert rows[1] == {"id": 2, "amount": 2.0, "note": "hi", **defaults}
    assert rows[2] == {"id": 3, "amount": 3.0, "note": None, **defaults, "line": {"sku": "s", "n": 4}}
    assert rows[3] is None
    assert errors == [None] * 3 + ["is a null where the reader's schema has no place for one"]


def test_names_that_changed_are_found_by_their_aliases() -> None:
    reader = record(("customer", "string"))
    reader["fields"][0]["aliases"] = ["client"]
    with Registry() as registry:
        rows, errors = evolved(registry, reader, (record(("client", "string")), {"client": "c"}))
    assert (rows, errors) == ([{"customer": "c"}], [None])


def test_a_name_that_is_used_again_is_no_alias_of_what_had_it_before() -> None:
    reader = record(("full_name", "string"), ("name", "string", "none"))
    reader["fields"][0]["aliases"] = ["name"]
    before = record(("name", "string"))
    with Registry() as registry:
        rows, errors = evolved(
            registry, reader, (reader, {"full_name": "F", "name": "N"}), (before, {"name": "F"})
        )
    assert rows == [{"full_name": "F", "name": "N"}, {"full_name": "F", "name": "none"}]
    assert errors == [None, None]


def test_symbols_that_the_reader_lacks_become_its_default_or_an_error() -> None:
    def enum(symbols: list[str], **more: str) -> Any:
        return record(("s", {"type": "enum", "name": "S", "symbols": symbols, **more}))

    written = enum(["NEW", "SENT"])
    with Registry() as registry:
        data = [(written, {"s": symbol}) for symbol in ("NEW", "SENT")]
        assert evolved(registry, enum(["OTHER", "SENT"], default="OTHER"), *data)[0] == [
            {"s": "OTHER"},
            {"s": "SENT"},
        ]
        rows, errors = evolved(registry, enum(["SENT"]), *data)
    assert rows == [None, {"s": "SENT"}]
    assert errors == ["has the symbol NEW, which the reader's enum lacks", None]


def test_what_can_not_be_resolved_fails_its_rows_and_says_why() -> None:
    with Registry() as registry:
        rows, errors = evolved(
            registry,
            record(("id", "long"), ("must", "string")),
            (record(("id", "long")), {"id": 1}),
            (record(("id", "string"), ("must", "string")), {"id": "x", "must": ""}),
            (record(("id", "long"), ("must", "string")), {"id": 2, "must": "m"}),
        )
    assert rows == [None, None, {"id": 2, "must": "m"}]
    assert "must: the writer has no such field, and it has no default" in str(errors[0])
    assert "id: string can't be read as long" in str(errors[1])


def test_what_spark_has_no_type_for_is_passed_over_where_nobody_wants_it() -> None:
    """A writer's fields that the reader lacks may hold themselves, or nothing at all, or text that is none."""
    tree = record(("next", ["null", "Tree"]), ("all", {"type": "array", "items": "Tree"}), name="Tree")
    writer = record(
        ("tree", tree),
        ("empty", record(name="Empty")),
        ("event", ["Empty", "string", {"type": "map", "values": "Tree"}]),
        ("kind", {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}),
        ("hash", {"type": "fixed", "name": "Hash", "size": 3}),
        ("many", {"type": "array", "items": ["boolean", "double", "float", "bytes", "null"]}),
        ("id", "long"),
    )
    leaf = {"next": None, "all": []}
    datum = {
        "tree": {"next": {"next": leaf, "all": [leaf, leaf]}, "all": [leaf]},
        "empty": {},
        "event": {},
        "kind": "B",
        "hash": b"123",
        "many": [True, 2.5, b"x", None],
        "id": 7,
    }
    other = {**datum, "event": {"a": leaf, "b": {"next": leaf, "all": []}}, "tree": leaf, "id": 8}
    with Registry() as registry:
        rows, errors = evolved(registry, record(("id", "long")), (writer, datum), (writer, other))
        assert (rows, errors) == ([{"id": 7}, {"id": 8}], [None, None])
        # What nests without end ends somewhere.
        endless = registry.register("endless", json.dumps(record(("tree", tree), ("id", "long"))))
        made = decoder(record(("id", "long")), registry_url=registry.url)
        found, told = made.decode(pa.array([framed(endless, b"\2" * 5000), framed(endless, b"\0\0\2")]))
    assert found.to_pylist() == [None, {"id": 1}]
    assert told.to_pylist() == ["has more than 300 values inside one another", None]


def test_a_value_finds_its_branch_in_the_readers_union() -> None:
    reader = record(("u", ["null", "long", record(("z", "int"), name="Z"), "string"]))
    with Registry() as registry:
        rows, _ = evolved(
            registry,
            reader,
            (record(("u", "int")), {"u": 1}),
            (record(("u", ["string", "null"])), {"u": "s"}),
            (record(("u", record(("z", "int"), name="Z"))), {"u": {"z": 9}}),
            (record(("u", "null")), {"u": None}),
        )
    empty = {"member0": None, "member1": None, "member2": None}
    wanted = [{**empty, "member0": 1}, {**empty, "member2": "s"}, {**empty, "member1": {"z": 9}}, None]
    assert [row["u"] for row in rows] == wanted


@pytest.mark.parametrize(
    ("written", "datum", "why"),
    [
        ("double", 1.5, "double has no place in the reader's union"),
        ("float", 1.5, "float has no place in the reader's union"),
        ("string", "x", "string has no place in the reader's union"),
        ("boolean", True, "boolean has no place in the reader's union"),
        (record(("z", "int"), name="Z"), {"z": 1}, "record has no place in the reader's union"),
        (["long", "string"], "x", "is a string where the reader's schema has no place for one"),
        (["null", "long"], None, "is a null where the reader's schema has no place for one"),
        (["long", "double"], 2.5, "is a double where the reader's schema has no place for one"),
    ],
)
def test_what_has_no_place_in_a_union_of_ints_and_longs_is_an_error(
    written: Any, datum: Any, why: str
) -> None:
    with Registry() as registry:
        reader = record(("u", ["int", "long"]))
        rows, errors = evolved(
            registry, reader, (record(("u", written)), {"u": datum}), (record(("u", "int")), {"u": 3})
        )
    assert rows == [None, {"u": 3}]
    assert why in str(errors[0])
    assert errors[1] is None


def test_a_null_has_no_place_in_a_union_without_one() -> None:
    with Registry() as registry:
        reader = record(("u", ["int", "string"]))
        data = [(record(("u", ["null", "int"])), {"u": value}) for value in (None, 1)]
        rows, errors = evolved(registry, reader, *data)
    assert rows == [None, {"u": {"member0": 1, "member1": None}}]
    assert errors == ["is a null where the reader's schema has no place for one", None]


def test_ints_and_longs_of_one_union_are_longs() -> None:
    schema = record(("u", ["int", "long"]), ("v", ["null", "float", "double"]))
    assert decoded(schema, [b"\x00\x02\x00", b"\x02\x04\x04" + struct.pack("<d", 2.5)]) == (
        [{"u": 1, "v": None}, {"u": 2, "v": 2.5}],
        [None, None],
    )


def test_frames_and_ids_that_can_not_be_read_are_bad_rows() -> None:
    schema = record(("id", "long"))
    with Registry() as registry:
        good = registry.register("orders-value", json.dumps(schema))
        other = registry.register("events-value", "message M {}", "PROTOBUF")
        made = decoder(schema, registry_url=registry.url)
        values = [
            framed(good, b"\x02"),
            b"\x01\0\0\0\1\x02",
            b"\0\0",
            b"",
            None,
            framed(77, b"\x02"),
            framed(other, b""),
            framed(2**32 - 1, b"\x02"),
        ]
        rows, errors = made.decode(pa.array(values))
        made.decode(pa.array(values))
    unframed = "is not framed: a zero byte and a schema's id come first"
    assert rows.to_pylist() == [{"id": 1}, *[None] * 7]
    assert errors.to_pylist() == [
        None,
        unframed,
        unframed,
        unframed,
        None,
        "schema id 77 is not known to the schema registry",
        f"schema id {other} is PROTOBUF, not Avro",
        "is framed with a schema's id that can't be",
    ]
    assert registry.asked.count(f"/schemas/ids/{good}") == 1


def test_a_subject_is_the_readers_schema_with_what_it_refers_to() -> None:
    line = record(("sku", "string"), name="Line")
    order = record(("id", "long"), ("line", "Line"))
    with Registry() as registry:
        registry.register("line", json.dumps(line))
        references = [{"name": "Line", "subject": "line", "version": 1}]
        number = registry.register("orders-value", json.dumps(order), references=references)
        made = AvroDecoder.of(DecodingSpec("avro", registry_url=registry.url, subject="orders-value"))
        rows, errors = made.decode(pa.array([framed(number, b"\x02\x02s")]))
    assert (rows.to_pylist(), errors.to_pylist()) == ([{"id": 1, "line": {"sku": "s"}}], [None])
