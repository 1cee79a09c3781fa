"""ConsumerGroupMemberMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_compact_strings, read_tag, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>i')


class ClassicProtocol(Message):
    __slots__ = ('name', 'metadata', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        metadata: bytes = b'',
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ClassicProtocol, int]:
        m = _new(ClassicProtocol)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Metadata', n)
        m.metadata = bytes(buf[pos:end])
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_metadata = self.metadata
        n = len(value_metadata) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_metadata
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ClassicMemberMetadata(Message):
    __slots__ = ('session_timeout_ms', 'supported_protocols', 'unknown_tags',)

    def __init__(
        self,
        *,
        session_timeout_ms: int = 0,
        supported_protocols: list[ClassicProtocol] = UNSET,
    ) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.supported_protocols = [] if supported_protocols is UNSET else supported_protocols
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ClassicMemberMetadata, int]:
        m = _new(ClassicMemberMetadata)
        m.session_timeout_ms, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('SupportedProtocols', n)
        items_supported_protocols = []
        read_supported_protocols = ClassicProtocol.read
        for _ in range(n):
            item_supported_protocols, pos = read_supported_protocols(buf, pos, version)
            items_supported_protocols.append(item_supported_protocols)
        m.supported_protocols = items_supported_protocols
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.session_timeout_ms)
        value_supported_protocols = self.supported_protocols
        n = len(value_supported_protocols) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_supported_protocols in value_supported_protocols:
            item_supported_protocols.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_ClassicMemberMetadata = frozen(ClassicMemberMetadata())


class ConsumerGroupMemberMetadataValue(Message):
    __slots__ = ('instance_id', 'rack_id', 'client_id', 'client_host', 'subscribed_topic_names', 'subscribed_topic_regex', 'rebalance_timeout_ms', 'server_assignor', 'classic_member_metadata', 'unknown_tags',)
    RECORD_KEY = 5
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        instance_id: str | None = '',
        rack_id: str | None = '',
        client_id: str = '',
        client_host: str = '',
        subscribed_topic_names: list[str] = UNSET,
        subscribed_topic_regex: str | None = '',
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = '',
        classic_member_metadata: ClassicMemberMetadata | None = UNSET,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic_member_metadata = _default_ClassicMemberMetadata if classic_member_metadata is UNSET else classic_member_metadata
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ConsumerGroupMemberMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupMemberMetadataValue', version)
        m = _new(ConsumerGroupMemberMetadataValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.instance_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('InstanceId', n)
            m.instance_id = str(buf[pos:end], 'utf-8')
            pos = end
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.subscribed_topic_regex = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('SubscribedTopicRegex', n)
            m.subscribed_topic_regex = str(buf[pos:end], 'utf-8')
            pos = end
        m.rebalance_timeout_ms, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.server_assignor = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ServerAssignor', n)
            m.server_assignor = str(buf[pos:end], 'utf-8')
            pos = end
        m.classic_member_metadata = _default_ClassicMemberMetadata
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if n == 0:
                        m.classic_member_metadata = None
                    else:
                        m.classic_member_metadata, pos = ClassicMemberMetadata.read(buf, pos, version)
                else:
                    if tags is None:
                        tags = {}
                    tags[tag] = bytes(buf[pos:end_of_tag])
                    pos = end_of_tag
                if pos != end_of_tag:
                    raise bad_tag(tag)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupMemberMetadataValue', version)
        value_instance_id = self.instance_id
        if value_instance_id is None:
            out += b'\x00'
        else:
            data = value_instance_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
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
        value_subscribed_topic_regex = self.subscribed_topic_regex
        if value_subscribed_topic_regex is None:
            out += b'\x00'
        else:
            data = value_subscribed_topic_regex.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        out += _S0.pack(self.rebalance_timeout_ms)
        value_server_assignor = self.server_assignor
        if value_server_assignor is None:
            out += b'\x00'
        else:
            data = value_server_assignor.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.classic_member_metadata is _default_ClassicMemberMetadata or self.classic_member_metadata == _default_ClassicMemberMetadata):
            value = Frame()
            value_classic_member_metadata = self.classic_member_metadata
            if value_classic_member_metadata is None:
                value += b'\x00'
            else:
                value.append(1)
                value_classic_member_metadata.write(value, version)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
