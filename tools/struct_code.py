"""The Python class of one struct: straight-line `read` and `write` with a branch only where versions differ.

A struct whose versions span the first flexible one gets two bodies, so that neither asks at every field. Neighbouring
fields of fixed size are read and written by one `struct` call.
"""

from __future__ import annotations

from tools.schema_notation import Field, Message, Struct, Versions
from tools.source_writer import SourceWriter

# The `struct` code and the size of every type of fixed size.
FIXED = {
    "bool": ("?", 1),
    "int8": ("b", 1),
    "int16": ("h", 2),
    "int32": ("i", 4),
    "int64": ("q", 8),
    "uint16": ("H", 2),
    "uint32": ("I", 4),
    "float64": ("d", 8),
    "uuid": ("16s", 16),
}
_PYTHON_TYPES = {
    "bool": "bool",
    "float64": "float",
    "uuid": "bytes",
    "string": "str",
    "bytes": "bytes",
    "records": "Records",
}


def condition(versions: Versions, within: Versions) -> str:
    """When `version`, known to be `within`, is one of `versions`; empty if always."""
    if versions.low > within.low and versions.high < within.high:
        return f"{versions.low} <= version <= {versions.high}"
    if versions.low > within.low:
        return f"version >= {versions.low}"
    if versions.high < within.high:
        return f"version <= {versions.high}"
    return ""


def _null_mark(field: Field) -> int:
    """The byte before a struct that may be null is 1, and this for null: as a byte -1, but in a tag 0."""
    return 255 if field.tag is None else 0


def _both(versions: Versions | None, within: Versions) -> Versions:
    """The versions that both have; the caller knows that there are some."""
    found = versions.within(within) if versions is not None else None
    assert found is not None
    return found


