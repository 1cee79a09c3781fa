"""Protobuf into Arrow columns, against Protobuf's own runtime, which encodes and decodes on its own."""

import datetime
import decimal
import random
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2, message_factory
from google.protobuf.message import DecodeError
from tests.spark.decoding_registry import Registry

from snakka.spark.decoding import DecodingError, DecodingSpec
from snakka.spark.decoding.protobuf import ProtobufDecoder
from snakka.spark.decoding.protobuf_schema import descriptor_set, find_message

ORDERS = """
// What a shop sells.
syntax = "proto3";
package shop.v1;

import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import public "google/protobuf/duration.proto";
import "confluent/meta.proto";

option java_package = "com.example.shop"; /* of no
   interest */

message Order {
  option (confluent.message_meta) = { doc: "an order", params: [{key: "a"}] };
  reserved 100, 200 to 300;
  reserved "old";
  int64 id = 1;
  string customer = 2 [(confluent.field_meta) = {doc: "who; says }"}, json_name = "cust"];
  double amount = 3;
  optional string note = 4;
  google.protobuf.Timestamp at = 5;
  Status status = 6;
  repeated Line lines = 7;
  map<string, int32> tags = 8;
  repeated sint32 deltas = 9;
  oneof payment {
    string card = 10;
    Line cash = 11;
  }
  uint64 big = 12;
  uint32 count = 13;
  fixed32 code = 14;
  sfixed64 balance = 15;
  bool paid = 16;
  bytes raw = 17;
  float weight = 18;
  google.protobuf.Int64Value wrapped = 19;
  google.protobuf.Duration took = 20;
  repeated fixed64 hashes = 21;
  repeated string names = 22;
  repeated int32 loose = 23 [packed = false];
  map<int64, Line> by_shelf = 24;
  sint64 delta = 25;
  sfixed32 shift = 0x1A;
  enum Status { UNKNOWN = 0; NEW = 1; LOST = -2; reserved 5; }
  message Line { string sku = 1; int32 count = 2; }
}

message Payment { int32 amount = 1; message Part { int32 share = 1; } }
service Shop { rpc Get (Order) returns (stream Payment) { option deprecated = true; } }
"""


def message_class(text: str, name: str | None = None) -> Any:
    return message_factory.GetMessageClass(find_message(descriptor_set(text), name))


def decoded(text: str, values: list[bytes | None], **more: Any) -> tuple[list[Any], list[str | None]]:
    rows, errors = ProtobufDecoder.of(DecodingSpec("protobuf", schema=text, **more)).decode(
        pa.array(values, pa.binary())
    )
    rows.validate(full=True)
    return rows.to_pylist(), errors.to_pylist()


def _order(chance: random.Random) -> Any:
    """Any order: each field is there or not, by chance."""
    order = message_class(ORDERS)()
    number = lambda bits: chance.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1))  # noqa: E731
    some = lambda: range(chance.choice([0, 0, 1, 2, 5]))  # noqa: E731
    singular: dict[str, Any] = {
        "id": number(64),
        "customer": "å" * chance.randrange(5),
        "amount": chance.random(),
        "note": chance.choice(["", "x"]),
        "status": chance.choice([0, 1, -2, 9]),
        "big": chance.randrange(2**64),
        "count": chance.randrange(2**32),
        "code": chance.randrange(2**32),
        "balance": number(64),
        "paid": True,
        "raw": chance.randbytes(chance.randrange(9)),
        "weight": chance.randrange(100) / 4,
        "delta": number(64),
        "shift": number(32),
    }
    for name, value in singular.items():
        if chance.random() < 0.6:
            setattr(order, name, value)
    if chance.random() < 0.5:
        order.at.FromMicroseconds(chance.randrange(-(10**15), 10**15))
    if chance.random() < 0.5:
        order.took.FromMicroseconds(chance.randrange(-(10**12), 10**12))
    if chance.random() < 0.5:
        order.wrapped.value = chance.choice([0, number(64)])
    if chance.random() < 0.5:
        order.card = chance.choice(["", "4711"])
    elif chance.random() < 0.5:
        order.cash.SetInParent()
    for _ in some():
        order.lines.add(sku=f"s{chance.random()}", count=number(32))
    order.deltas.extend(number(32) for _ in some())
    order.hashes.extend(chance.randrange(2**64) for _ in some())
    order.names.extend(chance.choice(["", "ü"]) for _ in some())
    order.loose.extend(number(32) for _ in some())
    for place in some():
        order.tags[f"t{place}"] = number(32)
        order.by_shelf[place].count = place
    return order


