"""RegisterBrokerRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, read_uuids, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>Hh')
_S1 = Struct('>hh')
_S2 = Struct('>i')
_S3 = Struct('>?')
_S4 = Struct('>16sq')


class BrokerEndpoint(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerEndpoint, int]:
        m = _new(BrokerEndpoint)
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


class BrokerFeature(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerFeature, int]:
        m = _new(BrokerFeature)
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


class RegisterBrokerRecord(Message):
    __slots__ = ('broker_id', 'is_migrating_zk_broker', 'incarnation_id', 'broker_epoch', 'end_points', 'features', 'rack', 'fenced', 'in_controlled_shutdown', 'log_dirs', 'cordoned_log_dirs', 'unknown_tags',)
    RECORD_KEY = 0
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        is_migrating_zk_broker: bool = False,
        incarnation_id: bytes = ZERO_UUID,
        broker_epoch: int = 0,
        end_points: list[BrokerEndpoint] = UNSET,
        features: list[BrokerFeature] = UNSET,
        rack: str | None = '',
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.incarnation_id = incarnation_id
        self.broker_epoch = broker_epoch
        self.end_points = [] if end_points is UNSET else end_points
        self.features = [] if features is UNSET else features
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[RegisterBrokerRecord, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('RegisterBrokerRecord', version)
        m = _new(RegisterBrokerRecord)
        m.broker_id, = _S2.unpack_from(buf, pos)
        pos += 4
        if version >= 2:
            m.is_migrating_zk_broker, = _S3.unpack_from(buf, pos)
            pos += 1
        else:
            m.is_migrating_zk_broker = False
        m.incarnation_id, m.broker_epoch, = _S4.unpack_from(buf, pos)
        pos += 24
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('EndPoints', n)
        items_end_points = []
        read_end_points = BrokerEndpoint.read
        for _ in range(n):
            item_end_points, pos = read_end_points(buf, pos, version)
            items_end_points.append(item_end_points)
        m.end_points = items_end_points
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Features', n)
        items_features = []
        read_features = BrokerFeature.read
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
        m.fenced, = _S3.unpack_from(buf, pos)
        pos += 1
        if version >= 1:
            m.in_controlled_shutdown, = _S3.unpack_from(buf, pos)
            pos += 1
        else:
            m.in_controlled_shutdown = False
        m.log_dirs = []
        m.cordoned_log_dirs = None
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0 and version >= 3:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n < 0 or n * 16 > len(buf) - pos:
                        raise bad_length('LogDirs', n)
                    m.log_dirs, pos = read_uuids(buf, pos, n)
                elif tag == 1 and version >= 4:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.cordoned_log_dirs = None
                    else:
                        if n < 0 or n * 16 > len(buf) - pos:
                            raise bad_length('CordonedLogDirs', n)
                        m.cordoned_log_dirs, pos = read_uuids(buf, pos, n)
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
        if not 0 <= version <= 4:
            raise unsupported_version('RegisterBrokerRecord', version)
        if version < 2 and not (self.is_migrating_zk_broker == False):
            raise unsupported_field('IsMigratingZkBroker', version)
        if version < 1 and not (self.in_controlled_shutdown == False):
            raise unsupported_field('InControlledShutdown', version)
        if version < 3 and not (not self.log_dirs):
            raise unsupported_field('LogDirs', version)
        if version < 4 and not (self.cordoned_log_dirs is None):
            raise unsupported_field('CordonedLogDirs', version)
        out += _S2.pack(self.broker_id)
        if version >= 2:
            out += _S3.pack(self.is_migrating_zk_broker)
        if len(self.incarnation_id) != 16:
            raise bad_length('IncarnationId', len(self.incarnation_id))
        out += _S4.pack(self.incarnation_id, self.broker_epoch)
        value_end_points = self.end_points
        n = len(value_end_points) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_end_points in value_end_points:
            item_end_points.write(out, version)
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
        out += _S3.pack(self.fenced)
        if version >= 1:
            out += _S3.pack(self.in_controlled_shutdown)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if version >= 3 and not (not self.log_dirs):
            value = Frame()
            value_log_dirs = self.log_dirs
            n = len(value_log_dirs) + 1
            if n < 128:
                value.append(n)
            else:
                write_uvarint(value, n)
            for uuid in value_log_dirs:
                if len(uuid) != 16:
                    raise bad_length('LogDirs', len(uuid))
                value += uuid
            if tags is None:
                tags = {}
            tags[0] = value
        if version >= 4 and not (self.cordoned_log_dirs is None):
            value = Frame()
            value_cordoned_log_dirs = self.cordoned_log_dirs
            if value_cordoned_log_dirs is None:
                value += b'\x00'
            else:
                n = len(value_cordoned_log_dirs) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                for uuid in value_cordoned_log_dirs:
                    if len(uuid) != 16:
                        raise bad_length('CordonedLogDirs', len(uuid))
                    value += uuid
            if tags is None:
                tags = {}
            tags[1] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
