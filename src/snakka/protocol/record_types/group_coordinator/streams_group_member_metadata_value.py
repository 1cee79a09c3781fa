"""StreamsGroupMemberMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>H')
_S1 = Struct('>ii')


class Endpoint(Message):
    __slots__ = ('host', 'port', 'unknown_tags',)

    def __init__(
        self,
        *,
        host: str = '',
        port: int = 0,
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Endpoint, int]:
        m = _new(Endpoint)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, = _S0.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class KeyValue(Message):
    __slots__ = ('key', 'value', 'unknown_tags',)

    def __init__(
        self,
        *,
        key: str = '',
        value: str = '',
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[KeyValue, int]:
        m = _new(KeyValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Key', n)
        m.key = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Value', n)
        m.value = str(buf[pos:end], 'utf-8')
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_key = self.key
        data = value_key.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_value = self.value
        data = value_value.encode()
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


class StreamsGroupMemberMetadataValue(Message):
    __slots__ = ('instance_id', 'rack_id', 'client_id', 'client_host', 'rebalance_timeout_ms', 'topology_epoch', 'process_id', 'user_endpoint', 'client_tags', 'unknown_tags',)
    RECORD_KEY = 19
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
        rebalance_timeout_ms: int = -1,
        topology_epoch: int = 0,
        process_id: str = '',
        user_endpoint: Endpoint | None = None,
        client_tags: list[KeyValue] = UNSET,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = [] if client_tags is UNSET else client_tags
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupMemberMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupMemberMetadataValue', version)
        m = _new(StreamsGroupMemberMetadataValue)
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
        m.rebalance_timeout_ms, m.topology_epoch, = _S1.unpack_from(buf, pos)
        pos += 8
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ProcessId', n)
        m.process_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n == 255:
            m.user_endpoint = None
        else:
            m.user_endpoint, pos = Endpoint.read(buf, pos, version)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ClientTags', n)
        items_client_tags = []
        read_client_tags = KeyValue.read
        for _ in range(n):
            item_client_tags, pos = read_client_tags(buf, pos, version)
            items_client_tags.append(item_client_tags)
        m.client_tags = items_client_tags
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupMemberMetadataValue', version)
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
        out += _S1.pack(self.rebalance_timeout_ms, self.topology_epoch)
        value_process_id = self.process_id
        data = value_process_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_user_endpoint = self.user_endpoint
        if value_user_endpoint is None:
            out += b'\xff'
        else:
            out.append(1)
            value_user_endpoint.write(out, version)
        value_client_tags = self.client_tags
        n = len(value_client_tags) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_client_tags in value_client_tags:
            item_client_tags.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