def _as_columns(order: Any) -> dict[str, Any]:
    """What the runtime reads, as Arrow shows it."""
    line = lambda each: {"sku": each.sku, "count": each.count}  # noqa: E731
    optional = lambda name, value: value(getattr(order, name)) if order.HasField(name) else None  # noqa: E731
    same = ("id", "customer", "amount", "count", "code", "balance", "paid", "raw", "weight", "delta", "shift")
    return {
        **{name: getattr(order, name) for name in same},
        "note": optional("note", str),
        "at": optional("at", lambda at: at.ToDatetime(datetime.UTC)),
        "status": {0: "UNKNOWN", 1: "NEW", -2: "LOST", 9: "9"}[order.status],
        "lines": [line(each) for each in order.lines],
        "tags": dict(order.tags),
        "deltas": list(order.deltas),
        "card": optional("card", str),
        "cash": optional("cash", line),
        "big": decimal.Decimal(order.big),
        "wrapped": optional("wrapped", lambda wrapped: wrapped.value),
        "took": optional("took", lambda took: took.ToTimedelta()),
        "hashes": [decimal.Decimal(each) for each in order.hashes],
        "names": list(order.names),
        "loose": list(order.loose),
        "by_shelf": {key: line(value) for key, value in order.by_shelf.items()},
    }


@pytest.mark.parametrize("seed", range(5))
def test_any_message_is_what_the_runtime_reads(seed: int) -> None:
    chance = random.Random(seed)
    orders = [_order(chance) for _ in range(80)]
    rows, errors = decoded(ORDERS, [order.SerializeToString() for order in orders])
    assert errors == [None] * len(orders)
    for row, order in zip(rows, orders, strict=True):
        assert {**row, "tags": dict(row["tags"]), "by_shelf": dict(row["by_shelf"])} == _as_columns(order)


@pytest.mark.parametrize("seed", range(5))
def test_what_the_runtime_refuses_is_a_bad_row_and_harms_no_neighbour(seed: int) -> None:
    chance = random.Random(seed)
    order = message_class(ORDERS)
    good = _order(chance).SerializeToString()
    values = []
    for _ in range(150):
        value = bytearray(_order(chance).SerializeToString())
        if chance.random() < 0.4:
            value = value[: chance.randrange(len(value) + 1)]
        elif value:
            value[chance.randrange(len(value))] = chance.randrange(256)
        values += [bytes(value), good]
    _, errors = decoded_without_looking(values)
    assert errors[1::2] == [None] * 150
    refused = 0
    for value, error in zip(values, errors, strict=True):
        try:
            order.FromString(value)
        except DecodeError:
            refused += 1
            assert error is not None, value.hex()
    assert refused > 10


def decoded_without_looking(values: list[bytes]) -> tuple[pa.Array, list[str | None]]:
    """Broken bytes may hold times that Spark knows and Python does not."""
    rows, errors = ProtobufDecoder.of(DecodingSpec("protobuf", schema=ORDERS)).decode(pa.array(values))
    rows.validate(full=True)
    return rows, errors.to_pylist()


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (b"\x08", "ends before its last field does"),
        (b"\x0a\x03abc", "has id as wire type 2, not 0"),
        (b"\x12\x02\xff\xff", "holds text that is not UTF-8"),
        (b"\x4a\x02\x01\x80", "has packed numbers, the last of which is torn"),
        (b"\xaa\x01\x03abc", "has packed numbers that do not fill their bytes"),
        (b"\x03", "is no message: it has field 0 of wire type 3"),
        (b"\x5b\x10\x01", "is no message: its group 11 does not end"),
        (b"\x5b\x10\x01\x64", "is no message: its group 11 does not end"),
        (b"\x5c", "is no message: it has field 11 of wire type 4"),
        (b"\x2a\x0b\x08" + b"\x80" * 9 + b"\x01", "has a time beyond Spark's"),
    ],
)
def test_an_error_says_what_is_wrong(value: bytes, error: str) -> None:
    rows, errors = decoded(ORDERS, [value, None])
    assert (rows, errors) == ([None, None], [error, None])


