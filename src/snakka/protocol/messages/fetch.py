"""Fetch: API key 1."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message, frozen
from snakka.protocol.primitives import Buffer, Records, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_records, write_records, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>iq')
_S1 = Struct('>iiqiqi')
_S2 = Struct('>16s')
_S3 = Struct('>q')
_S4 = Struct('>i')
_S5 = Struct('>h')
_S6 = Struct('>iiibii')
_S7 = Struct('>iiiib')
_S8 = Struct('>ii')
_S9 = Struct('>qi')
_S10 = Struct('>qq')
_S11 = Struct('>ihqqq')
_S12 = Struct('>ihqq')
_S13 = Struct('>ihi')
_S14 = Struct('>hi')


class ReplicaState(Message):
    __slots__ = ('replica_id', 'replica_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        replica_id: int = -1,
        replica_epoch: int = -1,
    ) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ReplicaState, int]:
        m = _new(ReplicaState)
        m.replica_id, m.replica_epoch, = _S0.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.replica_id, self.replica_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_ReplicaState = frozen(ReplicaState())


class FetchPartition(Message):
    __slots__ = ('partition', 'current_leader_epoch', 'fetch_offset', 'last_fetched_epoch', 'log_start_offset', 'partition_max_bytes', 'replica_directory_id', 'high_watermark', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition: int = 0,
        current_leader_epoch: int = -1,
        fetch_offset: int = 0,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
        partition_max_bytes: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        high_watermark: int = 9223372036854775807,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id
        self.high_watermark = high_watermark
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchPartition, int]:
        m = _new(FetchPartition)
        if version >= 12:
            m.partition, m.current_leader_epoch, m.fetch_offset, m.last_fetched_epoch, m.log_start_offset, m.partition_max_bytes, = _S1.unpack_from(buf, pos)
            pos += 32
            m.replica_directory_id = ZERO_UUID
            m.high_watermark = 9223372036854775807
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0 and version >= 17:
                        m.replica_directory_id, = _S2.unpack_from(buf, pos)
                        pos += 16
                    elif tag == 1 and version >= 18:
                        m.high_watermark, = _S3.unpack_from(buf, pos)
                        pos += 8
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        m.partition, = _S4.unpack_from(buf, pos)
        pos += 4
        if version >= 9:
            m.current_leader_epoch, = _S4.unpack_from(buf, pos)
            pos += 4
        else:
            m.current_leader_epoch = -1
        m.fetch_offset, = _S3.unpack_from(buf, pos)
        pos += 8
        if version >= 5:
            m.log_start_offset, = _S3.unpack_from(buf, pos)
            pos += 8
        else:
            m.log_start_offset = -1
        m.partition_max_bytes, = _S4.unpack_from(buf, pos)
        pos += 4
        m.last_fetched_epoch = -1
        m.replica_directory_id = ZERO_UUID
        m.high_watermark = 9223372036854775807
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 12 and not (self.last_fetched_epoch == -1):
            raise unsupported_field('LastFetchedEpoch', version)
        if version >= 12:
            out += _S1.pack(self.partition, self.current_leader_epoch, self.fetch_offset, self.last_fetched_epoch, self.log_start_offset, self.partition_max_bytes)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if version >= 17 and not (self.replica_directory_id == ZERO_UUID):
                value = Frame()
                if len(self.replica_directory_id) != 16:
                    raise bad_length('ReplicaDirectoryId', len(self.replica_directory_id))
                value += _S2.pack(self.replica_directory_id)
                if tags is None:
                    tags = {}
                tags[0] = value
            if version >= 18 and not (self.high_watermark == 9223372036854775807):
                value = Frame()
                value += _S3.pack(self.high_watermark)
                if tags is None:
                    tags = {}
                tags[1] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            out += _S4.pack(self.partition)
            if version >= 9:
                out += _S4.pack(self.current_leader_epoch)
            out += _S3.pack(self.fetch_offset)
            if version >= 5:
                out += _S3.pack(self.log_start_offset)
            out += _S4.pack(self.partition_max_bytes)


class FetchTopic(Message):
    __slots__ = ('topic', 'topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        topic_id: bytes = ZERO_UUID,
        partitions: list[FetchPartition] = UNSET,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchTopic, int]:
        m = _new(FetchTopic)
        if version >= 12:
            if version <= 12:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Topic', n)
                m.topic = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.topic = ''
            if version >= 13:
                m.topic_id, = _S2.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Partitions', n)
            items_partitions = []
            read_partitions = FetchPartition.read
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
        n, = _S5.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S4.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = FetchPartition.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 12:
            if version <= 12:
                value_topic = self.topic
                data = value_topic.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 13:
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
        else:
            value_topic = self.topic
            data = value_topic.encode()
            out += _S5.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S4.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


class ForgottenTopic(Message):
    __slots__ = ('topic', 'topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ForgottenTopic, int]:
        m = _new(ForgottenTopic)
        if version >= 12:
            if version <= 12:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Topic', n)
                m.topic = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.topic = ''
            if version >= 13:
                m.topic_id, = _S2.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
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
        n, = _S5.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S4.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Partitions', n)
        m.partitions = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 12:
            if version <= 12:
                value_topic = self.topic
                data = value_topic.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 13:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S2.pack(self.topic_id)
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
        else:
            value_topic = self.topic
            data = value_topic.encode()
            out += _S5.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S4.pack(len(value_partitions))
            out += pack(f'>{len(value_partitions)}i', *value_partitions)


class FetchRequest(Message):
    __slots__ = ('cluster_id', 'replica_id', 'replica_state', 'max_wait_ms', 'min_bytes', 'max_bytes', 'isolation_level', 'session_id', 'session_epoch', 'topics', 'forgotten_topics_data', 'rack_id', 'unknown_tags',)
    API_KEY = 1
    MIN_VERSION = 4
    MAX_VERSION = 18
    FLEXIBLE_FROM = 12

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: ReplicaState = UNSET,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: list[FetchTopic] = UNSET,
        forgotten_topics_data: list[ForgottenTopic] = UNSET,
        rack_id: str = '',
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.replica_state = _default_ReplicaState if replica_state is UNSET else replica_state
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = [] if topics is UNSET else topics
        self.forgotten_topics_data = [] if forgotten_topics_data is UNSET else forgotten_topics_data
        self.rack_id = rack_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchRequest, int]:
        if not 4 <= version <= 18:
            raise unsupported_version('FetchRequest', version)
        m = _new(FetchRequest)
        if version >= 12:
            if version <= 14:
                m.replica_id, = _S4.unpack_from(buf, pos)
                pos += 4
            else:
                m.replica_id = -1
            m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, = _S6.unpack_from(buf, pos)
            pos += 21
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Topics', n)
            items_topics = []
            read_topics = FetchTopic.read
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
                raise bad_length('ForgottenTopicsData', n)
            items_forgotten_topics_data = []
            read_forgotten_topics_data = ForgottenTopic.read
            for _ in range(n):
                item_forgotten_topics_data, pos = read_forgotten_topics_data(buf, pos, version)
                items_forgotten_topics_data.append(item_forgotten_topics_data)
            m.forgotten_topics_data = items_forgotten_topics_data
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('RackId', n)
            m.rack_id = str(buf[pos:end], 'utf-8')
            pos = end
            m.cluster_id = None
            m.replica_state = _default_ReplicaState
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
                    elif tag == 1 and version >= 15:
                        m.replica_state, pos = ReplicaState.read(buf, pos, version)
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, = _S7.unpack_from(buf, pos)
        pos += 17
        if version >= 7:
            m.session_id, m.session_epoch, = _S8.unpack_from(buf, pos)
            pos += 8
        else:
            m.session_id = 0
            m.session_epoch = -1
        n, = _S4.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = FetchTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        if version >= 7:
            n, = _S4.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('ForgottenTopicsData', n)
            items_forgotten_topics_data = []
            read_forgotten_topics_data = ForgottenTopic.read
            for _ in range(n):
                item_forgotten_topics_data, pos = read_forgotten_topics_data(buf, pos, version)
                items_forgotten_topics_data.append(item_forgotten_topics_data)
            m.forgotten_topics_data = items_forgotten_topics_data
        else:
            m.forgotten_topics_data = []
        if version >= 11:
            n, = _S5.unpack_from(buf, pos)
            pos += 2
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('RackId', n)
            m.rack_id = str(buf[pos:end], 'utf-8')
            pos = end
        else:
            m.rack_id = ''
        m.cluster_id = None
        m.replica_state = _default_ReplicaState
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 4 <= version <= 18:
            raise unsupported_version('FetchRequest', version)
        if version > 14 and not (self.replica_id == -1):
            raise unsupported_field('ReplicaId', version)
        if version < 15 and not (self.replica_state is _default_ReplicaState or self.replica_state == _default_ReplicaState):
            raise unsupported_field('ReplicaState', version)
        if version < 7 and not (not self.forgotten_topics_data):
            raise unsupported_field('ForgottenTopicsData', version)
        if version >= 12:
            if version <= 14:
                out += _S4.pack(self.replica_id)
            out += _S6.pack(self.max_wait_ms, self.min_bytes, self.max_bytes, self.isolation_level, self.session_id, self.session_epoch)
            value_topics = self.topics
            n = len(value_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_topics in value_topics:
                item_topics.write(out, version)
            value_forgotten_topics_data = self.forgotten_topics_data
            n = len(value_forgotten_topics_data) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_forgotten_topics_data in value_forgotten_topics_data:
                item_forgotten_topics_data.write(out, version)
            value_rack_id = self.rack_id
            data = value_rack_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
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
            if version >= 15 and not (self.replica_state is _default_ReplicaState or self.replica_state == _default_ReplicaState):
                value = Frame()
                value_replica_state = self.replica_state
                value_replica_state.write(value, version)
                if tags is None:
                    tags = {}
                tags[1] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            out += _S7.pack(self.replica_id, self.max_wait_ms, self.min_bytes, self.max_bytes, self.isolation_level)
            if version >= 7:
                out += _S8.pack(self.session_id, self.session_epoch)
            value_topics = self.topics
            out += _S4.pack(len(value_topics))
            for item_topics in value_topics:
                item_topics.write(out, version)
            if version >= 7:
                value_forgotten_topics_data = self.forgotten_topics_data
                out += _S4.pack(len(value_forgotten_topics_data))
                for item_forgotten_topics_data in value_forgotten_topics_data:
                    item_forgotten_topics_data.write(out, version)
            if version >= 11:
                value_rack_id = self.rack_id
                data = value_rack_id.encode()
                out += _S5.pack(len(data))
                out += data


class EpochEndOffset(Message):
    __slots__ = ('epoch', 'end_offset', 'unknown_tags',)

    def __init__(
        self,
        *,
        epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.epoch = epoch
        self.end_offset = end_offset
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[EpochEndOffset, int]:
        m = _new(EpochEndOffset)
        m.epoch, m.end_offset, = _S0.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.epoch, self.end_offset)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_EpochEndOffset = frozen(EpochEndOffset())


class LeaderIdAndEpoch(Message):
    __slots__ = ('leader_id', 'leader_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LeaderIdAndEpoch, int]:
        m = _new(LeaderIdAndEpoch)
        m.leader_id, m.leader_epoch, = _S8.unpack_from(buf, pos)
        pos += 8
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S8.pack(self.leader_id, self.leader_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class SnapshotId(Message):
    __slots__ = ('end_offset', 'epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        end_offset: int = -1,
        epoch: int = -1,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SnapshotId, int]:
        m = _new(SnapshotId)
        m.end_offset, m.epoch, = _S9.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S9.pack(self.end_offset, self.epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


_default_SnapshotId = frozen(SnapshotId())


class AbortedTransaction(Message):
    __slots__ = ('producer_id', 'first_offset', 'unknown_tags',)

    def __init__(
        self,
        *,
        producer_id: int = 0,
        first_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AbortedTransaction, int]:
        m = _new(AbortedTransaction)
        if version >= 12:
            m.producer_id, m.first_offset, = _S10.unpack_from(buf, pos)
            pos += 16
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.producer_id, m.first_offset, = _S10.unpack_from(buf, pos)
        pos += 16
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 12:
            out += _S10.pack(self.producer_id, self.first_offset)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S10.pack(self.producer_id, self.first_offset)


class PartitionData(Message):
    __slots__ = ('partition_index', 'error_code', 'high_watermark', 'last_stable_offset', 'log_start_offset', 'diverging_epoch', 'current_leader', 'snapshot_id', 'aborted_transactions', 'preferred_read_replica', 'records', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
        high_watermark: int = 0,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        diverging_epoch: EpochEndOffset = UNSET,
        current_leader: LeaderIdAndEpoch = UNSET,
        snapshot_id: SnapshotId = UNSET,
        aborted_transactions: list[AbortedTransaction] | None = UNSET,
        preferred_read_replica: int = -1,
        records: Records | None = b'',
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.diverging_epoch = _default_EpochEndOffset if diverging_epoch is UNSET else diverging_epoch
        self.current_leader = _default_LeaderIdAndEpoch if current_leader is UNSET else current_leader
        self.snapshot_id = _default_SnapshotId if snapshot_id is UNSET else snapshot_id
        self.aborted_transactions = [] if aborted_transactions is UNSET else aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PartitionData, int]:
        m = _new(PartitionData)
        if version >= 12:
            m.partition_index, m.error_code, m.high_watermark, m.last_stable_offset, m.log_start_offset, = _S11.unpack_from(buf, pos)
            pos += 30
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.aborted_transactions = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('AbortedTransactions', n)
                items_aborted_transactions = []
                read_aborted_transactions = AbortedTransaction.read
                for _ in range(n):
                    item_aborted_transactions, pos = read_aborted_transactions(buf, pos, version)
                    items_aborted_transactions.append(item_aborted_transactions)
                m.aborted_transactions = items_aborted_transactions
            m.preferred_read_replica, = _S4.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.records = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Records', n)
                m.records = memoryview(buf)[pos:end]
                pos = end
            m.diverging_epoch = _default_EpochEndOffset
            m.current_leader = _default_LeaderIdAndEpoch
            m.snapshot_id = _default_SnapshotId
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0:
                        m.diverging_epoch, pos = EpochEndOffset.read(buf, pos, version)
                    elif tag == 1:
                        m.current_leader, pos = LeaderIdAndEpoch.read(buf, pos, version)
                    elif tag == 2:
                        m.snapshot_id, pos = SnapshotId.read(buf, pos, version)
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.error_code, m.high_watermark, m.last_stable_offset, = _S12.unpack_from(buf, pos)
        pos += 22
        if version >= 5:
            m.log_start_offset, = _S3.unpack_from(buf, pos)
            pos += 8
        else:
            m.log_start_offset = -1
        n, = _S4.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.aborted_transactions = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('AbortedTransactions', n)
            items_aborted_transactions = []
            read_aborted_transactions = AbortedTransaction.read
            for _ in range(n):
                item_aborted_transactions, pos = read_aborted_transactions(buf, pos, version)
                items_aborted_transactions.append(item_aborted_transactions)
            m.aborted_transactions = items_aborted_transactions
        if version >= 11:
            m.preferred_read_replica, = _S4.unpack_from(buf, pos)
            pos += 4
        else:
            m.preferred_read_replica = -1
        n, = _S4.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.records = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Records', n)
            m.records = memoryview(buf)[pos:end]
            pos = end
        m.diverging_epoch = _default_EpochEndOffset
        m.current_leader = _default_LeaderIdAndEpoch
        m.snapshot_id = _default_SnapshotId
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 12 and not (self.diverging_epoch is _default_EpochEndOffset or self.diverging_epoch == _default_EpochEndOffset):
            raise unsupported_field('DivergingEpoch', version)
        if version < 12 and not (self.current_leader is _default_LeaderIdAndEpoch or self.current_leader == _default_LeaderIdAndEpoch):
            raise unsupported_field('CurrentLeader', version)
        if version < 12 and not (self.snapshot_id is _default_SnapshotId or self.snapshot_id == _default_SnapshotId):
            raise unsupported_field('SnapshotId', version)
        if version < 11 and not (self.preferred_read_replica == -1):
            raise unsupported_field('PreferredReadReplica', version)
        if version >= 12:
            out += _S11.pack(self.partition_index, self.error_code, self.high_watermark, self.last_stable_offset, self.log_start_offset)
            value_aborted_transactions = self.aborted_transactions
            if value_aborted_transactions is None:
                out += b'\x00'
            else:
                n = len(value_aborted_transactions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_aborted_transactions in value_aborted_transactions:
                    item_aborted_transactions.write(out, version)
            out += _S4.pack(self.preferred_read_replica)
            value_records = self.records
            if value_records is None:
                out += b'\x00'
            else:
                write_compact_records(out, value_records)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if not (self.diverging_epoch is _default_EpochEndOffset or self.diverging_epoch == _default_EpochEndOffset):
                value = Frame()
                value_diverging_epoch = self.diverging_epoch
                value_diverging_epoch.write(value, version)
                if tags is None:
                    tags = {}
                tags[0] = value
            if not (self.current_leader is _default_LeaderIdAndEpoch or self.current_leader == _default_LeaderIdAndEpoch):
                value = Frame()
                value_current_leader = self.current_leader
                value_current_leader.write(value, version)
                if tags is None:
                    tags = {}
                tags[1] = value
            if not (self.snapshot_id is _default_SnapshotId or self.snapshot_id == _default_SnapshotId):
                value = Frame()
                value_snapshot_id = self.snapshot_id
                value_snapshot_id.write(value, version)
                if tags is None:
                    tags = {}
                tags[2] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            out += _S12.pack(self.partition_index, self.error_code, self.high_watermark, self.last_stable_offset)
            if version >= 5:
                out += _S3.pack(self.log_start_offset)
            value_aborted_transactions = self.aborted_transactions
            if value_aborted_transactions is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S4.pack(len(value_aborted_transactions))
                for item_aborted_transactions in value_aborted_transactions:
                    item_aborted_transactions.write(out, version)
            if version >= 11:
                out += _S4.pack(self.preferred_read_replica)
            value_records = self.records
            if value_records is None:
                out += b'\xff\xff\xff\xff'
            else:
                write_records(out, value_records)


class FetchableTopicResponse(Message):
    __slots__ = ('topic', 'topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        topic_id: bytes = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchableTopicResponse, int]:
        m = _new(FetchableTopicResponse)
        if version >= 12:
            if version <= 12:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Topic', n)
                m.topic = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.topic = ''
            if version >= 13:
                m.topic_id, = _S2.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
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
        n, = _S5.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S4.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = PartitionData.read
        for _ in range(n):
            item_partitions, pos = read_partitions(buf, pos, version)
            items_partitions.append(item_partitions)
        m.partitions = items_partitions
        m.topic_id = ZERO_UUID
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 12:
            if version <= 12:
                value_topic = self.topic
                data = value_topic.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 13:
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
        else:
            value_topic = self.topic
            data = value_topic.encode()
            out += _S5.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S4.pack(len(value_partitions))
            for item_partitions in value_partitions:
                item_partitions.write(out, version)


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
        m.node_id, = _S4.unpack_from(buf, pos)
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
        out += _S4.pack(self.node_id)
        value_host = self.host
        data = value_host.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S4.pack(self.port)
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


class FetchResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'session_id', 'responses', 'node_endpoints', 'unknown_tags',)
    API_KEY = 1
    MIN_VERSION = 4
    MAX_VERSION = 18
    FLEXIBLE_FROM = 12

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: list[FetchableTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FetchResponse, int]:
        if not 4 <= version <= 18:
            raise unsupported_version('FetchResponse', version)
        m = _new(FetchResponse)
        if version >= 12:
            m.throttle_time_ms, m.error_code, m.session_id, = _S13.unpack_from(buf, pos)
            pos += 10
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Responses', n)
            items_responses = []
            read_responses = FetchableTopicResponse.read
            for _ in range(n):
                item_responses, pos = read_responses(buf, pos, version)
                items_responses.append(item_responses)
            m.responses = items_responses
            m.node_endpoints = []
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0 and version >= 16:
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
        m.throttle_time_ms, = _S4.unpack_from(buf, pos)
        pos += 4
        if version >= 7:
            m.error_code, m.session_id, = _S14.unpack_from(buf, pos)
            pos += 6
        else:
            m.error_code = 0
            m.session_id = 0
        n, = _S4.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Responses', n)
        items_responses = []
        read_responses = FetchableTopicResponse.read
        for _ in range(n):
            item_responses, pos = read_responses(buf, pos, version)
            items_responses.append(item_responses)
        m.responses = items_responses
        m.node_endpoints = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 4 <= version <= 18:
            raise unsupported_version('FetchResponse', version)
        if version < 7 and not (self.session_id == 0):
            raise unsupported_field('SessionId', version)
        if version < 16 and not (not self.node_endpoints):
            raise unsupported_field('NodeEndpoints', version)
        if version >= 12:
            out += _S13.pack(self.throttle_time_ms, self.error_code, self.session_id)
            value_responses = self.responses
            n = len(value_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_responses in value_responses:
                item_responses.write(out, version)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if version >= 16 and not (not self.node_endpoints):
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
            out += _S4.pack(self.throttle_time_ms)
            if version >= 7:
                out += _S14.pack(self.error_code, self.session_id)
            value_responses = self.responses
            out += _S4.pack(len(value_responses))
            for item_responses in value_responses:
                item_responses.write(out, version)
