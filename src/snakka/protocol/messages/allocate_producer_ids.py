"""AllocateProducerIds: API key 67."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, read_unknown_tags, unsupported_version, write_tags

_new = object.__new__
_S0 = Struct('>iq')
_S1 = Struct('>ihqi')


class AllocateProducerIdsRequest(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'unknown_tags',)
    API_KEY = 67
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AllocateProducerIdsRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('AllocateProducerIdsRequest', version)
        m = _new(AllocateProducerIdsRequest)
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
            raise unsupported_version('AllocateProducerIdsRequest', version)
        out += _S0.pack(self.broker_id, self.broker_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AllocateProducerIdsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'producer_id_start', 'producer_id_len', 'unknown_tags',)
    API_KEY = 67
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id_start: int = 0,
        producer_id_len: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AllocateProducerIdsResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('AllocateProducerIdsResponse', version)
        m = _new(AllocateProducerIdsResponse)
        m.throttle_time_ms, m.error_code, m.producer_id_start, m.producer_id_len, = _S1.unpack_from(buf, pos)
        pos += 18
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('AllocateProducerIdsResponse', version)
        out += _S1.pack(self.throttle_time_ms, self.error_code, self.producer_id_start, self.producer_id_len)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