def test_fields_may_come_in_any_order_unknown_and_repeated() -> None:
    text = 'syntax = "proto3"; message M { int32 a = 1; repeated int32 b = 2; string c = 3; }'
    packed_and_loose = (
        b"\x1a\x01x" + b"\x10\x05" + b"\x12\x02\x06\x07" + b"\x08\x01\x08\x02" + b"\x20\x01" + b"\x10\x08"
    )
    assert decoded(text, [packed_and_loose, b""]) == (
        [{"a": 2, "b": [5, 6, 7, 8], "c": "x"}, {"a": 0, "b": [], "c": ""}],
        [None, None],
    )


def test_what_is_written_twice_counts_as_the_runtime_counts_it() -> None:
    text = """
    syntax = "proto3";
    import "google/protobuf/timestamp.proto";
    message M {
      oneof one { int32 a = 1; N b = 2; }
      google.protobuf.Timestamp at = 3;
      map<string, N> shelf = 4;
      message N { int32 x = 1; int32 y = 2; }
    }
    """
    number, left, right = b"\x08\x07", b"\x12\x02\x08\x01", b"\x12\x02\x10\x02"
    second, nano = b"\x1a\x02\x08\x01", b"\x1a\x03\x10\xd0\x0f"
    entry = b"\x22\x07\x0a\x01k\x12\x02\x08"
    values: list[bytes | None] = [
        left + right,  # messages are merged,
        left + number + right,  # but not past another member of their oneof
        left + right + number,
        second + nano,
        entry
        + b"\x01"
        + b"\x22\x00"
        + entry
        + b"\x02",  # the last of a key counts, and what it lacks is empty
    ]
    rows, errors = decoded(text, values)
    assert errors == [None] * 5
    assert [(row["a"], row["b"]) for row in rows[:3]] == [
        (None, {"x": 1, "y": 2}),
        (None, {"x": 0, "y": 2}),
        (7, None),
    ]
    assert rows[3]["at"] == datetime.datetime(1970, 1, 1, 0, 0, 1, 2, datetime.UTC)
    assert rows[4]["shelf"] == [("", {"x": 0, "y": 0}), ("k", {"x": 2, "y": 0})]


def test_times_before_zero_are_cut_towards_it() -> None:
    text = """
    syntax = "proto3";
    import "google/protobuf/duration.proto";
    message M { google.protobuf.Duration took = 1; }
    """
    took = message_class(text)()
    took.took.nanos = -1_500
    rows, _ = decoded(text, [took.SerializeToString()])
    assert rows == [{"took": datetime.timedelta(microseconds=-1)}]


def test_groups_are_messages() -> None:
    text = """
    message M {
      optional group Head = 1 { optional int32 a = 2; }
      repeated group Line = 3 { required string sku = 1; repeated group Part = 2 { optional int32 n = 1; } }
      oneof one { group Some = 4 { optional int32 b = 1; } int32 none = 5; }
    }
    """
    message = message_class(text)()
    message.head.a = -5
    message.line.add(sku="x").part.add(n=1)
    message.line.add(sku="y")
    message.some.b = 3
    rows, errors = decoded(text, [message.SerializeToString(), b"\xd3\x3e\x08\x01\xd4\x3e"])
    assert errors == [None, None]
    lines = [{"sku": "x", "part": [{"n": 1}]}, {"sku": "y", "part": []}]
    assert rows == [
        {"head": {"a": -5}, "line": lines, "some": {"b": 3}, "none": None},
        {"head": None, "line": [], "some": None, "none": None},  # a group that the schema does not know
    ]


def test_messages_within_themselves_and_without_fields_stay_bytes() -> None:
    text = """
    syntax = "proto3";
    import "google/protobuf/struct.proto";
    import "google/protobuf/empty.proto";
    message Tree {
      int32 size = 1;
      Tree left = 2;
      repeated Tree others = 3;
      google.protobuf.Struct facts = 4;
      google.protobuf.Empty done = 5;
    }
    """
    tree = message_class(text)(size=3)
    tree.left.size = 2
    tree.left.left.size = 1
    tree.others.add(size=7)
    tree.others.add()
    tree.facts.update({"a": {"b": 1.5}, "c": "text"})
    tree.done.SetInParent()
    ((row, alone), errors) = decoded(text, [tree.SerializeToString(), b"\x08\x01"])
    assert errors == [None, None]
    assert (row["size"], row["left"], row["done"]) == (3, tree.left.SerializeToString(), b"")
    assert row["others"] == [each.SerializeToString() for each in tree.others]
    facts = dict(row["facts"]["fields"])
    assert facts["c"]["string_value"] == "text"
    assert facts["a"]["struct_value"] == tree.facts.fields["a"].struct_value.SerializeToString()
    assert alone == {"size": 1, "left": None, "others": [], "facts": None, "done": None}


