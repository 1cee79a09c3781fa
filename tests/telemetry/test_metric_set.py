import pytest

from snakka.telemetry.metric_set import Declaration, Kind, MetricSet

BYTES = Declaration("bytes_total", Kind.COUNTER, "Bytes.", ("topic",), "BytesInPerSec")
OPEN = Declaration("open", Kind.GAUGE, "What is open.")
WAIT = Declaration("wait_seconds", Kind.HISTOGRAM, "How long.", unit=1e-6)


def test_asking_again_gives_the_same_metric() -> None:
    metrics = MetricSet()
    assert metrics.counter(BYTES, topic="a") is metrics.counter(BYTES, topic="a")
    assert metrics.counter(BYTES, topic="a") is not metrics.counter(BYTES, topic="b")
    assert metrics.histogram(WAIT) is metrics.histogram(WAIT)
    assert metrics.counter(BYTES, topic="a") is not MetricSet().counter(BYTES, topic="a")


def test_a_new_owner_of_a_gauge_replaces_the_old_one() -> None:
    metrics = MetricSet()
    metrics.gauge(OPEN, lambda: 1)
    gauge = metrics.gauge(OPEN, lambda: 2)
    assert gauge.value == 2
    assert [sample.metric for _, samples in metrics.families() for sample in samples] == [gauge]


def test_a_removed_series_is_gone() -> None:
    metrics = MetricSet()
    metrics.counter(BYTES, topic="a").value += 1
    metrics.counter(BYTES, topic="b").value += 2
    metrics.remove(BYTES, topic="a")
    metrics.remove(BYTES, topic="never was")
    metrics.remove(OPEN)
    [(declaration, samples)] = metrics.families()
    assert declaration is BYTES
    assert [sample.label_values for sample in samples] == [("b",)]


def test_wrong_use_is_an_error() -> None:
    metrics = MetricSet()
    with pytest.raises(ValueError, match="labels"):
        metrics.counter(BYTES)
    with pytest.raises(ValueError, match="labels"):
        metrics.counter(BYTES, topic="a", partition="0")
    with pytest.raises(ValueError, match="labels"):
        metrics.counter(BYTES, partition="0")
    with pytest.raises(ValueError, match="declared as a counter"):
        metrics.histogram(BYTES, topic="a")
    metrics.counter(BYTES, topic="a")
    with pytest.raises(ValueError, match="twice"):
        metrics.counter(Declaration("bytes_total", Kind.COUNTER, "Other.", ("topic",)), topic="a")
