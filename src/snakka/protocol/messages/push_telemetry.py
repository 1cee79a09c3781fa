"""PushTelemetry: API key 72."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, unsupported_version, uvarint_tail, write_tags, write_uvarint
from snakka.protocol.uuids import ZERO_UUID

_new = object.__new__
_S0 = Struct('>16si?b')
_S1 = Struct('>ih')


class PushTelemetryRequest(Message):
    __slots__ = ('client_instance_id', 'subscription_id', 'terminating', 'compression_type', 'metrics', 'unknown_tags',)
    API_KEY = 72
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        terminating: bool = False,
        compression_type: int = 0,
        metrics: bytes = b'',
    ) -> None:
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.terminating = terminating
        self.compression_type = compression_type
        self.metrics = metrics
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PushTelemetryRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('PushTelemetryRequest', version)
        m = _new(PushTelemetryRequest)
        m.client_instance_id, m.subscription_id, m.terminating, m.compression_type, = _S0.unpack_from(buf, pos)
        pos += 22
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Metrics', n)
        m.metrics = bytes(buf[pos:end])
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('PushTelemetryRequest', version)
        if len(self.client_instance_id) != 16:
            raise bad_length('ClientInstanceId', len(self.client_instance_id))
        out += _S0.pack(self.client_instance_id, self.subscription_id, self.terminating, self.compression_type)
        value_metrics = self.metrics
        n = len(value_metrics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_metrics
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class PushTelemetryResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'unknown_tags',)
    API_KEY = 72
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[PushTelemetryResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('PushTelemetryResponse', version)
        m = _new(PushTelemetryResponse)
        m.throttle_time_ms, m.error_code, = _S1.unpack_from(buf, pos)
        pos += 6
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('PushTelemetryResponse', version)
        out += _S1.pack(self.throttle_time_ms, self.error_code)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
