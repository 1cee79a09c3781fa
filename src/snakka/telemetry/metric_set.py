"""All metrics of one broker: each is declared once, bound to its owner once, and named only when somebody looks.

A feature's `metrics.py` holds its declarations; its objects ask the set for the numbers that they will change. There is
one set a broker, because many brokers run in one process.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from snakka.telemetry.metric import Counter, Gauge, Histogram, Metric

PREFIX = "snakka_"


class Kind(Enum):
    """What Prometheus calls the type."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True)
class Declaration:
    """One metric: its name without the prefix, the names of its labels, and what Kafka calls the same thing.

    `unit` is what a stored value is multiplied by when shown: durations are kept in whole microseconds and shown in
    seconds, as Prometheus wants them.
    """

    name: str
    kind: Kind
    doc: str
    labels: tuple[str, ...] = ()
    kafka_name: str = ""
    unit: float = 1


@dataclass(frozen=True)
class Sample:
    """One metric with the values of its labels, in the order of the declaration."""

    label_values: tuple[str, ...]
    metric: Metric


class MetricSet:
    """Hands out metrics and lists them. A series that has lost its owner (a deleted topic) is removed."""

    def __init__(self) -> None:
        self._families: dict[str, tuple[Declaration, dict[tuple[str, ...], Metric]]] = {}

    def counter(self, declaration: Declaration, **labels: str) -> Counter:
        """The counter of these labels; asking again gives the same one."""
        metric = self._bind(declaration, (Kind.COUNTER,), labels, Counter)
        assert isinstance(metric, Counter)
        return metric

    def gauge(self, declaration: Declaration, read: Callable[[], float], **labels: str) -> Gauge:
        """A gauge, or a counter that somebody else keeps, that asks `read`. A new owner replaces the old one."""
        metric = self._bind(declaration, (Kind.GAUGE, Kind.COUNTER), labels, lambda: Gauge(read))
        assert isinstance(metric, Gauge)
        metric.read = read
        return metric

    def histogram(self, declaration: Declaration, **labels: str) -> Histogram:
        """The histogram of these labels; asking again gives the same one."""
        metric = self._bind(declaration, (Kind.HISTOGRAM,), labels, Histogram)
        assert isinstance(metric, Histogram)
        return metric

    def remove(self, declaration: Declaration, **labels: str) -> None:
        """Forget one series; it is no error if there is none."""
        family = self._families.get(declaration.name)
        if family is not None:
            family[1].pop(_label_values(declaration, labels), None)

    def families(self) -> Iterator[tuple[Declaration, list[Sample]]]:
        """Everything, by name."""
        for name in sorted(self._families):
            declaration, series = self._families[name]
            yield (
                declaration,
                [Sample(values, metric) for values, metric in sorted(series.items(), key=_by_labels)],
            )

    def _bind(
        self,
        declaration: Declaration,
        kinds: tuple[Kind, ...],
        labels: dict[str, str],
        create: Callable[[], Metric],
    ) -> Metric:
        if declaration.kind not in kinds:
            raise ValueError(f"{declaration.name} is declared as a {declaration.kind.value}")
        known, series = self._families.setdefault(declaration.name, (declaration, {}))
        if known != declaration:
            raise ValueError(f"{declaration.name} is declared twice, differently")
        values = _label_values(declaration, labels)
        metric = series.get(values)
        if metric is None:
            metric = series[values] = create()
        return metric


def _by_labels(item: tuple[tuple[str, ...], Metric]) -> tuple[str, ...]:
    return item[0]


def _label_values(declaration: Declaration, labels: dict[str, str]) -> tuple[str, ...]:
    if len(labels) != len(declaration.labels) or not all(name in labels for name in declaration.labels):
        raise ValueError(f"{declaration.name} has the labels {declaration.labels}, not {tuple(labels)}")
    return tuple(labels[name] for name in declaration.labels)
