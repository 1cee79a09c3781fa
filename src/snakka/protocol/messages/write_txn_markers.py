"""WriteTxnMarkers: API key 27."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>qh?')
_S1 = Struct('>i')
_S2 = Struct('>b')
_S3 = Struct('>ih')
_S4 = Struct('>q')


class WritableTxnMarkerTopic(Message):
    __slots__ = ('name', 'partition_indexes', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[WritableTxnMarkerTopic, int]:
        m = _new(WritableTxnMarkerTopic)
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
            raise bad_length('PartitionIndexes', n)
        m.partition_indexes = list(unpack_from(f'>{n}i', buf, pos))
        pos += 4 * n
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
        value_partition_indexes = self.partition_indexes
        n = len(value_partition_indexes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_partition_indexes)}i', *value_partition_indexes)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class WritableTxnMarker(Message):
    __slots__ = ('producer_id', 'producer_epoch', 'transaction_result', 'topics', 'coordinator_epoch', 'transaction_version', 'unknown_tags',)

    def __init__(
        self,
        *,
        producer_id: int = 0,
        producer_epoch: int = 0,
        transaction_result: bool = False,
        topics: list[WritableTxnMarkerTopic] = UNSET,
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = [] if topics is UNSET else topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[WritableTxnMarker, int]:
        m = _new(WritableTxnMarker)
        m.producer_id, m.producer_epoch, m.transaction_result, = _S0.unpack_from(buf, pos)
        pos += 11
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = WritableTxnMarkerTopic.read
        for _ in range(n):
            item_topics, pos = read_topics(buf, pos, version)
            items_topics.append(item_topics)
        m.topics = items_topics
        m.coordinator_epoch, = _S1.unpack_from(buf, pos)
        pos += 4
        if version >= 2:
            m.transaction_version, = _S2.unpack_from(buf, pos)
            pos += 1
        else:
            m.transaction_version = 0
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.producer_id, self.producer_epoch, self.transaction_result)
        value_topics = self.topics
        n = len(value_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_topics in value_topics:
            item_topics.write(out, version)
        out += _S1.pack(self.coordinator_epoch)
        if version >= 2:
            out += _S2.pack(self.transaction_version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class WriteTxnMarkersRequest(Message):
    __slots__ = ('markers', 'unknown_tags',)
    API_KEY = 27
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        markers: list[WritableTxnMarker] = UNSET,
    ) -> None:
        self.markers = [] if markers is UNSET else markers
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[WriteTxnMarkersRequest, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('WriteTxnMarkersRequest', version)
        m = _new(WriteTxnMarkersRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Markers', n)
        items_markers = []
        read_markers = WritableTxnMarker.read
        for _ in range(n):
            item_markers, pos = read_markers(buf, pos, version)
            items_markers.append(item_markers)
        m.markers = items_markers
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('WriteTxnMarkersRequest', version)
        value_markers = self.markers
        n = len(value_markers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_markers in value_markers:
            item_markers.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class WritableTxnMarkerPartitionResult(Message):
    __slots__ = ('partition_index', 'error_code', 'unknown_tags',)

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[WritableTxnMarkerPartitionResult, int]:
        m = _new(WritableTxnMarkerPartitionResult)
        m.partition_index, m.error_code, = _S3.unpack_from(buf, pos)
        pos += 6
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S3.pack(self.partition_index, self.error_code)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class WritableTxnMarkerTopicResult(Message):
    __slots__ = ('name', 'partitions', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        partitions: list[WritableTxnMarkerPartitionResult] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[WritableTxnMarkerTopicResult, int]:
        m = _new(WritableTxnMarkerTopicResult)
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
        read_partitions = WritableTxnMarkerPartitionResult.read
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


class WritableTxnMarkerResult(Message):
    __slots__ = ('producer_id', 'topics', 'unknown_tags',)

    def __init__(
        self,
        *,
        producer_id: int = 0,
        topics: list[WritableTxnMarkerTopicResult] = UNSET,
    ) -> None:
        self.producer_id = producer_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[WritableTxnMarkerResult, int]:
        m = _new(WritableTxnMarkerResult)
        m.producer_id, = _S4.unpack_from(buf, pos)
        pos += 8
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Topics', n)
        items_topics = []
        read_topics = WritableTxnMarkerTopicResult.read
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
        out += _S4.pack(self.producer_id)
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


class WriteTxnMarkersResponse(Message):
    __slots__ = ('markers', 'unknown_tags',)
    API_KEY = 27
    MIN_VERSION = 1
    MAX_VERSION = 2
    FLEXIBLE_FROM = 1

    def __init__(
        self,
        *,
        markers: list[WritableTxnMarkerResult] = UNSET,
    ) -> None:
        self.markers = [] if markers is UNSET else markers
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[WriteTxnMarkersResponse, int]:
        if not 1 <= version <= 2:
            raise unsupported_version('WriteTxnMarkersResponse', version)
        m = _new(WriteTxnMarkersResponse)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Markers', n)
        items_markers = []
        read_markers = WritableTxnMarkerResult.read
        for _ in range(n):
            item_markers, pos = read_markers(buf, pos, version)
            items_markers.append(item_markers)
        m.markers = items_markers
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 2:
            raise unsupported_version('WriteTxnMarkersResponse', version)
        value_markers = self.markers
        n = len(value_markers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_markers in value_markers:
            item_markers.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
