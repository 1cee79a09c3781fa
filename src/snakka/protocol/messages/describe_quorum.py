"""DescribeQuorum: API key 55."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>i')
_S1 = Struct('>16s')
_S2 = Struct('>q')
_S3 = Struct('>qq')
_S4 = Struct('>ih')
_S5 = Struct('>iiq')
_S6 = Struct('>H')
_S7 = Struct('>h')


class DescribeQuorumRequestPartitionData(Message):
    __slots__ = ('partition_index', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeQuorumRequestPartitionData, int]:
        m = _new(DescribeQuorumRequestPartitionData)
        m.partition_index, = _S0.unpack_from(buf, pos)
        pos += 4
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.partition_index)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeQuorumRequestTopicData(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[DescribeQuorumRequestPartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeQuorumRequestTopicData, int]:
        m = _new(DescribeQuorumRequestTopicData)
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
        read_partitions = DescribeQuorumRequestPartitionData.read
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


class DescribeQuorumRequest(Message):
    __slots__ = ('topics', 'unknown_tags',)
    API_KEY = 55
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        topics: list[DescribeQuorumRequestTopicData] = UNSET,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeQuorumRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeQuorumRequest', version)
        m = _new(DescribeQuorumRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = DescribeQuorumRequestTopicData.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeQuorumRequest', version)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ReplicaState(Message):
    __slots__ = ('replica_id', 'replica_directory_id', 'log_end_offset', 'last_fetch_timestamp', 'last_caught_up_timestamp', 'unknown_tags',)

    def __init__(
        self,
        *,
        replica_id: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        log_end_offset: int = 0,
        last_fetch_timestamp: int = -1,
        last_caught_up_timestamp: int = -1,
    ) -> None:
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.log_end_offset = log_end_offset
        self.last_fetch_timestamp = last_fetch_timestamp
        self.last_caught_up_timestamp = last_caught_up_timestamp
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ReplicaState, int]:
        m = _new(ReplicaState)
        m.replica_id, = _S0.unpack_from(buf, pos)
        pos += 4
        if version >= 2:
            m.replica_directory_id, = _S1.unpack_from(buf, pos)
            pos += 16
        else:
            m.replica_directory_id = ZERO_UUID
        m.log_end_offset, = _S2.unpack_from(buf, pos)
        pos += 8
        if version >= 1:
            m.last_fetch_timestamp, m.last_caught_up_timestamp, = _S3.unpack_from(buf, pos)
            pos += 16
        else:
            m.last_fetch_timestamp = -1
            m.last_caught_up_timestamp = -1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 2 and not (self.replica_directory_id == ZERO_UUID):
            raise unsupported_field('ReplicaDirectoryId', version)
        out += _S0.pack(self.replica_id)
        if version >= 2:
            if len(self.replica_directory_id) != 16:
                raise bad_length('ReplicaDirectoryId', len(self.replica_directory_id))
            out += _S1.pack(self.replica_directory_id)
        out += _S2.pack(self.log_end_offset)
        if version >= 1:
            out += _S3.pack(self.last_fetch_timestamp, self.last_caught_up_timestamp)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeQuorumResponsePartitionData(Message):
    __slots__ = ('partition_index', 'error_code', 'error_message', 'leader_id', 'leader_epoch', 'high_watermark', 'current_voters', 'observers', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
        leader_id: int = 0,
        leader_epoch: int = 0,
        high_watermark: int = 0,
        current_voters: list[ReplicaState] = UNSET,
        observers: list[ReplicaState] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.high_watermark = high_watermark
        self.current_voters = [] if current_voters is UNSET else current_voters
        self.observers = [] if observers is UNSET else observers
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeQuorumResponsePartitionData, int]:
        m = _new(DescribeQuorumResponsePartitionData)
        m.partition_index, m.error_code, = _S4.unpack_from(buf, pos)
        pos += 6
        if version >= 2:
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
        else:
            m.error_message = ''
        m.leader_id, m.leader_epoch, m.high_watermark, = _S5.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('CurrentVoters', n)
        items_current_voters = []
        read_current_voters = ReplicaState.read
        for _ in range(n):
            item_current_voters, pos = read_current_voters(buf, pos, version)
            items_current_voters.append(item_current_voters)
        m.current_voters = items_current_voters
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Observers', n)
        items_observers = []
        read_observers = ReplicaState.read
        for _ in range(n):
            item_observers, pos = read_observers(buf, pos, version)
            items_observers.append(item_observers)
        m.observers = items_observers
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S4.pack(self.partition_index, self.error_code)
        if version >= 2:
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
        out += _S5.pack(self.leader_id, self.leader_epoch, self.high_watermark)
        value_current_voters = self.current_voters
        n = len(value_current_voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_current_voters in value_current_voters:
            item_current_voters.write(out, version)
        value_observers = self.observers
        n = len(value_observers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_observers in value_observers:
            item_observers.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeQuorumResponseTopicData(Message):
    __slots__ = ('topic_name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_name: str = '',
        partitions: list[DescribeQuorumResponsePartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeQuorumResponseTopicData, int]:
        m = _new(DescribeQuorumResponseTopicData)
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
        read_partitions = DescribeQuorumResponsePartitionData.read
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


class Listener(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[Listener, int]:
        m = _new(Listener)
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
        m.port, = _S6.unpack_from(buf, pos)
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
        out += _S6.pack(self.port)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class Node(Message):
    __slots__ = ('node_id', 'listeners', 'unknown_tags',)

    def __init__(
        self,
        *,
        node_id: int = 0,
        listeners: list[Listener] = UNSET,
    ) -> None:
        self.node_id = node_id
        self.listeners = [] if listeners is UNSET else listeners
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[Node, int]:
        m = _new(Node)
        m.node_id, = _S0.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Listeners', n)
        items_listeners = []
        read_listeners = Listener.read
        for _ in range(n):
            item_listeners, pos = read_listeners(buf, pos, version)
            items_listeners.append(item_listeners)
        m.listeners = items_listeners
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.node_id)
        value_listeners = self.listeners
        n = len(value_listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_listeners in value_listeners:
            item_listeners.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeQuorumResponse(Message):
    __slots__ = ('error_code', 'error_message', 'topics', 'nodes', 'unknown_tags',)
    API_KEY = 55
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = '',
        topics: list[DescribeQuorumResponseTopicData] = UNSET,
        nodes: list[Node] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.topics = [] if topics is UNSET else topics
        self.nodes = [] if nodes is UNSET else nodes
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeQuorumResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeQuorumResponse', version)
        m = _new(DescribeQuorumResponse)
        m.error_code, = _S7.unpack_from(buf, pos)
        pos += 2
        if version >= 2:
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
        else:
            m.error_message = ''
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = DescribeQuorumResponseTopicData.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Nodes', n)
            items_nodes = []
            read_nodes = Node.read
            for _ in range(n):
                item_nodes, pos = read_nodes(buf, pos, version)
                items_nodes.append(item_nodes)
            m.nodes = items_nodes
        else:
            m.nodes = []
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('DescribeQuorumResponse', version)
        if version < 2 and not (not self.nodes):
            raise unsupported_field('Nodes', version)
        out += _S7.pack(self.error_code)
        if version >= 2:
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
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        if version >= 2:
            value_nodes = self.nodes
            n = len(value_nodes) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_nodes in value_nodes:
                item_nodes.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
