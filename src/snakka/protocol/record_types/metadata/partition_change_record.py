"""PartitionChangeRecord."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_uuids, unsupported_field, unsupported_version, uvarint_tail, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i16s')
_S1 = Struct('>i')
_S2 = Struct('>b')


class PartitionChangeRecord(Message):
    __slots__ = ('partition_id', 'topic_id', 'isr', 'leader', 'replicas', 'removing_replicas', 'adding_replicas', 'leader_recovery_state', 'directories', 'eligible_leader_replicas', 'last_known_elr', 'unknown_tags',)
    RECORD_KEY = 5
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        isr: list[int] | None = None,
        leader: int = -2,
        replicas: list[int] | None = None,
        removing_replicas: list[int] | None = None,
        adding_replicas: list[int] | None = None,
        leader_recovery_state: int = -1,
        directories: list[bytes] | None = None,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.isr = isr
        self.leader = leader
        self.replicas = replicas
        self.removing_replicas = removing_replicas
        self.adding_replicas = adding_replicas
        self.leader_recovery_state = leader_recovery_state
        self.directories = directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionChangeRecord, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('PartitionChangeRecord', version)
        m = _new(PartitionChangeRecord)
        m.partition_id, m.topic_id, = _S0.unpack_from(buf, pos)
        pos += 20
        m.isr = None
        m.leader = -2
        m.replicas = None
        m.removing_replicas = None
        m.adding_replicas = None
        m.leader_recovery_state = -1
        m.directories = None
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
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.isr = None
                    else:
                        if n < 0 or n * 4 > len(buf) - pos:
                            raise bad_length('Isr', n)
                        m.isr = list(unpack_from(f'>{n}i', buf, pos))
                        pos += 4 * n
                elif tag == 1:
                    m.leader, = _S1.unpack_from(buf, pos)
                    pos += 4
                elif tag == 2:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.replicas = None
                    else:
                        if n < 0 or n * 4 > len(buf) - pos:
                            raise bad_length('Replicas', n)
                        m.replicas = list(unpack_from(f'>{n}i', buf, pos))
                        pos += 4 * n
                elif tag == 3:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.removing_replicas = None
                    else:
                        if n < 0 or n * 4 > len(buf) - pos:
                            raise bad_length('RemovingReplicas', n)
                        m.removing_replicas = list(unpack_from(f'>{n}i', buf, pos))
                        pos += 4 * n
                elif tag == 4:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.adding_replicas = None
                    else:
                        if n < 0 or n * 4 > len(buf) - pos:
                            raise bad_length('AddingReplicas', n)
                        m.adding_replicas = list(unpack_from(f'>{n}i', buf, pos))
                        pos += 4 * n
                elif tag == 5:
                    m.leader_recovery_state, = _S2.unpack_from(buf, pos)
                    pos += 1
                elif tag == 8 and version >= 1:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.directories = None
                    else:
                        if n < 0 or n * 16 > len(buf) - pos:
                            raise bad_length('Directories', n)
                        m.directories, pos = read_uuids(buf, pos, n)
                elif tag == 6 and version >= 2:
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
                elif tag == 7 and version >= 2:
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
            raise unsupported_version('PartitionChangeRecord', version)
        if version < 1 and not (self.directories is None):
            raise unsupported_field('Directories', version)
        if version < 2 and not (self.eligible_leader_replicas is None):
            raise unsupported_field('EligibleLeaderReplicas', version)
        if version < 2 and not (self.last_known_elr is None):
            raise unsupported_field('LastKnownElr', version)
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S0.pack(self.partition_id, self.topic_id)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.isr is None):
            value = Frame()
            value_isr = self.isr
            if value_isr is None:
                value += b'\x00'
            else:
                n = len(value_isr) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                value += pack(f'>{len(value_isr)}i', *value_isr)
            if tags is None:
                tags = {}
            tags[0] = value
        if not (self.leader == -2):
            value = Frame()
            value += _S1.pack(self.leader)
            if tags is None:
                tags = {}
            tags[1] = value
        if not (self.replicas is None):
            value = Frame()
            value_replicas = self.replicas
            if value_replicas is None:
                value += b'\x00'
            else:
                n = len(value_replicas) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                value += pack(f'>{len(value_replicas)}i', *value_replicas)
            if tags is None:
                tags = {}
            tags[2] = value
        if not (self.removing_replicas is None):
            value = Frame()
            value_removing_replicas = self.removing_replicas
            if value_removing_replicas is None:
                value += b'\x00'
            else:
                n = len(value_removing_replicas) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                value += pack(f'>{len(value_removing_replicas)}i', *value_removing_replicas)
            if tags is None:
                tags = {}
            tags[3] = value
        if not (self.adding_replicas is None):
            value = Frame()
            value_adding_replicas = self.adding_replicas
            if value_adding_replicas is None:
                value += b'\x00'
            else:
                n = len(value_adding_replicas) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                value += pack(f'>{len(value_adding_replicas)}i', *value_adding_replicas)
            if tags is None:
                tags = {}
            tags[4] = value
        if not (self.leader_recovery_state == -1):
            value = Frame()
            value += _S2.pack(self.leader_recovery_state)
            if tags is None:
                tags = {}
            tags[5] = value
        if version >= 1 and not (self.directories is None):
            value = Frame()
            value_directories = self.directories
            if value_directories is None:
                value += b'\x00'
            else:
                n = len(value_directories) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                for uuid in value_directories:
                    if len(uuid) != 16:
                        raise bad_length('Directories', len(uuid))
                    value += uuid
            if tags is None:
                tags = {}
            tags[8] = value
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
            tags[6] = value
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
            tags[7] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
