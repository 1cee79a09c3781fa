"""Generates the `write` of a struct: straight-line code, one pack for each run of neighbours of fixed size.

A value that a version cannot carry raises, unless the schema calls it ignorable; a tagged field at its default is not written.
"""

from __future__ import annotations

from tools.code_writer import FORMATS, CodeWriter, condition
from tools.field_facts import default_of, flexible_split, runs, shared_default
from tools.schema_notation import Field, Message, Struct, Versions


class WriteCode:
    def __init__(self, code: CodeWriter, message: Message, class_names: dict[str, str]) -> None:
        self.code = code
        self.message = message
        self.class_names = class_names
        self.pending: list[tuple[str, str]] = []
        self.out = "out"

    def method(self, struct: Struct) -> None:
        """Writes `write`."""
        code = self.code
        with code.block(f"def write(self, out: {code.use('Frame')}, version: int) -> None:"):
            if struct is self.message.body:
                low, high = struct.versions
                with code.block(f"if version < {low} or version > {high}:"):
                    code.line(f'raise {code.use("unsupported_version")}("{struct.name}", version)')
            parts = flexible_split(self.message, struct.versions)
            if len(parts) == 1:
                self.body(struct, *parts[0])
            else:
                with code.block(f"if version >= {self.message.flexible_from}:"):
                    self.body(struct, *parts[0])
                with code.block("else:"):
                    self.body(struct, *parts[1])

    def body(self, struct: Struct, versions: Versions, flexible: bool) -> None:
        self.fields([field for field in struct.fields if field.tag is None], versions, flexible)
        tagged = [field for field in struct.fields if field.tag is not None]
        if not flexible:
            self.flush()
            self.absent(tagged)
            with self.code.block("if self.unknown_tags is not None:"):
                self.code.line(f'raise {self.code.use("unsupported_field")}("tagged fields", version)')
        elif any(field.versions.within(versions) for field in tagged):
            self.flush()
            self.tags(tagged, versions)
        else:
            self.no_known_tags(tagged)

    def no_known_tags(self, tagged: list[Field]) -> None:
        """The number of tagged fields is 0 unless a newer peer sent some that must go on."""
        if self.pending:
            self.pending.append(("x", ""))
            self.flush()
        else:
            self.code.line("out.append(0)")
        self.absent(tagged)
        with self.code.block("if self.unknown_tags is not None:"):
            self.code.line("del out[-1]")
            self.code.line(f"{self.code.use('write_tags')}(out, self.unknown_tags)")

    def fields(self, fields: list[Field], versions: Versions, flexible: bool) -> None:
        for run in runs(fields, versions):
            if run.present is None:
                self.absent(run.fields)
            elif run.present == versions:
                for field in run.fields:
                    self.field(field, versions, flexible)
            else:
                self.flush()
                with self.code.block(f"if {condition(run.present, versions)}:"):
                    for field in run.fields:
                        self.field(field, run.present, flexible)
                    self.flush()
                if not all(field.ignorable for field in run.fields):
                    with self.code.block("else:"):
                        self.absent(run.fields)

    def absent(self, fields: list[Field]) -> None:
        """The versions at hand cannot carry these fields."""
        for field in fields:
            if not field.ignorable:
                with self.code.block(f"if {self.differs(field)}:"):
                    self.code.line(f'raise {self.code.use("unsupported_field")}("{field.name}", version)')

    def differs(self, field: Field) -> str:
        """The test whether a field is not at its default."""
        value = f"self.{field.attribute}"
        default = default_of(field, self.class_names, self.code)
        if default == "None":
            return f"{value} is not None"
        if field.type == "bool" and not field.is_array:
            return f"not {value}" if default == "True" else value
        if not field.nullable and default in ("[]", '""', 'b""'):
            return value
        if field.is_struct and not field.is_array and field.tag is not None:
            return f"{value} is not {shared_default(field, self.class_names)} and {value} != {default}"
        return f"{value} != {default}"

    def put(self, format_text: str, value: str) -> None:
        self.pending.append((format_text, value))

    def flush(self) -> None:
        """Packs what is pending."""
        if not self.pending:
            return
        format_text = "".join(each for each, _ in self.pending)
        values = ", ".join(value for _, value in self.pending if value)
        self.pending = []
        self.code.line(f"{self.out} += {self.code.packer(format_text)}({values})")

    def field(self, field: Field, versions: Versions, flexible: bool) -> None:
        value = f"self.{field.attribute}"
        if field.is_struct and not field.is_array:
            self.struct(field, value)
        elif field.type in FORMATS and not field.is_array:
            self.put(FORMATS[field.type], value)
        else:
            nullable = field.nullable.within(versions) if field.nullable else None
            if nullable is not None and nullable != versions:
                with self.code.block(f"if {value} is None and not {condition(nullable, versions)}:"):
                    self.code.line(f'raise {self.code.use("null_field")}("{field.name}")')
            compact = flexible and not field.plain
            if field.is_array:
                self.array(field, value, nullable is not None, compact)
            elif field.type == "records":
                self.records(field, value, nullable is not None, compact)
            else:
                self.data(field, value, nullable is not None, compact)

    def struct(self, field: Field, value: str) -> None:
        code = self.code
        if not field.nullable:
            self.flush()
            code.line(f"{value}.write({self.out}, version)")
            return
        self.put("b", f"-1 if {value} is None else 1")
        self.flush()
        with code.block(f"if {value} is not None:"):
            code.line(f"{value}.write({self.out}, version)")

    def records(self, field: Field, value: str, nullable: bool, compact: bool) -> None:
        code = self.code
        self.flush()
        write = code.use("write_compact_records" if compact else "write_records")
        with code.block(f"if {value} is None:"):
            if not nullable:
                code.line(f'raise {code.use("null_field")}("{field.name}")')
            elif compact:
                code.line(f"{self.out}.append(0)")
            else:
                code.line(f'{self.out} += b"\\xff\\xff\\xff\\xff"')
        with code.block("else:"):
            code.line(f"{write}({self.out}, {value})")

    def data(self, field: Field, value: str, nullable: bool, compact: bool) -> None:
        """A string, or bytes."""
        code = self.code
        is_string = field.type == "string"
        encoded = f"{value}.encode()" if is_string else value
        if not compact:
            code.line(f'data = b"" if {value} is None else {encoded}' if nullable else f"data = {encoded}")
            length = f"-1 if {value} is None else len(data)" if nullable else "len(data)"
            self.put("h" if is_string else "i", length)
            self.flush()
            code.line(f"{self.out} += data")
            return
        self.flush()
        if nullable:
            with code.block(f"if {value} is None:"):
                code.line(f"{self.out}.append(0)")
            with code.block("else:"):
                self.compact_data(encoded, is_string)
        else:
            self.compact_data(encoded, is_string)

    def compact_data(self, encoded: str, is_string: bool) -> None:
        code = self.code
        code.line(f"data = {encoded}")
        code.line("n = len(data) + 1")
        self.compact_length("write_string_length" if is_string else "write_uvarint")
        code.line(f"{self.out} += data")

    def compact_length(self, long_form: str) -> None:
        code = self.code
        with code.block("if n < 128:"):
            code.line(f"{self.out}.append(n)")
        with code.block("else:"):
            code.line(f"{code.use(long_form)}({self.out}, n)")

    def array(self, field: Field, value: str, nullable: bool, compact: bool) -> None:
        code = self.code
        items = f"items_{field.attribute}"
        code.line(f"{items} = {value}")
        if compact:
            self.flush()
            code.line(
                f"n = 0 if {items} is None else len({items}) + 1" if nullable else f"n = len({items}) + 1"
            )
            self.compact_length("write_uvarint")
        else:
            self.put("i", f"-1 if {items} is None else len({items})" if nullable else f"len({items})")
            self.flush()
        if nullable:
            with code.block(f"if {items}:"):
                self.items(field, items, compact)
        else:
            self.items(field, items, compact)

    def items(self, field: Field, items: str, compact: bool) -> None:
        code = self.code
        if field.is_struct:
            with code.block(f"for item_{field.attribute} in {items}:"):
                code.line(f"item_{field.attribute}.write({self.out}, version)")
        elif field.type == "string":
            if compact:
                code.line(f"{code.use('write_compact_strings')}({self.out}, {items})")
            else:
                with code.block(f"for text in {items}:"):
                    code.line("data = text.encode()")
                    code.line(f"{self.out} += {code.packer('h')}(len(data))")
                    code.line(f"{self.out} += data")
        elif field.type == "uuid":
            code.line(f'{self.out} += b"".join({items})')
        else:
            format_text = FORMATS[field.type]
            code.line(f'{self.out} += {code.use("pack")}(f">{{len({items})}}{format_text}", *{items})')

    def tags(self, tagged: list[Field], versions: Versions) -> None:
        code = self.code
        tags = "tags: dict[int, bytes | bytearray]"
        code.line(f"{tags} = {{}} if self.unknown_tags is None else dict(self.unknown_tags)")
        for run in runs(tagged, versions):
            if run.present is None:
                self.absent(run.fields)
            elif run.present == versions:
                for field in run.fields:
                    self.tag(field, run.present)
            else:
                with code.block(f"if {condition(run.present, versions)}:"):
                    for field in run.fields:
                        self.tag(field, run.present)
                if not all(field.ignorable for field in run.fields):
                    with code.block("else:"):
                        self.absent(run.fields)
        with code.block("if tags:"):
            code.line(f"{code.use('write_tags')}(out, tags)")
        with code.block("else:"):
            code.line("out.append(0)")

    def tag(self, field: Field, versions: Versions) -> None:
        code = self.code
        with code.block(f"if {self.differs(field)}:"):
            if field.type in FORMATS and not field.is_array:
                code.line(f"tags[{field.tag}] = {code.packer(FORMATS[field.type])}(self.{field.attribute})")
                return
            code.line(f"value_{field.attribute} = Frame()")
            self.out = f"value_{field.attribute}"
            self.field(field, versions, flexible=True)
            self.flush()
            self.out = "out"
            code.line(f"tags[{field.tag}] = value_{field.attribute}")
