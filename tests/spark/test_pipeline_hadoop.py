"""Declared pipelines where nothing is on the driver's machine: containers of a real YARN, files of a real HDFS."""

import io
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow.parquet
import pytest
from hadoop_cluster import HOST, SPARK_JARS, HadoopCluster
from pipeline_commands import Terminal
from tests.external_tools import find_hadoop
from tests.spark.conftest import SHORT_LIVED_JVM
from topic_sink_reading import values

from snakka.client.blocking import Admin, Producer
from snakka.testing import BlockingLocalBroker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17"),
]

RIDES = """
checkpoint: {files}/pipelines/rides
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  rides:
    topics: rides
    decode: json
    schema: id BIGINT, city STRING, at TIMESTAMP
    watermark: at 1 minute
steps:
  placed: {{function: places:placed}}
  hours:
    sql: SELECT window.start AS hour, city, count(*) AS rides FROM rides GROUP BY window(at, '1 hour'), city
sinks:
  copies: {{from: placed, format: topic, topic: copies, encode: json, guarantee: exactly-once}}
  hours: {{format: parquet, path: "{files}/tables/hours"}}
"""
MODULE = """
import os

from pyspark.sql.functions import udf


@udf("string")
def container(ride):
    return os.environ["CONTAINER_ID"]


@udf("string")
def python(ride):
    return os.environ["PYTHON_OF_THE_NODE"]


def placed(rides):
    return rides.select("id", container("id").alias("container"), python("id").alias("python"))
"""
CONTAINERS = {
    "spark.executor.instances": "1",
    "spark.executor.cores": "2",
    "spark.executor.extraJavaOptions": SHORT_LIVED_JVM,
    "spark.yarn.am.extraJavaOptions": SHORT_LIVED_JVM,
    "spark.executor.memory": "512m",
    "spark.driver.memory": "512m",
    "spark.yarn.am.memory": "512m",
    "spark.driver.host": HOST,
    "spark.yarn.jars": f"local:{SPARK_JARS}/*",  # nothing is copied that is there
}


@pytest.fixture
def hadoop(tmp_path: Path) -> Iterator[HadoopCluster]:
    jars = find_hadoop()
    if jars is None:
        pytest.skip("needs Hadoop's daemons, which Maven fetches; or SNAKKA_HADOOP")
    with HadoopCluster(jars, tmp_path / "hadoop") as cluster:
        yield cluster


@pytest.fixture
def path_of_the_nodes(tmp_path: Path) -> Path:
    """Where executors find another python3 than the driver does."""
    path = tmp_path / "path-of-the-nodes"
    path.mkdir()
    python = path / "python3"
    python.write_text(f'#!/bin/sh\nPYTHON_OF_THE_NODE="$0" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return path


def test_a_pipeline_on_yarn_goes_on_from_its_checkpoint_in_hdfs(
    broker: BlockingLocalBroker,
    admin: Admin,
    hadoop: HadoopCluster,
    path_of_the_nodes: Path,
    tmp_path: Path,
) -> None:
    for topic in ("rides", "copies"):
        admin.create_topic(topic, partitions=2)
    terminal = Terminal(tmp_path, HADOOP_CONF_DIR=str(hadoop.settings), SPARK_LOCAL_IP=HOST)
    terminal.environment.pop("PYSPARK_PYTHON", None)
    text = RIDES.format(files=hadoop.files, bootstrap=broker.bootstrap_servers)
    (tmp_path / "rides.yaml").write_text(text)
    (tmp_path / "places.py").write_text(MODULE)

    # The second run counts on what the first has counted of the same hour, and a ride of a later one closes that.
    _ride(broker, range(1000), "2026-03-01T10:30:00Z")
    _run_on_yarn(terminal, {"spark.executorEnv.PATH": f"{path_of_the_nodes}:/usr/bin:/bin"})
    _ride(broker, range(1000, 1500), "2026-03-01T10:40:00Z")
    _ride(broker, range(1500, 1501), "2026-03-01T12:00:00Z")
    _run_on_yarn(terminal, {"spark.pyspark.python": f"{path_of_the_nodes}/python3"})

    copies = [json.loads(value) for value in values(broker.bootstrap_servers, "copies")]
    assert sorted(copy["id"] for copy in copies) == list(range(1501))
    applications = hadoop.applications()
    assert [each["name"] for each in applications] == ["rides", "rides"]
    assert {each["finalStatus"] for each in applications} == {"SUCCEEDED"}
    runs = {each["id"].removeprefix("application_") for each in applications}
    containers = {copy["container"] for copy in copies}
    assert {"_".join(each.split("_")[-4:-2]) for each in containers} == runs
    assert {Path(copy["python"]).parent for copy in copies} == {path_of_the_nodes}
    assert sorted(_hours(hadoop)) == [("Bergen", 750), ("Oslo", 750)]
    assert {each["pathSuffix"] for each in hadoop.listing("/pipelines/rides/sinks")} == {"copies", "hours"}
    assert terminal.status("rides.yaml")["state"] == "finished"


def _ride(broker: BlockingLocalBroker, ids: Iterable[int], at: str) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in ids:
            ride = {"id": number, "city": "Oslo" if number % 2 else "Bergen", "at": at}
            producer.send("rides", json.dumps(ride).encode(), key=b"%d" % number)
        producer.flush()


def _run_on_yarn(terminal: Terminal, confs: Mapping[str, str]) -> None:
    words = [
        word for name, value in {**CONTAINERS, **confs}.items() for word in ("--conf", f"{name}={value}")
    ]
    ended = terminal.run("run", "rides.yaml", "--master", "yarn", *words)
    assert ended.returncode == 0, ended.stderr


def _hours(hadoop: HadoopCluster) -> Iterator[tuple[str, int]]:
    """The finished hours: each city, and how many rides it had."""
    for file in hadoop.listing("/tables/hours"):
        if file["pathSuffix"].endswith(".parquet"):
            rows = pyarrow.parquet.read_table(io.BytesIO(hadoop.read(f"/tables/hours/{file['pathSuffix']}")))
            yield from ((row["city"], row["rides"]) for row in rows.to_pylist())
