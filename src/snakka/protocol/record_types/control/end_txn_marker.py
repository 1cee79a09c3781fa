"""EndTxnMarker."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, unsupported_version

_new = object.__new__
_S0 = Struct('>i')


class EndTxnMarker(Message):
    __slots__ = ('coordinator_epoch', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        coordinator_epoch: int = 0,
    ) -> None:
        self.coordinator_epoch = coordinator_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndTxnMarker, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('EndTxnMarker', version)
        m = _new(EndTxnMarker)
        m.coordinator_epoch, = _S0.unpack_from(buf, pos)
        pos += 4
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('EndTxnMarker', version)
        out += _S0.pack(self.coordinator_epoch)
