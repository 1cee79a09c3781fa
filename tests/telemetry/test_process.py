import mmap
import os

from snakka.telemetry import process
from snakka.telemetry.metric_set import MetricSet
from snakka.telemetry.prometheus_text import render


def test_memory_follows_what_is_held() -> None:
    before = process.resident_bytes()
    size = 64 * 1024 * 1024
    with mmap.mmap(-1, size) as held:  # new pages: what was freed before is not used again
        held.write(os.urandom(1024) * (size // 1024))
        assert process.resident_bytes() - before > 0.9 * size


def test_processor_time_passes_with_work() -> None:
    before = process.cpu_seconds()
    while process.cpu_seconds() - before < 0.01:
        sum(range(10_000))
    assert process.cpu_seconds() > before


def test_descriptors_are_counted() -> None:
    before = process.open_descriptors()
    with open(os.devnull), open(os.devnull):
        assert process.open_descriptors() == before + 2
    assert process.most_descriptors() > before


def test_all_are_registered() -> None:
    metrics = MetricSet()
    process.register(metrics)
    text = render(metrics)
    for name in ("resident_memory_bytes", "cpu_seconds_total", "open_fds", "max_fds"):
        assert f"\nsnakka_process_{name} " in text
