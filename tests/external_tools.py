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
HADOOP = ROOT / "build" / "hadoop"
HADOOP_VERSIONS = ("3.5.0", "3.4.2")  # Spark's own, then an older one that speaks with it as well
FETCH_SECONDS = 600


def find_kafka_libs() -> str | None:
    """The directory of Apache Kafka's jars: SNAKKA_KAFKA_LIBS, or fetched by Maven into build/ once."""
    given = os.environ.get("SNAKKA_KAFKA_LIBS")
    if given:
        return given
    return str(KAFKA_LIBS) if _is_fetched(ROOT / "bench" / "pom.xml", KAFKA_LIBS) else None


def find_spark_connector() -> list[str] | None:
    """The jars of Spark's own Kafka connector: in SNAKKA_SPARK_CONNECTOR, or fetched by Maven into build/ once."""
    given = os.environ.get("SNAKKA_SPARK_CONNECTOR")
    if given:
        return _jars(Path(given))
    versions = [
        (f"-Dconnector.version={connector}", f"-Dtokens.version={tokens}")
        for connector, tokens in SPARK_CONNECTOR_VERSIONS
    ]
    wanted = ROOT / "bench" / "spark-connector-pom.xml"
    return _jars(SPARK_CONNECTOR) if _is_fetched(wanted, SPARK_CONNECTOR, *versions) else None


def find_hadoop() -> list[str] | None:
    """The jars of Hadoop's daemons: in SNAKKA_HADOOP, or fetched by Maven into build/ once."""
    given = os.environ.get("SNAKKA_HADOOP")
    if given:
        return _jars(Path(given))
    wanted = ROOT / "tests" / "spark" / "hadoop-pom.xml"
    versions = [(f"-Dhadoop.version={version}",) for version in HADOOP_VERSIONS]
    return _jars(HADOOP) if _is_fetched(wanted, HADOOP, *versions) else None


def _is_fetched(wanted: Path, directory: Path, *versions: tuple[str, ...]) -> bool:
    """Whether the directory has what a file of Maven's wants, in the first of the versions that can be had."""
    if shutil.which("java") is None:
        return False
    done = directory / ".complete"
    # What is there is what was wanted then; a changed list is fetched anew.
    if done.exists() and done.read_text() == wanted.read_text():
        return True
    if shutil.which("mvn") is None:
        return False
    for settings in versions or ((),):
        shutil.rmtree(directory, ignore_errors=True)
        copy = ("dependency:copy-dependencies", f"-DoutputDirectory={directory}")
        if _succeeds(["mvn", "-q", "-B", "-f", str(wanted), *settings, *copy]):
            done.write_text(wanted.read_text())
            return True
    return False


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
