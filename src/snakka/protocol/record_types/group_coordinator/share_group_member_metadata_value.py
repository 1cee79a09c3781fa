"""ShareGroupMemberMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__


class ShareGroupMemberMetadataValue(Message):
    __slots__ = ('rack_id', 'client_id', 'client_host', 'subscribed_topic_names', 'unknown_tags',)
    RECORD_KEY = 10
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        rack_id: str | None = '',
        client_id: str = '',
        client_host: str = '',
        subscribed_topic_names: list[str] = UNSET,
    ) -> None:
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareGroupMemberMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupMemberMetadataValue', version)
        m = _new(ShareGroupMemberMetadataValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.rack_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('RackId', n)
            m.rack_id = str(buf[pos:end], 'utf-8')
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientId', n)
        m.client_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientHost', n)
        m.client_host = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('SubscribedTopicNames', n)
        m.subscribed_topic_names, pos = read_compact_strings(buf, pos, n)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareGroupMemberMetadataValue', version)
        value_rack_id = self.rack_id
        if value_rack_id is None:
            out += b'\x00'
        else:
            data = value_rack_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        value_client_id = self.client_id
        data = value_client_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_client_host = self.client_host
        data = value_client_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_subscribed_topic_names = self.subscribed_topic_names
        n = len(value_subscribed_topic_names) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_subscribed_topic_names)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
