"""What some tests need beyond Python and PyPI: found on the machine, or fetched by its package managers.

Each function gives the tool, or a reason that begins with "needs" and becomes the text of a skip. With SNAKKA_REQUIRE_ALL=1
such a skip is a failure: see conftest.py.
"""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
KAFKA_LIBS = ROOT / "build" / "kafka-libs"
SPARK_CONNECTOR = ROOT / "build" / "spark-connector"
# Of the connector and of its part for tokens: Spark's own version, then older ones that run on it as well. A mirror may lack
# the newest, or one of the two.
SPARK_CONNECTOR_VERSIONS = (("4.3.0", "4.3.0"), ("4.2.0", "4.2.0"), ("4.2.0", "4.0.0"))
FETCH_SECONDS = 600


def find_kafka_libs() -> str | None:
    """The directory of Apache Kafka's jars: SNAKKA_KAFKA_LIBS, or fetched by Maven into build/ once."""
    given = os.environ.get("SNAKKA_KAFKA_LIBS")
    if given:
        return given
    if shutil.which("java") is None:
        return None
    wanted = ROOT / "bench" / "pom.xml"
    done = KAFKA_LIBS / ".complete"
    # What is there is what was wanted then; a changed list is fetched anew.
    if done.exists() and done.read_text() == wanted.read_text():
        return str(KAFKA_LIBS)
    if shutil.which("mvn") is None:
        return None
    command = [
        *("mvn", "-q", "-B", "-f", str(wanted)),
        *("dependency:copy-dependencies", f"-DoutputDirectory={KAFKA_LIBS}"),
    ]
    if _succeeds(command):
        done.write_text(wanted.read_text())
        return str(KAFKA_LIBS)
    return None


def find_spark_connector() -> list[str] | None:
    """The jars of Spark's own Kafka connector: in SNAKKA_SPARK_CONNECTOR, or fetched by Maven into build/ once."""
    given = os.environ.get("SNAKKA_SPARK_CONNECTOR")
    if given:
        return _jars(Path(given))
    if shutil.which("java") is None:
        return None
    wanted = ROOT / "bench" / "spark-connector-pom.xml"
    done = SPARK_CONNECTOR / ".complete"
    if done.exists() and done.read_text() == wanted.read_text():
        return _jars(SPARK_CONNECTOR)
    if shutil.which("mvn") is None:
        return None
    for connector, tokens in SPARK_CONNECTOR_VERSIONS:
        shutil.rmtree(SPARK_CONNECTOR, ignore_errors=True)
        command = [
            *("mvn", "-q", "-B", "-f", str(wanted), f"-Dconnector.version={connector}"),
            *(f"-Dtokens.version={tokens}", "dependency:copy-dependencies"),
            f"-DoutputDirectory={SPARK_CONNECTOR}",
        ]
        if _succeeds(command):
            done.write_text(wanted.read_text())
            return _jars(SPARK_CONNECTOR)
    return None


def _jars(directory: Path) -> list[str]:
    return sorted(str(each) for each in directory.glob("*.jar"))


def find_kcat() -> str | None:
    """kcat on the PATH, or installed from Debian's packages where we may."""
    found = shutil.which("kcat")
    if found is None and shutil.which("apt-get") is not None and os.geteuid() == 0:
        _succeeds(["apt-get", "update", "-q"])
        _succeeds(["apt-get", "install", "-y", "-q", "--no-install-recommends", "kcat"])
        found = shutil.which("kcat")
    return found


def _succeeds(command: list[str]) -> bool:
    try:
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=FETCH_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0
