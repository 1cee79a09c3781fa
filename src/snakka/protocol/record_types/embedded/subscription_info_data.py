"""SubscriptionInfoData."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, unsupported_field, unsupported_version
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>ii')
_S1 = Struct('>iq')
_S2 = Struct('>i')
_S3 = Struct('>h')
_S4 = Struct('>16s')
_S5 = Struct('>b')


class TaskId(Message):
    __slots__ = ('topic_group_id', 'partition', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_group_id: int = 0,
        partition: int = 0,
    ) -> None:
        self.topic_group_id = topic_group_id
        self.partition = partition
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TaskId, int]:
        m = _new(TaskId)
        m.topic_group_id, m.partition, = _S0.unpack_from(buf, pos)
        pos += 8
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.topic_group_id, self.partition)


class PartitionToOffsetSum(Message):
    __slots__ = ('partition', 'offset_sum', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition: int = 0,
        offset_sum: int = 0,
    ) -> None:
        self.partition = partition
        self.offset_sum = offset_sum
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionToOffsetSum, int]:
        m = _new(PartitionToOffsetSum)
        m.partition, m.offset_sum, = _S1.unpack_from(buf, pos)
        pos += 12
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.partition, self.offset_sum)


class TaskOffsetSum(Message):
    __slots__ = ('topic_group_id', 'partition', 'offset_sum', 'named_topology', 'partition_to_offset_sum', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_group_id: int = 0,
        partition: int = 0,
        offset_sum: int = 0,
        named_topology: str | None = '',
        partition_to_offset_sum: list[PartitionToOffsetSum] = UNSET,
    ) -> None:
        self.topic_group_id = topic_group_id
        self.partition = partition
        self.offset_sum = offset_sum
        self.named_topology = named_topology
        self.partition_to_offset_sum = [] if partition_to_offset_sum is UNSET else partition_to_offset_sum
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TaskOffsetSum, int]:
        m = _new(TaskOffsetSum)
        m.topic_group_id, = _S2.unpack_from(buf, pos)
        pos += 4
        if version >= 10:
            m.partition, m.offset_sum, = _S1.unpack_from(buf, pos)
            pos += 12
        else:
            m.partition = 0
            m.offset_sum = 0
        if version >= 10:
            n, = _S3.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.named_topology = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('namedTopology', n)
                m.named_topology = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.named_topology = ''
        if version <= 9:
            n, = _S2.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('partitionToOffsetSum', n)
            items_partition_to_offset_sum = []
            read_partition_to_offset_sum = PartitionToOffsetSum.read
            for _ in range(n):
                item_partition_to_offset_sum, pos = read_partition_to_offset_sum(buf, pos, version)
                items_partition_to_offset_sum.append(item_partition_to_offset_sum)
            m.partition_to_offset_sum = items_partition_to_offset_sum
        else:
            m.partition_to_offset_sum = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 10 and not (self.partition == 0):
            raise unsupported_field('partition', version)
        if version < 10 and not (self.offset_sum == 0):
            raise unsupported_field('offsetSum', version)
        if version < 10 and not (self.named_topology == ''):
            raise unsupported_field('namedTopology', version)
        if version > 9 and not (not self.partition_to_offset_sum):
            raise unsupported_field('partitionToOffsetSum', version)
        out += _S2.pack(self.topic_group_id)
        if version >= 10:
            out += _S1.pack(self.partition, self.offset_sum)
        if version >= 10:
            value_named_topology = self.named_topology
            if value_named_topology is None:
                out += b'\xff\xff'
            else:
                data = value_named_topology.encode()
                out += _S3.pack(len(data))
                out += data
        if version <= 9:
            value_partition_to_offset_sum = self.partition_to_offset_sum
            out += _S2.pack(len(value_partition_to_offset_sum))
            for item_partition_to_offset_sum in value_partition_to_offset_sum:
                item_partition_to_offset_sum.write(out, version)


class ClientTag(Message):
    __slots__ = ('key', 'value', 'unknown_tags',)

    def __init__(
        self,
        *,
        key: bytes = b'',
        value: bytes = b'',
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ClientTag, int]:
        m = _new(ClientTag)
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('key', n)
        m.key = bytes(buf[pos:end])
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('value', n)
        m.value = bytes(buf[pos:end])
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_key = self.key
        out += _S2.pack(len(value_key))
        out += value_key
        value_value = self.value
        out += _S2.pack(len(value_value))
        out += value_value


class SubscriptionInfoData(Message):
    __slots__ = ('version', 'latest_supported_version', 'process_id', 'prev_tasks', 'standby_tasks', 'user_end_point', 'task_offset_sums', 'unique_field', 'error_code', 'client_tags', 'unknown_tags',)
    MIN_VERSION = 1
    MAX_VERSION = 11
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        version: int = 0,
        latest_supported_version: int = -1,
        process_id: bytes = ZERO_UUID,
        prev_tasks: list[TaskId] = UNSET,
        standby_tasks: list[TaskId] = UNSET,
        user_end_point: bytes = b'',
        task_offset_sums: list[TaskOffsetSum] = UNSET,
        unique_field: int = 0,
        error_code: int = 0,
        client_tags: list[ClientTag] = UNSET,
    ) -> None:
        self.version = version
        self.latest_supported_version = latest_supported_version
        self.process_id = process_id
        self.prev_tasks = [] if prev_tasks is UNSET else prev_tasks
        self.standby_tasks = [] if standby_tasks is UNSET else standby_tasks
        self.user_end_point = user_end_point
        self.task_offset_sums = [] if task_offset_sums is UNSET else task_offset_sums
        self.unique_field = unique_field
        self.error_code = error_code
        self.client_tags = [] if client_tags is UNSET else client_tags
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SubscriptionInfoData, int]:
        if not 1 <= version <= 11:
            raise unsupported_version('SubscriptionInfoData', version)
        m = _new(SubscriptionInfoData)
        m.version, = _S2.unpack_from(buf, pos)
        pos += 4
        if version >= 3:
            m.latest_supported_version, = _S2.unpack_from(buf, pos)
            pos += 4
        else:
            m.latest_supported_version = -1
        m.process_id, = _S4.unpack_from(buf, pos)
        pos += 16
        if version <= 6:
            n, = _S2.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('prevTasks', n)
            items_prev_tasks = []
            read_prev_tasks = TaskId.read
            for _ in range(n):
                item_prev_tasks, pos = read_prev_tasks(buf, pos, version)
                items_prev_tasks.append(item_prev_tasks)
            m.prev_tasks = items_prev_tasks
        else:
            m.prev_tasks = []
        if version <= 6:
            n, = _S2.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('standbyTasks', n)
            items_standby_tasks = []
            read_standby_tasks = TaskId.read
            for _ in range(n):
                item_standby_tasks, pos = read_standby_tasks(buf, pos, version)
                items_standby_tasks.append(item_standby_tasks)
            m.standby_tasks = items_standby_tasks
        else:
            m.standby_tasks = []
        if version >= 2:
            n, = _S2.unpack_from(buf, pos)
            pos += 4
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('userEndPoint', n)
            m.user_end_point = bytes(buf[pos:end])
            pos = end
        else:
            m.user_end_point = b''
        if version >= 7:
            n, = _S2.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('taskOffsetSums', n)
            items_task_offset_sums = []
            read_task_offset_sums = TaskOffsetSum.read
            for _ in range(n):
                item_task_offset_sums, pos = read_task_offset_sums(buf, pos, version)
                items_task_offset_sums.append(item_task_offset_sums)
            m.task_offset_sums = items_task_offset_sums
        else:
            m.task_offset_sums = []
        if version >= 8:
            m.unique_field, = _S5.unpack_from(buf, pos)
            pos += 1
        else:
            m.unique_field = 0
        if version >= 9:
            m.error_code, = _S2.unpack_from(buf, pos)
            pos += 4
        else:
            m.error_code = 0
        if version >= 11:
            n, = _S2.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('clientTags', n)
            items_client_tags = []
            read_client_tags = ClientTag.read
            for _ in range(n):
                item_client_tags, pos = read_client_tags(buf, pos, version)
                items_client_tags.append(item_client_tags)
            m.client_tags = items_client_tags
        else:
            m.client_tags = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 11:
            raise unsupported_version('SubscriptionInfoData', version)
        if version < 3 and not (self.latest_supported_version == -1):
            raise unsupported_field('latestSupportedVersion', version)
        if version > 6 and not (not self.prev_tasks):
            raise unsupported_field('prevTasks', version)
        if version > 6 and not (not self.standby_tasks):
            raise unsupported_field('standbyTasks', version)
        if version < 2 and not (self.user_end_point == b''):
            raise unsupported_field('userEndPoint', version)
        if version < 7 and not (not self.task_offset_sums):
            raise unsupported_field('taskOffsetSums', version)
        if version < 8 and not (self.unique_field == 0):
            raise unsupported_field('uniqueField', version)
        if version < 9 and not (self.error_code == 0):
            raise unsupported_field('errorCode', version)
        if version < 11 and not (not self.client_tags):
            raise unsupported_field('clientTags', version)
        out += _S2.pack(self.version)
        if version >= 3:
            out += _S2.pack(self.latest_supported_version)
        if len(self.process_id) != 16:
            raise bad_length('processId', len(self.process_id))
        out += _S4.pack(self.process_id)
        if version <= 6:
            value_prev_tasks = self.prev_tasks
            out += _S2.pack(len(value_prev_tasks))
            for item_prev_tasks in value_prev_tasks:
                item_prev_tasks.write(out, version)
        if version <= 6:
            value_standby_tasks = self.standby_tasks
            out += _S2.pack(len(value_standby_tasks))
            for item_standby_tasks in value_standby_tasks:
                item_standby_tasks.write(out, version)
        if version >= 2:
            value_user_end_point = self.user_end_point
            out += _S2.pack(len(value_user_end_point))
            out += value_user_end_point
        if version >= 7:
            value_task_offset_sums = self.task_offset_sums
            out += _S2.pack(len(value_task_offset_sums))
            for item_task_offset_sums in value_task_offset_sums:
                item_task_offset_sums.write(out, version)
        if version >= 8:
            out += _S5.pack(self.unique_field)
        if version >= 9:
            out += _S2.pack(self.error_code)
        if version >= 11:
            value_client_tags = self.client_tags
            out += _S2.pack(len(value_client_tags))
            for item_client_tags in value_client_tags:
                item_client_tags.write(out, version)
