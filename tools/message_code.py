"""Modules of generated messages: classes from tools.struct_code, and the imports that they need."""

from __future__ import annotations

import re
from collections import Counter

from tools.schema_notation import Message
from tools.source_writer import SourceWriter
from tools.struct_code import StructCode

GENERATED = "# GENERATED from the schemas by `make generate`: do not edit."

_PRIMITIVES = (
    "Buffer",
    "Records",
    "bad_length",
    "bad_tag",
    "null_field",
    "read_compact_strings",
    "read_strings",
    "read_tag",
    "read_unknown_tags",
    "read_uuids",
    "string_length_tail",
    "unsupported_field",
    "unsupported_version",
    "uvarint_tail",
    "write_compact_records",
    "write_compact_strings",
    "write_records",
    "write_string_length",
    "write_tags",
    "write_uvarint",
)


def module_code(messages: list[Message], docstring: str) -> str:
    """One module with these messages. A struct name that two of them use gets the message's name before it."""
    formats: dict[str, str] = {}
    out = SourceWriter()
    uses = Counter(name for message in messages for name in (message.name, *message.structs))
    for message in messages:
        names = {name: message.name + name if uses[name] > 1 else name for name in message.structs}
        names[message.name] = message.name
        for name, struct in message.structs.items():
            StructCode(message, struct, names, formats, out).write_class()
            if name in _default_structs(message):
                out(f"_default_{names[name]} = frozen({names[name]}())")
                out()
                out()
        StructCode(message, message.body, names, formats, out).write_class()
    body = "\n".join(out.lines).rstrip() + "\n"
    return _head(body, formats, docstring) + "\n\n\n" + body


def _default_structs(message: Message) -> set[str]:
    """Structs that are a field's value when nothing is set."""
    return {
        field.type
        for struct in (*message.structs.values(), message.body)
        for field in struct.fields
        if field.is_struct and not field.is_array and field.default != "null"
    }


def _head(body: str, formats: dict[str, str], docstring: str) -> str:
    def used(*names: str) -> str:
        return ", ".join(name for name in names if re.search(rf"(?<![.\w]){name}\b", body))

    lines = [f'"""{docstring}"""', GENERATED, "", "from __future__ import annotations", ""]
    from_struct = ", ".join(filter(None, ["Struct" if formats else "", used("pack", "unpack_from")]))
    if from_struct:
        lines += [f"from struct import {from_struct}", ""]
    lines.append("from snakka.protocol.frame import Frame")
    lines.append(f"from snakka.protocol.message import {used('UNSET', 'Message', 'frozen')}")
    if primitives := used(*_PRIMITIVES):
        lines.append(f"from snakka.protocol.primitives import {primitives}")
    if used("ZERO_UUID"):
        lines.append("from snakka.protocol.uuids import ZERO_UUID")
    lines += ["", "_new = object.__new__"]
    lines += [f"{name} = Struct({codes!r})" for codes, name in formats.items()]
    return "\n".join(lines)
