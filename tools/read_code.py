"""Generates the `read` of a struct: straight-line code, one unpack for each run of neighbours of fixed size.

The prefix of a field of variable size (a length, a count, the number of tagged fields) is of fixed size as well, so it joins the run
before it. A compact prefix is a byte nearly always; the code for the rest of a longer varint is a call.
"""

from __future__ import annotations

from tools.code_writer import FORMATS, CodeWriter, condition, size_of
from tools.field_facts import default_of, flexible_split, runs, smallest_size
from tools.schema_notation import Field, Message, Struct, Versions


class ReadCode:
    def __init__(self, code: CodeWriter, message: Message, class_names: dict[str, str]) -> None:
        self.code = code
        self.message = message
        self.class_names = class_names
        self.pending: list[tuple[str, str]] = []

    def method(self, struct: Struct) -> None:
        """Writes `read`, and `_read_tags` if the struct has tagged fields."""
        code = self.code
        code.line("@staticmethod")
        with code.block(
            f"def read(buf: {code.use('Buffer')}, pos: int, version: int) -> tuple[{struct.class_name}, int]:"
        ):
            if struct is self.message.body:
                low, high = struct.versions
                with code.block(f"if version < {low} or version > {high}:"):
                    code.line(f'raise {code.use("unsupported_version")}("{struct.name}", version)')
            code.line(f"self = {code.use('new')}({struct.class_name})")
            parts = flexible_split(self.message, struct.versions)
            if len(parts) == 1:
                self.body(struct, *parts[0])
            else:
                with code.block(f"if version >= {self.message.flexible_from}:"):
                    self.body(struct, *parts[0])
                with code.block("else:"):
                    self.body(struct, *parts[1])
            code.line("return self, pos")
        for versions, flexible in parts:
            if flexible and any(
                field.tag is not None and field.versions.within(versions) for field in struct.fields
            ):
                code.line()
                self.tags_method(struct, versions)

    def body(self, struct: Struct, versions: Versions, flexible: bool) -> None:
        self.fields([field for field in struct.fields if field.tag is None], versions, flexible)
        tagged = [field for field in struct.fields if field.tag is not None]
        if flexible:
            self.expect("B", "n")
            self.flush()
        else:
            self.flush()
        self.defaults(tagged)
        if not flexible:
            self.code.line("self.unknown_tags = None")
        elif any(field.versions.within(versions) for field in tagged):
            self.code.line("self.unknown_tags = None")
            with self.code.block("if n:"):
                self.code.line("pos = self._read_tags(buf, pos, n, version)")
        else:
            with self.code.block("if n:"):
                self.code.line(f"self.unknown_tags, pos = {self.code.use('read_unknown_tags')}(buf, pos, n)")
            with self.code.block("else:"):
                self.code.line("self.unknown_tags = None")

    def fields(self, fields: list[Field], versions: Versions, flexible: bool) -> None:
        for run in runs(fields, versions):
            if run.present is None:
                self.defaults(run.fields)
            elif run.present == versions:
                for field in run.fields:
                    self.field(field, versions, flexible)
            else:
                self.flush()
                with self.code.block(f"if {condition(run.present, versions)}:"):
                    for field in run.fields:
                        self.field(field, run.present, flexible)
                    self.flush()
                with self.code.block("else:"):
                    self.defaults(run.fields)

    def defaults(self, fields: list[Field]) -> None:
        for field in fields:
            self.code.line(f"self.{field.attribute} = {default_of(field, self.class_names, self.code)}")

    def expect(self, format_text: str, target: str) -> None:
        self.pending.append((format_text, target))

    def flush(self) -> None:
        """Unpacks what is pending."""
        if not self.pending:
            return
        format_text = "".join(each for each, _ in self.pending)
        targets = [target for _, target in self.pending]
        self.pending = []
        if format_text == "B":
            self.code.line(f"{targets[0]} = buf[pos]")
        else:
            left = ", ".join(targets) if len(targets) > 1 else f"({targets[0]},)"
            self.code.line(f"{left} = {self.code.reader(format_text)}(buf, pos)")
        self.code.line(f"pos += {size_of(format_text)}")

    def field(self, field: Field, versions: Versions, flexible: bool) -> None:
        if field.is_struct and not field.is_array:
            self.struct(field)
        elif field.type in FORMATS and not field.is_array:
            self.expect(FORMATS[field.type], f"self.{field.attribute}")
        else:
            self.sized(field, versions, flexible)

    def struct(self, field: Field) -> None:
        code = self.code
        read = f"self.{field.attribute}, pos = {self.class_names[field.type]}.read(buf, pos, version)"
        if field.nullable:
            self.expect("b", "n")
            self.flush()
            with code.block("if n < 0:"):
                code.line(f"self.{field.attribute} = None")
            with code.block("else:"):
                code.line(read)
        else:
            self.flush()
            code.line(read)

    def sized(self, field: Field, versions: Versions, flexible: bool) -> None:
        """A field that begins with its length or count."""
        code = self.code
        compact = flexible and not field.plain
        is_string = field.type == "string" and not field.is_array
        self.expect("B" if compact else "h" if is_string else "i", "n")
        self.flush()
        null_test = "n < 0"
        if compact:
            null_test = "n == 0"
            tail = code.use("string_length_tail" if is_string else "uvarint_tail")
            with code.block("if n > 127:"):
                code.line(f"n, pos = {tail}(buf, pos, n)")
        nullable = field.nullable.within(versions) if field.nullable else None
        with code.block(f"if {null_test}:"):
            self.null(field, versions, nullable, compact)
        if nullable is None:
            self.content(field, versions, flexible, compact)
        else:
            with code.block("else:"):
                self.content(field, versions, flexible, compact)

    def null(self, field: Field, versions: Versions, nullable: Versions | None, compact: bool) -> None:
        code = self.code
        if nullable is None:
            error = "null_field" if compact else "bad_length"
            arguments = f'"{field.name}"' if compact else f'"{field.name}", n'
            code.line(f"raise {code.use(error)}({arguments})")
            return
        if nullable != versions:
            with code.block(f"if not {condition(nullable, versions)}:"):
                code.line(f'raise {code.use("null_field")}("{field.name}")')
        if not compact:
            with code.block("if n != -1:"):
                code.line(f'raise {code.use("bad_length")}("{field.name}", n)')
        code.line(f"self.{field.attribute} = None")

    def content(self, field: Field, versions: Versions, flexible: bool, compact: bool) -> None:
        code = self.code
        target = f"self.{field.attribute}"
        if field.is_array:
            if compact:
                code.line("n -= 1")
            self.array(field, versions, flexible, target)
            return
        value = {
            "string": 'str(buf[pos:end], "utf-8")',
            "bytes": "bytes(buf[pos:end])",
            "records": "memoryview(buf)[pos:end]",
        }[field.type]
        code.line("end = pos + n - 1" if compact else "end = pos + n")
        code.line(f"{target} = {value}")
        code.line("pos = end")

    def array(self, field: Field, versions: Versions, flexible: bool, target: str) -> None:
        code = self.code
        if field.type == "string":
            reader = code.use("read_compact_strings" if flexible else "read_strings")
            code.line(f"{target}, pos = {reader}(buf, pos, n)")
        elif field.type == "uuid":
            code.line(f"{target}, pos = {code.use('read_uuids')}(buf, pos, n)")
        elif field.is_struct:
            structs = self.message.structs
            size = smallest_size(structs[field.type], structs, versions, flexible)
            with code.block(f"if n{f' * {size}' if size > 1 else ''} > len(buf) - pos:"):
                code.line(f'raise {code.use("bad_length")}("{field.name}", n)')
            class_name = self.class_names[field.type]
            name = field.attribute
            code.line(f"items_{name} = []")
            with code.block("for _ in range(n):"):
                code.line(f"item_{name}, pos = {class_name}.read(buf, pos, version)")
                code.line(f"items_{name}.append(item_{name})")
            code.line(f"{target} = items_{name}")
        else:
            format_text = FORMATS[field.type]
            size = size_of(format_text)
            code.line(f"end = pos + n * {size}" if size > 1 else "end = pos + n")
            with code.block("if end > len(buf):"):
                code.line(f'raise {code.use("bad_length")}("{field.name}", n)')
            code.line(f'{target} = list({code.use("unpack_from")}(f">{{n}}{format_text}", buf, pos))')
            code.line("pos = end")

    def tags_method(self, struct: Struct, versions: Versions) -> None:
        code = self.code
        with code.block(
            f"def _read_tags(self, buf: {code.use('Buffer')}, pos: int, n: int, version: int) -> int:"
        ):
            with code.block("if n > 127:"):
                code.line(f"n, pos = {code.use('uvarint_tail')}(buf, pos, n)")
            code.line("unknown: dict[int, bytes] = {}")
            with code.block("for _ in range(n):"):
                code.line(f"tag, pos, stop = {code.use('read_tag')}(buf, pos)")
                word = "if"
                for field in struct.fields:
                    present = field.versions.within(versions) if field.tag is not None else None
                    if present is None:
                        continue
                    test = "" if present == versions else f" and {condition(present, versions)}"
                    with code.block(f"{word} tag == {field.tag}{test}:"):
                        self.field(field, present, flexible=True)
                        self.flush()
                    word = "elif"
                with code.block("else:"):
                    code.line("unknown[tag] = bytes(buf[pos:stop])")
                    code.line("pos = stop")
                with code.block("if pos != stop:"):
                    code.line(f"raise {code.use('bad_tag')}(tag)")
            code.line("self.unknown_tags = unknown or None")
            code.line("return pos")
