"""Apache Iceberg's own REST catalog server, with which its project tests clients: from Maven, Hadoop from Spark's wheel."""

import contextlib
import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pyspark
from tests.free_ports import free_port

LIBS = Path(__file__).parents[2] / "build" / "iceberg-rest-libs"
FETCH_SECONDS = 600
START_SECONDS = 90
VERSION = "1.10.0"
ARTIFACTS = (
    ("org.apache.iceberg", "iceberg-core", VERSION, ""),
    ("org.apache.iceberg", "iceberg-core", VERSION, "tests"),
    ("org.apache.iceberg", "iceberg-open-api", VERSION, "test-fixtures"),
    ("org.eclipse.jetty", "jetty-servlet", "11.0.24", ""),
    ("org.xerial", "sqlite-jdbc", "3.46.1.3", ""),
)


def _pom() -> str:
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>"
        f"{f'<classifier>{classifier}</classifier>' if classifier else ''}</dependency>"
        for group, name, version, classifier in ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>snakka.tests</groupId><artifactId>iceberg-rest-libs</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )


def find_server_jars() -> list[str] | None:
    """The class path, fetched by Maven into build/ once; None where that can't be done."""
    done = LIBS / ".complete"
    if not (done.exists() and done.read_text() == _pom()):
        if shutil.which("java") is None or shutil.which("mvn") is None:
            return None
        LIBS.mkdir(parents=True, exist_ok=True)
        (LIBS / "pom.xml").write_text(_pom())
        command = [
            *("mvn", "-q", "-B", "-f", str(LIBS / "pom.xml")),
            *("dependency:copy-dependencies", f"-DoutputDirectory={LIBS}"),
        ]
        try:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=FETCH_SECONDS, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        done.write_text(_pom())
    hadoop = Path(pyspark.__file__).parent.glob("jars/hadoop-client-*.jar")
    return [f"{LIBS}/*", *map(str, hadoop)]


@contextlib.contextmanager
def running_iceberg_server(jars: list[str], directory: Path, port: int = 0) -> Iterator[str]:
    """The server's address while it runs."""
    directory.mkdir(exist_ok=True)
    port = port or free_port()
    environment = {
        **os.environ,
        "CATALOG_REST_PORT": str(port),
        "CATALOG_URI": f"jdbc:sqlite:{directory}/catalog.db",
        "CATALOG_WAREHOUSE": f"file://{directory}/warehouse",
    }
    java = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", ":".join(jars)]
    log = directory / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*java, "org.apache.iceberg.rest.RESTCatalogServer"],
            env=environment,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/v1/config", server, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait(30)


def _wait_for(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:
            if answer.status == 200:
                return
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server did not start: {log.read_text()}")
        time.sleep(0.1)
