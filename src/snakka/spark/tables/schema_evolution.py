"""How a table's columns and the columns that a stream brings go together: pure, on Arrow schemas, for both formats.

Rule: data never loses anything on the way into a column. What the table's type can hold is cast to it; what it can't hold
changes the table only if the user wants that and the format allows it; all else is one line that names column and types.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

# Whether the format can turn a column's type into a wider one, in tables that have data.
MayWiden = Callable[[pa.DataType, pa.DataType], bool]

_INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
_FLOATS = (pa.float32(), pa.float64())
_NAMES = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "halffloat": "float",
    "bool": "boolean",
    "date32[day]": "date",
    "timestamp[us, tz=UTC]": "timestamp",
    "timestamp[us]": "timestamp_ntz",
}


class SchemaMismatchError(ValueError):
    """Data that does not fit into the table: one line with the column, both types, and what could be done."""


@dataclass(frozen=True, slots=True)
class Evolution:
    """What a write needs of the table."""

    # The table's columns afterwards.
    merged: pa.Schema
    # The data's columns, in the data's order, as the table names and types them.
    target: pa.Schema
    # Columns of `merged` that are new or have a new type, by name.
    added: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def alters_table(self) -> bool:
        return bool(self.added or self.changed)


def plan_evolution(table: pa.Schema, data: pa.Schema, *, merge: bool, may_widen: MayWiden) -> Evolution:
    """How the table must change to take the data, or SchemaMismatchError."""
    table, data = plain_schema(table), plain_schema(data)
    _refuse_twins(data)
    by_name = {field.name.lower(): field for field in table}
    merged = {field.name: field for field in table}
    target: list[pa.Field] = []
    added: list[str] = []
    changed: list[str] = []
    for field in data:
        known = by_name.get(field.name.lower())
        if known is None:
            if not merge:
                raise SchemaMismatchError(
                    f"column {field.name} ({type_name(field.type)}) is not in the table; "
                    "mergeSchema=true adds it, or leave it out"
                )
            added.append(field.name)
            merged[field.name] = _new_field(field)
        else:
            wider = _merged_type(known.name, known.type, field.type, merge=merge, may_widen=may_widen)
            if wider != known.type:
                changed.append(known.name)
                merged[known.name] = known.with_type(wider)
        target.append(merged[known.name if known is not None else field.name])
    _refuse_absent(table, {field.name for field in target})
    return Evolution(
        merged=pa.schema(list(merged.values())),
        target=pa.schema(target),
        added=tuple(added),
        changed=tuple(changed),
    )


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Without metadata, and each type in its ordinary form: large and view types hold the same values."""
    return pa.schema([_plain_field(field) for field in schema])


def new_columns(data: pa.Schema) -> pa.Schema:
    """The data's columns as a table gets them: each may be null, within others too. Whether one is so far, as Spark knows
    it of literals and collected lists, is no promise about all later data."""
    return pa.schema([_new_field(field) for field in plain_schema(data)])


def type_name(arrow: pa.DataType) -> str:
    """As Spark's users know it."""
    if pa.types.is_struct(arrow):
        return f"struct<{','.join(f'{field.name}:{type_name(field.type)}' for field in arrow)}>"
    if pa.types.is_list(arrow):
        return f"array<{type_name(arrow.value_type)}>"
    if pa.types.is_map(arrow):
        return f"map<{type_name(arrow.key_type)},{type_name(arrow.item_type)}>"
    if pa.types.is_decimal(arrow):
        return f"decimal({arrow.precision},{arrow.scale})"
    return _NAMES.get(str(arrow), str(arrow))


def holds(wide: pa.DataType, narrow: pa.DataType) -> bool:
    """Whether every value of one primitive type is, exactly, a value of the other."""
    if wide == narrow:
        return True
    for kinds in (_INTEGERS, _FLOATS):
        if wide in kinds and narrow in kinds:
            return kinds.index(wide) >= kinds.index(narrow)
    if pa.types.is_decimal(wide) and pa.types.is_decimal(narrow):
        return bool(wide.scale == narrow.scale and wide.precision >= narrow.precision)
    return False


