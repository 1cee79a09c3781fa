"""The base of every generated message and struct.

The generated `read` and `write` are the fast path and may raise whatever Python raises on nonsense; `decode` and `encode`
are the doors, where every defect becomes ProtocolError.
"""

from __future__ import annotations

from struct import error as StructError  # noqa: N812
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeVar

from snakka.protocol.errors import ProtocolError
from snakka.protocol.frame import Frame
from snakka.protocol.primitives import Buffer

AnyMessage = TypeVar("AnyMessage", bound="Message")

# The default of an argument whose absence differs from None.
UNSET: Any = object()

_UNREADABLE = (StructError, IndexError, ValueError, OverflowError)
_UNWRITABLE = (StructError, AttributeError, TypeError, ValueError, OverflowError)


class Message:
    """A message or a struct of one; the attributes are its fields and `unknown_tags`."""

    __slots__ = ()

    API_KEY: ClassVar[int]
    RECORD_KEY: ClassVar[int]
    MIN_VERSION: ClassVar[int]
    MAX_VERSION: ClassVar[int]
    FLEXIBLE_FROM: ClassVar[int | None]

    if TYPE_CHECKING:
        unknown_tags: dict[int, bytes] | None

        @staticmethod
        def read(buf: Buffer, pos: int, version: int) -> tuple[Any, int]:
            """The message at `pos`, and where it ends."""

        def write(self, out: Frame, version: int) -> None:
            """Appends the message."""

    @classmethod
    def decode(cls, buf: Buffer, version: int, pos: int = 0) -> Self:
        """The message at `pos`; ProtocolError if the bytes are none. Bytes after it are ignored, as Kafka does."""
        return cls._decode(buf, version, pos)[0]

    @classmethod
    def decode_whole(cls, buf: Buffer, version: int, pos: int = 0) -> Self:
        """As `decode`, but nothing may follow: for records in logs, where Kafka does not accept it either."""
        message, end = cls._decode(buf, version, pos)
        if end != len(buf):
            raise ProtocolError(f"{len(buf) - end} bytes after {cls.__name__} v{version}")
        return message

    @classmethod
    def _decode(cls, buf: Buffer, version: int, pos: int) -> tuple[Self, int]:
        try:
            message, pos = cls.read(buf, pos, version)
        except _UNREADABLE as error:
            raise ProtocolError(f"{cls.__name__} v{version}: {error}") from error
        if pos > len(buf):
            raise ProtocolError(f"{cls.__name__} v{version} ends {pos - len(buf)} bytes too early")
        return message, pos

    def encode(self, version: int) -> bytes:
        """The message as bytes; ProtocolError if a value does not fit into this version."""
        out = Frame()
        try:
            self.write(out, version)
        except _UNWRITABLE as error:
            raise ProtocolError(f"{type(self).__name__} v{version}: {error}") from error
        return out.joined()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message) or self._fields() is not other._fields():
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._fields())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [
            f"{name}={getattr(self, name)!r}"
            for name in self._fields()
            if name != "unknown_tags" or self.unknown_tags is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    @classmethod
    def _fields(cls) -> tuple[str, ...]:
        """The attributes; a frozen default has none of its own and answers with its class's."""
        slots: tuple[str, ...] = cls.__slots__
        return slots if slots or cls.__base__ is None else cls.__base__.__slots__  # type: ignore[attr-defined]


def frozen(message: AnyMessage) -> AnyMessage:
    """Makes a struct a default that many messages share, since one each would cost more than the rest of the message."""
    kind = type(message)
    message.__class__ = type(kind.__name__, (kind,), {"__slots__": (), "__setattr__": _refuse_change})
    return message


def _refuse_change(message: Message, name: str, _value: object) -> NoReturn:
    raise AttributeError(
        f"this {type(message).__name__} is a shared default: assign a new one instead of {name}"
    )
