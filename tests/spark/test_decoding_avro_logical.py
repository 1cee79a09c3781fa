"""Avro's logical types where the writer's is not the reader's: the same number, the same time, or an error."""

import datetime
import decimal
import io
import json
import struct
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spark.decoding_registry import Registry

from snakka.spark.decoding import DecodingSpec
from snakka.spark.decoding.avro import AvroDecoder, compiled
from snakka.spark.decoding.avro_columns import Reader
from snakka.spark.decoding.avro_resolution import UnresolvableError
from snakka.spark.decoding.lanes import Lanes


def _logical(kind: str, logical: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": logical, **more}


def _record(kind: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": "f", "type": kind}]}


def encoded(kind: str, datum: Any) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, kind, datum)
    return buffer.getvalue()


def resolved(written: Any, wanted: Any) -> Reader:
    """Reads records whose one field was written as one type and is wanted as another."""
    texts = [json.dumps(_record(each)) for each in (written, wanted)]
    return compiled((texts[0], ()), (texts[1], ()))


_EXACT = decimal.Context(prec=100)
_SCALES = st.integers(1, 38).flatmap(lambda digits: st.tuples(st.just(digits), st.integers(0, digits)))


@settings(max_examples=200, deadline=None)
@given(_SCALES, _SCALES, st.lists(st.integers(-(10**38), 10**38), min_size=1, max_size=5), st.booleans())
def test_a_decimal_of_another_scale_is_the_same_number_or_an_error(
    written: tuple[int, int], wanted: tuple[int, int], numbers: list[int], fits: bool
) -> None:
    numbers = [number % 10 ** written[0] for number in numbers]
    if fits:  # else hardly any would
        digits = min(written[0] - written[1], wanted[0] - wanted[1])
        numbers = [number % 10**digits * 10 ** written[1] for number in numbers]
    reader = resolved(
        *(_logical("bytes", "decimal", precision=digits, scale=scale) for digits, scale in (written, wanted))
    )
    values = [b"\x20" + number.to_bytes(16, "big", signed=True) for number in numbers]
    lanes = Lanes.over(pa.array(values))
    found = reader.read(lanes).field(0).to_pylist()
    shift = wanted[1] - written[1]
    for number, made, error in zip(numbers, found, lanes.failures.column().to_pylist(), strict=True):
        exact = number * 10**shift if shift >= 0 else number // 10**-shift
        loses = shift < 0 and number % 10**-shift != 0
        if loses or exact >= 10 ** wanted[0]:
            assert "has a decimal of more than" in error
        else:
            assert (error, made) == (None, decimal.Decimal(exact).scaleb(-wanted[1], _EXACT))


_NOON_SECONDS = 1_700_000_000
_NOON = datetime.datetime.fromtimestamp(_NOON_SECONDS, datetime.UTC)
_BEYOND = "has a time beyond Spark's"


@pytest.mark.parametrize(
    ("written", "wanted", "second", "shown", "error_of_far"),
    [
        ("timestamp-millis", "timestamp-micros", 10**3, _NOON, _BEYOND),
        ("timestamp-micros", "timestamp-millis", 10**6, _NOON, None),
        ("timestamp-nanos", "timestamp-micros", 10**9, _NOON, None),
        ("timestamp-millis", "timestamp-nanos", 10**3, _NOON_SECONDS * 10**9, _BEYOND),
        ("local-timestamp-millis", "local-timestamp-micros", 10**3, _NOON.replace(tzinfo=None), _BEYOND),
        ("local-timestamp-micros", "local-timestamp-millis", 10**6, _NOON.replace(tzinfo=None), None),
        # Where only one side says what it is, that is it.
        ("timestamp-millis", None, 10**3, _NOON_SECONDS * 10**3, None),
        (None, "timestamp-millis", 10**3, _NOON, _BEYOND),
        (None, "timestamp-micros", 10**6, _NOON, None),
    ],
)
def test_a_time_in_another_unit_is_the_same_time(
    written: str | None, wanted: str | None, second: int, shown: Any, error_of_far: str | None
) -> None:
    reader = resolved(*("long" if each is None else _logical("long", each) for each in (written, wanted)))
    lanes = Lanes.over(pa.array([encoded("long", number) for number in (_NOON_SECONDS * second, 2**62)]))
    assert reader.read(lanes).field(0)[0].as_py() == shown
    assert lanes.failures.column().to_pylist() == [None, error_of_far]


def test_a_time_of_day_in_another_unit_is_the_same_time() -> None:
    reader = resolved(_logical("int", "time-millis"), _logical("long", "time-micros"))
    lanes = Lanes.over(pa.array([encoded("int", 86_399_999)]))
    assert reader.read(lanes).to_pylist() == [{"f": 86_399_999_000}]


def test_a_unit_that_can_not_stand_on_its_type_is_none() -> None:
    kind = _logical("int", "timestamp-millis")
    assert resolved(kind, kind).read(Lanes.over(pa.array([encoded("int", 7)]))).to_pylist() == [{"f": 7}]


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (_logical("int", "date"), _logical("long", "timestamp-millis")),
        (_logical("int", "time-millis"), _logical("long", "timestamp-millis")),
        (_logical("int", "date"), _logical("int", "time-millis")),
        ("string", _logical("bytes", "decimal", precision=9, scale=2)),
        (
            _logical("fixed", "uuid", size=16, name="F"),
            _logical("fixed", "decimal", size=16, name="F", precision=9),
        ),
    ],
)
def test_numbers_that_mean_something_else_are_not_read_as_ours(written: Any, wanted: Any) -> None:
    with pytest.raises(UnresolvableError, match=f"can't be read as {wanted['logicalType']}"):
        resolved(written, wanted)


def test_framed_values_of_another_scale_are_the_same_numbers_or_bad_rows() -> None:
    def schema(scale: int) -> str:
        return json.dumps(_record(_logical("bytes", "decimal", precision=10, scale=scale)))

    with Registry() as registry:
        old = registry.register("orders-value", schema(2))
        registry.register("orders-value", schema(4))
        decoder = AvroDecoder.of(DecodingSpec("avro", registry_url=registry.url, subject="orders-value"))
        values = [
            struct.pack(">bI", 0, old) + encoded("bytes", number.to_bytes(6, "big"))
            for number in (12345, 10**9)
        ]
        rows, errors = decoder.decode(pa.array(values))
    assert rows.to_pylist() == [{"f": decimal.Decimal("123.4500")}, None]
    assert errors.to_pylist() == [None, "has a decimal of more than 10 digits, 4 of them after its point"]
