"""A metric set as the text that Prometheus scrapes (exposition format 0.0.4)."""

from collections.abc import Iterator

from snakka.telemetry.metric import Counter, Gauge, Histogram
from snakka.telemetry.metric_set import PREFIX, Declaration, MetricSet, Sample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def render(metrics: MetricSet) -> str:
    """Every metric with its help, type and samples."""
    lines: list[str] = []
    for declaration, samples in metrics.families():
        name = PREFIX + declaration.name
        lines.append(f"# HELP {name} {_escape_help(_help(declaration))}")
        lines.append(f"# TYPE {name} {declaration.kind.value}")
        for sample in samples:
            lines.extend(_sample_lines(name, declaration, sample))
    lines.append("")
    return "\n".join(lines)


def _help(declaration: Declaration) -> str:
    return (
        f"{declaration.doc} (Kafka: {declaration.kafka_name})" if declaration.kafka_name else declaration.doc
    )


def _sample_lines(name: str, declaration: Declaration, sample: Sample) -> Iterator[str]:
    labels = [
        f'{label}="{_escape_label(value)}"'
        for label, value in zip(declaration.labels, sample.label_values, strict=True)
    ]
    metric = sample.metric
    if isinstance(metric, Histogram):
        yield from _histogram_lines(name, labels, metric, declaration.unit)
    else:
        yield f"{name}{_braces(labels)} {_value(metric, declaration.unit)}"


def _value(metric: Counter | Gauge, unit: float) -> str:
    """A gauge whose owner cannot say shows as no number: the other metrics are wanted all the more."""
    try:
        return _number(metric.value * unit)
    except Exception:
        return "NaN"


def _histogram_lines(name: str, labels: list[str], metric: Histogram, unit: float) -> Iterator[str]:
    """Buckets from the first that is not empty to the last, since each is cumulative anyway."""
    used = [bucket for bucket, count in enumerate(metric.counts) if count]
    seen = 0
    if used:
        for bucket in range(used[0], min(used[-1] + 1, Histogram.BUCKETS - 1)):
            seen += metric.counts[bucket]
            bound = f'le="{_number(round((1 << bucket) * unit, 9))}"'
            yield f"{name}_bucket{_braces([*labels, bound])} {seen}"
    no_bound = 'le="+Inf"'
    yield f"{name}_bucket{_braces([*labels, no_bound])} {metric.count}"
    yield f"{name}_sum{_braces(labels)} {_number(metric.total * unit)}"
    yield f"{name}_count{_braces(labels)} {metric.count}"


def _braces(labels: list[str]) -> str:
    return "{" + ",".join(labels) + "}" if labels else ""


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _escape_label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _escape_help(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n")
