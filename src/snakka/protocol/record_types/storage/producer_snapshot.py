"""ProducerSnapshot."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_version

_new = object.__new__
_S0 = Struct('>qhiqiqiq')
_S1 = Struct('>I')
_S2 = Struct('>i')


class ProducerEntry(Message):
    __slots__ = ('producer_id', 'epoch', 'last_sequence', 'last_offset', 'offset_delta', 'timestamp', 'coordinator_epoch', 'current_txn_first_offset', 'unknown_tags',)

    def __init__(
        self,
        *,
        producer_id: int = 0,
        epoch: int = 0,
        last_sequence: int = 0,
        last_offset: int = 0,
        offset_delta: int = 0,
        timestamp: int = 0,
        coordinator_epoch: int = 0,
        current_txn_first_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.last_sequence = last_sequence
        self.last_offset = last_offset
        self.offset_delta = offset_delta
        self.timestamp = timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_first_offset = current_txn_first_offset
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ProducerEntry, int]:
        m = _new(ProducerEntry)
        m.producer_id, m.epoch, m.last_sequence, m.last_offset, m.offset_delta, m.timestamp, m.coordinator_epoch, m.current_txn_first_offset, = _S0.unpack_from(buf, pos)
        pos += 46
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.producer_id, self.epoch, self.last_sequence, self.last_offset, self.offset_delta, self.timestamp, self.coordinator_epoch, self.current_txn_first_offset)


class ProducerSnapshot(Message):
    __slots__ = ('crc', 'producer_entries', 'unknown_tags',)
    MIN_VERSION = 1
    MAX_VERSION = 1
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        crc: int = 0,
        producer_entries: list[ProducerEntry] = UNSET,
    ) -> None:
        self.crc = crc
        self.producer_entries = [] if producer_entries is UNSET else producer_entries
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ProducerSnapshot, int]:
        if not 1 <= version <= 1:
            raise unsupported_version('ProducerSnapshot', version)
        m = _new(ProducerSnapshot)
        m.crc, = _S1.unpack_from(buf, pos)
        pos += 4
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ProducerEntries', n)
        items_producer_entries = []
        read_producer_entries = ProducerEntry.read
        for _ in range(n):
            item_producer_entries, pos = read_producer_entries(buf, pos, version)
            items_producer_entries.append(item_producer_entries)
        m.producer_entries = items_producer_entries
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 1:
            raise unsupported_version('ProducerSnapshot', version)
        out += _S1.pack(self.crc)
        value_producer_entries = self.producer_entries
        out += _S2.pack(len(value_producer_entries))
        for item_producer_entries in value_producer_entries:
            item_producer_entries.write(out, version)
