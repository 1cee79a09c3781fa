"""How tables and data go together: what fits, what changes the table, and the one line for what does neither."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.spark.tables.schema_evolution import (
    Evolution,
    SchemaMismatchError,
    holds,
    plain_schema,
    plan_evolution,
    type_name,
)


def plan(
    table: dict[str, pa.DataType], data: dict[str, pa.DataType], *, merge: bool = True, widen: bool = True
) -> Evolution:
    return plan_evolution(
        pa.schema(list(table.items())),
        pa.schema(list(data.items())),
        merge=merge,
        may_widen=lambda *_: widen,
    )


PRIMITIVES = [
    pa.int8(),
    pa.int16(),
    pa.int32(),
    pa.int64(),
    pa.float32(),
    pa.float64(),
    pa.string(),
    pa.binary(),
    pa.bool_(),
    pa.date32(),
    pa.timestamp("us", "UTC"),
    pa.timestamp("us"),
    pa.decimal128(10, 2),
    pa.decimal128(20, 2),
]
TYPES = st.recursive(
    st.sampled_from(PRIMITIVES),
    lambda inner: st.one_of(
        inner.map(pa.list_),
        inner.map(lambda value: pa.map_(pa.string(), value)),
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3).map(
            lambda fields: pa.struct(list(fields.items()))
        ),
    ),
    max_leaves=4,
)


@given(TYPES)
def test_a_type_fits_itself_and_changes_nothing(arrow: pa.DataType) -> None:
    evolution = plan({"x": arrow}, {"x": arrow}, merge=False, widen=False)
    assert not evolution.alters_table
    assert evolution.target == evolution.merged


@given(TYPES, TYPES)
def test_what_is_merged_takes_both_or_says_why_not(table: pa.DataType, data: pa.DataType) -> None:
    refusal = ""
    try:
        evolution = plan({"x": table}, {"x": data})
    except SchemaMismatchError as error:
        refusal = str(error)
    if refusal:
        assert refusal.startswith("column x")
        assert "\n" not in refusal
        return
    merged = evolution.merged.field("x").type
    # The outcome takes the data, and the table's own rows, without another change.
    for side in (table, data):
        assert not plan({"x": merged}, {"x": side}, merge=False, widen=False).alters_table


@pytest.mark.parametrize("large", [pa.large_string(), pa.string_view()])
def test_other_forms_of_a_type_are_the_same_type(large: pa.DataType) -> None:
    assert not plan({"x": pa.string()}, {"x": large}, merge=False).alters_table
    zoned = pa.timestamp("us", "Europe/Oslo")
    assert plain_schema(pa.schema([("t", zoned)])).field("t").type == pa.timestamp("us", "UTC")


def test_new_columns_come_last_and_only_if_wanted() -> None:
    table, data = {"id": pa.int64()}, {"note": pa.string(), "ID": pa.int32()}
    evolution = plan(table, data)
    assert evolution.merged == pa.schema([("id", pa.int64()), ("note", pa.string())])
    # The data's order, the table's names and types.
    assert evolution.target == pa.schema([("note", pa.string()), ("id", pa.int64())])
    assert evolution.added == ("note",)
    with pytest.raises(SchemaMismatchError) as refused:
        plan(table, data, merge=False)
    assert str(refused.value) == (
        "column note (string) is not in the table; mergeSchema=true adds it, or leave it out"
    )


def test_a_column_within_a_column_is_added_too() -> None:
    table = {"s": pa.struct([("a", pa.int64())]), "l": pa.list_(pa.struct([("x", pa.string())]))}
    data = {
        "s": pa.struct([("b", pa.string()), ("a", pa.int32())]),
        "l": pa.list_(pa.struct([("x", pa.string()), ("y", pa.bool_())])),
    }
    merged = plan(table, data).merged
    assert merged.field("s").type == pa.struct([("a", pa.int64()), ("b", pa.string())])
    assert [field.name for field in merged.field("l").type.value_type] == ["x", "y"]
    with pytest.raises(SchemaMismatchError, match=r"column s\.b \(string\) is not in the table"):
        plan(table, data, merge=False)


def test_names_within_a_column_are_written_as_in_the_table() -> None:
    """Two fields that differ in case only can't be told apart by Spark, and Arrow would make one of them null."""
    table = {"s": pa.struct([("userId", pa.int64())])}
    for merge in (True, False):
        with pytest.raises(
            SchemaMismatchError, match=r"column s\.userid is s\.userId in the table; write it so"
        ):
            plan(table, {"s": pa.struct([("userid", pa.int64())])}, merge=merge)
    with pytest.raises(SchemaMismatchError, match=r"column s\.B is s\.b in the table"):
        plan(table, {"s": pa.struct([("b", pa.int64()), ("B", pa.int64())])})


