"""DeleteTopics: API key 20."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, null_field, read_compact_strings, read_strings, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16s')
_S1 = Struct('>i')
_S2 = Struct('>h')


class DeleteTopicState(Message):
    __slots__ = ('name', 'topic_id', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str | None = None,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteTopicState, int]:
        m = _new(DeleteTopicState)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.name = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Name', n)
            m.name = str(buf[pos:end], 'utf-8')
            pos = end
        m.topic_id, = _S0.unpack_from(buf, pos)
        pos += 16
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        if value_name is None:
            out += b'\x00'
        else:
            data = value_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        if len(self.topic_id) != 16:
            raise bad_length('TopicId', len(self.topic_id))
        out += _S0.pack(self.topic_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DeleteTopicsRequest(Message):
    __slots__ = ('topics', 'topic_names', 'timeout_ms', 'unknown_tags',)
    API_KEY = 20
    MIN_VERSION = 1
    MAX_VERSION = 6
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        topics: list[DeleteTopicState] = UNSET,
        topic_names: list[str] = UNSET,
        timeout_ms: int = 0,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.topic_names = [] if topic_names is UNSET else topic_names
        self.timeout_ms = timeout_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteTopicsRequest, int]:
        if not 1 <= version <= 6:
            raise unsupported_version('DeleteTopicsRequest', version)
        m = _new(DeleteTopicsRequest)
        if version >= 4:
            if version >= 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Topics', n)
                items_topics = []
                read_topics = DeleteTopicState.read
                for _ in range(n):
                    item_topics, pos = read_topics(buf, pos, version)
                    items_topics.append(item_topics)
                m.topics = items_topics
            else:
                m.topics = []
            if version <= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                n -= 1
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('TopicNames', n)
                m.topic_names, pos = read_compact_strings(buf, pos, n)
            else:
                m.topic_names = []
            m.timeout_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TopicNames', n)
        m.topic_names, pos = read_strings(buf, pos, n)
        m.timeout_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        m.topics = []
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 6:
            raise unsupported_version('DeleteTopicsRequest', version)
        if version < 6 and not (not self.topics):
            raise unsupported_field('Topics', version)
        if version >= 4:
            if version >= 6:
                value_topics = self.topics
                n = len(value_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_topics in value_topics:
                    item_topics.write(out, version)
            if version <= 5:
                value_topic_names = self.topic_names
                n = len(value_topic_names) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                write_compact_strings(out, value_topic_names)
            out += _S1.pack(self.timeout_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_topic_names = self.topic_names
            out += _S1.pack(len(value_topic_names))
            for text in value_topic_names:
                data = text.encode()
                out += _S2.pack(len(data)) + data
            out += _S1.pack(self.timeout_ms)


class DeletableTopicResult(Message):
    __slots__ = ('name', 'topic_id', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str | None = '',
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeletableTopicResult, int]:
        m = _new(DeletableTopicResult)
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1 and not (version >= 6):
                raise null_field('Name')
            if n == -1:
                m.name = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('Name', n)
                m.name = str(buf[pos:end], 'utf-8')
                pos = end
            if version >= 6:
                m.topic_id, = _S0.unpack_from(buf, pos)
                pos += 16
            else:
                m.topic_id = ZERO_UUID
            m.error_code, = _S2.unpack_from(buf, pos)
            pos += 2
            if version >= 5:
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
                m.error_message = None
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
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        m.topic_id = ZERO_UUID
        m.error_message = None
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 4:
            value_name = self.name
            if value_name is None:
                if not (version >= 6):
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
            if version >= 6:
                if len(self.topic_id) != 16:
                    raise bad_length('TopicId', len(self.topic_id))
                out += _S0.pack(self.topic_id)
            out += _S2.pack(self.error_code)
            if version >= 5:
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
                out += _S2.pack(len(data))
                out += data
            out += _S2.pack(self.error_code)


class DeleteTopicsResponse(Message):
    __slots__ = ('throttle_time_ms', 'responses', 'unknown_tags',)
    API_KEY = 20
    MIN_VERSION = 1
    MAX_VERSION = 6
    FLEXIBLE_FROM = 4

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        responses: list[DeletableTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = [] if responses is UNSET else responses
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DeleteTopicsResponse, int]:
        if not 1 <= version <= 6:
            raise unsupported_version('DeleteTopicsResponse', version)
        m = _new(DeleteTopicsResponse)
        if version >= 4:
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
            pos += 4
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Responses', n)
            items_responses = []
            read_responses = DeletableTopicResult.read
            for _ in range(n):
                item_responses, pos = read_responses(buf, pos, version)
                items_responses.append(item_responses)
            m.responses = items_responses
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
            raise bad_length('Responses', n)
        items_responses = []
        read_responses = DeletableTopicResult.read
        for _ in range(n):
            item_responses, pos = read_responses(buf, pos, version)
            items_responses.append(item_responses)
        m.responses = items_responses
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 6:
            raise unsupported_version('DeleteTopicsResponse', version)
        if version >= 4:
            out += _S1.pack(self.throttle_time_ms)
            value_responses = self.responses
            n = len(value_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_responses in value_responses:
                item_responses.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S1.pack(self.throttle_time_ms)
            value_responses = self.responses
            out += _S1.pack(len(value_responses))
            for item_responses in value_responses:
                item_responses.write(out, version)
