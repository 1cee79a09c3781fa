"""ProducerIdsRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, read_unknown_tags, unsupported_version, write_tags

_new = object.__new__
_S0 = Struct('>iqq')


class ProducerIdsRecord(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'next_producer_id', 'unknown_tags',)
    RECORD_KEY = 15
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        next_producer_id: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.next_producer_id = next_producer_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ProducerIdsRecord, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ProducerIdsRecord', version)
        m = _new(ProducerIdsRecord)
        m.broker_id, m.broker_epoch, m.next_producer_id, = _S0.unpack_from(buf, pos)
        pos += 20
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ProducerIdsRecord', version)
        out += _S0.pack(self.broker_id, self.broker_epoch, self.next_producer_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
