"""GetTelemetrySubscriptions: API key 71."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct, pack, unpack_from

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_compact_strings, read_unknown_tags, unsupported_version, uvarint_tail, write_compact_strings, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16s')
_S1 = Struct('>ih16si')
_S2 = Struct('>ii?')


class GetTelemetrySubscriptionsRequest(Message):
    __slots__ = ('client_instance_id', 'unknown_tags',)
    API_KEY = 71
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        client_instance_id: bytes = ZERO_UUID,
    ) -> None:
        self.client_instance_id = client_instance_id
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[GetTelemetrySubscriptionsRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('GetTelemetrySubscriptionsRequest', version)
        m = _new(GetTelemetrySubscriptionsRequest)
        m.client_instance_id, = _S0.unpack_from(buf, pos)
        pos += 16
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('GetTelemetrySubscriptionsRequest', version)
        if len(self.client_instance_id) != 16:
            raise bad_length('ClientInstanceId', len(self.client_instance_id))
        out += _S0.pack(self.client_instance_id)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class GetTelemetrySubscriptionsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'client_instance_id', 'subscription_id', 'accepted_compression_types', 'push_interval_ms', 'telemetry_max_bytes', 'delta_temporality', 'requested_metrics', 'unknown_tags',)
    API_KEY = 71
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        accepted_compression_types: list[int] = UNSET,
        push_interval_ms: int = 0,
        telemetry_max_bytes: int = 0,
        delta_temporality: bool = False,
        requested_metrics: list[str] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.accepted_compression_types = [] if accepted_compression_types is UNSET else accepted_compression_types
        self.push_interval_ms = push_interval_ms
        self.telemetry_max_bytes = telemetry_max_bytes
        self.delta_temporality = delta_temporality
        self.requested_metrics = [] if requested_metrics is UNSET else requested_metrics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[GetTelemetrySubscriptionsResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('GetTelemetrySubscriptionsResponse', version)
        m = _new(GetTelemetrySubscriptionsResponse)
        m.throttle_time_ms, m.error_code, m.client_instance_id, m.subscription_id, = _S1.unpack_from(buf, pos)
        pos += 26
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('AcceptedCompressionTypes', n)
        m.accepted_compression_types = list(unpack_from(f'>{n}b', buf, pos))
        pos += n
        m.push_interval_ms, m.telemetry_max_bytes, m.delta_temporality, = _S2.unpack_from(buf, pos)
        pos += 9
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('RequestedMetrics', n)
        m.requested_metrics, pos = read_compact_strings(buf, pos, n)
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('GetTelemetrySubscriptionsResponse', version)
        if len(self.client_instance_id) != 16:
            raise bad_length('ClientInstanceId', len(self.client_instance_id))
        out += _S1.pack(self.throttle_time_ms, self.error_code, self.client_instance_id, self.subscription_id)
        value_accepted_compression_types = self.accepted_compression_types
        n = len(value_accepted_compression_types) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += pack(f'>{len(value_accepted_compression_types)}b', *value_accepted_compression_types)
        out += _S2.pack(self.push_interval_ms, self.telemetry_max_bytes, self.delta_temporality)
        value_requested_metrics = self.requested_metrics
        n = len(value_requested_metrics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        write_compact_strings(out, value_requested_metrics)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
