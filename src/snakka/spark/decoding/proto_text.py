"""The text of a .proto file made into its descriptor, without a compiler: what a schema registry holds is text.

Read: proto2 and proto3 with messages, enums, oneofs, maps, nested types, groups, reserved numbers, defaults and imports.
Passed over: options, services and extensions, since no column comes of them. Names are left as they are written; the pool
that the descriptor goes to resolves them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from snakka.spark.decoding.spec import DecodingError

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorProto

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>-?(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))
    |(?P<name>\.?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
    |(?P<mark>[{}\[\]()<>=;,:.\-+/])""",
    re.VERBOSE | re.DOTALL,
)
# In the order of their numbers, which begin at one.
_SCALARS = (
    "double",
    "float",
    "int64",
    "uint64",
    "int32",
    "fixed64",
    "fixed32",
    "bool",
    "string",
    "group",
    "message",
    "bytes",
    "uint32",
    "enum",
    "sfixed32",
    "sfixed64",
    "sint32",
    "sint64",
)
_BYTES = _SCALARS.index("bytes") + 1
_LABELS = {"optional": 1, "required": 2, "repeated": 3}
_BYTE_ORDER_MARK = "\ufeff"
_OPENING = {"{": "}", "[": "]", "(": ")", "<": ">"}


def parse_proto(text: str, name: str, *, names_only: bool = False) -> FileDescriptorProto:
    """The descriptor of that file; DecodingError names the line where it can't be read.

    With `names_only` the messages and fields are there, but what they are by features of an edition is not.
    """
    return _Parser(text, name).file(names_only=names_only)


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._tokens: list[tuple[str, str, int]] = []
        self._at = 0
        self._is_proto3 = False
        place, line = int(text.startswith(_BYTE_ORDER_MARK)), 1
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                raise DecodingError("schema", f"{name}:{line}: {text[place]!r} is not expected here")
            kind = str(found.lastgroup)
            if kind != "space":
                self._tokens.append((kind, found.group(), line))
            line += found.group().count("\n")
            place = found.end()

    # -- Tokens --------------------------------------------------------------------------------------------------------

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self, *expected: str) -> str:
        token = self._peek()
        if not token or (expected and token not in expected):
            line = self._tokens[min(self._at, len(self._tokens) - 1)][2] if self._tokens else 1
            wanted = " or ".join(expected) or "more"
            raise DecodingError(
                "schema", f"{self._name}:{line}: {wanted} is expected, not {token or 'the end'}"
            )
        self._at += 1
        return token

    def _full_name(self) -> str:
        """A name with dots, before which those who format files begin a new line."""
        name = self._take()
        while self._peek().startswith("."):
            name += self._take()
            if name.endswith("."):
                name += self._take()
        return name

    def _text(self) -> str:
        parts = [self._take()]
        while self._peek()[:1] in ('"', "'"):
            parts.append(self._take())
        return "".join(part[1:-1] for part in parts)

    def _number(self) -> int:
        before = self._at
        token = self._signed()
        try:
            return int(token, 0) if not re.fullmatch(r"-?0\d+", token) else int(token, 8)
        except ValueError:
            self._at = before
            self._take("a number")
            raise

    def _skip_statement(self) -> None:
        """To the semicolon, or past a block in braces."""
        while self._peek() not in (";", "{", ""):
            self._skip_one()
        if self._peek() == "{":
            self._skip_one()
        else:
            self._take(";")

    def _skip_one(self) -> None:
        token = self._take()
        if token in _OPENING:
            while self._peek() != _OPENING[token]:
                self._skip_one()
            self._take()

    # -- The file ------------------------------------------------------------------------------------------------------

    def file(self, *, names_only: bool) -> FileDescriptorProto:
        from google.protobuf.descriptor_pb2 import FileDescriptorProto

        file = FileDescriptorProto(name=self._name)
        if self._peek() == "syntax":
            self._take()
            self._take("=")
            self._is_proto3 = self._text() == "proto3"
            self._take(";")
        elif self._peek() == "edition":
            if names_only:
                self._skip_statement()
            else:
                raise DecodingError(
                    "schema", f"{self._name}: editions are read from a FileDescriptorSet only"
                )
        if self._is_proto3:
            file.syntax = "proto3"
        while token := self._peek():
            if token == "package":
                self._take()
                file.package = self._full_name()
                self._take(";")
            elif token == "import":
                self._take()
                if self._peek() in ("public", "weak"):
                    self._take()
                file.dependency.append(self._text())
                self._take(";")
            elif token == "message":
                self._message(file.message_type.add())
            elif token == "enum":
                self._enum(file.enum_type.add())
            elif token == ";":
                self._take()
            else:
                self._take("option", "service", "extend", "package", "import", "message", "enum")
                self._skip_statement()
        return file

    def _message(self, message: DescriptorProto) -> None:
        self._take("message")
        message.name = self._take()
        self._members(message)

    def _members(self, message: DescriptorProto) -> None:
        self._take("{")
        optional: list[Any] = []
        while self._peek() != "}":
            self._member(message, optional)
        self._take("}")
        # Each optional field of proto3 is a oneof of its own, behind the real ones.
        for field in optional:
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{field.name}")

    def _member(self, message: DescriptorProto, optional: list[Any]) -> None:
        token = self._peek()
        following = self._tokens[self._at + 1][1] if self._at + 1 < len(self._tokens) else ""
        if token == "message" and following != "=":
            self._message(message.nested_type.add())
        elif token == "enum":
            self._enum(message.enum_type.add())
        elif token == "oneof":
            self._oneof(message)
        elif token == "map" and following == "<":
            self._map(message)
        elif token in ("option", "reserved", "extensions", "extend"):
            self._skip_statement()
        elif token == ";":
            self._take()
        else:
            self._field(message, optional)

    def _oneof(self, message: DescriptorProto) -> None:
        self._take("oneof")
        index = len(message.oneof_decl)
        message.oneof_decl.add(name=self._take())
        self._take("{")
        while self._peek() != "}":
            if self._peek() == "option":
                self._skip_statement()
            elif self._peek() == ";":  # behind an option in braces
                self._take()
            else:
                self._field(message, []).oneof_index = index
        self._take("}")

    def _field(self, message: DescriptorProto, optional: list[Any]) -> Any:
        field = message.field.add(label=1)
        if self._peek() in _LABELS:
            label = self._take()
            field.label = _LABELS[label]
            if label == "optional" and self._is_proto3:
                field.proto3_optional = True
                optional.append(field)
        kind = self._full_name()
        self._set_type(field, kind)
        field.name = self._take()
        self._take("=")
        field.number = self._number()
        self._field_options(field)
        if kind == "group":  # a field and its message in one
            group = message.nested_type.add(name=field.name)
            field.name, field.type_name = field.name.lower(), group.name
            self._members(group)
        else:
            self._take(";")
        return field

    @staticmethod
    def _set_type(field: Any, kind: str) -> None:
        if kind in _SCALARS:
            field.type = _SCALARS.index(kind) + 1
        else:
            field.type_name = kind

    def _field_options(self, field: Any) -> None:
        if self._peek() != "[":
            return
        self._take("[")
        while self._peek() != "]":
            if self._peek() == "default":
                self._take()
                self._take("=")
                field.default_value = self._default(is_bytes=field.type == _BYTES)
            else:
                self._skip_one()
        self._take("]")

    def _default(self, *, is_bytes: bool) -> str:
        from google.protobuf.text_encoding import CUnescape

        if self._peek()[:1] not in ('"', "'"):
            return self._signed()
        text = self._text()  # a descriptor has the default of bytes as it is written, with escapes
        return text if is_bytes else CUnescape(text).decode("utf-8", "replace")

    def _signed(self) -> str:
        return "-" + self._take() if self._peek() == "-" and self._take() else self._take()

    def _map(self, message: DescriptorProto) -> None:
        """A map is a repeated message of keys and values, whose name every compiler makes in the same way."""
        self._take("map")
        self._take("<")
        key = self._take()
        self._take(",")
        value = self._full_name()
        self._take(">")
        field = message.field.add(name=self._take(), label=3)
        self._take("=")
        field.number = self._number()
        self._field_options(field)
        self._take(";")
        entry = message.nested_type.add(
            name="".join(part[:1].upper() + part[1:] for part in field.name.split("_"))
        )
        entry.name += "Entry"
        entry.options.map_entry = True
        for number, (name, kind) in enumerate((("key", key), ("value", value)), 1):
            self._set_type(entry.field.add(name=name, number=number, label=1), kind)
        field.type_name = entry.name

    def _enum(self, enum: EnumDescriptorProto) -> None:
        self._take("enum")
        enum.name = self._take()
        self._take("{")
        while self._peek() != "}":
            if self._peek() in ("option", "reserved"):
                self._enum_statement(enum)
                continue
            if self._peek() == ";":
                self._take()
                continue
            name = self._take()
            self._take("=")
            enum.value.add(name=name, number=self._number())
            if self._peek() == "[":
                self._skip_one()
            self._take(";")
        self._take("}")

    def _enum_statement(self, enum: EnumDescriptorProto) -> None:
        if self._take() == "option" and self._peek() == "allow_alias":
            self._take()
            self._take("=")
            enum.options.allow_alias = self._take() == "true"
        self._skip_statement()
