"""StreamsGroupTargetAssignmentMemberValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__


class TaskIds(Message):
    __slots__ = ('subtopology_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        subtopology_id: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is UNSET else partitions
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
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
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
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class StreamsGroupTargetAssignmentMemberValue(Message):
    __slots__ = ('active_tasks', 'standby_tasks', 'warmup_tasks', 'unknown_tags',)
    RECORD_KEY = 21
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        active_tasks: list[TaskIds] = UNSET,
        standby_tasks: list[TaskIds] = UNSET,
        warmup_tasks: list[TaskIds] = UNSET,
    ) -> None:
        self.active_tasks = [] if active_tasks is UNSET else active_tasks
        self.standby_tasks = [] if standby_tasks is UNSET else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is UNSET else warmup_tasks
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupTargetAssignmentMemberValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupTargetAssignmentMemberValue', version)
        m = _new(StreamsGroupTargetAssignmentMemberValue)
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
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupTargetAssignmentMemberValue', version)
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
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