def test_proto2_has_defaults_and_required_fields() -> None:
    text = """
    message M {
      required int32 id = 1;
      optional int32 n = 2 [default = -7];
      optional string s = 3 [default = "none"];
      optional Kind kind = 4 [default = B];
      optional double d = 5;
      enum Kind { A = 0; B = 1; }
    }
    """
    message = message_class(text)
    values = [
        message(id=1).SerializeToString(),
        message(id=2, n=3, s="x", kind=0, d=1.5).SerializeToString(),
        b"",
    ]
    assert decoded(text, values) == (
        [
            {"id": 1, "n": -7, "s": "none", "kind": "B", "d": None},
            {"id": 2, "n": 3, "s": "x", "kind": "A", "d": 1.5},
            None,
        ],
        [None, None, "lacks id, which is required"],
    )


def test_defaults_are_what_they_say_with_their_escapes() -> None:
    text = r"""
    message M {
      optional string s = 1 [default = "a\n\"b\x41" 'c'];
      optional bytes b = 2 [default = "\001\xff"];
      optional int32 o = 3 [default = -017];
      optional uint64 u = 4 [default = 0xffffffffffffffff];
      optional double d = 5 [default = -inf];
      optional Kind k = 6 [default = C];
      enum Kind { option allow_alias = true; A = 0; B = 01; C = 1; }
    }
    """
    ((row,), _) = decoded(text, [b""])
    big = decimal.Decimal(2**64 - 1)
    assert tuple(row.values()) == ('a\n"bAc', b"\x01\xff", -15, big, float("-inf"), "B")


def test_descriptor_sets_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "orders.pb").write_bytes(descriptor_set(ORDERS))
    (tmp_path / "orders.proto").write_text(ORDERS)
    for name in ("orders.pb", "orders.proto"):
        spec = DecodingSpec("protobuf", schema_file=str(tmp_path / name), message="Payment")
        rows, _ = ProtobufDecoder.of(spec).decode(pa.array([b"\x08\x05"]))
        assert rows.to_pylist() == [{"amount": 5}]


@pytest.mark.parametrize(
    ("text", "message", "reason"),
    [
        ("message M { int32 a = 1 }", None, "the schema:1: ; is expected, not }"),
        ("message M { int32 a = one; }", None, "the schema:1: a number is expected, not one"),
        ("message M { enum E { A = x; } }", None, "the schema:1: a number is expected, not x"),
        (
            'import "google/type/date.proto"; message M { optional google.type.Date d = 1; }',
            None,
            "google.type.Date.*; nobody has google/type/date.proto, which it imports: give a descriptor set",
        ),
        ("\n\nmessage M { ?", None, r"the schema:3: '\?' is not expected here"),
        ("message M { Missing a = 1; }", None, "can't be made a Protobuf schema"),
        ("message M {}", None, "M has no fields"),
        ("", None, "declares no message"),
        ('edition = "2023"; message M {}', None, "editions are read from a FileDescriptorSet only"),
        (ORDERS, "Refund", "Refund is not in the schema, which has shop.v1.Order, shop.v1.Payment"),
    ],
)
def test_a_schema_that_can_not_be_used_is_refused(text: str, message: str | None, reason: str) -> None:
    with pytest.raises(DecodingError, match=reason):
        ProtobufDecoder.of(DecodingSpec("protobuf", schema=text, message=message))


def test_a_file_that_is_no_descriptor_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.pb").write_bytes(b"\xff\xff")
    with pytest.raises(DecodingError, match="can't be made a Protobuf schema"):
        ProtobufDecoder.of(DecodingSpec("protobuf", schema_file=str(tmp_path / "x.pb")))


