"""FetchSnapshot: API key 59."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, Records, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_records, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>qi')
_S1 = Struct('>ii')
_S2 = Struct('>q')
_S3 = Struct('>16s')
_S4 = Struct('>ih')
_S5 = Struct('>qq')
_S6 = Struct('>i')
_S7 = Struct('>H')


class FetchSnapshotRequestSnapshotId(Message):
    __slots__ = ('end_offset', 'epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        end_offset: int = 0,
        epoch: int = 0,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotRequestSnapshotId, int]:
        m = _new(FetchSnapshotRequestSnapshotId)
        m.end_offset, m.epoch, = _S0.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.end_offset, self.epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_FetchSnapshotRequestSnapshotId = frozen(FetchSnapshotRequestSnapshotId())


class FetchSnapshotRequestPartitionSnapshot(Message):
    __slots__ = ('partition', 'current_leader_epoch', 'snapshot_id', 'position', 'replica_directory_id', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition: int = 0,
        current_leader_epoch: int = 0,
        snapshot_id: FetchSnapshotRequestSnapshotId = UNSET,
        position: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.snapshot_id = _default_FetchSnapshotRequestSnapshotId if snapshot_id is UNSET else snapshot_id
        self.position = position
        self.replica_directory_id = replica_directory_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotRequestPartitionSnapshot, int]:
        m = _new(FetchSnapshotRequestPartitionSnapshot)
        m.partition, m.current_leader_epoch, = _S1.unpack_from(buf, pos)
        pos += 8
        m.snapshot_id, pos = FetchSnapshotRequestSnapshotId.read(buf, pos, version)
        m.position, = _S2.unpack_from(buf, pos)
        pos += 8
        m.replica_directory_id = ZERO_UUID
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0 and version >= 1:
                    m.replica_directory_id, = _S3.unpack_from(buf, pos)
                    pos += 16
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
        out += _S1.pack(self.partition, self.current_leader_epoch)
        value_snapshot_id = self.snapshot_id
        value_snapshot_id.write(out, version)
        out += _S2.pack(self.position)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if version >= 1 and not (self.replica_directory_id == ZERO_UUID):
            value = Frame()
            if len(self.replica_directory_id) != 16:
                raise bad_length('ReplicaDirectoryId', len(self.replica_directory_id))
            value += _S3.pack(self.replica_directory_id)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)


class FetchSnapshotRequestTopicSnapshot(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[FetchSnapshotRequestPartitionSnapshot] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotRequestTopicSnapshot, int]:
        m = _new(FetchSnapshotRequestTopicSnapshot)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = FetchSnapshotRequestPartitionSnapshot.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
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
        for item_partitions in value_partitions:
            item_partitions.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class FetchSnapshotRequest(Message):
    __slots__ = ('cluster_id', 'replica_id', 'max_bytes', 'topics', 'unknown_tags',)
    API_KEY = 59
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        replica_id: int = -1,
        max_bytes: int = 2147483647,
        topics: list[FetchSnapshotRequestTopicSnapshot] = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.max_bytes = max_bytes
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('FetchSnapshotRequest', version)
        m = _new(FetchSnapshotRequest)
        m.replica_id, m.max_bytes, = _S1.unpack_from(buf, pos)
        pos += 8
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = FetchSnapshotRequestTopicSnapshot.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.cluster_id = None
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
                        n, pos = string_length_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.cluster_id = None
                    else:
                        end = pos + n
                        if n < 0 or end > len(buf):
                            raise bad_length('ClusterId', n)
                        m.cluster_id = str(buf[pos:end], 'utf-8')
                        pos = end
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
        if not 0 <= version <= 1:
            raise unsupported_version('FetchSnapshotRequest', version)
        out += _S1.pack(self.replica_id, self.max_bytes)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.cluster_id is None):
            value = Frame()
            value_cluster_id = self.cluster_id
            if value_cluster_id is None:
                value += b'\x00'
            else:
                data = value_cluster_id.encode()
                n = len(data) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_string_length(value, n)
                value += data
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)


class FetchSnapshotResponseSnapshotId(Message):
    __slots__ = ('end_offset', 'epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        end_offset: int = 0,
        epoch: int = 0,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotResponseSnapshotId, int]:
        m = _new(FetchSnapshotResponseSnapshotId)
        m.end_offset, m.epoch, = _S0.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.end_offset, self.epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_FetchSnapshotResponseSnapshotId = frozen(FetchSnapshotResponseSnapshotId())


class LeaderIdAndEpoch(Message):
    __slots__ = ('leader_id', 'leader_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaderIdAndEpoch, int]:
        m = _new(LeaderIdAndEpoch)
        m.leader_id, m.leader_epoch, = _S1.unpack_from(buf, pos)
        pos += 8
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.leader_id, self.leader_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class FetchSnapshotResponsePartitionSnapshot(Message):
    __slots__ = ('index', 'error_code', 'snapshot_id', 'current_leader', 'size', 'position', 'unaligned_records', 'unknown_tags',)

    def __init__(
        self,
        *,
        index: int = 0,
        error_code: int = 0,
        snapshot_id: FetchSnapshotResponseSnapshotId = UNSET,
        current_leader: LeaderIdAndEpoch = UNSET,
        size: int = 0,
        position: int = 0,
        unaligned_records: Records = b'',
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.snapshot_id = _default_FetchSnapshotResponseSnapshotId if snapshot_id is UNSET else snapshot_id
        self.current_leader = _default_LeaderIdAndEpoch if current_leader is UNSET else current_leader
        self.size = size
        self.position = position
        self.unaligned_records = unaligned_records
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotResponsePartitionSnapshot, int]:
        m = _new(FetchSnapshotResponsePartitionSnapshot)
        m.index, m.error_code, = _S4.unpack_from(buf, pos)
        pos += 6
        m.snapshot_id, pos = FetchSnapshotResponseSnapshotId.read(buf, pos, version)
        m.size, m.position, = _S5.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('UnalignedRecords', n)
        m.unaligned_records = memoryview(buf)[pos:end]
        pos = end
        m.current_leader = _default_LeaderIdAndEpoch
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    m.current_leader, pos = LeaderIdAndEpoch.read(buf, pos, version)
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
        out += _S4.pack(self.index, self.error_code)
        value_snapshot_id = self.snapshot_id
        value_snapshot_id.write(out, version)
        out += _S5.pack(self.size, self.position)
        value_unaligned_records = self.unaligned_records
        write_compact_records(out, value_unaligned_records)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.current_leader is _default_LeaderIdAndEpoch or self.current_leader == _default_LeaderIdAndEpoch):
            value = Frame()
            value_current_leader = self.current_leader
            value_current_leader.write(value, version)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)


class FetchSnapshotResponseTopicSnapshot(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[FetchSnapshotResponsePartitionSnapshot] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotResponseTopicSnapshot, int]:
        m = _new(FetchSnapshotResponseTopicSnapshot)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = FetchSnapshotResponsePartitionSnapshot.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
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
        for item_partitions in value_partitions:
            item_partitions.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class NodeEndpoint(Message):
    __slots__ = ('node_id', 'host', 'port', 'unknown_tags',)

    def __init__(
        self,
        *,
        node_id: int = 0,
        host: str = '',
        port: int = 0,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[NodeEndpoint, int]:
        m = _new(NodeEndpoint)
        m.node_id, = _S6.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, = _S7.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S6.pack(self.node_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S7.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class FetchSnapshotResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'topics', 'node_endpoints', 'unknown_tags',)
    API_KEY = 59
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[FetchSnapshotResponseTopicSnapshot] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchSnapshotResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('FetchSnapshotResponse', version)
        m = _new(FetchSnapshotResponse)
        m.throttle_time_ms, m.error_code, = _S4.unpack_from(buf, pos)
        pos += 6
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = FetchSnapshotResponseTopicSnapshot.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.node_endpoints = []
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0 and version >= 1:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n < 0 or n > len(buf) - pos:
                        raise bad_length('NodeEndpoints', n)
                    items_node_endpoints = []
                    read_node_endpoints = NodeEndpoint.read
                    for _ in range(n):
                        item_node_endpoints, pos = read_node_endpoints(buf, pos, version)
                        items_node_endpoints.append(item_node_endpoints)
                    m.node_endpoints = items_node_endpoints
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
        if not 0 <= version <= 1:
            raise unsupported_version('FetchSnapshotResponse', version)
        if version < 1 and not (not self.node_endpoints):
            raise unsupported_field('NodeEndpoints', version)
        out += _S4.pack(self.throttle_time_ms, self.error_code)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if version >= 1 and not (not self.node_endpoints):
            value = Frame()
            value_node_endpoints = self.node_endpoints
            n = len(value_node_endpoints) + 1
            if n < 128:
                value.append(n)
            else:
                write_uvarint(value, n)
            for item_node_endpoints in value_node_endpoints:
                item_node_endpoints.write(value, version)
            if tags is None:
                tags = {}
            tags[0] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
