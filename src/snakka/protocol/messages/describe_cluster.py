"""DescribeCluster: API key 60."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>?')
_S1 = Struct('>b')
_S2 = Struct('>i')
_S3 = Struct('>ih')


class DescribeClusterRequest(Message):
    __slots__ = ('include_cluster_authorized_operations', 'endpoint_type', 'include_fenced_brokers', 'unknown_tags',)
    API_KEY = 60
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeClusterRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeClusterRequest', version)
        m = _new(DescribeClusterRequest)
        m.include_cluster_authorized_operations, = _S0.unpack_from(buf, pos)
        pos += 1
        if version >= 1:
            m.endpoint_type, = _S1.unpack_from(buf, pos)
            pos += 1
        else:
            m.endpoint_type = 1
        if version >= 2:
            m.include_fenced_brokers, = _S0.unpack_from(buf, pos)
            pos += 1
        else:
            m.include_fenced_brokers = False
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeClusterRequest', version)
        if version < 1 and not (self.endpoint_type == 1):
            raise unsupported_field('EndpointType', version)
        if version < 2 and not (self.include_fenced_brokers == False):
            raise unsupported_field('IncludeFencedBrokers', version)
        out += _S0.pack(self.include_cluster_authorized_operations)
        if version >= 1:
            out += _S1.pack(self.endpoint_type)
        if version >= 2:
            out += _S0.pack(self.include_fenced_brokers)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeClusterBroker(Message):
    __slots__ = ('broker_id', 'host', 'port', 'rack', 'is_fenced', 'unknown_tags',)

    def __init__(
        self,
        *,
        broker_id: int = 0,
        host: str = '',
        port: int = 0,
        rack: str | None = None,
        is_fenced: bool = False,
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeClusterBroker, int]:
        m = _new(DescribeClusterBroker)
        m.broker_id, = _S2.unpack_from(buf, pos)
        pos += 4
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
        m.port, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.rack = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Rack', n)
            m.rack = str(buf[pos:end], 'utf-8')
            pos = end
        if version >= 2:
            m.is_fenced, = _S0.unpack_from(buf, pos)
            pos += 1
        else:
            m.is_fenced = False
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 2 and not (self.is_fenced == False):
            raise unsupported_field('IsFenced', version)
        out += _S2.pack(self.broker_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.port)
        value_rack = self.rack
        if value_rack is None:
            out += b'\x00'
        else:
            data = value_rack.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        if version >= 2:
            out += _S0.pack(self.is_fenced)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeClusterResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'endpoint_type', 'cluster_id', 'controller_id', 'brokers', 'cluster_authorized_operations', 'unknown_tags',)
    API_KEY = 60
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = '',
        controller_id: int = -1,
        brokers: list[DescribeClusterBroker] = UNSET,
        cluster_authorized_operations: int = -2147483648,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = [] if brokers is UNSET else brokers
        self.cluster_authorized_operations = cluster_authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeClusterResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeClusterResponse', version)
        m = _new(DescribeClusterResponse)
        m.throttle_time_ms, m.error_code, = _S3.unpack_from(buf, pos)
        pos += 6
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        if version >= 1:
            m.endpoint_type, = _S1.unpack_from(buf, pos)
            pos += 1
        else:
            m.endpoint_type = 1
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClusterId', n)
        m.cluster_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.controller_id, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Brokers', n)
        items_brokers = []
        read_brokers = DescribeClusterBroker.read
        for _ in range(n):
            item_brokers, pos = read_brokers(buf, pos, version)
            items_brokers.append(item_brokers)
        m.brokers = items_brokers
        m.cluster_authorized_operations, = _S2.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeClusterResponse', version)
        if version < 1 and not (self.endpoint_type == 1):
            raise unsupported_field('EndpointType', version)
        out += _S3.pack(self.throttle_time_ms, self.error_code)
        value_error_message = self.error_message
        if value_error_message is None:
            out += b'\x00'
        else:
            data = value_error_message.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        if version >= 1:
            out += _S1.pack(self.endpoint_type)
        value_cluster_id = self.cluster_id
        data = value_cluster_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.controller_id)
        value_brokers = self.brokers
        n = len(value_brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_brokers in value_brokers:
            item_brokers.write(out, version)
        out += _S2.pack(self.cluster_authorized_operations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
