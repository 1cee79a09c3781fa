"""JSON Schemas of a registry as columns."""

import json
from typing import Any

import pytest
from pyspark.sql import types
from tests.spark.decoding_registry import Registry

from snakka.spark.decoding import DecodingError, DecodingSpec, schema_of
from snakka.spark.decoding.json_schema import columns_of

ORDER: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Order",
    "type": "object",
    "required": ["id", "note", "lines"],
    "properties": {
        "id": {"type": "integer"},
        "total": {"type": ["null", "number", "integer"]},
        "at": {"type": "string", "format": "date-time"},
        "day": {"oneOf": [{"type": "null"}, {"type": "string", "format": "date"}]},
        "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        "lines": {"type": "array", "items": {"$ref": "#/definitions/Line"}},
        "customer": {"$ref": "customer.json"},
        "tags": {"type": "object", "additionalProperties": {"type": "boolean"}},
        "extra": {"type": "object"},
        "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        "anything": True,
    },
    "definitions": {
        "Line": {"properties": {"sku": {"type": "string"}, "part~/": {"$ref": "#/definitions/Line"}}},
        "unused": {"$ref": "nowhere.json"},
    },
}
CUSTOMER = {
    "type": "object",
    "properties": {"name": {"$ref": "#/$defs/n"}},
    "$defs": {"n": {"type": "string"}},
}
LINE = "struct<sku:string,part~/:string>"


def test_names_and_types_are_those_of_the_schema() -> None:
    with Registry() as registry:
        registry.register("customer", json.dumps(CUSTOMER), "JSON")
        references = [{"name": "customer.json", "subject": "customer", "version": 1}]
        registry.register("orders-value", json.dumps(ORDER), "JSON", references)
        spec = DecodingSpec("json", registry_url=registry.url, subject="orders-value")
        columns = schema_of(spec)
    assert spec.is_framed
    assert {field.name: field.dataType.simpleString() for field in columns} == {
        "id": "bigint",
        "total": "double",
        "at": "timestamp",
        "day": "date",
        "note": "string",
        "lines": f"array<{LINE}>",
        "customer": "struct<name:string>",
        "tags": "map<string,boolean>",
        "extra": "string",
        "either": "string",
        "anything": "string",
    }
    assert [field.name for field in columns if not field.nullable] == ["id", "lines"]


def test_a_registry_that_is_only_there_does_not_make_json_framed() -> None:
    assert not DecodingSpec("json", schema="id BIGINT", registry_url="http://x").is_framed
    assert DecodingSpec("avro", schema='"long"', registry_url="http://x").is_framed
    assert not DecodingSpec("json", subject="s", registry_url="http://x", framing="plain").is_framed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "holds no JSON Schema"),
        ('{"type": "string"}', "of no object with properties"),
        (
            '{"properties": {"a": {"$ref": "#/definitions/A"}}}',
            "refers to #/definitions/A, which is not there",
        ),
    ],
)
def test_a_schema_that_gives_no_columns_is_refused(text: str, reason: str) -> None:
    with pytest.raises(DecodingError, match=reason):
        columns_of(text)


def test_what_holds_itself_is_text_from_there_on() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}, "value": {"type": "integer"}}}
    found = columns_of(json.dumps(node))
    deeper = types.StructType(
        [types.StructField("next", types.StringType()), types.StructField("value", types.LongType())]
    )
    assert found["next"].dataType == deeper


def test_a_subject_of_another_kind_is_refused() -> None:
    with Registry() as registry:
        registry.register("s", '"long"')
        with pytest.raises(DecodingError, match="subject: s holds AVRO, not JSON"):
            schema_of(DecodingSpec("json", registry_url=registry.url, subject="s"))
