"""AddPartitionsToTxn: API key 24."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>qh?')
_S3 = Struct('>qh')
_S4 = Struct('>ih')


class AddPartitionsToTxnTopic(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddPartitionsToTxnTopic, int]:
        m = _new(AddPartitionsToTxnTopic)
        if version >= 3:
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
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
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
        if version >= 3:
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
            out += pack(f'>{len(value_partitions)}i', *value_partitions)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S0.pack(len(data))
            out += data
            value_partitions = self.partitions
            out += _S1.pack(len(value_partitions))
            out += pack(f'>{len(value_partitions)}i', *value_partitions)


class AddPartitionsToTxnTransaction(Message):
    __slots__ = ('transactional_id', 'producer_id', 'producer_epoch', 'verify_only', 'topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        transactional_id: str = '',
        producer_id: int = 0,
        producer_epoch: int = 0,
        verify_only: bool = False,
        topics: list[AddPartitionsToTxnTopic] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddPartitionsToTxnTransaction, int]:
        m = _new(AddPartitionsToTxnTransaction)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TransactionalId', n)
        m.transactional_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.producer_id, m.producer_epoch, m.verify_only, = _S2.unpack_from(buf, pos)
        pos += 11
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = AddPartitionsToTxnTopic.read
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
        value_transactional_id = self.transactional_id
        data = value_transactional_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.producer_id, self.producer_epoch, self.verify_only)
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


class AddPartitionsToTxnRequest(Message):
    __slots__ = ('transactions', 'v3_and_below_transactional_id', 'v3_and_below_producer_id', 'v3_and_below_producer_epoch', 'v3_and_below_topics', 'unknown_tags',)
    API_KEY = 24
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        transactions: list[AddPartitionsToTxnTransaction] = UNSET,
        v3_and_below_transactional_id: str = '',
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = UNSET,
    ) -> None:
        self.transactions = [] if transactions is UNSET else transactions
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics = [] if v3_and_below_topics is UNSET else v3_and_below_topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddPartitionsToTxnRequest, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('AddPartitionsToTxnRequest', version)
        m = _new(AddPartitionsToTxnRequest)
        if version >= 3:
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Transactions', n)
                items_transactions = []
                read_transactions = AddPartitionsToTxnTransaction.read
                for _ in range(n):
                    item_transactions, pos = read_transactions(buf, pos, version)
                    items_transactions.append(item_transactions)
                m.transactions = items_transactions
            else:
                m.transactions = []
            if version <= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('V3AndBelowTransactionalId', n)
                m.v3_and_below_transactional_id = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.v3_and_below_transactional_id = ''
            if version <= 3:
                m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, = _S3.unpack_from(buf, pos)
                pos += 10
            else:
                m.v3_and_below_producer_id = 0
                m.v3_and_below_producer_epoch = 0
            if version <= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('V3AndBelowTopics', n)
                items_v3_and_below_topics = []
                read_v3_and_below_topics = AddPartitionsToTxnTopic.read
                for _ in range(n):
                    item_v3_and_below_topics, pos = read_v3_and_below_topics(buf, pos, version)
                    items_v3_and_below_topics.append(item_v3_and_below_topics)
                m.v3_and_below_topics = items_v3_and_below_topics
            else:
                m.v3_and_below_topics = []
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('V3AndBelowTransactionalId', n)
        m.v3_and_below_transactional_id = str(buf[pos:end], 'utf-8')
        pos = end
        m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, = _S3.unpack_from(buf, pos)
        pos += 10
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('V3AndBelowTopics', n)
        items_v3_and_below_topics = []
        read_v3_and_below_topics = AddPartitionsToTxnTopic.read
        for _ in range(n):
            item_v3_and_below_topics, pos = read_v3_and_below_topics(buf, pos, version)
            items_v3_and_below_topics.append(item_v3_and_below_topics)
        m.v3_and_below_topics = items_v3_and_below_topics
        m.transactions = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('AddPartitionsToTxnRequest', version)
        if version < 4 and not (not self.transactions):
            raise unsupported_field('Transactions', version)
        if version > 3 and not (self.v3_and_below_transactional_id == ''):
            raise unsupported_field('V3AndBelowTransactionalId', version)
        if version > 3 and not (self.v3_and_below_producer_id == 0):
            raise unsupported_field('V3AndBelowProducerId', version)
        if version > 3 and not (self.v3_and_below_producer_epoch == 0):
            raise unsupported_field('V3AndBelowProducerEpoch', version)
        if version > 3 and not (not self.v3_and_below_topics):
            raise unsupported_field('V3AndBelowTopics', version)
        if version >= 3:
            if version >= 4:
                value_transactions = self.transactions
                n = len(value_transactions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_transactions in value_transactions:
                    item_transactions.write(out, version)
            if version <= 3:
                value_v3_and_below_transactional_id = self.v3_and_below_transactional_id
                data = value_v3_and_below_transactional_id.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version <= 3:
                out += _S3.pack(self.v3_and_below_producer_id, self.v3_and_below_producer_epoch)
            if version <= 3:
                value_v3_and_below_topics = self.v3_and_below_topics
                n = len(value_v3_and_below_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_v3_and_below_topics in value_v3_and_below_topics:
                    item_v3_and_below_topics.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_v3_and_below_transactional_id = self.v3_and_below_transactional_id
            data = value_v3_and_below_transactional_id.encode()
            out += _S0.pack(len(data))
            out += data
            out += _S3.pack(self.v3_and_below_producer_id, self.v3_and_below_producer_epoch)
            value_v3_and_below_topics = self.v3_and_below_topics
            out += _S1.pack(len(value_v3_and_below_topics))
            for item_v3_and_below_topics in value_v3_and_below_topics:
                item_v3_and_below_topics.write(out, version)


class AddPartitionsToTxnPartitionResult(Message):
    __slots__ = ('partition_index', 'partition_error_code', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        partition_error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddPartitionsToTxnPartitionResult, int]:
        m = _new(AddPartitionsToTxnPartitionResult)
        if version >= 3:
            m.partition_index, m.partition_error_code, = _S4.unpack_from(buf, pos)
            pos += 6
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.partition_index, m.partition_error_code, = _S4.unpack_from(buf, pos)
        pos += 6
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 3:
            out += _S4.pack(self.partition_index, self.partition_error_code)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S4.pack(self.partition_index, self.partition_error_code)


class AddPartitionsToTxnTopicResult(Message):
    __slots__ = ('name', 'results_by_partition', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        results_by_partition: list[AddPartitionsToTxnPartitionResult] = UNSET,
    ) -> None:
        self.name = name
        self.results_by_partition = [] if results_by_partition is UNSET else results_by_partition
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddPartitionsToTxnTopicResult, int]:
        m = _new(AddPartitionsToTxnTopicResult)
        if version >= 3:
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
                raise bad_length('ResultsByPartition', n)
            items_results_by_partition = []
            read_results_by_partition = AddPartitionsToTxnPartitionResult.read
            for _ in range(n):
                item_results_by_partition, pos = read_results_by_partition(buf, pos, version)
                items_results_by_partition.append(item_results_by_partition)
            m.results_by_partition = items_results_by_partition
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ResultsByPartition', n)
        items_results_by_partition = []
        read_results_by_partition = AddPartitionsToTxnPartitionResult.read
        for _ in range(n):
            item_results_by_partition, pos = read_results_by_partition(buf, pos, version)
            items_results_by_partition.append(item_results_by_partition)
        m.results_by_partition = items_results_by_partition
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 3:
            value_name = self.name
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_results_by_partition = self.results_by_partition
            n = len(value_results_by_partition) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_results_by_partition in value_results_by_partition:
                item_results_by_partition.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_name = self.name
            data = value_name.encode()
            out += _S0.pack(len(data))
            out += data
            value_results_by_partition = self.results_by_partition
            out += _S1.pack(len(value_results_by_partition))
            for item_results_by_partition in value_results_by_partition:
                item_results_by_partition.write(out, version)


class AddPartitionsToTxnResult(Message):
    __slots__ = ('transactional_id', 'topic_results', 'unknown_tags',)

    def __init__(
        self,
        *,
        transactional_id: str = '',
        topic_results: list[AddPartitionsToTxnTopicResult] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = [] if topic_results is UNSET else topic_results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddPartitionsToTxnResult, int]:
        m = _new(AddPartitionsToTxnResult)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TransactionalId', n)
        m.transactional_id = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TopicResults', n)
        items_topic_results = []
        read_topic_results = AddPartitionsToTxnTopicResult.read
        for _ in range(n):
            item_topic_results, pos = read_topic_results(buf, pos, version)
            items_topic_results.append(item_topic_results)
        m.topic_results = items_topic_results
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_transactional_id = self.transactional_id
        data = value_transactional_id.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_topic_results = self.topic_results
        n = len(value_topic_results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topic_results in value_topic_results:
            item_topic_results.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AddPartitionsToTxnResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'results_by_transaction', 'results_by_topic_v3_and_below', 'unknown_tags',)
    API_KEY = 24
    MIN_VERSION = 0
    MAX_VERSION = 5
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: list[AddPartitionsToTxnResult] = UNSET,
        results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = [] if results_by_transaction is UNSET else results_by_transaction
        self.results_by_topic_v3_and_below = [] if results_by_topic_v3_and_below is UNSET else results_by_topic_v3_and_below
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AddPartitionsToTxnResponse, int]:
        if not 0 <= version <= 5:
            raise unsupported_version('AddPartitionsToTxnResponse', version)
        m = _new(AddPartitionsToTxnResponse)
        if version >= 3:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            if version >= 4:
                m.error_code, = _S0.unpack_from(buf, pos)
                pos += 2
            else:
                m.error_code = 0
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('ResultsByTransaction', n)
                items_results_by_transaction = []
                read_results_by_transaction = AddPartitionsToTxnResult.read
                for _ in range(n):
                    item_results_by_transaction, pos = read_results_by_transaction(buf, pos, version)
                    items_results_by_transaction.append(item_results_by_transaction)
                m.results_by_transaction = items_results_by_transaction
            else:
                m.results_by_transaction = []
            if version <= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('ResultsByTopicV3AndBelow', n)
                items_results_by_topic_v3_and_below = []
                read_results_by_topic_v3_and_below = AddPartitionsToTxnTopicResult.read
                for _ in range(n):
                    item_results_by_topic_v3_and_below, pos = read_results_by_topic_v3_and_below(buf, pos, version)
                    items_results_by_topic_v3_and_below.append(item_results_by_topic_v3_and_below)
                m.results_by_topic_v3_and_below = items_results_by_topic_v3_and_below
            else:
                m.results_by_topic_v3_and_below = []
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.throttle_time_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ResultsByTopicV3AndBelow', n)
        items_results_by_topic_v3_and_below = []
        read_results_by_topic_v3_and_below = AddPartitionsToTxnTopicResult.read
        for _ in range(n):
            item_results_by_topic_v3_and_below, pos = read_results_by_topic_v3_and_below(buf, pos, version)
            items_results_by_topic_v3_and_below.append(item_results_by_topic_v3_and_below)
        m.results_by_topic_v3_and_below = items_results_by_topic_v3_and_below
        m.error_code = 0
        m.results_by_transaction = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 5:
            raise unsupported_version('AddPartitionsToTxnResponse', version)
        if version < 4 and not (not self.results_by_transaction):
            raise unsupported_field('ResultsByTransaction', version)
        if version > 3 and not (not self.results_by_topic_v3_and_below):
            raise unsupported_field('ResultsByTopicV3AndBelow', version)
        if version >= 3:
            out += _S1.pack(self.throttle_time_ms)
            if version >= 4:
                out += _S0.pack(self.error_code)
            if version >= 4:
                value_results_by_transaction = self.results_by_transaction
                n = len(value_results_by_transaction) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_results_by_transaction in value_results_by_transaction:
                    item_results_by_transaction.write(out, version)
            if version <= 3:
                value_results_by_topic_v3_and_below = self.results_by_topic_v3_and_below
                n = len(value_results_by_topic_v3_and_below) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_results_by_topic_v3_and_below in value_results_by_topic_v3_and_below:
                    item_results_by_topic_v3_and_below.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.throttle_time_ms)
            value_results_by_topic_v3_and_below = self.results_by_topic_v3_and_below
            out += _S1.pack(len(value_results_by_topic_v3_and_below))
            for item_results_by_topic_v3_and_below in value_results_by_topic_v3_and_below:
                item_results_by_topic_v3_and_below.write(out, version)
