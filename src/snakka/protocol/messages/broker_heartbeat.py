"""BrokerHeartbeat: API key 63."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, read_uuids, unsupported_field, unsupported_version, uvarint_tail, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>iqq??')
_S1 = Struct('>ih???')


class BrokerHeartbeatRequest(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'current_metadata_offset', 'want_fence', 'want_shut_down', 'offline_log_dirs', 'cordoned_log_dirs', 'unknown_tags',)
    API_KEY = 63
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        current_metadata_offset: int = 0,
        want_fence: bool = False,
        want_shut_down: bool = False,
        offline_log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.current_metadata_offset = current_metadata_offset
        self.want_fence = want_fence
        self.want_shut_down = want_shut_down
        self.offline_log_dirs = [] if offline_log_dirs is UNSET else offline_log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerHeartbeatRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('BrokerHeartbeatRequest', version)
        m = _new(BrokerHeartbeatRequest)
        m.broker_id, m.broker_epoch, m.current_metadata_offset, m.want_fence, m.want_shut_down, = _S0.unpack_from(buf, pos)
        pos += 22
        m.offline_log_dirs = []
        m.cordoned_log_dirs = None
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0 and version >= 1:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n < 0 or n * 16 > len(buf) - pos:
                        raise bad_length('OfflineLogDirs', n)
                    m.offline_log_dirs, pos = read_uuids(buf, pos, n)
                elif tag == 1 and version >= 2:
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
        if not 0 <= version <= 2:
            raise unsupported_version('BrokerHeartbeatRequest', version)
        if version < 1 and not (not self.offline_log_dirs):
            raise unsupported_field('OfflineLogDirs', version)
        if version < 2 and not (self.cordoned_log_dirs is None):
            raise unsupported_field('CordonedLogDirs', version)
        out += _S0.pack(self.broker_id, self.broker_epoch, self.current_metadata_offset, self.want_fence, self.want_shut_down)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if version >= 1 and not (not self.offline_log_dirs):
            value = Frame()
            value_offline_log_dirs = self.offline_log_dirs
            n = len(value_offline_log_dirs) + 1
            if n < 128:
                value.append(n)
            else:
                write_uvarint(value, n)
            for uuid in value_offline_log_dirs:
                if len(uuid) != 16:
                    raise bad_length('OfflineLogDirs', len(uuid))
                value += uuid
            if tags is None:
                tags = {}
            tags[0] = value
        if version >= 2 and not (self.cordoned_log_dirs is None):
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


class BrokerHeartbeatResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'is_caught_up', 'is_fenced', 'should_shut_down', 'unknown_tags',)
    API_KEY = 63
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        is_caught_up: bool = False,
        is_fenced: bool = True,
        should_shut_down: bool = False,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.is_caught_up = is_caught_up
        self.is_fenced = is_fenced
        self.should_shut_down = should_shut_down
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerHeartbeatResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('BrokerHeartbeatResponse', version)
        m = _new(BrokerHeartbeatResponse)
        m.throttle_time_ms, m.error_code, m.is_caught_up, m.is_fenced, m.should_shut_down, = _S1.unpack_from(buf, pos)
        pos += 9
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('BrokerHeartbeatResponse', version)
        out += _S1.pack(self.throttle_time_ms, self.error_code, self.is_caught_up, self.is_fenced, self.should_shut_down)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
