"""What the operating system knows of this process: memory, processor time, descriptors."""

import os
import resource
import sys
from pathlib import Path

from snakka.telemetry.metric_set import Declaration, Kind, MetricSet

RESIDENT_BYTES = Declaration("process_resident_memory_bytes", Kind.GAUGE, "Memory that this process holds.")
CPU_SECONDS = Declaration(
    "process_cpu_seconds_total", Kind.COUNTER, "Processor time, user and system.", kafka_name="ProcessCpuTime"
)
OPEN_DESCRIPTORS = Declaration(
    "process_open_fds", Kind.GAUGE, "Open file descriptors.", kafka_name="OpenFileDescriptorCount"
)
MOST_DESCRIPTORS = Declaration(
    "process_max_fds", Kind.GAUGE, "How many may be open.", kafka_name="MaxFileDescriptorCount"
)

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# macOS has no /proc; it tells the peak in bytes, where Linux tells it in KiB.
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


def resident_bytes() -> int:
    """Resident memory now; where the system tells only its peak, the peak."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def open_descriptors() -> int:
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:
        return -1


def most_descriptors() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def register(metrics: MetricSet) -> None:
    """Add the process to a broker's metrics."""
    metrics.gauge(RESIDENT_BYTES, resident_bytes)
    metrics.gauge(CPU_SECONDS, cpu_seconds)
    metrics.gauge(OPEN_DESCRIPTORS, open_descriptors)
    metrics.gauge(MOST_DESCRIPTORS, most_descriptors)
