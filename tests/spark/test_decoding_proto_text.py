"""The text of .proto files as people and their formatters write it, made into descriptors."""

from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from snakka.spark.decoding.proto_text import parse_proto
from snakka.spark.decoding.protobuf_schema import descriptor_set, find_message


def test_long_names_go_on_in_the_next_line() -> None:
    text = """
    syntax = "proto3";
    package a_package
        .of_many_words.v1;
    message Order {
      a_package.of_many_words.v1.Order.Line
          .Status status = 1;
      map<string, .a_package.of_many_words.
          v1.Order.Line> lines = 2;
      message Line { enum Status { UNKNOWN = 0; } Status status = 1; }
    }
    """
    order = find_message(descriptor_set(text), "Order")
    assert order.full_name == "a_package.of_many_words.v1.Order"
    status, lines = order.fields
    assert status.enum_type.full_name == "a_package.of_many_words.v1.Order.Line.Status"
    assert lines.message_type.fields_by_name["value"].message_type.name == "Line"


def test_options_of_every_form_are_passed_over() -> None:
    text = """
    syntax = "proto3";
    option features.(pb.java).large_enum = true;
    message M {
      option (shop.meta).(.shop.more).of = 7;
      oneof one {
        option (shop.meta) = { doc: "a; b }" of { x: 1 } list: [1, 2] };
        int32 a = 1 [features.(pb.cpp).string_type = CORD, (shop.meta) = { at: <x: 1> }];
        string b = 2;
      }
      enum E { option (shop.meta) = { doc: "c" }; NONE = 0 [(shop.meta).doc = "d", deprecated = true]; }
      E e = 3;
    }
    """
    (message,) = parse_proto(text, "options.proto").message_type
    assert [(field.name, field.number, field.HasField("oneof_index")) for field in message.field] == [
        ("a", 1, True),
        ("b", 2, True),
        ("e", 3, False),
    ]
    assert [value.name for value in message.enum_type[0].value] == ["NONE"]


def test_groups_are_a_field_and_a_message_in_one() -> None:
    text = "message M { repeated group Line = 3 [deprecated = true] { optional string sku = 1; } optional int32 a = 4; }"
    (message,) = parse_proto(text, "groups.proto").message_type
    line, other = message.field
    assert (line.name, line.type, line.type_name) == ("line", FieldDescriptorProto.TYPE_GROUP, "Line")
    assert other.name == "a"
    assert [nested.name for nested in message.nested_type] == ["Line"]


def test_a_file_may_begin_with_a_byte_order_mark() -> None:
    assert (
        parse_proto("\ufeffmessage M { optional int32 a = 1; }", "marked.proto").message_type[0].name == "M"
    )
