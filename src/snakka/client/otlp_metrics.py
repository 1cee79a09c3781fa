"""Metrics in OpenTelemetry's protobuf, as much of it as clients push: sums and gauges of single numbers.

Rule: written by hand after opentelemetry/proto/metrics/v1/metrics.proto; the numbers here are the numbers of its fields.
"""

import struct
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_VARINT, _FIXED64, _BYTES = 0, 1, 2
_DELTA, _CUMULATIVE = 1, 2


class Point(NamedTuple):
    """One number at one time. A total only grows, since `start_ns`; anything else is as it is at `time_ns`."""

    name: str
    value: int | float
    is_total: bool
    start_ns: int
    time_ns: int
    labels: tuple[tuple[str, str], ...] = ()


def encode_metrics(points: Iterable[Point], resource: Mapping[str, str], *, is_delta: bool) -> bytes:
    """A MetricsData message with one resource."""
    resource_bytes = b"".join(_field(1, _label(key, value)) for key, value in resource.items())
    metrics = b"".join(_field(2, _metric(point, is_delta)) for point in points)
    return _field(1, _field(1, resource_bytes) + _field(2, metrics))


def _metric(point: Point, is_delta: bool) -> bytes:
    data_points = _field(1, _data_point(point))
    if not point.is_total:
        return _field(1, point.name.encode()) + _field(5, data_points)
    temporality = _number(2, _DELTA if is_delta else _CUMULATIVE)
    return _field(1, point.name.encode()) + _field(7, data_points + temporality + _number(3, 1))


def _data_point(point: Point) -> bytes:
    if isinstance(point.value, int):
        value = _fixed(6, struct.pack("<q", point.value))
    else:
        value = _fixed(4, struct.pack("<d", point.value))
    times = _fixed(3, struct.pack("<Q", point.time_ns))
    if point.is_total:
        times = _fixed(2, struct.pack("<Q", point.start_ns)) + times
    return times + value + b"".join(_field(7, _label(key, text)) for key, text in point.labels)


def _label(key: str, value: str) -> bytes:
    return _field(1, key.encode()) + _field(2, _field(1, value.encode()))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value)


def _fixed(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _FIXED64) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
