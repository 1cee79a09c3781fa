from snakka.telemetry.metric_set import Declaration, Kind, MetricSet
from snakka.telemetry.prometheus_text import render

BYTES = Declaration(
    "bytes_total", Kind.COUNTER, "Bytes in.\nAll of them.", ("topic", "kind"), "BytesInPerSec"
)
OPEN = Declaration("open", Kind.GAUGE, "What is open.")
WAIT = Declaration("wait_seconds", Kind.HISTOGRAM, "How long.", ("api",), unit=1e-6)


def test_every_kind_is_written_as_prometheus_reads_it() -> None:
    metrics = MetricSet()
    metrics.counter(BYTES, topic="b", kind="in").value = 7
    metrics.counter(BYTES, topic='a"\\\n', kind="in").value = 2**60
    metrics.gauge(OPEN, lambda: 1.5)
    histogram = metrics.histogram(WAIT, api="Fetch")
    for microseconds in (3, 5, 5, 100, 2**33):
        histogram.observe(microseconds)
    metrics.histogram(WAIT, api="Quiet")
    assert render(metrics) == "\n".join(
        [
            r"# HELP snakka_bytes_total Bytes in.\nAll of them. (Kafka: BytesInPerSec)",
            "# TYPE snakka_bytes_total counter",
            r'snakka_bytes_total{topic="a\"\\\n",kind="in"} 1152921504606846976',
            'snakka_bytes_total{topic="b",kind="in"} 7',
            "# HELP snakka_open What is open.",
            "# TYPE snakka_open gauge",
            "snakka_open 1.5",
            "# HELP snakka_wait_seconds How long.",
            "# TYPE snakka_wait_seconds histogram",
            *_buckets(
                [("4e-06", 1), ("8e-06", 3), ("1.6e-05", 3), ("3.2e-05", 3), ("6.4e-05", 3), ("0.000128", 4)]
            ),
            *_buckets([(f"{round(2**power * 1e-6, 9)!r}", 4) for power in range(8, 31)]),
            'snakka_wait_seconds_bucket{api="Fetch",le="+Inf"} 5',
            'snakka_wait_seconds_sum{api="Fetch"} 8589.934705',
            'snakka_wait_seconds_count{api="Fetch"} 5',
            'snakka_wait_seconds_bucket{api="Quiet",le="+Inf"} 0',
            'snakka_wait_seconds_sum{api="Quiet"} 0',
            'snakka_wait_seconds_count{api="Quiet"} 0',
            "",
        ]
    )


def _buckets(rows: list[tuple[str, int]]) -> list[str]:
    return [f'snakka_wait_seconds_bucket{{api="Fetch",le="{bound}"}} {count}' for bound, count in rows]


def test_a_failing_gauge_shows_as_no_number() -> None:
    metrics = MetricSet()

    def fail() -> float:
        raise OSError("gone")

    metrics.gauge(OPEN, fail)
    assert "snakka_open NaN\n" in render(metrics)
