"""ConsumerProtocolAssignment."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_version

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')


class TopicPartition(Message):
    __slots__ = ('topic', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicPartition, int]:
        m = _new(TopicPartition)
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Partitions', n)
        m.partitions = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_topic = self.topic
        data = value_topic.encode()
        out += _S0.pack(len(data))
        out += data
        value_partitions = self.partitions
        out += _S1.pack(len(value_partitions))
        out += pack(f'>{len(value_partitions)}i', *value_partitions)


class ConsumerProtocolAssignment(Message):
    __slots__ = ('assigned_partitions', 'user_data', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 3
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        assigned_partitions: list[TopicPartition] = UNSET,
        user_data: bytes | None = None,
    ) -> None:
        self.assigned_partitions = [] if assigned_partitions is UNSET else assigned_partitions
        self.user_data = user_data
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ConsumerProtocolAssignment, int]:
        if not 0 <= version <= 3:
            raise unsupported_version('ConsumerProtocolAssignment', version)
        m = _new(ConsumerProtocolAssignment)
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AssignedPartitions', n)
        items_assigned_partitions = []
        read_assigned_partitions = TopicPartition.read
        for _ in range(n):
            item_assigned_partitions, pos = read_assigned_partitions(buf, pos, version)
            items_assigned_partitions.append(item_assigned_partitions)
        m.assigned_partitions = items_assigned_partitions
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.user_data = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('UserData', n)
            m.user_data = bytes(buf[pos:end])
            pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 3:
            raise unsupported_version('ConsumerProtocolAssignment', version)
        value_assigned_partitions = self.assigned_partitions
        out += _S1.pack(len(value_assigned_partitions))
        for item_assigned_partitions in value_assigned_partitions:
            item_assigned_partitions.write(out, version)
        value_user_data = self.user_data
        if value_user_data is None:
            out += b'\xff\xff\xff\xff'
        else:
            out += _S1.pack(len(value_user_data))
            out += value_user_data
