"""ConsumerGroupCurrentMemberAssignmentValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, unsupported_version, uvarint_tail, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16s')
_S1 = Struct('>iib')


class TopicPartitions(Message):
    __slots__ = ('topic_id', 'partitions', 'assignment_epochs', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
        assignment_epochs: list[int] | None = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.assignment_epochs = [] if assignment_epochs is UNSET else assignment_epochs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicPartitions, int]:
        m = _new(TopicPartitions)
        m.topic_id, = _S0.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Partitions', n)
        m.partitions = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.assignment_epochs = []
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.assignment_epochs = None
                    else:
                        if n < 0 or n * 4 > len(buf) - pos:
                            raise bad_length('AssignmentEpochs', n)
                        m.assignment_epochs = list(unpack_from(f'>{n}i', buf, pos))
                        pos += 4 * n
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
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S0.pack(self.topic_id)
        value_partitions = self.partitions
        n = len(value_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_partitions)}i', *value_partitions)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.assignment_epochs == []):
            value = Frame()
            value_assignment_epochs = self.assignment_epochs
            if value_assignment_epochs is None:
                value += b'\x00'
            else:
                n = len(value_assignment_epochs) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                value += pack(f'>{len(value_assignment_epochs)}i', *value_assignment_epochs)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)


class ConsumerGroupCurrentMemberAssignmentValue(Message):
    __slots__ = ('member_epoch', 'previous_member_epoch', 'state', 'assigned_partitions', 'partitions_pending_revocation', 'unknown_tags',)
    RECORD_KEY = 8
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[TopicPartitions] = UNSET,
        partitions_pending_revocation: list[TopicPartitions] = UNSET,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = [] if assigned_partitions is UNSET else assigned_partitions
        self.partitions_pending_revocation = [] if partitions_pending_revocation is UNSET else partitions_pending_revocation
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupCurrentMemberAssignmentValue', version)
        m = _new(ConsumerGroupCurrentMemberAssignmentValue)
        m.member_epoch, m.previous_member_epoch, m.state, = _S1.unpack_from(buf, pos)
        pos += 9
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AssignedPartitions', n)
        items_assigned_partitions = []
        read_assigned_partitions = TopicPartitions.read
        for _ in range(n):
            item_assigned_partitions, pos = read_assigned_partitions(buf, pos, version)
            items_assigned_partitions.append(item_assigned_partitions)
        m.assigned_partitions = items_assigned_partitions
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('PartitionsPendingRevocation', n)
        items_partitions_pending_revocation = []
        read_partitions_pending_revocation = TopicPartitions.read
        for _ in range(n):
            item_partitions_pending_revocation, pos = read_partitions_pending_revocation(buf, pos, version)
            items_partitions_pending_revocation.append(item_partitions_pending_revocation)
        m.partitions_pending_revocation = items_partitions_pending_revocation
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('ConsumerGroupCurrentMemberAssignmentValue', version)
        out += _S1.pack(self.member_epoch, self.previous_member_epoch, self.state)
        value_assigned_partitions = self.assigned_partitions
        n = len(value_assigned_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_assigned_partitions in value_assigned_partitions:
            item_assigned_partitions.write(out, version)
        value_partitions_pending_revocation = self.partitions_pending_revocation
        n = len(value_partitions_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_partitions_pending_revocation in value_partitions_pending_revocation:
            item_partitions_pending_revocation.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
