"""UnregisterBrokerRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, read_unknown_tags, unsupported_version, write_tags

_new = object.__new__
_S0 = Struct('>iq')


class UnregisterBrokerRecord(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'unknown_tags',)
    RECORD_KEY = 1
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UnregisterBrokerRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('UnregisterBrokerRecord', version)
        m = _new(UnregisterBrokerRecord)
        m.broker_id, m.broker_epoch, = _S0.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('UnregisterBrokerRecord', version)
        out += _S0.pack(self.broker_id, self.broker_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
