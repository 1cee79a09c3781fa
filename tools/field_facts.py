"""What both halves of the generated code ask about a field: its default, its Python type, its size, its presence in a version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from tools.code_writer import FORMATS, CodeWriter, size_of
from tools.schema_notation import Field, Message, Struct, Versions

_PYTHON_TYPES = {
    "bool": "bool",
    "float64": "float",
    "uuid": "bytes",
    "string": "str",
    "bytes": "bytes",
    "records": "Records",
}


@dataclass(frozen=True)
class Run:
    """Neighbouring fields that are present in the same versions: all of those asked about, some, or (None) none of them."""

    present: Versions | None
    fields: list[Field]


def runs(fields: list[Field], versions: Versions) -> Iterator[Run]:
    """The fields in runs of equal presence."""
    for present, members in groupby(fields, lambda each: each.versions.within(versions)):
        yield Run(present, list(members))


def flexible_split(message: Message, versions: Versions) -> list[tuple[Versions, bool]]:
    """The versions in parts that are flexible or not, the flexible first since clients of today use those."""
    first = message.flexible_from
    if first is None or first > versions.high:
        return [(versions, False)]
    if first <= versions.low:
        return [(versions, True)]
    return [(Versions(first, versions.high), True), (Versions(versions.low, first - 1), False)]


def python_type(field: Field, class_names: dict[str, str]) -> str:
    """The annotation of a field."""
    name = class_names.get(field.type) or _PYTHON_TYPES.get(field.type, "int")
    if field.is_array:
        name = f"list[{name}]"
    return f"{name} | None" if field.nullable or (field.type == "records" and not field.is_array) else name


def default_of(field: Field, class_names: dict[str, str], code: CodeWriter) -> str:
    """The expression of a field's default; a fresh object where it can change, but a shared one for a tagged struct."""
    if field.default == "null" or (field.type == "records" and not field.is_array):
        return "None"
    if field.is_array:
        return "[]"
    if field.is_struct:
        return shared_default(field, class_names) if field.tag is not None else f"{class_names[field.type]}()"
    if field.type == "uuid":
        return code.use("ZERO_UUID")
    if field.type == "bool":
        return str(field.default == "true")
    if field.type == "float64":
        return repr(float(field.default or 0))
    return {"string": '""', "bytes": 'b""'}.get(field.type, str(int(field.default or "0")))


def shared_default(field: Field, class_names: dict[str, str]) -> str:
    """The name of the frozen default of a tagged struct."""
    return f"_DEFAULT_{class_names[field.type]}"


def smallest_size(struct: Struct, structs: dict[str, Struct], versions: Versions, flexible: bool) -> int:
    """The fewest bytes that the struct takes in any of these versions: what bounds the count of an array."""
    size = int(flexible)
    for field in struct.fields:
        if field.tag is not None or field.versions.within(versions) != versions:
            continue
        if field.is_struct and not field.is_array:
            size += 1 if field.nullable else smallest_size(structs[field.type], structs, versions, flexible)
        elif field.type in FORMATS and not field.is_array:
            size += size_of(FORMATS[field.type])
        elif flexible and not field.plain:
            size += 1
        else:
            size += 2 if field.type == "string" and not field.is_array else 4
    return size
