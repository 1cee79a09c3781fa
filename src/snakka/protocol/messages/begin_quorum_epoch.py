"""BeginQuorumEpoch: API key 53."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i16sii')
_S1 = Struct('>iii')
_S2 = Struct('>h')
_S3 = Struct('>i')
_S4 = Struct('>H')
_S5 = Struct('>ihii')


class BeginQuorumEpochRequestPartitionData(Message):
    __slots__ = ('partition_index', 'voter_directory_id', 'leader_id', 'leader_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.voter_directory_id = voter_directory_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BeginQuorumEpochRequestPartitionData, int]:
        m = _new(BeginQuorumEpochRequestPartitionData)
        if version >= 1:
            m.partition_index, m.voter_directory_id, m.leader_id, m.leader_epoch, = _S0.unpack_from(buf, pos)
            pos += 28
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.leader_id, m.leader_epoch, = _S1.unpack_from(buf, pos)
        pos += 12
        m.voter_directory_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            if len(self.voter_directory_id) != 16:
                raise bad_length('VoterDirectoryId', len(self.voter_directory_id))
            out += _S0.pack(self.partition_index, self.voter_directory_id, self.leader_id, self.leader_epoch)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.partition_index, self.leader_id, self.leader_epoch)


class BeginQuorumEpochRequestTopicData(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[BeginQuorumEpochRequestPartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BeginQuorumEpochRequestTopicData, int]:
        m = _new(BeginQuorumEpochRequestTopicData)
        if version >= 1:
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
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = BeginQuorumEpochRequestPartitionData.read
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
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = BeginQuorumEpochRequestPartitionData.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
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
            for item_partitions in value_partitions:
                item_partitions.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topic_name = self.topic_name
            data = value_topic_name.encode()
            out += _S2.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S3.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class LeaderEndpoint(Message):
    __slots__ = ('name', 'host', 'port', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        host: str = '',
        port: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaderEndpoint, int]:
        m = _new(LeaderEndpoint)
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
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, = _S4.unpack_from(buf, pos)
        pos += 2
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
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S4.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class BeginQuorumEpochRequest(Message):
    __slots__ = ('cluster_id', 'voter_id', 'topics', 'leader_endpoints', 'unknown_tags',)
    API_KEY = 53
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: list[BeginQuorumEpochRequestTopicData] = UNSET,
        leader_endpoints: list[LeaderEndpoint] = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = [] if topics is UNSET else topics
        self.leader_endpoints = [] if leader_endpoints is UNSET else leader_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BeginQuorumEpochRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('BeginQuorumEpochRequest', version)
        m = _new(BeginQuorumEpochRequest)
        if version >= 1:
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
            m.voter_id, = _S3.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = BeginQuorumEpochRequestTopicData.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('LeaderEndpoints', n)
            items_leader_endpoints = []
            read_leader_endpoints = LeaderEndpoint.read
            for _ in range(n):
                item_leader_endpoints, pos = read_leader_endpoints(buf, pos, version)
                items_leader_endpoints.append(item_leader_endpoints)
            m.leader_endpoints = items_leader_endpoints
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.cluster_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClusterId', n)
            m.cluster_id = str(buf[pos:end], 'utf-8')
            pos = end
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = BeginQuorumEpochRequestTopicData.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.voter_id = -1
        m.leader_endpoints = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('BeginQuorumEpochRequest', version)
        if version >= 1:
            value_cluster_id = self.cluster_id
            if value_cluster_id is None:
                out += b'\x00'
            else:
                data = value_cluster_id.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S3.pack(self.voter_id)
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            value_leader_endpoints = self.leader_endpoints
            n = len(value_leader_endpoints) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_leader_endpoints in value_leader_endpoints:
                item_leader_endpoints.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_cluster_id = self.cluster_id
            if value_cluster_id is None:
                out += b'\xff\xff'
            else:
                data = value_cluster_id.encode()
                out += _S2.pack(len(data))
                out += data
            value_topics = self.topics
            out += _S3.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)


class BeginQuorumEpochResponsePartitionData(Message):
    __slots__ = ('partition_index', 'error_code', 'leader_id', 'leader_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BeginQuorumEpochResponsePartitionData, int]:
        m = _new(BeginQuorumEpochResponsePartitionData)
        if version >= 1:
            m.partition_index, m.error_code, m.leader_id, m.leader_epoch, = _S5.unpack_from(buf, pos)
            pos += 14
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.error_code, m.leader_id, m.leader_epoch, = _S5.unpack_from(buf, pos)
        pos += 14
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            out += _S5.pack(self.partition_index, self.error_code, self.leader_id, self.leader_epoch)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S5.pack(self.partition_index, self.error_code, self.leader_id, self.leader_epoch)


class BeginQuorumEpochResponseTopicData(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[BeginQuorumEpochResponsePartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BeginQuorumEpochResponseTopicData, int]:
        m = _new(BeginQuorumEpochResponseTopicData)
        if version >= 1:
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
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = BeginQuorumEpochResponsePartitionData.read
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
        n, = _S2.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = BeginQuorumEpochResponsePartitionData.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
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
            for item_partitions in value_partitions:
                item_partitions.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topic_name = self.topic_name
            data = value_topic_name.encode()
            out += _S2.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S3.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


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
        m.node_id, = _S3.unpack_from(buf, pos)
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
        m.port, = _S4.unpack_from(buf, pos)
        pos += 2
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S3.pack(self.node_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S4.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class BeginQuorumEpochResponse(Message):
    __slots__ = ('error_code', 'topics', 'node_endpoints', 'unknown_tags',)
    API_KEY = 53
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[BeginQuorumEpochResponseTopicData] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BeginQuorumEpochResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('BeginQuorumEpochResponse', version)
        m = _new(BeginQuorumEpochResponse)
        if version >= 1:
            m.error_code, = _S2.unpack_from(buf, pos)
            pos += 2
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = BeginQuorumEpochResponseTopicData.read
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
                    if tag == 0:
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
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = BeginQuorumEpochResponseTopicData.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.node_endpoints = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('BeginQuorumEpochResponse', version)
        if version < 1 and not (not self.node_endpoints):
            raise unsupported_field('NodeEndpoints', version)
        if version >= 1:
            out += _S2.pack(self.error_code)
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if not (not self.node_endpoints):
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
        else:
            out += _S2.pack(self.error_code)
            value_topics = self.topics
            out += _S3.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
