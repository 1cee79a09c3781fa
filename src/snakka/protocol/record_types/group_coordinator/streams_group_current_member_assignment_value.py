"""StreamsGroupCurrentMemberAssignmentValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>iib')


class TaskIds(Message):
    __slots__ = ('subtopology_id', 'partitions', 'assignment_epochs', 'unknown_tags',)

    def __init__(
        self,
        *,
        subtopology_id: str = '',
        partitions: list[int] = UNSET,
        assignment_epochs: list[int] | None = UNSET,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is UNSET else partitions
        self.assignment_epochs = [] if assignment_epochs is UNSET else assignment_epochs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TaskIds, int]:
        m = _new(TaskIds)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('SubtopologyId', n)
        m.subtopology_id = str(buf[pos:end], 'utf-8')
        pos = end
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
        value_subtopology_id = self.subtopology_id
        data = value_subtopology_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
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


class StreamsGroupCurrentMemberAssignmentValue(Message):
    __slots__ = ('member_epoch', 'previous_member_epoch', 'state', 'active_tasks', 'standby_tasks', 'warmup_tasks', 'active_tasks_pending_revocation', 'standby_tasks_pending_revocation', 'warmup_tasks_pending_revocation', 'unknown_tags',)
    RECORD_KEY = 22
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        active_tasks: list[TaskIds] = UNSET,
        standby_tasks: list[TaskIds] = UNSET,
        warmup_tasks: list[TaskIds] = UNSET,
        active_tasks_pending_revocation: list[TaskIds] = UNSET,
        standby_tasks_pending_revocation: list[TaskIds] = UNSET,
        warmup_tasks_pending_revocation: list[TaskIds] = UNSET,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.active_tasks = [] if active_tasks is UNSET else active_tasks
        self.standby_tasks = [] if standby_tasks is UNSET else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is UNSET else warmup_tasks
        self.active_tasks_pending_revocation = [] if active_tasks_pending_revocation is UNSET else active_tasks_pending_revocation
        self.standby_tasks_pending_revocation = [] if standby_tasks_pending_revocation is UNSET else standby_tasks_pending_revocation
        self.warmup_tasks_pending_revocation = [] if warmup_tasks_pending_revocation is UNSET else warmup_tasks_pending_revocation
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupCurrentMemberAssignmentValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupCurrentMemberAssignmentValue', version)
        m = _new(StreamsGroupCurrentMemberAssignmentValue)
        m.member_epoch, m.previous_member_epoch, m.state, = _S0.unpack_from(buf, pos)
        pos += 9
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ActiveTasks', n)
        items_active_tasks = []
        read_active_tasks = TaskIds.read
        for _ in range(n):
            item_active_tasks, pos = read_active_tasks(buf, pos, version)
            items_active_tasks.append(item_active_tasks)
        m.active_tasks = items_active_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('StandbyTasks', n)
        items_standby_tasks = []
        read_standby_tasks = TaskIds.read
        for _ in range(n):
            item_standby_tasks, pos = read_standby_tasks(buf, pos, version)
            items_standby_tasks.append(item_standby_tasks)
        m.standby_tasks = items_standby_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('WarmupTasks', n)
        items_warmup_tasks = []
        read_warmup_tasks = TaskIds.read
        for _ in range(n):
            item_warmup_tasks, pos = read_warmup_tasks(buf, pos, version)
            items_warmup_tasks.append(item_warmup_tasks)
        m.warmup_tasks = items_warmup_tasks
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ActiveTasksPendingRevocation', n)
        items_active_tasks_pending_revocation = []
        read_active_tasks_pending_revocation = TaskIds.read
        for _ in range(n):
            item_active_tasks_pending_revocation, pos = read_active_tasks_pending_revocation(buf, pos, version)
            items_active_tasks_pending_revocation.append(item_active_tasks_pending_revocation)
        m.active_tasks_pending_revocation = items_active_tasks_pending_revocation
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('StandbyTasksPendingRevocation', n)
        items_standby_tasks_pending_revocation = []
        read_standby_tasks_pending_revocation = TaskIds.read
        for _ in range(n):
            item_standby_tasks_pending_revocation, pos = read_standby_tasks_pending_revocation(buf, pos, version)
            items_standby_tasks_pending_revocation.append(item_standby_tasks_pending_revocation)
        m.standby_tasks_pending_revocation = items_standby_tasks_pending_revocation
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('WarmupTasksPendingRevocation', n)
        items_warmup_tasks_pending_revocation = []
        read_warmup_tasks_pending_revocation = TaskIds.read
        for _ in range(n):
            item_warmup_tasks_pending_revocation, pos = read_warmup_tasks_pending_revocation(buf, pos, version)
            items_warmup_tasks_pending_revocation.append(item_warmup_tasks_pending_revocation)
        m.warmup_tasks_pending_revocation = items_warmup_tasks_pending_revocation
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupCurrentMemberAssignmentValue', version)
        out += _S0.pack(self.member_epoch, self.previous_member_epoch, self.state)
        value_active_tasks = self.active_tasks
        n = len(value_active_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_active_tasks in value_active_tasks:
            item_active_tasks.write(out, version)
        value_standby_tasks = self.standby_tasks
        n = len(value_standby_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_standby_tasks in value_standby_tasks:
            item_standby_tasks.write(out, version)
        value_warmup_tasks = self.warmup_tasks
        n = len(value_warmup_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_warmup_tasks in value_warmup_tasks:
            item_warmup_tasks.write(out, version)
        value_active_tasks_pending_revocation = self.active_tasks_pending_revocation
        n = len(value_active_tasks_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_active_tasks_pending_revocation in value_active_tasks_pending_revocation:
            item_active_tasks_pending_revocation.write(out, version)
        value_standby_tasks_pending_revocation = self.standby_tasks_pending_revocation
        n = len(value_standby_tasks_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_standby_tasks_pending_revocation in value_standby_tasks_pending_revocation:
            item_standby_tasks_pending_revocation.write(out, version)
        value_warmup_tasks_pending_revocation = self.warmup_tasks_pending_revocation
        n = len(value_warmup_tasks_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_warmup_tasks_pending_revocation in value_warmup_tasks_pending_revocation:
            item_warmup_tasks_pending_revocation.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