def test_types_are_widened_where_the_format_may() -> None:
    evolution = plan({"n": pa.int32()}, {"n": pa.int64()})
    assert evolution.merged.field("n").type == pa.int64()
    assert evolution.changed == ("n",)
    with pytest.raises(SchemaMismatchError) as refused:
        plan({"n": pa.int32()}, {"n": pa.int64()}, widen=False)
    assert str(refused.value) == (
        "column n: the table has int, the data bigint, and a column of this format can't be widened so; "
        "cast it in the query, or write the table anew"
    )
    with pytest.raises(SchemaMismatchError, match="mergeSchema=true widens it"):
        plan({"n": pa.int32()}, {"n": pa.int64()}, merge=False)


@pytest.mark.parametrize(
    ("table", "data", "words"),
    [
        (pa.int64(), pa.string(), "column x: the table has bigint, the data string; cast it in the query"),
        (pa.string(), pa.binary(), "the table has string, the data binary"),
        (pa.timestamp("us", "UTC"), pa.timestamp("us"), "the table has timestamp, the data timestamp_ntz"),
        (pa.decimal128(10, 2), pa.decimal128(10, 4), "has decimal(10,2), the data decimal(10,4)"),
        (pa.list_(pa.int64()), pa.int64(), "the table has array<bigint>, the data bigint"),
        (pa.map_(pa.string(), pa.int8()), pa.struct([("a", pa.date32())]), "map<string,tinyint>"),
        (pa.float32(), pa.int32(), "the table has float, the data int"),
    ],
)
def test_what_fits_nowhere_names_column_and_types(table: pa.DataType, data: pa.DataType, words: str) -> None:
    with pytest.raises(SchemaMismatchError) as refused:
        plan({"x": table}, {"x": data})
    assert words in str(refused.value)


def test_columns_that_must_not_be_null_must_be_there() -> None:
    table = pa.schema([pa.field("id", pa.int64(), nullable=False), ("k", pa.string())])
    with pytest.raises(SchemaMismatchError, match=r"column id \(bigint\) must not be null in the table"):
        plan_evolution(table, pa.schema([("k", pa.string())]), merge=True, may_widen=lambda *_: True)
    with pytest.raises(SchemaMismatchError, match=r"column s\.id \(bigint\) must not be null in the table"):
        plan({"s": pa.struct(table)}, {"s": pa.struct([("k", pa.string())])})


def test_names_that_differ_in_case_only_are_refused() -> None:
    with pytest.raises(SchemaMismatchError, match=r"column ID is there twice \(as id\)"):
        plan({}, {"id": pa.int64(), "ID": pa.int64()})


@given(st.sampled_from(PRIMITIVES), st.sampled_from(PRIMITIVES))
def test_wider_is_an_order(one: pa.DataType, other: pa.DataType) -> None:
    assert holds(one, one)
    if holds(one, other) and holds(other, one):
        assert one == other


def test_types_have_the_names_that_sql_gives_them() -> None:
    assert type_name(pa.struct([("a", pa.list_(pa.int16())), ("b", pa.date32())])) == (
        "struct<a:array<smallint>,b:date>"
    )
