"""What the network counts. Kafka has these in its socket-server metrics, one set a listener."""

from collections.abc import Callable

from snakka.telemetry.metric_set import Declaration, Kind, MetricSet

_LISTENER = ("listener",)

CONNECTIONS = Declaration(
    "network_connections",
    Kind.GAUGE,
    "Open client connections.",
    _LISTENER,
    "kafka.server:type=socket-server-metrics connection-count",
)
CONNECTIONS_OPENED = Declaration(
    "network_connections_opened_total",
    Kind.COUNTER,
    "Connections that were accepted and admitted.",
    _LISTENER,
    "kafka.server:type=socket-server-metrics connection-creation-total",
)
CONNECTIONS_REFUSED = Declaration(
    "network_connections_refused_total",
    Kind.COUNTER,
    "Connections closed at once because a limit on connections was reached.",
    _LISTENER,
)
CONNECTIONS_EXPIRED = Declaration(
    "network_connections_expired_total",
    Kind.COUNTER,
    "Connections closed because they were idle for connections.max.idle.ms.",
    _LISTENER,
    "kafka.network:type=SocketServer,name=ExpiredConnectionsKilledCount",
)
REQUESTS_REJECTED = Declaration(
    "network_requests_rejected_total",
    Kind.COUNTER,
    "Connections closed because of what they sent: bad frames, unknown APIs or versions, malformed requests.",
    _LISTENER,
    "kafka.network:type=RequestMetrics,name=ErrorsPerSec",
)
BYTES_RECEIVED = Declaration(
    "network_bytes_received_total",
    Kind.COUNTER,
    "Bytes read from clients.",
    _LISTENER,
    "kafka.server:type=socket-server-metrics incoming-byte-total",
)
PRIVATE_BUFFER_BYTES = Declaration(
    "network_request_buffer_bytes",
    Kind.GAUGE,
    "Memory reserved for large requests that are being received, bounded by queued.max.request.bytes.",
    (),
    "kafka.network:type=SocketServer,name=MemoryPoolUsed",
)


class ListenerMetrics:
    """The counters of one listener, bound once."""

    __slots__ = (
        "bytes_received",
        "connections_expired",
        "connections_opened",
        "connections_refused",
        "requests_rejected",
    )

    def __init__(self, metrics: MetricSet, listener: str, count_connections: Callable[[], int]) -> None:
        metrics.gauge(CONNECTIONS, count_connections, listener=listener)
        self.connections_opened = metrics.counter(CONNECTIONS_OPENED, listener=listener)
        self.connections_refused = metrics.counter(CONNECTIONS_REFUSED, listener=listener)
        self.connections_expired = metrics.counter(CONNECTIONS_EXPIRED, listener=listener)
        self.requests_rejected = metrics.counter(REQUESTS_REJECTED, listener=listener)
        self.bytes_received = metrics.counter(BYTES_RECEIVED, listener=listener)