def _merged_type(
    path: str, table: pa.DataType, data: pa.DataType, *, merge: bool, may_widen: MayWiden
) -> pa.DataType:
    def into(name: str, inner_table: pa.DataType, inner_data: pa.DataType) -> pa.DataType:
        return _merged_type(f"{path}.{name}", inner_table, inner_data, merge=merge, may_widen=may_widen)

    if pa.types.is_struct(table) and pa.types.is_struct(data):
        return _merged_struct(path, table, data, merge=merge, into=into)
    if pa.types.is_list(table) and pa.types.is_list(data):
        element = into("element", table.value_type, data.value_type)
        return pa.list_(table.value_field.with_type(element))
    if pa.types.is_map(table) and pa.types.is_map(data):
        key = into("key", table.key_type, data.key_type)
        value = into("value", table.item_type, data.item_type)
        return pa.map_(key, table.item_field.with_type(value))
    if holds(table, data):
        return table
    if not holds(data, table):
        raise SchemaMismatchError(
            f"column {path}: the table has {type_name(table)}, the data {type_name(data)}; cast it in the query"
        )
    if not may_widen(table, data):
        raise SchemaMismatchError(
            f"column {path}: the table has {type_name(table)}, the data {type_name(data)}, "
            "and a column of this format can't be widened so; cast it in the query, or write the table anew"
        )
    if not merge:
        raise SchemaMismatchError(
            f"column {path}: the table has {type_name(table)}, the data {type_name(data)}; "
            "mergeSchema=true widens it, or cast it in the query"
        )
    return data


def _merged_struct(
    path: str,
    table: pa.StructType,
    data: pa.StructType,
    *,
    merge: bool,
    into: Callable[[str, pa.DataType, pa.DataType], pa.DataType],
) -> pa.DataType:
    fields = {field.name: field for field in table}
    other_case = {field.name.lower(): field.name for field in table}
    for field in data:
        known = fields.get(field.name)
        if known is None and field.name.lower() in other_case:
            raise SchemaMismatchError(
                f"column {path}.{field.name} is {path}.{other_case[field.name.lower()]} in the table; "
                "write it so in the query"
            )
        other_case.setdefault(field.name.lower(), field.name)
        if known is not None:
            fields[field.name] = known.with_type(into(field.name, known.type, field.type))
        elif merge:
            fields[field.name] = _new_field(field)
        else:
            raise SchemaMismatchError(
                f"column {path}.{field.name} ({type_name(field.type)}) is not in the table; "
                "mergeSchema=true adds it, or leave it out"
            )
    _refuse_absent(table, {field.name for field in data}, f"{path}.")
    return pa.struct(list(fields.values()))


def _refuse_twins(data: pa.Schema) -> None:
    """Spark tells columns apart by case only if asked; tables don't."""
    seen: dict[str, str] = {}
    for name in data.names:
        twin = seen.setdefault(name.lower(), name)
        if twin != name or data.names.count(name) > 1:
            raise SchemaMismatchError(f"column {name} is there twice (as {twin}); rename one")


def _refuse_absent(table: pa.Schema | pa.StructType, present: set[str], path: str = "") -> None:
    for field in table:
        if not field.nullable and field.name not in present:
            raise SchemaMismatchError(
                f"column {path}{field.name} ({type_name(field.type)}) must not be null in the table, but the data has none"
            )


def _new_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _new_type(field.type), nullable=True)


def _new_type(arrow: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(arrow):
        return pa.struct([_new_field(field) for field in arrow])
    if pa.types.is_list(arrow):
        return pa.list_(_new_field(arrow.value_field))
    if pa.types.is_map(arrow):
        return pa.map_(_new_type(arrow.key_type), _new_field(arrow.item_field))
    return arrow


def _plain_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _plain_type(field.type), nullable=field.nullable)


def _plain_type(arrow: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_large_string(arrow) or types.is_string_view(arrow):
        return pa.string()
    if types.is_large_binary(arrow) or types.is_binary_view(arrow):
        return pa.binary()
    if types.is_timestamp(arrow):
        return pa.timestamp("us", tz="UTC" if arrow.tz else None)
    if types.is_struct(arrow):
        return pa.struct([_plain_field(field) for field in arrow])
    if types.is_list(arrow) or types.is_large_list(arrow) or types.is_list_view(arrow):
        return pa.list_(
            pa.field("element", _plain_type(arrow.value_type), nullable=arrow.value_field.nullable)
        )
    if types.is_map(arrow):
        value = pa.field("value", _plain_type(arrow.item_type), nullable=arrow.item_field.nullable)
        return pa.map_(_plain_type(arrow.key_type), value)
    return arrow
