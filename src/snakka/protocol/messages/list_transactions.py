"""ListTransactions: API key 66."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_compact_strings, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>q')
_S1 = Struct('>ih')


class ListTransactionsRequest(Message):
    __slots__ = ('state_filters', 'producer_id_filters', 'duration_filter', 'transactional_id_pattern', 'unknown_tags',)
    API_KEY = 66
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        state_filters: list[str] = UNSET,
        producer_id_filters: list[int] = UNSET,
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
    ) -> None:
        self.state_filters = [] if state_filters is UNSET else state_filters
        self.producer_id_filters = [] if producer_id_filters is UNSET else producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListTransactionsRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('ListTransactionsRequest', version)
        m = _new(ListTransactionsRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('StateFilters', n)
        m.state_filters, pos = read_compact_strings(buf, pos, n)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n * 8 > len(buf) - pos:
            raise bad_length('ProducerIdFilters', n)
        m.producer_id_filters = list(unpack_from(f'>{n}q', buf, pos))
        pos += 8 * n
        if version >= 1:
            m.duration_filter, = _S0.unpack_from(buf, pos)
            pos += 8
        else:
            m.duration_filter = -1
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.transactional_id_pattern = None
            else:
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('TransactionalIdPattern', n)
                m.transactional_id_pattern = str(buf[pos:end], 'utf-8')
                pos = end
        else:
            m.transactional_id_pattern = None
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('ListTransactionsRequest', version)
        if version < 1 and not (self.duration_filter == -1):
            raise unsupported_field('DurationFilter', version)
        if version < 2 and not (self.transactional_id_pattern is None):
            raise unsupported_field('TransactionalIdPattern', version)
        value_state_filters = self.state_filters
        n = len(value_state_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_state_filters)
        value_producer_id_filters = self.producer_id_filters
        n = len(value_producer_id_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_producer_id_filters)}q', *value_producer_id_filters)
        if version >= 1:
            out += _S0.pack(self.duration_filter)
        if version >= 2:
            value_transactional_id_pattern = self.transactional_id_pattern
            if value_transactional_id_pattern is None:
                out += b'\x00'
            else:
                data = value_transactional_id_pattern.encode()
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


class TransactionState(Message):
    __slots__ = ('transactional_id', 'producer_id', 'transaction_state', 'unknown_tags',)

    def __init__(
        self,
        *,
        transactional_id: str = '',
        producer_id: int = 0,
        transaction_state: str = '',
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[TransactionState, int]:
        m = _new(TransactionState)
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
        m.producer_id, = _S0.unpack_from(buf, pos)
        pos += 8
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TransactionState', n)
        m.transaction_state = str(buf[pos:end], 'utf-8')
        pos = end
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
        out += _S0.pack(self.producer_id)
        value_transaction_state = self.transaction_state
        data = value_transaction_state.encode()
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


class ListTransactionsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'unknown_state_filters', 'transaction_states', 'unknown_tags',)
    API_KEY = 66
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: list[str] = UNSET,
        transaction_states: list[TransactionState] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = [] if unknown_state_filters is UNSET else unknown_state_filters
        self.transaction_states = [] if transaction_states is UNSET else transaction_states
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ListTransactionsResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('ListTransactionsResponse', version)
        m = _new(ListTransactionsResponse)
        m.throttle_time_ms, m.error_code, = _S1.unpack_from(buf, pos)
        pos += 6
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('UnknownStateFilters', n)
        m.unknown_state_filters, pos = read_compact_strings(buf, pos, n)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('TransactionStates', n)
        items_transaction_states = []
        read_transaction_states = TransactionState.read
        for _ in range(n):
            item_transaction_states, pos = read_transaction_states(buf, pos, version)
            items_transaction_states.append(item_transaction_states)
        m.transaction_states = items_transaction_states
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('ListTransactionsResponse', version)
        out += _S1.pack(self.throttle_time_ms, self.error_code)
        value_unknown_state_filters = self.unknown_state_filters
        n = len(value_unknown_state_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_unknown_state_filters)
        value_transaction_states = self.transaction_states
        n = len(value_transaction_states) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_transaction_states in value_transaction_states:
            item_transaction_states.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