def test_a_descriptor_set_needs_only_the_imports_that_protobuf_itself_lacks(tmp_path: Path) -> None:
    files = descriptor_pb2.FileDescriptorSet.FromString(descriptor_set(ORDERS)).file
    path = tmp_path / "orders.pb"
    path.write_bytes(descriptor_pb2.FileDescriptorSet(file=[files[-1]]).SerializeToString())
    decoder = ProtobufDecoder.of(DecodingSpec("protobuf", schema_file=str(path), message="Payment"))
    assert decoder.message == "shop.v1.Payment"

    files[-1].dependency.append("shop/line.proto")
    path.write_bytes(descriptor_pb2.FileDescriptorSet(file=[files[-1]]).SerializeToString())
    with pytest.raises(DecodingError, match=r"lacks shop/line.proto, which it imports: .*--include_imports"):
        ProtobufDecoder.of(DecodingSpec("protobuf", schema_file=str(path)))


def _framed(schema_id: int, place: bytes, value: bytes) -> bytes:
    return struct.pack(">bI", 0, schema_id) + place + value


def test_frames_say_which_message_was_written() -> None:
    line = 'syntax = "proto3"; package shop; message Line { string sku = 1; }'
    text = (
        'syntax = "proto3"; package shop; import "line.proto"; message Order { int64 id = 1; Line line = 2; }'
    )
    later = (
        text.replace("int64 id = 1;", "int64 id = 1; string more = 3;")
        + "message Payment { message Part { int32 a = 1; } }"
    )
    with Registry() as registry:
        registry.register("line", line, "PROTOBUF")
        references = [{"name": "line.proto", "subject": "line", "version": 1}]
        first = registry.register("orders-value", text, "PROTOBUF", references)
        made = ProtobufDecoder.of(DecodingSpec("protobuf", registry_url=registry.url, subject="orders-value"))
        second = registry.register("orders-value", later, "PROTOBUF", references)
        avro = registry.register("avro", '"long"')
        edition = registry.register("edition", f'edition = "2023"; {text[18:]}', "PROTOBUF", references)
        torn = registry.register("torn", "message {", "PROTOBUF")
        order = message_class(
            line + "message Order { int64 id = 1; Line line = 2; string more = 3; }", "Order"
        )
        value = order(id=7, line={"sku": "s"}, more="m").SerializeToString()
        values = [
            _framed(first, b"\0", value),  # the short way to say "the first message"
            _framed(second, b"\x02\x00", value),
            _framed(edition, b"\0", value),
            _framed(second, b"\x02\x02", value),
            _framed(second, b"\x04\x02\x00", value),
            _framed(second, b"\x02\x12", value),
            _framed(second, b"\x02\x01", value),
            _framed(avro, b"\0", value),
            _framed(torn, b"\0", value),
            _framed(99, b"\0", value),
            value,
            None,
        ]
        rows, errors = made.decode(pa.array(values))
    good = {"id": 7, "line": {"sku": "s"}}
    assert rows.to_pylist() == [good, good, good, *[None] * 9]
    assert errors.to_pylist() == [
        *[None] * 3,
        "is a shop.Payment, not a shop.Order",
        "is a shop.Payment.Part, not a shop.Order",
        f"schema id {second} has no message at [9]",
        "is framed with a message's place that can't be",
        f"schema id {avro} is AVRO, not Protobuf",
        f"schema id {torn} can't be read: the schema:1: {{ is expected, not the end",
        "schema id 99 is not known to the schema registry",
        "is not framed: a zero byte and a schema's id come first",
        None,
    ]


def test_the_parser_reads_what_a_descriptor_says() -> None:
    """Text -> descriptor: numbers, labels and places as a compiler has them."""
    files = descriptor_pb2.FileDescriptorSet.FromString(descriptor_set(ORDERS)).file
    order = files[-1].message_type[0]
    fields = {field.name: field for field in order.field}
    assert fields["shift"].number == 26
    assert fields["lines"].label == fields["lines"].LABEL_REPEATED
    assert [each.name for each in order.oneof_decl] == ["payment", "_note"]
    assert (fields["note"].proto3_optional, fields["note"].oneof_index, fields["cash"].oneof_index) == (
        True,
        1,
        0,
    )
    assert [each.name for each in order.nested_type] == ["TagsEntry", "ByShelfEntry", "Line"]
    assert [each.name for each in order.enum_type[0].value] == ["UNKNOWN", "NEW", "LOST"]
