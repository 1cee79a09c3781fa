"""ConsumerGroupRegularExpressionValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, unsupported_version, uvarint_tail, write_compact_strings, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>qq')


class ConsumerGroupRegularExpressionValue(Message):
    __slots__ = ('topics', 'version', 'timestamp', 'unknown_tags',)
    RECORD_KEY = 16
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        topics: list[str] = UNSET,
        version: int = 0,
        timestamp: int = 0,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.version = version
        self.timestamp = timestamp
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ConsumerGroupRegularExpressionValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupRegularExpressionValue', version)
        m = _new(ConsumerGroupRegularExpressionValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        m.topics, pos = read_compact_strings(buf, pos, n)
        m.version, m.timestamp, = _S0.unpack_from(buf, pos)
        pos += 16
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupRegularExpressionValue', version)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_topics)
        out += _S0.pack(self.version, self.timestamp)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
