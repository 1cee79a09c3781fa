"""BrokerRegistrationChangeRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_uuids, unsupported_field, unsupported_version, uvarint_tail, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>iq')
_S1 = Struct('>b')


class BrokerRegistrationChangeRecord(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'fenced', 'in_controlled_shutdown', 'log_dirs', 'cordoned_log_dirs', 'unknown_tags',)
    RECORD_KEY = 17
    MIN_VERSION = 0
    MAX_VERSION = 3
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = 0,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerRegistrationChangeRecord, int]:
        if not 0 <= version <= 3:
            raise unsupported_version('BrokerRegistrationChangeRecord', version)
        m = _new(BrokerRegistrationChangeRecord)
        m.broker_id, m.broker_epoch, = _S0.unpack_from(buf, pos)
        pos += 12
        m.fenced = 0
        m.in_controlled_shutdown = 0
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
                if tag == 0:
                    m.fenced, = _S1.unpack_from(buf, pos)
                    pos += 1
                elif tag == 1 and version >= 1:
                    m.in_controlled_shutdown, = _S1.unpack_from(buf, pos)
                    pos += 1
                elif tag == 2 and version >= 2:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n < 0 or n * 16 > len(buf) - pos:
                        raise bad_length('LogDirs', n)
                    m.log_dirs, pos = read_uuids(buf, pos, n)
                elif tag == 3 and version >= 3:
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
        if not 0 <= version <= 3:
            raise unsupported_version('BrokerRegistrationChangeRecord', version)
        if version < 1 and not (self.in_controlled_shutdown == 0):
            raise unsupported_field('InControlledShutdown', version)
        if version < 2 and not (not self.log_dirs):
            raise unsupported_field('LogDirs', version)
        if version < 3 and not (self.cordoned_log_dirs is None):
            raise unsupported_field('CordonedLogDirs', version)
        out += _S0.pack(self.broker_id, self.broker_epoch)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.fenced == 0):
            value = Frame()
            value += _S1.pack(self.fenced)
            if tags is None:
                tags = {}
            tags[0] = value
        if version >= 1 and not (self.in_controlled_shutdown == 0):
            value = Frame()
            value += _S1.pack(self.in_controlled_shutdown)
            if tags is None:
                tags = {}
            tags[1] = value
        if version >= 2 and not (not self.log_dirs):
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
            tags[2] = value
        if version >= 3 and not (self.cordoned_log_dirs is None):
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
            tags[3] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
