"""EndQuorumEpoch: API key 54."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i16s')
_S1 = Struct('>iii')
_S2 = Struct('>i')
_S3 = Struct('>h')
_S4 = Struct('>H')
_S5 = Struct('>ihii')


class ReplicaInfo(Message):
    __slots__ = ('candidate_id', 'candidate_directory_id', 'unknown_tags',)

    def __init__(
        self,
        *,
        candidate_id: int = 0,
        candidate_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.candidate_id = candidate_id
        self.candidate_directory_id = candidate_directory_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ReplicaInfo, int]:
        m = _new(ReplicaInfo)
        m.candidate_id, m.candidate_directory_id, = _S0.unpack_from(buf, pos)
        pos += 20
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if len(self.candidate_directory_id) != 16:
            raise bad_length('CandidateDirectoryId', len(self.candidate_directory_id))
        out += _S0.pack(self.candidate_id, self.candidate_directory_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class EndQuorumEpochRequestPartitionData(Message):
    __slots__ = ('partition_index', 'leader_id', 'leader_epoch', 'preferred_successors', 'preferred_candidates', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        preferred_successors: list[int] = UNSET,
        preferred_candidates: list[ReplicaInfo] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.preferred_successors = [] if preferred_successors is UNSET else preferred_successors
        self.preferred_candidates = [] if preferred_candidates is UNSET else preferred_candidates
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndQuorumEpochRequestPartitionData, int]:
        m = _new(EndQuorumEpochRequestPartitionData)
        if version >= 1:
            m.partition_index, m.leader_id, m.leader_epoch, = _S1.unpack_from(buf, pos)
            pos += 12
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('PreferredCandidates', n)
            items_preferred_candidates = []
            read_preferred_candidates = ReplicaInfo.read
            for _ in range(n):
                item_preferred_candidates, pos = read_preferred_candidates(buf, pos, version)
                items_preferred_candidates.append(item_preferred_candidates)
            m.preferred_candidates = items_preferred_candidates
            m.preferred_successors = []
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.leader_id, m.leader_epoch, = _S1.unpack_from(buf, pos)
        pos += 12
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('PreferredSuccessors', n)
        m.preferred_successors = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.preferred_candidates = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 1:
            out += _S1.pack(self.partition_index, self.leader_id, self.leader_epoch)
            value_preferred_candidates = self.preferred_candidates
            n = len(value_preferred_candidates) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_preferred_candidates in value_preferred_candidates:
                item_preferred_candidates.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.partition_index, self.leader_id, self.leader_epoch)
            value_preferred_successors = self.preferred_successors
            out += _S2.pack(len(value_preferred_successors))
            out += pack(f'>{len(value_preferred_successors)}i', *value_preferred_successors)


class EndQuorumEpochRequestTopicData(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[EndQuorumEpochRequestPartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndQuorumEpochRequestTopicData, int]:
        m = _new(EndQuorumEpochRequestTopicData)
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
            read_partitions = EndQuorumEpochRequestPartitionData.read
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
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = EndQuorumEpochRequestPartitionData.read
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
            out += _S3.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S2.pack(len(value_partitions))
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


class EndQuorumEpochRequest(Message):
    __slots__ = ('cluster_id', 'topics', 'leader_endpoints', 'unknown_tags',)
    API_KEY = 54
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        topics: list[EndQuorumEpochRequestTopicData] = UNSET,
        leader_endpoints: list[LeaderEndpoint] = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.topics = [] if topics is UNSET else topics
        self.leader_endpoints = [] if leader_endpoints is UNSET else leader_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndQuorumEpochRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('EndQuorumEpochRequest', version)
        m = _new(EndQuorumEpochRequest)
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = EndQuorumEpochRequestTopicData.read
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
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        if n == -1:
            m.cluster_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClusterId', n)
            m.cluster_id = str(buf[pos:end], 'utf-8')
            pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = EndQuorumEpochRequestTopicData.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.leader_endpoints = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('EndQuorumEpochRequest', version)
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
                out += _S3.pack(len(data))
                out += data
            value_topics = self.topics
            out += _S2.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)


class EndQuorumEpochResponsePartitionData(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndQuorumEpochResponsePartitionData, int]:
        m = _new(EndQuorumEpochResponsePartitionData)
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


class EndQuorumEpochResponseTopicData(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[EndQuorumEpochResponsePartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndQuorumEpochResponseTopicData, int]:
        m = _new(EndQuorumEpochResponseTopicData)
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
            read_partitions = EndQuorumEpochResponsePartitionData.read
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
        n, = _S3.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TopicName', n)
        m.topic_name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = EndQuorumEpochResponsePartitionData.read
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
            out += _S3.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S2.pack(len(value_partitions))
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
        m.node_id, = _S2.unpack_from(buf, pos)
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
        out += _S2.pack(self.node_id)
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


class EndQuorumEpochResponse(Message):
    __slots__ = ('error_code', 'topics', 'node_endpoints', 'unknown_tags',)
    API_KEY = 54
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[EndQuorumEpochResponseTopicData] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EndQuorumEpochResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('EndQuorumEpochResponse', version)
        m = _new(EndQuorumEpochResponse)
        if version >= 1:
            m.error_code, = _S3.unpack_from(buf, pos)
            pos += 2
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = EndQuorumEpochResponseTopicData.read
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
        m.error_code, = _S3.unpack_from(buf, pos)
        pos += 2
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = EndQuorumEpochResponseTopicData.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.node_endpoints = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('EndQuorumEpochResponse', version)
        if version < 1 and not (not self.node_endpoints):
            raise unsupported_field('NodeEndpoints', version)
        if version >= 1:
            out += _S3.pack(self.error_code)
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
            out += _S3.pack(self.error_code)
            value_topics = self.topics
            out += _S2.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
