"""ShareAcknowledge: API key 79."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>qq')
_S1 = Struct('>i')
_S2 = Struct('>16s')
_S3 = Struct('>?')
_S4 = Struct('>ii')
_S5 = Struct('>ih')


class AcknowledgementBatch(Message):
    __slots__ = ('first_offset', 'last_offset', 'acknowledge_types', 'unknown_tags',)

    def __init__(
        self,
        *,
        first_offset: int = 0,
        last_offset: int = 0,
        acknowledge_types: list[int] = UNSET,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = [] if acknowledge_types is UNSET else acknowledge_types
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AcknowledgementBatch, int]:
        m = _new(AcknowledgementBatch)
        m.first_offset, m.last_offset, = _S0.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AcknowledgeTypes', n)
        m.acknowledge_types = list(unpack_from(f'>{n}b', buf, pos))
        pos += n
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.first_offset, self.last_offset)
        value_acknowledge_types = self.acknowledge_types
        n = len(value_acknowledge_types) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_acknowledge_types)}b', *value_acknowledge_types)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AcknowledgePartition(Message):
    __slots__ = ('partition_index', 'acknowledgement_batches', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        acknowledgement_batches: list[AcknowledgementBatch] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = [] if acknowledgement_batches is UNSET else acknowledgement_batches
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AcknowledgePartition, int]:
        m = _new(AcknowledgePartition)
        m.partition_index, = _S1.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AcknowledgementBatches', n)
        items_acknowledgement_batches = []
        read_acknowledgement_batches = AcknowledgementBatch.read
        for _ in range(n):
            item_acknowledgement_batches, pos = read_acknowledgement_batches(buf, pos, version)
            items_acknowledgement_batches.append(item_acknowledgement_batches)
        m.acknowledgement_batches = items_acknowledgement_batches
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.partition_index)
        value_acknowledgement_batches = self.acknowledgement_batches
        n = len(value_acknowledgement_batches) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_acknowledgement_batches in value_acknowledgement_batches:
            item_acknowledgement_batches.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AcknowledgeTopic(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AcknowledgePartition] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AcknowledgeTopic, int]:
        m = _new(AcknowledgeTopic)
        m.topic_id, = _S2.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = AcknowledgePartition.read
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
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S2.pack(self.topic_id)
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


class ShareAcknowledgeRequest(Message):
    __slots__ = ('group_id', 'member_id', 'share_session_epoch', 'is_renew_ack', 'topics', 'unknown_tags',)
    API_KEY = 79
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = '',
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: list[AcknowledgeTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareAcknowledgeRequest, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('ShareAcknowledgeRequest', version)
        m = _new(ShareAcknowledgeRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.group_id = None
        else:
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
        if n == -1:
            m.member_id = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('MemberId', n)
            m.member_id = str(buf[pos:end], 'utf-8')
            pos = end
        m.share_session_epoch, = _S1.unpack_from(buf, pos)
        pos += 4
        if version >= 2:
            m.is_renew_ack, = _S3.unpack_from(buf, pos)
            pos += 1
        else:
            m.is_renew_ack = False
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = AcknowledgeTopic.read
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
        if not 1 <= version <= 2:
            raise unsupported_version('ShareAcknowledgeRequest', version)
        if version < 2 and not (self.is_renew_ack == False):
            raise unsupported_field('IsRenewAck', version)
        value_group_id = self.group_id
        if value_group_id is None:
            out += b'\x00'
        else:
            data = value_group_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        value_member_id = self.member_id
        if value_member_id is None:
            out += b'\x00'
        else:
            data = value_member_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        out += _S1.pack(self.share_session_epoch)
        if version >= 2:
            out += _S3.pack(self.is_renew_ack)
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
        m.leader_id, m.leader_epoch, = _S4.unpack_from(buf, pos)
        pos += 8
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S4.pack(self.leader_id, self.leader_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class PartitionData(Message):
    __slots__ = ('partition_index', 'error_code', 'error_message', 'current_leader', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.current_leader = _default_LeaderIdAndEpoch if current_leader is UNSET else current_leader
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionData, int]:
        m = _new(PartitionData)
        m.partition_index, m.error_code, = _S5.unpack_from(buf, pos)
        pos += 6
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
        m.current_leader, pos = LeaderIdAndEpoch.read(buf, pos, version)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S5.pack(self.partition_index, self.error_code)
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
        value_current_leader = self.current_leader
        value_current_leader.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ShareAcknowledgeTopicResponse(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareAcknowledgeTopicResponse, int]:
        m = _new(ShareAcknowledgeTopicResponse)
        m.topic_id, = _S2.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = PartitionData.read
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
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S2.pack(self.topic_id)
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[NodeEndpoint, int]:
        m = _new(NodeEndpoint)
        m.node_id, = _S1.unpack_from(buf, pos)
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
        m.port, = _S1.unpack_from(buf, pos)
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

    def write(self, out: Frame, version: int) -> None:
        out += _S1.pack(self.node_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S1.pack(self.port)
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


class ShareAcknowledgeResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'acquisition_lock_timeout_ms', 'responses', 'node_endpoints', 'unknown_tags',)
    API_KEY = 79
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareAcknowledgeTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ShareAcknowledgeResponse, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('ShareAcknowledgeResponse', version)
        m = _new(ShareAcknowledgeResponse)
        m.throttle_time_ms, m.error_code, = _S5.unpack_from(buf, pos)
        pos += 6
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
        if version >= 2:
            m.acquisition_lock_timeout_ms, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.acquisition_lock_timeout_ms = 0
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Responses', n)
        items_responses = []
        read_responses = ShareAcknowledgeTopicResponse.read
        for _ in range(n):
            item_responses, pos = read_responses(buf, pos, version)
            items_responses.append(item_responses)
        m.responses = items_responses
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
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('ShareAcknowledgeResponse', version)
        out += _S5.pack(self.throttle_time_ms, self.error_code)
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
        if version >= 2:
            out += _S1.pack(self.acquisition_lock_timeout_ms)
        value_responses = self.responses
        n = len(value_responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_responses in value_responses:
            item_responses.write(out, version)
        value_node_endpoints = self.node_endpoints
        n = len(value_node_endpoints) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_node_endpoints in value_node_endpoints:
            item_node_endpoints.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
