"""BrokerRegistration: API key 62."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, read_uuids, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>Hh')
_S1 = Struct('>hh')
_S2 = Struct('>i')
_S3 = Struct('>16s')
_S4 = Struct('>?')
_S5 = Struct('>q')
_S6 = Struct('>ihq')


class Listener(Message):
    __slots__ = ('name', 'host', 'port', 'security_protocol', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        host: str = '',
        port: int = 0,
        security_protocol: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Listener, int]:
        m = _new(Listener)
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
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, m.security_protocol, = _S0.unpack_from(buf, pos)
        pos += 4
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
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.port, self.security_protocol)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class Feature(Message):
    __slots__ = ('name', 'min_supported_version', 'max_supported_version', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Feature, int]:
        m = _new(Feature)
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
        m.min_supported_version, m.max_supported_version, = _S1.unpack_from(buf, pos)
        pos += 4
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
        out += _S1.pack(self.min_supported_version, self.max_supported_version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class BrokerRegistrationRequest(Message):
    __slots__ = ('broker_id', 'cluster_id', 'incarnation_id', 'listeners', 'features', 'rack', 'is_migrating_zk_broker', 'log_dirs', 'previous_broker_epoch', 'unknown_tags',)
    API_KEY = 62
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        cluster_id: str = '',
        incarnation_id: bytes = ZERO_UUID,
        listeners: list[Listener] = UNSET,
        features: list[Feature] = UNSET,
        rack: str | None = '',
        is_migrating_zk_broker: bool = False,
        log_dirs: list[bytes] = UNSET,
        previous_broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.incarnation_id = incarnation_id
        self.listeners = [] if listeners is UNSET else listeners
        self.features = [] if features is UNSET else features
        self.rack = rack
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.previous_broker_epoch = previous_broker_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerRegistrationRequest, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('BrokerRegistrationRequest', version)
        m = _new(BrokerRegistrationRequest)
        m.broker_id, = _S2.unpack_from(buf, pos)
        pos += 4
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
        m.incarnation_id, = _S3.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Listeners', n)
        items_listeners = []
        read_listeners = Listener.read
        for _ in range(n):
            item_listeners, pos = read_listeners(buf, pos, version)
            items_listeners.append(item_listeners)
        m.listeners = items_listeners
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Features', n)
        items_features = []
        read_features = Feature.read
        for _ in range(n):
            item_features, pos = read_features(buf, pos, version)
            items_features.append(item_features)
        m.features = items_features
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
        if version >= 1:
            m.is_migrating_zk_broker, = _S4.unpack_from(buf, pos)
            pos += 1
        else:
            m.is_migrating_zk_broker = False
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 16 > len(buf) - pos:
                raise bad_length('LogDirs', n)
            m.log_dirs, pos = read_uuids(buf, pos, n)
        else:
            m.log_dirs = []
        if version >= 3:
            m.previous_broker_epoch, = _S5.unpack_from(buf, pos)
            pos += 8
        else:
            m.previous_broker_epoch = -1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('BrokerRegistrationRequest', version)
        if version < 1 and not (self.is_migrating_zk_broker == False):
            raise unsupported_field('IsMigratingZkBroker', version)
        out += _S2.pack(self.broker_id)
        value_cluster_id = self.cluster_id
        data = value_cluster_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        if len(self.incarnation_id) != 16:
            raise bad_length('IncarnationId', len(self.incarnation_id))
        out += _S3.pack(self.incarnation_id)
        value_listeners = self.listeners
        n = len(value_listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_listeners in value_listeners:
            item_listeners.write(out, version)
        value_features = self.features
        n = len(value_features) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_features in value_features:
            item_features.write(out, version)
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
        if version >= 1:
            out += _S4.pack(self.is_migrating_zk_broker)
        if version >= 2:
            value_log_dirs = self.log_dirs
            n = len(value_log_dirs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for uuid in value_log_dirs:
                if len(uuid) != 16:
                    raise bad_length('LogDirs', len(uuid))
                out += uuid
        if version >= 3:
            out += _S5.pack(self.previous_broker_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class BrokerRegistrationResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'broker_epoch', 'unknown_tags',)
    API_KEY = 62
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerRegistrationResponse, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('BrokerRegistrationResponse', version)
        m = _new(BrokerRegistrationResponse)
        m.throttle_time_ms, m.error_code, m.broker_epoch, = _S6.unpack_from(buf, pos)
        pos += 14
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('BrokerRegistrationResponse', version)
        out += _S6.pack(self.throttle_time_ms, self.error_code, self.broker_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
