"""Spark's own cluster on loopback, as `snakka pipeline cluster` starts and ends it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline_commands import Terminal


@contextmanager
def standalone_cluster(directory: Path) -> Iterator[str]:
    """The master of two workers, each with one core and one executor."""
    terminal, where = Terminal(directory), ("--directory", str(directory / "cluster"))
    try:
        up = terminal.run("cluster", "up", "--workers", "2", "--memory", "512m", "--port", "0", *where)
        assert up.returncode == 0, up.stderr
        assert "run with --conf spark.executor.memory=512m" in up.stdout
        yield re.findall(r"ready: (spark://\S+) \(2 workers, 2 cores\)", up.stdout)[0]
    finally:
        terminal.run("cluster", "down", *where)
