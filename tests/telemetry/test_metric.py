from hypothesis import given
from hypothesis import strategies as st

from snakka.telemetry.metric import Counter, Gauge, Histogram


def test_a_counter_is_a_number() -> None:
    counter = Counter()
    counter.value += 2
    counter.value += 3
    assert counter.value == 5


def test_a_gauge_asks_when_it_is_looked_at() -> None:
    values = [1, 2]
    gauge = Gauge(lambda: values.pop())
    assert (gauge.value, gauge.value) == (2, 1)


@given(st.lists(st.integers(0, 2**40), min_size=1))
def test_a_histogram_counts_every_value_below_its_bound(values: list[int]) -> None:
    histogram = Histogram()
    for value in values:
        histogram.observe(value)
    assert histogram.count == len(values) == sum(histogram.counts)
    assert histogram.total == sum(values)
    for bucket in range(Histogram.BUCKETS - 1):
        assert sum(histogram.counts[: bucket + 1]) == sum(value < 1 << bucket for value in values)


@given(st.lists(st.integers(0, 2**30), min_size=1), st.floats(0.01, 1.0))
def test_a_quantile_is_at_most_twice_too_high(values: list[int], fraction: float) -> None:
    histogram = Histogram()
    for value in values:
        histogram.observe(value)
    values.sort()
    wanted = len(values) * fraction
    exact = next(value for number, value in enumerate(values, 1) if number >= wanted)
    assert exact < histogram.quantile(fraction) <= max(2 * exact, 1)


def test_an_empty_histogram_has_no_quantile() -> None:
    assert Histogram().quantile(0.99) == 0
