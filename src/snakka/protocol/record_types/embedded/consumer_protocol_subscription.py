"""ConsumerProtocolSubscription."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_strings, unsupported_version

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')


class TopicPartition(Message):
    __slots__ = ('topic', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TopicPartition, int]:
        m = _new(TopicPartition)
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Topic', n)
        m.topic = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Partitions', n)
        m.partitions = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_topic = self.topic
        data = value_topic.encode()
        out += _S0.pack(len(data))
        out += data
        value_partitions = self.partitions
        out += _S1.pack(len(value_partitions))
        out += pack(f'>{len(value_partitions)}i', *value_partitions)


class ConsumerProtocolSubscription(Message):
    __slots__ = ('topics', 'user_data', 'owned_partitions', 'generation_id', 'rack_id', 'unknown_tags',)
    MIN_VERSION = 0
    MAX_VERSION = 3
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        topics: list[str] = UNSET,
        user_data: bytes | None = None,
        owned_partitions: list[TopicPartition] = UNSET,
        generation_id: int = -1,
        rack_id: str | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.user_data = user_data
        self.owned_partitions = [] if owned_partitions is UNSET else owned_partitions
        self.generation_id = generation_id
        self.rack_id = rack_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ConsumerProtocolSubscription, int]:
        if not 0 <= version <= 3:
            raise unsupported_version('ConsumerProtocolSubscription', version)
        m = _new(ConsumerProtocolSubscription)
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        m.topics, pos = read_strings(buf, pos, n)
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.user_data = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('UserData', n)
            m.user_data = bytes(buf[pos:end])
            pos = end
        if version >= 1:
            n, = _S1.unpack_from(buf, pos)
            pos += 4
            if n < 0 or n > len(buf) - pos:
                raise bad_length('OwnedPartitions', n)
            items_owned_partitions = []
            read_owned_partitions = TopicPartition.read
            for _ in range(n):
                item_owned_partitions, pos = read_owned_partitions(buf, pos, version)
                items_owned_partitions.append(item_owned_partitions)
            m.owned_partitions = items_owned_partitions
        else:
            m.owned_partitions = []
        if version >= 2:
            m.generation_id, = _S1.unpack_from(buf, pos)
            pos += 4
        else:
            m.generation_id = -1
        if version >= 3:
            n, = _S0.unpack_from(buf, pos)
            pos += 2
            if n == -1:
                m.rack_id = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('RackId', n)
                m.rack_id = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.rack_id = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 3:
            raise unsupported_version('ConsumerProtocolSubscription', version)
        value_topics = self.topics
        out += _S1.pack(len(value_topics))
        for text in value_topics:
            data = text.encode()
            out += _S0.pack(len(data)) + data
        value_user_data = self.user_data
        if value_user_data is None:
            out += b'\xff\xff\xff\xff'
        else:
            out += _S1.pack(len(value_user_data))
            out += value_user_data
        if version >= 1:
            value_owned_partitions = self.owned_partitions
            out += _S1.pack(len(value_owned_partitions))
            for item_owned_partitions in value_owned_partitions:
                item_owned_partitions.write(out, version)
        if version >= 2:
            out += _S1.pack(self.generation_id)
        if version >= 3:
            value_rack_id = self.rack_id
            if value_rack_id is None:
                out += b'\xff\xff'
            else:
                data = value_rack_id.encode()
                out += _S0.pack(len(data))
                out += data
