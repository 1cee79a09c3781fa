"""Spark's own Kafka connector on Snakka, beside ours: the same DataFrames, the same offsets, the same checkpoints."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.external_tools import find_spark_connector
from tests.spark.jvm_connector_checks import Checks

SCRIPT = Path(__file__).with_name("jvm_connector_checks.py")
# A minute on a quiet machine.
SCRIPT_SECONDS = 540
NAMES = [name for name in vars(Checks) if name.startswith("check_")]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each check found wrong; all of them run once, in a process whose session has the connector's jars."""
    jars = find_spark_connector()
    if jars is None:
        pytest.skip(
            "needs Java 17 and Spark's Kafka connector (Maven, or SNAKKA_SPARK_CONNECTOR, a directory of jars)"
        )
    result = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path_factory.mktemp("connectors")), *jars],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SCRIPT_SECONDS,
        check=False,
    )
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith('{"check"')]
    assert lines, result.stderr[-5000:]
    return {line["check"]: line["wrong"] for line in lines}


@pytest.mark.timeout(SCRIPT_SECONDS + 60)
@pytest.mark.parametrize("name", NAMES)
def test_both_connectors(outcomes: dict[str, str], name: str) -> None:
    assert name in outcomes, "the process has ended before"
    assert not outcomes[name], outcomes[name]
