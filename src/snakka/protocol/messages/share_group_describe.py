"""ShareGroupDescribe: API key 77."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>?')
_S1 = Struct('>16s')
_S2 = Struct('>i')
_S3 = Struct('>h')
_S4 = Struct('>ii')


class ShareGroupDescribeRequest(Message):
    __slots__ = ('group_ids', 'include_authorized_operations', 'unknown_tags',)
    API_KEY = 77
    MIN_VERSION = 1
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        group_ids: list[str] = UNSET,
        include_authorized_operations: bool = False,
    ) -> None:
        self.group_ids = [] if group_ids is UNSET else group_ids
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareGroupDescribeRequest, int]:
        if not 1 <= version <= 1:
            raise unsupported_version('ShareGroupDescribeRequest', version)
        m = _new(ShareGroupDescribeRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('GroupIds', n)
        m.group_ids, pos = read_compact_strings(buf, pos, n)
        m.include_authorized_operations, = _S0.unpack_from(buf, pos)
        pos += 1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 1:
            raise unsupported_version('ShareGroupDescribeRequest', version)
        value_group_ids = self.group_ids
        n = len(value_group_ids) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_group_ids)
        out += _S0.pack(self.include_authorized_operations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class TopicPartitions(Message):
    __slots__ = ('topic_id', 'topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicPartitions, int]:
        m = _new(TopicPartitions)
        m.topic_id, = _S1.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
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
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S1.pack(self.topic_id)
        value_topic_name = self.topic_name
        data = value_topic_name.encode()
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


class Assignment(Message):
    __slots__ = ('topic_partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_partitions: list[TopicPartitions] = UNSET,
    ) -> None:
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Assignment, int]:
        m = _new(Assignment)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TopicPartitions', n)
        items_topic_partitions = []
        read_topic_partitions = TopicPartitions.read
        for _ in range(n):
            item_topic_partitions, pos = read_topic_partitions(buf, pos, version)
            items_topic_partitions.append(item_topic_partitions)
        m.topic_partitions = items_topic_partitions
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_topic_partitions = self.topic_partitions
        n = len(value_topic_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topic_partitions in value_topic_partitions:
            item_topic_partitions.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_Assignment = frozen(Assignment())


class Member(Message):
    __slots__ = ('member_id', 'rack_id', 'member_epoch', 'client_id', 'client_host', 'subscribed_topic_names', 'assignment', 'unknown_tags',)

    def __init__(
        self,
        *,
        member_id: str = '',
        rack_id: str | None = None,
        member_epoch: int = 0,
        client_id: str = '',
        client_host: str = '',
        subscribed_topic_names: list[str] = UNSET,
        assignment: Assignment = UNSET,
    ) -> None:
        self.member_id = member_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.assignment = _default_Assignment if assignment is UNSET else assignment
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Member, int]:
        m = _new(Member)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('MemberId', n)
        m.member_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.rack_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('RackId', n)
            m.rack_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.member_epoch, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientId', n)
        m.client_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('ClientHost', n)
        m.client_host = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('SubscribedTopicNames', n)
        m.subscribed_topic_names, pos = read_compact_strings(buf, pos, n)
        m.assignment, pos = Assignment.read(buf, pos, version)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_member_id = self.member_id
        data = value_member_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_rack_id = self.rack_id
        if value_rack_id is None:
            out += b'\x00'
        else:
            data = value_rack_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        out += _S2.pack(self.member_epoch)
        value_client_id = self.client_id
        data = value_client_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_client_host = self.client_host
        data = value_client_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_subscribed_topic_names = self.subscribed_topic_names
        n = len(value_subscribed_topic_names) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_subscribed_topic_names)
        value_assignment = self.assignment
        value_assignment.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribedGroup(Message):
    __slots__ = ('error_code', 'error_message', 'group_id', 'group_state', 'group_epoch', 'assignment_epoch', 'assignor_name', 'members', 'authorized_operations', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = '',
        group_state: str = '',
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        assignor_name: str = '',
        members: list[Member] = UNSET,
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.assignor_name = assignor_name
        self.members = [] if members is UNSET else members
        self.authorized_operations = authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribedGroup, int]:
        m = _new(DescribedGroup)
        m.error_code, = _S3.unpack_from(buf, pos)
        pos += 2
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupId', n)
        m.group_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('GroupState', n)
        m.group_state = str(buf[pos:end], 'utf-8')
        pos = end
        m.group_epoch, m.assignment_epoch, = _S4.unpack_from(buf, pos)
        pos += 8
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('AssignorName', n)
        m.assignor_name = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Members', n)
        items_members = []
        read_members = Member.read
        for _ in range(n):
            item_members, pos = read_members(buf, pos, version)
            items_members.append(item_members)
        m.members = items_members
        m.authorized_operations, = _S2.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S3.pack(self.error_code)
        value_error_message = self.error_message
        if value_error_message is None:
            out += b'\x00'
        else:
            data = value_error_message.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        value_group_id = self.group_id
        data = value_group_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_group_state = self.group_state
        data = value_group_state.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S4.pack(self.group_epoch, self.assignment_epoch)
        value_assignor_name = self.assignor_name
        data = value_assignor_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_members = self.members
        n = len(value_members) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_members in value_members:
            item_members.write(out, version)
        out += _S2.pack(self.authorized_operations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ShareGroupDescribeResponse(Message):
    __slots__ = ('throttle_time_ms', 'groups', 'unknown_tags',)
    API_KEY = 77
    MIN_VERSION = 1
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[DescribedGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareGroupDescribeResponse, int]:
        if not 1 <= version <= 1:
            raise unsupported_version('ShareGroupDescribeResponse', version)
        m = _new(ShareGroupDescribeResponse)
        m.throttle_time_ms, = _S2.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Groups', n)
        items_groups = []
        read_groups = DescribedGroup.read
        for _ in range(n):
            item_groups, pos = read_groups(buf, pos, version)
            items_groups.append(item_groups)
        m.groups = items_groups
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 1:
            raise unsupported_version('ShareGroupDescribeResponse', version)
        out += _S2.pack(self.throttle_time_ms)
        value_groups = self.groups
        n = len(value_groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_groups in value_groups:
            item_groups.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
