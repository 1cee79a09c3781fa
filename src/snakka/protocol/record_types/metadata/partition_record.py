"""PartitionRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_uuids, unsupported_field, unsupported_version, uvarint_tail, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i16s')
_S1 = Struct('>iii')
_S2 = Struct('>b')


class PartitionRecord(Message):
    __slots__ = ('partition_id', 'topic_id', 'replicas', 'isr', 'removing_replicas', 'adding_replicas', 'leader', 'leader_recovery_state', 'leader_epoch', 'partition_epoch', 'directories', 'eligible_leader_replicas', 'last_known_elr', 'unknown_tags',)
    RECORD_KEY = 3
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        replicas: list[int] = UNSET,
        isr: list[int] = UNSET,
        removing_replicas: list[int] = UNSET,
        adding_replicas: list[int] = UNSET,
        leader: int = -1,
        leader_recovery_state: int = 0,
        leader_epoch: int = -1,
        partition_epoch: int = -1,
        directories: list[bytes] = UNSET,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.replicas = [] if replicas is UNSET else replicas
        self.isr = [] if isr is UNSET else isr
        self.removing_replicas = [] if removing_replicas is UNSET else removing_replicas
        self.adding_replicas = [] if adding_replicas is UNSET else adding_replicas
        self.leader = leader
        self.leader_recovery_state = leader_recovery_state
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.directories = [] if directories is UNSET else directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionRecord, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('PartitionRecord', version)
        m = _new(PartitionRecord)
        m.partition_id, m.topic_id, = _S0.unpack_from(buf, pos)
        pos += 20
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Replicas', n)
        m.replicas = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Isr', n)
        m.isr = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('RemovingReplicas', n)
        m.removing_replicas = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('AddingReplicas', n)
        m.adding_replicas = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.leader, m.leader_epoch, m.partition_epoch, = _S1.unpack_from(buf, pos)
        pos += 12
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 16 > len(buf) - pos:
                raise bad_length('Directories', n)
            m.directories, pos = read_uuids(buf, pos, n)
        else:
            m.directories = []
        m.leader_recovery_state = 0
        m.eligible_leader_replicas = None
        m.last_known_elr = None
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    m.leader_recovery_state, = _S2.unpack_from(buf, pos)
                    pos += 1
                elif tag == 1 and version >= 2:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.eligible_leader_replicas = None
                    else:
                        if n < 0 or n * 4 > len(buf) - pos:
                            raise bad_length('EligibleLeaderReplicas', n)
                        m.eligible_leader_replicas = list(unpack_from(f'>{n}i', buf, pos))
                        pos += 4 * n
                elif tag == 2 and version >= 2:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.last_known_elr = None
                    else:
                        if n < 0 or n * 4 > len(buf) - pos:
                            raise bad_length('LastKnownElr', n)
                        m.last_known_elr = list(unpack_from(f'>{n}i', buf, pos))
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
        if not 0 <= version <= 2:
            raise unsupported_version('PartitionRecord', version)
        if version < 1 and not (not self.directories):
            raise unsupported_field('Directories', version)
        if version < 2 and not (self.eligible_leader_replicas is None):
            raise unsupported_field('EligibleLeaderReplicas', version)
        if version < 2 and not (self.last_known_elr is None):
            raise unsupported_field('LastKnownElr', version)
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S0.pack(self.partition_id, self.topic_id)
        value_replicas = self.replicas
        n = len(value_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_replicas)}i', *value_replicas)
        value_isr = self.isr
        n = len(value_isr) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_isr)}i', *value_isr)
        value_removing_replicas = self.removing_replicas
        n = len(value_removing_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_removing_replicas)}i', *value_removing_replicas)
        value_adding_replicas = self.adding_replicas
        n = len(value_adding_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_adding_replicas)}i', *value_adding_replicas)
        out += _S1.pack(self.leader, self.leader_epoch, self.partition_epoch)
        if version >= 1:
            value_directories = self.directories
            n = len(value_directories) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for uuid in value_directories:
                if len(uuid) != 16:
                    raise bad_length('Directories', len(uuid))
                out += uuid
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.leader_recovery_state == 0):
            value = Frame()
            value += _S2.pack(self.leader_recovery_state)
            if tags is None:
                tags = {}
            tags[0] = value
        if version >= 2 and not (self.eligible_leader_replicas is None):
            value = Frame()
            value_eligible_leader_replicas = self.eligible_leader_replicas
            if value_eligible_leader_replicas is None:
                value += b'\x00'
            else:
                n = len(value_eligible_leader_replicas) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                value += pack(f'>{len(value_eligible_leader_replicas)}i', *value_eligible_leader_replicas)
            if tags is None:
                tags = {}
            tags[1] = value
        if version >= 2 and not (self.last_known_elr is None):
            value = Frame()
            value_last_known_elr = self.last_known_elr
            if value_last_known_elr is None:
                value += b'\x00'
            else:
                n = len(value_last_known_elr) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                value += pack(f'>{len(value_last_known_elr)}i', *value_last_known_elr)
            if tags is None:
                tags = {}
            tags[2] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
