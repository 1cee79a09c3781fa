"""ShareUpdateValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, unsupported_version, uvarint_tail, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>qqbh')
_S1 = Struct('>iiq')
_S2 = Struct('>i')


class StateBatch(Message):
    __slots__ = ('first_offset', 'last_offset', 'delivery_state', 'delivery_count', 'unknown_tags',)

    def __init__(
        self,
        *,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StateBatch, int]:
        m = _new(StateBatch)
        m.first_offset, m.last_offset, m.delivery_state, m.delivery_count, = _S0.unpack_from(buf, pos)
        pos += 19
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.first_offset, self.last_offset, self.delivery_state, self.delivery_count)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ShareUpdateValue(Message):
    __slots__ = ('snapshot_epoch', 'leader_epoch', 'start_offset', 'delivery_complete_count', 'state_batches', 'unknown_tags',)
    RECORD_KEY = 1
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        snapshot_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        state_batches: list[StateBatch] = UNSET,
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.state_batches = [] if state_batches is UNSET else state_batches
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareUpdateValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ShareUpdateValue', version)
        m = _new(ShareUpdateValue)
        m.snapshot_epoch, m.leader_epoch, m.start_offset, = _S1.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('StateBatches', n)
        items_state_batches = []
        read_state_batches = StateBatch.read
        for _ in range(n):
            item_state_batches, pos = read_state_batches(buf, pos, version)
            items_state_batches.append(item_state_batches)
        m.state_batches = items_state_batches
        m.delivery_complete_count = -1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    m.delivery_complete_count, = _S2.unpack_from(buf, pos)
                    pos += 4
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
        if not 0 <= version <= 0:
            raise unsupported_version('ShareUpdateValue', version)
        out += _S1.pack(self.snapshot_epoch, self.leader_epoch, self.start_offset)
        value_state_batches = self.state_batches
        n = len(value_state_batches) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_state_batches in value_state_batches:
            item_state_batches.write(out, version)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.delivery_complete_count == -1):
            value = Frame()
            value += _S2.pack(self.delivery_complete_count)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
