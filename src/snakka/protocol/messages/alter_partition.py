"""AlterPartition: API key 56."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_field, unsupported_version, uvarint_tail, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>iq')
_S1 = Struct('>ii')
_S2 = Struct('>bi')
_S3 = Struct('>16s')
_S4 = Struct('>ihii')
_S5 = Struct('>ih')


class BrokerState(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[BrokerState, int]:
        m = _new(BrokerState)
        m.broker_id, m.broker_epoch, = _S0.unpack_from(buf, pos)
        pos += 12
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.broker_id, self.broker_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AlterPartitionRequestPartitionData(Message):
    __slots__ = ('partition_index', 'leader_epoch', 'new_isr', 'new_isr_with_epochs', 'leader_recovery_state', 'partition_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        leader_epoch: int = 0,
        new_isr: list[int] = UNSET,
        new_isr_with_epochs: list[BrokerState] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr = [] if new_isr is UNSET else new_isr
        self.new_isr_with_epochs = [] if new_isr_with_epochs is UNSET else new_isr_with_epochs
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterPartitionRequestPartitionData, int]:
        m = _new(AlterPartitionRequestPartitionData)
        m.partition_index, m.leader_epoch, = _S1.unpack_from(buf, pos)
        pos += 8
        if version <= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n * 4 > len(buf) - pos:
                raise bad_length('NewIsr', n)
            m.new_isr = list(unpack_from(f'>{n}i', buf, pos))
            pos += 4 * n
        else:
            m.new_isr = []
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('NewIsrWithEpochs', n)
            items_new_isr_with_epochs = []
            read_new_isr_with_epochs = BrokerState.read
            for _ in range(n):
                item_new_isr_with_epochs, pos = read_new_isr_with_epochs(buf, pos, version)
                items_new_isr_with_epochs.append(item_new_isr_with_epochs)
            m.new_isr_with_epochs = items_new_isr_with_epochs
        else:
            m.new_isr_with_epochs = []
        m.leader_recovery_state, m.partition_epoch, = _S2.unpack_from(buf, pos)
        pos += 5
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version > 2 and not (not self.new_isr):
            raise unsupported_field('NewIsr', version)
        if version < 3 and not (not self.new_isr_with_epochs):
            raise unsupported_field('NewIsrWithEpochs', version)
        out += _S1.pack(self.partition_index, self.leader_epoch)
        if version <= 2:
            value_new_isr = self.new_isr
            n = len(value_new_isr) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += pack(f'>{len(value_new_isr)}i', *value_new_isr)
        if version >= 3:
            value_new_isr_with_epochs = self.new_isr_with_epochs
            n = len(value_new_isr_with_epochs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_new_isr_with_epochs in value_new_isr_with_epochs:
                item_new_isr_with_epochs.write(out, version)
        out += _S2.pack(self.leader_recovery_state, self.partition_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AlterPartitionRequestTopicData(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterPartitionRequestPartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterPartitionRequestTopicData, int]:
        m = _new(AlterPartitionRequestTopicData)
        m.topic_id, = _S3.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = AlterPartitionRequestPartitionData.read
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
        out += _S3.pack(self.topic_id)
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


class AlterPartitionRequest(Message):
    __slots__ = ('broker_id', 'broker_epoch', 'topics', 'unknown_tags',)
    API_KEY = 56
    MIN_VERSION = 2
    MAX_VERSION = 3
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        topics: list[AlterPartitionRequestTopicData] = UNSET,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterPartitionRequest, int]:
        if not 2 <= version <= 3:
            raise unsupported_version('AlterPartitionRequest', version)
        m = _new(AlterPartitionRequest)
        m.broker_id, m.broker_epoch, = _S0.unpack_from(buf, pos)
        pos += 12
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = AlterPartitionRequestTopicData.read
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
        if not 2 <= version <= 3:
            raise unsupported_version('AlterPartitionRequest', version)
        out += _S0.pack(self.broker_id, self.broker_epoch)
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


class AlterPartitionResponsePartitionData(Message):
    __slots__ = ('partition_index', 'error_code', 'leader_id', 'leader_epoch', 'isr', 'leader_recovery_state', 'partition_epoch', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        isr: list[int] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = [] if isr is UNSET else isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterPartitionResponsePartitionData, int]:
        m = _new(AlterPartitionResponsePartitionData)
        m.partition_index, m.error_code, m.leader_id, m.leader_epoch, = _S4.unpack_from(buf, pos)
        pos += 14
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 4 > len(buf) - pos:
            raise bad_length('Isr', n)
        m.isr = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
        m.leader_recovery_state, m.partition_epoch, = _S2.unpack_from(buf, pos)
        pos += 5
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S4.pack(self.partition_index, self.error_code, self.leader_id, self.leader_epoch)
        value_isr = self.isr
        n = len(value_isr) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_isr)}i', *value_isr)
        out += _S2.pack(self.leader_recovery_state, self.partition_epoch)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AlterPartitionResponseTopicData(Message):
    __slots__ = ('topic_id', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterPartitionResponsePartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterPartitionResponseTopicData, int]:
        m = _new(AlterPartitionResponseTopicData)
        m.topic_id, = _S3.unpack_from(buf, pos)
        pos += 16
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Partitions', n)
        items_partitions = []
        read_partitions = AlterPartitionResponsePartitionData.read
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
        out += _S3.pack(self.topic_id)
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


class AlterPartitionResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'topics', 'unknown_tags',)
    API_KEY = 56
    MIN_VERSION = 2
    MAX_VERSION = 3
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[AlterPartitionResponseTopicData] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterPartitionResponse, int]:
        if not 2 <= version <= 3:
            raise unsupported_version('AlterPartitionResponse', version)
        m = _new(AlterPartitionResponse)
        m.throttle_time_ms, m.error_code, = _S5.unpack_from(buf, pos)
        pos += 6
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = AlterPartitionResponseTopicData.read
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
        if not 2 <= version <= 3:
            raise unsupported_version('AlterPartitionResponse', version)
        out += _S5.pack(self.throttle_time_ms, self.error_code)
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
