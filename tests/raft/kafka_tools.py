"""Apache Kafka's own tools, for those who have its jars: SNAKKA_KAFKA_LIBS names their directory."""

import os
import shutil
import subprocess

import pytest

LIBS = os.environ.get("SNAKKA_KAFKA_LIBS", "")

needs_kafka = pytest.mark.skipif(
    not LIBS or shutil.which("java") is None,
    reason="needs java and SNAKKA_KAFKA_LIBS, the directory of Apache Kafka 4.3's jars",
)


def run_java(*arguments: str) -> str:
    """What a Java program prints; fails if it does not end well."""
    command = ["java", "-cp", f"{LIBS}/*", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