class StructCode:
    """Writes one class. `names` maps structs to class names, `formats` collects the module's `struct` formats."""

    def __init__(
        self,
        message: Message,
        struct: Struct,
        names: dict[str, str],
        formats: dict[str, str],
        out: SourceWriter,
    ) -> None:
        self.message = message
        self.struct = struct
        self.names = names
        self.formats = formats
        self.out = out
        self.is_message = struct is message.body
        self.class_name = names[struct.name]

    def write_class(self) -> None:
        out = self.out
        fields = self.struct.fields
        with out.block(f"class {self.class_name}(Message):"):
            slots = "".join(f"{field.attribute!r}, " for field in fields)
            out(f"__slots__ = ({slots}'unknown_tags',)")
            if self.is_message:
                self._write_constants()
            out()
            out("def __init__(")
            out("    self,")
            if fields:
                out("    *,")
            for field in fields:
                out(f"    {field.attribute}: {self._python_type(field)} = {self._argument_default(field)},")
            with out.block(") -> None:"):
                for field in fields:
                    out(f"self.{field.attribute} = {self._initial(field)}")
                out("self.unknown_tags: dict[int, bytes] | None = None")
            out()
            self._write_read()
            out()
            self._write_write()
        out()
        out()

    def _write_constants(self) -> None:
        message = self.message
        if message.key is not None:
            kind = "API_KEY" if message.kind in ("request", "response") else "RECORD_KEY"
            self.out(f"{kind} = {message.key}")
        self.out(f"MIN_VERSION = {message.valid.low}")
        self.out(f"MAX_VERSION = {message.valid.high}")
        self.out(f"FLEXIBLE_FROM = {message.flexible_from}")

    # -- types and defaults ---------------------------------------------------------------------------------------

    def _python_type(self, field: Field) -> str:
        name = self.names[field.type] if field.is_struct else _PYTHON_TYPES.get(field.type, "int")
        if field.is_array:
            name = f"list[{name}]"
        return f"{name} | None" if field.nullable or field.default == "null" else name

    def _argument_default(self, field: Field) -> str:
        if field.default == "null":
            return "None"
        if field.is_array or field.is_struct:
            return "UNSET"
        return self._literal(field)

    def _literal(self, field: Field) -> str:
        if field.type == "bool":
            return "True" if field.default == "true" else "False"
        if field.type == "string":
            return repr(field.default or "")
        if field.type in ("bytes", "records"):
            return "b''"
        if field.type == "uuid":
            return "ZERO_UUID"
        if field.type == "float64":
            return repr(float(field.default or 0))
        return str(int(field.default or "0", 0))

    def _default(self, field: Field) -> str:
        """The value of a field that is not set."""
        default = self._argument_default(field)
        if default != "UNSET":
            return default
        return "[]" if field.is_array else f"_default_{self.names[field.type]}"

    def _initial(self, field: Field) -> str:
        if self._argument_default(field) != "UNSET":
            return field.attribute
        return f"{self._default(field)} if {field.attribute} is UNSET else {field.attribute}"

    def _is_default(self, field: Field) -> str:
        value = f"self.{field.attribute}"
        if field.default == "null":
            return f"{value} is None"
        if field.is_array:
            return f"{value} == []" if field.nullable else f"not {value}"
        if field.is_struct:
            return f"{value} is {self._default(field)} or {value} == {self._default(field)}"
        return f"{value} == {self._default(field)}"

    def _format(self, codes: str) -> str:
        return self.formats.setdefault(codes, f"_S{len(self.formats)}")

    # -- versions -------------------------------------------------------------------------------------------------

    def _bodies(self) -> list[tuple[Versions, bool]]:
        """The struct's versions, cut where they become flexible; the flexible part first."""
        low, high = self.struct.versions
        first = self.message.flexible_from
        if first is None or first > high:
            return [(Versions(low, high), False)]
        if first <= low:
            return [(Versions(low, high), True)]
        return [(Versions(first, high), True), (Versions(low, first - 1), False)]

    def _groups(self, within: Versions) -> list[tuple[list[Field], bool, Versions]]:
        """Fields in order: neighbours of fixed size and the same versions together, every other alone."""
        groups: list[tuple[list[Field], bool, Versions]] = []
        for field in self.struct.fields:
            versions = field.versions.within(within)
            if versions is None or field.tag is not None:
                continue
            is_fixed = field.type in FIXED and not field.is_array
            if is_fixed and groups and groups[-1][1] and groups[-1][2] == versions:
                groups[-1][0].append(field)
            else:
                groups.append(([field], is_fixed, versions))
        return groups

    def _tagged(self, within: Versions) -> list[Field]:
        return [
            field for field in self.struct.fields if field.tag is not None and field.versions.within(within)
        ]

    def _check_version(self) -> None:
        low, high = self.struct.versions
        if self.is_message:
            with self.out.block(f"if not {low} <= version <= {high}:"):
                self.out(f"raise unsupported_version({self.class_name!r}, version)")

    # -- reading --------------------------------------------------------------------------------------------------

    def _write_read(self) -> None:
        out = self.out
        out("@staticmethod")
        with out.block(f"def read(buf: Buffer, pos: int, version: int) -> tuple[{self.class_name}, int]:"):
            self._check_version()
            out(f"m = _new({self.class_name})")
            bodies = self._bodies()
            for position, (within, flexible) in enumerate(bodies):
                branches = len(bodies) == 2 and position == 0
                with out.block(f"if version >= {within.low}:" if branches else ""):
                    self._read_body(within, flexible)
                    out("return m, pos")

    def _read_body(self, within: Versions, flexible: bool) -> None:
        out = self.out
        read: list[Field] = []
        for fields, is_fixed, versions in self._groups(within):
            read += fields
            when = condition(versions, within)
            with out.block(f"if {when}:" if when else ""):
                if is_fixed:
                    self._read_fixed(fields)
                else:
                    self._read_value(fields[0], versions, flexible and not fields[0].plain)
            if when:
                with out.block("else:"):
                    for field in fields:
                        out(f"m.{field.attribute} = {self._default(field)}")
        for field in self.struct.fields:
            if field not in read:
                out(f"m.{field.attribute} = {self._default(field)}")
        if flexible:
            self._read_tags(within)
            out("m.unknown_tags = tags")
        else:
            out("m.unknown_tags = None")

    def _read_fixed(self, fields: list[Field]) -> None:
        codes = ">" + "".join(FIXED[field.type][0] for field in fields)
        targets = "".join(f"m.{field.attribute}, " for field in fields)
        self.out(f"{targets}= {self._format(codes)}.unpack_from(buf, pos)")
        self.out(f"pos += {sum(FIXED[field.type][1] for field in fields)}")

    def _read_tags(self, within: Versions) -> None:
        out = self.out
        tagged = self._tagged(within)
        out("tags: dict[int, bytes] | None = None")
        out("n = buf[pos]")
        out("pos += 1")
        with out.block("if n:"):
            if not tagged:
                out("tags, pos = read_unknown_tags(buf, pos, n)")
                return
            with out.block("if n > 127:"):
                out("n, pos = uvarint_tail(buf, pos, n)")
            with out.block("for _ in range(n):"):
                out("tag, pos, end_of_tag = read_tag(buf, pos)")
                for position, field in enumerate(tagged):
                    versions = _both(field.versions, within)
                    when = condition(versions, within)
                    test = f"tag == {field.tag}" + (f" and {when}" if when else "")
                    with out.block(f"{'elif' if position else 'if'} {test}:"):
                        if field.type in FIXED and not field.is_array:
                            self._read_fixed([field])
                        else:
                            self._read_value(field, versions, True)
                with out.block("else:"):
                    with out.block("if tags is None:"):
                        out("tags = {}")
                    out("tags[tag] = bytes(buf[pos:end_of_tag])")
                    out("pos = end_of_tag")
                with out.block("if pos != end_of_tag:"):
                    out("raise bad_tag(tag)")

    def _read_value(self, field: Field, versions: Versions, compact: bool) -> None:
        out = self.out
        target = f"m.{field.attribute}"
        nullable = field.nullable.within(versions) if field.nullable else None
        if field.is_struct and not field.is_array:
            self._read_struct(field, target, nullable is not None)
            return
        self._read_length(field, compact)
        if nullable is None:
            self._read_content(field, target, compact)
            return
        when = condition(nullable, versions)
        if when:
            with out.block(f"if n == -1 and not ({when}):"):
                out(f"raise null_field({field.name!r})")
        with out.block("if n == -1:"):
            out(f"{target} = None")
        with out.block("else:"):
            self._read_content(field, target, compact)

    def _read_struct(self, field: Field, target: str, nullable: bool) -> None:
        read = f"{target}, pos = {self.names[field.type]}.read(buf, pos, version)"
        if not nullable:
            self.out(read)
            return
        self.out("n = buf[pos]")
        self.out("pos += 1")
        with self.out.block(f"if n == {_null_mark(field)}:"):
            self.out(f"{target} = None")
        with self.out.block("else:"):
            self.out(read)

    def _read_length(self, field: Field, compact: bool) -> None:
        """Into `n`: the length or the count, -1 for null."""
        out = self.out
        is_string = field.type == "string" and not field.is_array
        if compact:
            out("n = buf[pos]")
            out("pos += 1")
            with out.block("if n > 127:"):
                out(f"n, pos = {'string_length_tail' if is_string else 'uvarint_tail'}(buf, pos, n)")
            out("n -= 1")
        else:
            out(f"n, = {self._format('>h' if is_string else '>i')}.unpack_from(buf, pos)")
            out(f"pos += {2 if is_string else 4}")

    def _read_content(self, field: Field, target: str, compact: bool) -> None:
        out = self.out
        if field.is_array:
            self._read_array(field, target, compact)
            return
        out("end = pos + n")
        with out.block("if n < 0 or end > len(buf):"):
            out(f"raise bad_length({field.name!r}, n)")
        if field.type == "string":
            out(f"{target} = str(buf[pos:end], 'utf-8')")
        elif field.type == "bytes":
            out(f"{target} = bytes(buf[pos:end])")
        else:
            out(f"{target} = memoryview(buf)[pos:end]")
        out("pos = end")

    def _read_array(self, field: Field, target: str, compact: bool) -> None:
        out = self.out
        name = field.attribute
        size = FIXED[field.type][1] if field.type in FIXED else 1
        # Every element has a byte at least, so no count can ask for more memory than the frame has.
        with out.block(f"if n < 0 or n{f' * {size}' if size > 1 else ''} > len(buf) - pos:"):
            out(f"raise bad_length({field.name!r}, n)")
        if field.is_struct:
            out(f"items_{name} = []")
            out(f"read_{name} = {self.names[field.type]}.read")
            with out.block("for _ in range(n):"):
                out(f"item_{name}, pos = read_{name}(buf, pos, version)")
                out(f"items_{name}.append(item_{name})")
            out(f"{target} = items_{name}")
        elif field.type == "string":
            out(f"{target}, pos = {'read_compact_strings' if compact else 'read_strings'}(buf, pos, n)")
        elif field.type == "uuid":
            out(f"{target}, pos = read_uuids(buf, pos, n)")
        else:
            out(f"{target} = list(unpack_from(f'>{{n}}{FIXED[field.type][0]}', buf, pos))")
            out(f"pos += {f'{size} * ' if size > 1 else ''}n")

    # -- writing --------------------------------------------------------------------------------------------------

    def _write_write(self) -> None:
        out = self.out
        with out.block("def write(self, out: Frame, version: int) -> None:"):
            self._check_version()
            self._refuse_absent_fields()
            bodies = self._bodies()
            for position, (within, flexible) in enumerate(bodies):
                head = (
                    "" if len(bodies) == 1 else f"if version >= {within.low}:" if position == 0 else "else:"
                )
                with out.block(head):
                    before = len(out.lines)
                    self._write_body(within, flexible)
                    if len(out.lines) == before:
                        out("pass")

    def _refuse_absent_fields(self) -> None:
        """A field that is set and that this version lacks is an error, unless the schema says that it may be dropped."""
        low, high = self.struct.versions
        for field in self.struct.fields:
            tests = []
            if field.versions.low > low:
                tests.append(f"version < {field.versions.low}")
            if field.versions.high < high:
                tests.append(f"version > {field.versions.high}")
            if tests and not field.ignorable:
                when = tests[0] if len(tests) == 1 else f"({' or '.join(tests)})"
                with self.out.block(f"if {when} and not ({self._is_default(field)}):"):
                    self.out(f"raise unsupported_field({field.name!r}, version)")

    def _write_body(self, within: Versions, flexible: bool) -> None:
        out = self.out
        for fields, is_fixed, versions in self._groups(within):
            when = condition(versions, within)
            with out.block(f"if {when}:" if when else ""):
                if is_fixed:
                    self._write_fixed(fields, "out")
                else:
                    self._write_value(fields[0], versions, flexible and not fields[0].plain, "out")
        if flexible:
            self._write_tags(within)

    def _write_fixed(self, fields: list[Field], target: str) -> None:
        for field in fields:
            if field.type == "uuid":
                # `struct` would pad or cut it without a word.
                with self.out.block(f"if len(self.{field.attribute}) != 16:"):
                    self.out(f"raise bad_length({field.name!r}, len(self.{field.attribute}))")
        codes = ">" + "".join(FIXED[field.type][0] for field in fields)
        values = ", ".join(f"self.{field.attribute}" for field in fields)
        self.out(f"{target} += {self._format(codes)}.pack({values})")

    def _write_tags(self, within: Versions) -> None:
        out = self.out
        tagged = self._tagged(within)
        tags = "self.unknown_tags"
        if tagged:
            tags = "tags"
            out(
                "tags: dict[int, bytes | bytearray] | None = "
                "None if self.unknown_tags is None else dict(self.unknown_tags)"
            )
        for field in tagged:
            versions = _both(field.versions, within)
            when = condition(versions, within)
            with out.block(f"if {f'{when} and ' if when else ''}not ({self._is_default(field)}):"):
                out("value = Frame()")
                if field.type in FIXED and not field.is_array:
                    self._write_fixed([field], "value")
                else:
                    self._write_value(field, versions, True, "value")
                with out.block("if tags is None:"):
                    out("tags = {}")
                out(f"tags[{field.tag}] = value")
        with out.block(f"if {tags} is None:"):
            out("out.append(0)")
        with out.block("else:"):
            out(f"write_tags(out, {tags})")

    def _write_value(self, field: Field, versions: Versions, compact: bool, target: str) -> None:
        out = self.out
        name = f"value_{field.attribute}"
        out(f"{name} = self.{field.attribute}")
        if field.nullable is None and field.default != "null":
            self._write_present(field, name, False, compact, target)
            return
        nullable = field.nullable.within(versions) if field.nullable else None
        with out.block(f"if {name} is None:"):
            if nullable is None:
                out(f"raise null_field({field.name!r})")
            else:
                when = condition(nullable, versions)
                if when:
                    with out.block(f"if not ({when}):"):
                        out(f"raise null_field({field.name!r})")
                out(f"{target} += {self._null(field, compact)}")
        with out.block("else:"):
            self._write_present(field, name, nullable is not None, compact, target)

    def _null(self, field: Field, compact: bool) -> str:
        if field.is_struct and not field.is_array:
            return f"b'\\x{_null_mark(field):02x}'"
        if compact:
            return "b'\\x00'"
        return "b'\\xff\\xff'" if field.type == "string" and not field.is_array else "b'\\xff\\xff\\xff\\xff'"

    def _write_present(self, field: Field, name: str, nullable: bool, compact: bool, target: str) -> None:
        out = self.out
        if field.is_struct and not field.is_array:
            if nullable:
                out(f"{target}.append(1)")
            out(f"{name}.write({target}, version)")
        elif field.type == "records":
            out(f"{'write_compact_records' if compact else 'write_records'}({target}, {name})")
        elif field.is_array:
            self._write_length(name, "i", "write_uvarint", compact, target)
            self._write_elements(field, name, compact, target)
        elif field.type == "string":
            out(f"data = {name}.encode()")
            self._write_length("data", "h", "write_string_length", compact, target)
            out(f"{target} += data")
        else:
            self._write_length(name, "i", "write_uvarint", compact, target)
            out(f"{target} += {name}")

    def _write_length(self, name: str, code: str, long_form: str, compact: bool, target: str) -> None:
        out = self.out
        if not compact:
            out(f"{target} += {self._format('>' + code)}.pack(len({name}))")
            return
        out(f"n = len({name}) + 1")
        with out.block("if n < 128:"):
            out(f"{target}.append(n)")
        with out.block("else:"):
            out(f"{long_form}({target}, n)")

    def _write_elements(self, field: Field, name: str, compact: bool, target: str) -> None:
        out = self.out
        if field.is_struct:
            with out.block(f"for item_{field.attribute} in {name}:"):
                out(f"item_{field.attribute}.write({target}, version)")
        elif field.type == "string" and compact:
            out(f"write_compact_strings({target}, {name})")
        elif field.type == "string":
            with out.block(f"for text in {name}:"):
                out("data = text.encode()")
                out(f"{target} += {self._format('>h')}.pack(len(data)) + data")
        elif field.type == "uuid":
            with out.block(f"for uuid in {name}:"):
                with out.block("if len(uuid) != 16:"):
                    out(f"raise bad_length({field.name!r}, len(uuid))")
                out(f"{target} += uuid")
        else:
            out(f"{target} += pack(f'>{{len({name})}}{FIXED[field.type][0]}', *{name})")
