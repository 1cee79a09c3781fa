"""RemoveDelegationTokenRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, write_string_length, write_tags

_new = object.__new__


class RemoveDelegationTokenRecord(Message):
    __slots__ = ('token_id', 'unknown_tags',)
    RECORD_KEY = 26
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        token_id: str = '',
    ) -> None:
        self.token_id = token_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RemoveDelegationTokenRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveDelegationTokenRecord', version)
        m = _new(RemoveDelegationTokenRecord)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TokenId', n)
        m.token_id = str(buf[pos:end], 'utf-8')
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('RemoveDelegationTokenRecord', version)
        value_token_id = self.token_id
        data = value_token_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
