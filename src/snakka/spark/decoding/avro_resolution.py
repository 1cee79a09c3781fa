"""A writer's schema and a reader's made into one reader of columns, by Avro's rules of schema resolution.

Rule: what fits for no value is an UnresolvableError here; what fits for some values only (a branch of a union, a symbol
of an enum, a decimal with few enough digits) fails the rows of the others.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from snakka.spark.decoding import avro_columns as columns
from snakka.spark.decoding.avro_default import encoded_default
from snakka.spark.decoding.avro_logical import contradict, logical_type, time_scaling
from snakka.spark.decoding.avro_schema import AvroSchema, is_named, plain_kind, spark_type, union_members
from snakka.spark.decoding.avro_skipped import skipping
from snakka.spark.decoding.lanes import Lanes

_PROMOTIONS = {
    "int": ("int", "long", "float", "double"),
    "long": ("long", "float", "double"),
    "float": ("float", "double"),
    "double": ("double",),
    "string": ("string", "bytes"),
    "bytes": ("bytes", "string"),
}


class UnresolvableError(ValueError):
    """No value of the writer's schema fits the reader's."""


class Resolution:
    """Builds readers; one a pair of schemas."""

    def __init__(self, writer: AvroSchema, reader: AvroSchema) -> None:
        self._writer = writer
        self._reader = reader

    def root(self) -> columns.Reader:
        return self._resolve(self._writer.root, self._reader.root, "the schema")

    def _arrow(self, part: Any) -> pa.DataType:
        from pyspark.sql.pandas.types import to_arrow_type

        return to_arrow_type(spark_type(self._reader, part, ()), timezone="UTC")

    def _resolve(self, written: Any, wanted: Any, path: str) -> columns.Reader:
        source, target = self._writer.node(written), self._reader.node(wanted)
        if isinstance(source, list):
            return self._from_union(source, wanted, path)
        if isinstance(target, list):
            return self._into_union(written, target, path)
        kind, goal = source["type"], target["type"]
        if kind in ("record", "error") and goal in ("record", "error"):
            return self._record(source, target, path)
        if kind == "enum" and goal == "enum":
            return self._enum(source, target, path)
        if kind == goal and kind in ("array", "map"):
            inner = "items" if kind == "array" else "values"
            items = self._resolve(source[inner], target[inner], f"{path}[]")
            keys = columns.Bytes(pa.string()) if kind == "map" else None
            return columns.Repeated(self._arrow(wanted), items, keys)
        if kind == "fixed" and goal == "fixed":
            if source["size"] != target["size"]:
                raise UnresolvableError(f"{path}: fixed of {source['size']} bytes, not of {target['size']}")
            _refuse_another_meaning(source, target, path)
            return self._bytes(source, target, source["size"])
        if goal not in _PROMOTIONS.get(kind, (kind,)):
            raise UnresolvableError(f"{path}: {kind} can't be read as {goal}")
        _refuse_another_meaning(source, target, path)
        return self._simple(source, target)

    def _simple(self, source: Any, target: Any) -> columns.Reader:
        kind, arrow = source["type"], self._arrow(target)
        if kind == "null":
            return columns.Null(arrow)
        if kind == "boolean":
            return columns.Boolean(arrow)
        if kind in ("int", "long"):
            scaling = time_scaling(source, target)
            return columns.Whole(arrow, kind == "int", scaling.factor, scaling.divisor)
        if kind in ("float", "double"):
            return columns.Floating(arrow, 4 if kind == "float" else 8)
        return self._bytes(source, target, None)

    def _bytes(self, source: Any, target: Any, size: int | None) -> columns.Reader:
        arrow = self._arrow(target)
        if pa.types.is_decimal(arrow):
            # Bytes whose writer did not say what they are, are what the reader says.
            said = source if logical_type(source) == "decimal" else target
            return columns.Decimal(arrow, size, said.get("scale", 0))
        if size is not None and pa.types.is_string(arrow):
            return columns.UuidBytes(arrow)
        return columns.Bytes(arrow, size)

    def _enum(self, source: Any, target: Any, path: str) -> columns.Reader:
        known = set(target["symbols"])
        symbols = tuple(each if each in known else target.get("default") for each in source["symbols"])
        if all(symbol is None for symbol in symbols):
            raise UnresolvableError(f"{path}: the enums have no symbol in common")
        return columns.Enum(pa.string(), symbols, tuple(source["symbols"]))

    def _record(self, source: Any, target: Any, path: str) -> columns.Reader:
        # First: of a record that holds itself it says so, where fields would have no end.
        arrow = self._arrow(target)
        place_of = _places(source, target)
        written: list[tuple[int, columns.Reader]] = []
        for field in source["fields"]:
            place = place_of.get(field["name"], -1)
            reader: columns.Reader
            if place < 0:
                reader = skipping(self._writer, field["type"])
            else:
                goal = target["fields"][place]
                reader = self._resolve(field["type"], goal["type"], f"{path}.{goal['name']}")
            written.append((place, reader))
        present = {place for place, _ in written}
        defaults = [
            (place, self._default(field, path))
            for place, field in enumerate(target["fields"])
            if place not in present
        ]
        return columns.Record(arrow, tuple(written), tuple(defaults))

    def _default(self, field: Any, path: str) -> pa.Array:
        """The default of a field that the writer did not have: a column of one value, decoded as if it had been written."""
        name = f"{path}.{field['name']}"
        if "default" not in field:
            raise UnresolvableError(f"{name}: the writer has no such field, and it has no default")
        written = encoded_default(self._reader, field["type"], field["default"])
        alone = Resolution(self._reader, self._reader)
        return alone._resolve(field["type"], field["type"], name).read(Lanes.over(pa.array([written])))

    def _from_union(self, source: list[Any], wanted: Any, path: str) -> columns.Reader:
        arrow = self._arrow(wanted)
        branches: list[columns.Reader | None] = []
        reasons: list[str] = []
        for branch in source:
            try:
                branches.append(self._resolve(branch, wanted, path))
            except UnresolvableError as error:
                branches.append(None)
                reasons.append(str(error))
        if not any(branches):
            raise UnresolvableError(reasons[0])
        names = tuple(plain_kind(self._writer, branch) for branch in source)
        return columns.Union(arrow, tuple(branches), names)

    def _into_union(self, written: Any, target: list[Any], path: str) -> columns.Reader:
        """One value into the branch that fits it best: the same type and name first, then whatever can be made of it."""
        arrow = self._arrow(target)
        if plain_kind(self._writer, written) == "null":
            if any(plain_kind(self._reader, branch) == "null" for branch in target):
                return columns.Null(arrow)
            raise UnresolvableError(f"{path}: null has no place in the reader's union")
        members = union_members(self._reader, target)
        merged = len(members) > 1 and not pa.types.is_struct(arrow)
        ordered = sorted(range(len(members)), key=lambda place: not self._same(written, members[place]))
        for place in ordered:
            try:
                if merged:
                    return self._merged(written, members[place], arrow, path)
                reader = self._resolve(written, members[place], path)
            except UnresolvableError:
                continue
            return reader if len(members) == 1 else columns.Member(arrow, place, reader)
        raise UnresolvableError(
            f"{path}: {plain_kind(self._writer, written)} has no place in the reader's union"
        )

    def _merged(self, written: Any, wanted: Any, arrow: pa.DataType, path: str) -> columns.Reader:
        """A number into a union of two kinds of them, whose column has the wider one."""
        kind, goal = plain_kind(self._writer, written), plain_kind(self._reader, wanted)
        if goal not in _PROMOTIONS.get(kind, ()):
            raise UnresolvableError(f"{path}: {kind} can't be read as {goal}")
        return self._simple({"type": kind}, {"type": _widest(arrow)})

    def _same(self, written: Any, wanted: Any) -> bool:
        source, target = self._writer.node(written), self._reader.node(wanted)
        if plain_kind(self._writer, written) != plain_kind(self._reader, wanted):
            return False
        if not is_named(source):
            return True
        names = {target["name"], *target.get("aliases", ())}
        return source["name"] in names or _unqualified(source["name"]) in {
            _unqualified(name) for name in names
        }


def _places(source: Any, target: Any) -> dict[str, int]:
    """The place in the reader's record of each name that a writer's field may have.

    A name that was given up may belong to another field by now: it is an alias only for writers that don't know the new one.
    """
    written = {field["name"] for field in source["fields"]}
    names = {field["name"]: place for place, field in enumerate(target["fields"])}
    aliases: dict[str, int] = {}
    for place, field in enumerate(target["fields"]):
        if field["name"] not in written:
            for alias in field.get("aliases", ()):
                aliases.setdefault(alias, place)
    return names | aliases


def _refuse_another_meaning(source: Any, target: Any, path: str) -> None:
    if contradict(source, target):
        written = logical_type(source) or source["type"]
        raise UnresolvableError(f"{path}: {written} can't be read as {logical_type(target)}")


def _unqualified(name: str) -> str:
    return name.rpartition(".")[2]


def _widest(arrow: pa.DataType) -> str:
    return "long" if pa.types.is_integer(arrow) else "double"
