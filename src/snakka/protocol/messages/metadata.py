"""Metadata: API key 3."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, null_field, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16s')
_S1 = Struct('>h')
_S2 = Struct('>?')
_S3 = Struct('>i')
_S4 = Struct('>??')
_S5 = Struct('>hiii')
_S6 = Struct('>hii')


class MetadataRequestTopic(Message):
    __slots__ = ('topic_id', 'name', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        name: str | None = '',
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MetadataRequestTopic, int]:
        m = _new(MetadataRequestTopic)
        if version >= 9:
            if version >= 10:
                m.topic_id, = _S0.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1 and not (version >= 10):
                raise null_field('Name')
            if n == -1:
                m.name = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Name', n)
                m.name = str(buf[pos:end], 'utf-8')
                pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 9:
            if version >= 10:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S0.pack(self.topic_id)
            value_name = self.name
            if value_name is None:
                if not (version >= 10):
                    raise null_field('Name')
                out += b'\x00'
            else:
                data = value_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            if value_name is None:
                raise null_field('Name')
            else:
                data = value_name.encode()
                out += _S1.pack(len(data))
                out += data


class MetadataRequest(Message):
    __slots__ = ('topics', 'allow_auto_topic_creation', 'include_cluster_authorized_operations', 'include_topic_authorized_operations', 'unknown_tags',)
    API_KEY = 3
    MIN_VERSION = 0
    MAX_VERSION = 13
    FLEXIBLE_FROM = 9

    def __init__(
        self,
        *,
        topics: list[MetadataRequestTopic] | None = UNSET,
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MetadataRequest, int]:
        if not 0 <= version <= 13:
            raise unsupported_version('MetadataRequest', version)
        m = _new(MetadataRequest)
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.topics = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Topics', n)
                items_topics = []
                read_topics = MetadataRequestTopic.read
                for _ in range(n):
                    item_topics, pos = read_topics(buf, pos, version)
                    items_topics.append(item_topics)
                m.topics = items_topics
            m.allow_auto_topic_creation, = _S2.unpack_from(buf, pos)
            pos += 1
            if version <= 10:
                m.include_cluster_authorized_operations, = _S2.unpack_from(buf, pos)
                pos += 1
            else:
                m.include_cluster_authorized_operations = False
            m.include_topic_authorized_operations, = _S2.unpack_from(buf, pos)
            pos += 1
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n == -1 and not (version >= 1):
            raise null_field('Topics')
        if n == -1:
            m.topics = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = MetadataRequestTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
        if version >= 4:
            m.allow_auto_topic_creation, = _S2.unpack_from(buf, pos)
            pos += 1
        else:
            m.allow_auto_topic_creation = True
        if version >= 8:
            m.include_cluster_authorized_operations, m.include_topic_authorized_operations, = _S4.unpack_from(buf, pos)
            pos += 2
        else:
            m.include_cluster_authorized_operations = False
            m.include_topic_authorized_operations = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 13:
            raise unsupported_version('MetadataRequest', version)
        if version < 4 and not (self.allow_auto_topic_creation == True):
            raise unsupported_field('AllowAutoTopicCreation', version)
        if (version < 8 or version > 10) and not (self.include_cluster_authorized_operations == False):
            raise unsupported_field('IncludeClusterAuthorizedOperations', version)
        if version < 8 and not (self.include_topic_authorized_operations == False):
            raise unsupported_field('IncludeTopicAuthorizedOperations', version)
        if version >= 9:
            value_topics = self.topics
            if value_topics is None:
                out += b'\x00'
            else:
                n = len(value_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_topics in value_topics:
                    item_topics.write(out, version)
            out += _S2.pack(self.allow_auto_topic_creation)
            if version <= 10:
                out += _S2.pack(self.include_cluster_authorized_operations)
            out += _S2.pack(self.include_topic_authorized_operations)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topics = self.topics
            if value_topics is None:
                if not (version >= 1):
                    raise null_field('Topics')
                out += b'\xff\xff\xff\xff'
            else:
                out += _S3.pack(len(value_topics))
                for item_topics in value_topics:
                    item_topics.write(out, version)
            if version >= 4:
                out += _S2.pack(self.allow_auto_topic_creation)
            if version >= 8:
                out += _S4.pack(self.include_cluster_authorized_operations, self.include_topic_authorized_operations)


class MetadataResponseBroker(Message):
    __slots__ = ('node_id', 'host', 'port', 'rack', 'unknown_tags',)

    def __init__(
        self,
        *,
        node_id: int = 0,
        host: str = '',
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MetadataResponseBroker, int]:
        m = _new(MetadataResponseBroker)
        if version >= 9:
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
            m.port, = _S3.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.rack = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Rack', n)
                m.rack = str(buf[pos:end], 'utf-8')
                pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.node_id, = _S3.unpack_from(buf, pos)
        pos += 4
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Host', n)
        m.host = str(buf[pos:end], 'utf-8')
        pos = end
        m.port, = _S3.unpack_from(buf, pos)
        pos += 4
        if version >= 1:
            n, = _S1.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.rack = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Rack', n)
                m.rack = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.rack = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 9:
            out += _S3.pack(self.node_id)
            value_host = self.host
            data = value_host.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            out += _S3.pack(self.port)
            value_rack = self.rack
            if value_rack is None:
                out += b'\x00'
            else:
                data = value_rack.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S3.pack(self.node_id)
            value_host = self.host
            data = value_host.encode()
            out += _S1.pack(len(data))
            out += data
            out += _S3.pack(self.port)
            if version >= 1:
                value_rack = self.rack
                if value_rack is None:
                    out += b'\xff\xff'
                else:
                    data = value_rack.encode()
                    out += _S1.pack(len(data))
                    out += data


class MetadataResponsePartition(Message):
    __slots__ = ('error_code', 'partition_index', 'leader_id', 'leader_epoch', 'replica_nodes', 'isr_nodes', 'offline_replicas', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: list[int] = UNSET,
        isr_nodes: list[int] = UNSET,
        offline_replicas: list[int] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is UNSET else replica_nodes
        self.isr_nodes = [] if isr_nodes is UNSET else isr_nodes
        self.offline_replicas = [] if offline_replicas is UNSET else offline_replicas
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MetadataResponsePartition, int]:
        m = _new(MetadataResponsePartition)
        if version >= 9:
            m.error_code, m.partition_index, m.leader_id, m.leader_epoch, = _S5.unpack_from(buf, pos)
            pos += 14
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('ReplicaNodes', n)
            m.replica_nodes = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('IsrNodes', n)
            m.isr_nodes = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('OfflineReplicas', n)
            m.offline_replicas = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, m.partition_index, m.leader_id, = _S6.unpack_from(buf, pos)
        pos += 10
        if version >= 7:
            m.leader_epoch, = _S3.unpack_from(buf, pos)
            pos += 4
        else:
            m.leader_epoch = -1
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('ReplicaNodes', n)
        m.replica_nodes = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('IsrNodes', n)
        m.isr_nodes = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        if version >= 5:
            n, = _S3.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('OfflineReplicas', n)
            m.offline_replicas = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
        else:
            m.offline_replicas = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 9:
            out += _S5.pack(self.error_code, self.partition_index, self.leader_id, self.leader_epoch)
            value_replica_nodes = self.replica_nodes
            n = len(value_replica_nodes) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_replica_nodes)}i', *value_replica_nodes)
            value_isr_nodes = self.isr_nodes
            n = len(value_isr_nodes) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_isr_nodes)}i', *value_isr_nodes)
            value_offline_replicas = self.offline_replicas
            n = len(value_offline_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_offline_replicas)}i', *value_offline_replicas)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S6.pack(self.error_code, self.partition_index, self.leader_id)
            if version >= 7:
                out += _S3.pack(self.leader_epoch)
            value_replica_nodes = self.replica_nodes
            out += _S3.pack(len(value_replica_nodes))
            out += pack(f'>{len(value_replica_nodes)}i', *value_replica_nodes)
            value_isr_nodes = self.isr_nodes
            out += _S3.pack(len(value_isr_nodes))
            out += pack(f'>{len(value_isr_nodes)}i', *value_isr_nodes)
            if version >= 5:
                value_offline_replicas = self.offline_replicas
                out += _S3.pack(len(value_offline_replicas))
                out += pack(f'>{len(value_offline_replicas)}i', *value_offline_replicas)


class MetadataResponseTopic(Message):
    __slots__ = ('error_code', 'name', 'topic_id', 'is_internal', 'partitions', 'topic_authorized_operations', 'unknown_tags',)

    def __init__(
        self,
        *,
        error_code: int = 0,
        name: str | None = '',
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[MetadataResponsePartition] = UNSET,
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = [] if partitions is UNSET else partitions
        self.topic_authorized_operations = topic_authorized_operations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MetadataResponseTopic, int]:
        m = _new(MetadataResponseTopic)
        if version >= 9:
            m.error_code, = _S1.unpack_from(buf, pos)
            pos += 2
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1 and not (version >= 12):
                raise null_field('Name')
            if n == -1:
                m.name = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Name', n)
                m.name = str(buf[pos:end], 'utf-8')
                pos = end
            if version >= 10:
                m.topic_id, = _S0.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            m.is_internal, = _S2.unpack_from(buf, pos)
            pos += 1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = MetadataResponsePartition.read
            for _ in range(n):
                item_partitions, pos = read_partitions(buf, pos, version)
                items_partitions.append(item_partitions)
            m.partitions = items_partitions
            m.topic_authorized_operations, = _S3.unpack_from(buf, pos)
            pos += 4
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, = _S1.unpack_from(buf, pos)
        pos += 2
        n, = _S1.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        if version >= 1:
            m.is_internal, = _S2.unpack_from(buf, pos)
            pos += 1
        else:
            m.is_internal = False
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = MetadataResponsePartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        if version >= 8:
            m.topic_authorized_operations, = _S3.unpack_from(buf, pos)
            pos += 4
        else:
            m.topic_authorized_operations = -2147483648
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 8 and not (self.topic_authorized_operations == -2147483648):
            raise unsupported_field('TopicAuthorizedOperations', version)
        if version >= 9:
            out += _S1.pack(self.error_code)
            value_name = self.name
            if value_name is None:
                if not (version >= 12):
                    raise null_field('Name')
                out += b'\x00'
            else:
                data = value_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 10:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S0.pack(self.topic_id)
            out += _S2.pack(self.is_internal)
            value_partitions = self.partitions
            n = len(value_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_partitions in value_partitions:
                item_partitions.write(out, version)
            out += _S3.pack(self.topic_authorized_operations)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.error_code)
            value_name = self.name
            if value_name is None:
                raise null_field('Name')
            else:
                data = value_name.encode()
                out += _S1.pack(len(data))
                out += data
            if version >= 1:
                out += _S2.pack(self.is_internal)
            value_partitions = self.partitions
            out += _S3.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)
            if version >= 8:
                out += _S3.pack(self.topic_authorized_operations)


class MetadataResponse(Message):
    __slots__ = ('throttle_time_ms', 'brokers', 'cluster_id', 'controller_id', 'topics', 'cluster_authorized_operations', 'error_code', 'unknown_tags',)
    API_KEY = 3
    MIN_VERSION = 0
    MAX_VERSION = 13
    FLEXIBLE_FROM = 9

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        brokers: list[MetadataResponseBroker] = UNSET,
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: list[MetadataResponseTopic] = UNSET,
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = [] if brokers is UNSET else brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = [] if topics is UNSET else topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[MetadataResponse, int]:
        if not 0 <= version <= 13:
            raise unsupported_version('MetadataResponse', version)
        m = _new(MetadataResponse)
        if version >= 9:
            m.throttle_time_ms, = _S3.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Brokers', n)
            items_brokers = []
            read_brokers = MetadataResponseBroker.read
            for _ in range(n):
                item_brokers, pos = read_brokers(buf, pos, version)
                items_brokers.append(item_brokers)
            m.brokers = items_brokers
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
            m.controller_id, = _S3.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = MetadataResponseTopic.read
            for _ in range(n):
                item_topics, pos = read_topics(buf, pos, version)
                items_topics.append(item_topics)
            m.topics = items_topics
            if version <= 10:
                m.cluster_authorized_operations, = _S3.unpack_from(buf, pos)
                pos += 4
            else:
                m.cluster_authorized_operations = -2147483648
            if version >= 13:
                m.error_code, = _S1.unpack_from(buf, pos)
                pos += 2
            else:
                m.error_code = 0
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        if version >= 3:
            m.throttle_time_ms, = _S3.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Brokers', n)
        items_brokers = []
        read_brokers = MetadataResponseBroker.read
        for _ in range(n):
            item_brokers, pos = read_brokers(buf, pos, version)
            items_brokers.append(item_brokers)
        m.brokers = items_brokers
        if version >= 2:
            n, = _S1.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.cluster_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('ClusterId', n)
                m.cluster_id = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.cluster_id = None
        if version >= 1:
            m.controller_id, = _S3.unpack_from(buf, pos)
            pos += 4
        else:
            m.controller_id = -1
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = MetadataResponseTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        if version >= 8:
            m.cluster_authorized_operations, = _S3.unpack_from(buf, pos)
            pos += 4
        else:
            m.cluster_authorized_operations = -2147483648
        m.error_code = 0
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 13:
            raise unsupported_version('MetadataResponse', version)
        if (version < 8 or version > 10) and not (self.cluster_authorized_operations == -2147483648):
            raise unsupported_field('ClusterAuthorizedOperations', version)
        if version >= 9:
            out += _S3.pack(self.throttle_time_ms)
            value_brokers = self.brokers
            n = len(value_brokers) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_brokers in value_brokers:
                item_brokers.write(out, version)
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
            out += _S3.pack(self.controller_id)
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            if version <= 10:
                out += _S3.pack(self.cluster_authorized_operations)
            if version >= 13:
                out += _S1.pack(self.error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            if version >= 3:
                out += _S3.pack(self.throttle_time_ms)
            value_brokers = self.brokers
            out += _S3.pack(len(value_brokers))
            for item_brokers in value_brokers:
                item_brokers.write(out, version)
            if version >= 2:
                value_cluster_id = self.cluster_id
                if value_cluster_id is None:
                    out += b'\xff\xff'
                else:
                    data = value_cluster_id.encode()
                    out += _S1.pack(len(data))
                    out += data
            if version >= 1:
                out += _S3.pack(self.controller_id)
            value_topics = self.topics
            out += _S3.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
            if version >= 8:
                out += _S3.pack(self.cluster_authorized_operations)
