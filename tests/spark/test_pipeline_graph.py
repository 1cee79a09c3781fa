"""Graphs of tables: Spark Declarative Pipelines read our topics, started by `snakka pipeline run`."""

import signal
from pathlib import Path

import pyarrow.dataset
import pytest
from pipeline_commands import WAIT_SECONDS, Terminal
from tests.listening_sockets import beyond_loopback

from snakka.client.blocking import Producer
from snakka.spark.pipelines.declarative import missing_packages
from snakka.testing import BlockingLocalBroker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(missing_packages()), reason="needs pyspark[pipelines]"),
]

SMALL = ("--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=1")
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # nothing here runs long enough for more
TABLES = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession

spark = SparkSession.active()

@dp.table
def orders():
    reader = spark.readStream.format("snakka").option("kafka.bootstrap.servers", "{bootstrap}")
    return reader.option("subscribe", "orders").option("startingOffsets", "earliest").load().select("value")
"""


def test_a_graph_of_tables_reads_topics(broker: BlockingLocalBroker, tmp_path: Path) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(100):
            producer.send("orders", b"%d" % number)
        producer.flush()
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "tables.py").write_text(TABLES.format(bootstrap=broker.bootstrap_servers))
    (tmp_path / "graph" / "counts.sql").write_text(
        "CREATE MATERIALIZED VIEW counts AS SELECT count(*) AS orders FROM orders"
    )
    spec = tmp_path / "spark-pipeline.yml"
    spec.write_text(
        f"name: shop\nstorage: file://{tmp_path}/storage\nlibraries: [{{glob: {{include: graph/**}}}}]\n"
    )
    terminal = Terminal(tmp_path, JDK_JAVA_OPTIONS=QUICK_START)
    with terminal.start("run", spec.name, "--master", "local[2]", *SMALL) as running:
        assert running.process.wait(WAIT_SECONDS) == 0, running.output
        running.wait_for_the_last_process()
    assert counts_in(tmp_path) == [{"orders": 100}]

    # What is wrong with SQL only Spark's analysis finds.
    with (tmp_path / "graph" / "counts.sql").open("a") as file:
        file.write(
            ";\n\nCREATE MATERIALIZED VIEW buyers AS\nSELECT count(*) AS orders\nFROM orders\nGROUP BY costumer\n"
        )
    checked = terminal.run("check", spec.name)
    assert checked.returncode == 2, checked.stdout + checked.stderr
    assert checked.stdout == (
        "graph/counts.sql:6: table buyers: A column, variable, or function parameter with name `costumer` cannot be"
        " resolved. Did you mean one of the following? [`value`].\n"
    )
    assert "Registering SQL file" in checked.stderr
    assert "Traceback" not in checked.stderr
    assert counts_in(tmp_path) == [{"orders": 100}]
    assert not (tmp_path / "spark-warehouse" / "buyers").exists()


def counts_in(directory: Path) -> list[dict[str, int]]:
    rows: list[dict[str, int]] = (
        pyarrow.dataset.dataset(directory / "spark-warehouse" / "counts").to_table().to_pylist()
    )
    return rows


def test_a_graph_is_continued_by_the_next_run_wherever_that_is_started(
    broker: BlockingLocalBroker, tmp_path: Path
) -> None:
    """The first run is killed between two batches, the second is started in another directory."""
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(500):
            producer.send("more-orders", b"%d" % number)
        producer.flush()
    graph = tmp_path / "a graph"  # with a blank, as directories may have them
    (graph / "tables").mkdir(parents=True)
    tables = TABLES.format(bootstrap=broker.bootstrap_servers).replace(
        '"subscribe", "orders"', '"subscribe", "more-orders"'
    )
    one_by_one = tables.replace('"earliest")', '"earliest").option("maxOffsetsPerTrigger", "10")')
    (graph / "tables" / "tables.py").write_text(one_by_one)
    spec = graph / "spark-pipeline.yml"
    spec.write_text(
        f"name: shop\nstorage: file://{tmp_path}/storage\nlibraries: [{{glob: {{include: tables/**}}}}]\n"
    )
    batches = graph / "spark-warehouse" / "orders" / "_spark_metadata"
    terminal = Terminal(graph, JDK_JAVA_OPTIONS=QUICK_START)
    with terminal.start("run", spec.name, "--master", "local[2]", *SMALL) as running:
        running.until((batches / "2").exists)
        assert beyond_loopback([running.process.pid]) == []
        another = terminal.run("run", spec.name)
        assert another.returncode == 1
        assert another.stderr.startswith("snakka: port 15002 is in use, most likely by another graph")
        assert "Traceback" not in another.stderr
        running.signal(signal.SIGKILL)
        running.wait_for_the_last_process()
    assert not (batches / "49").exists()

    (graph / "tables" / "tables.py").write_text(tables)
    (graph / "tables" / "counts.sql").write_text(
        "CREATE MATERIALIZED VIEW counts AS SELECT count(DISTINCT value) AS orders, count(*) AS rows FROM orders"
    )
    (tmp_path / "elsewhere").mkdir()
    terminal = Terminal(tmp_path / "elsewhere", JDK_JAVA_OPTIONS=QUICK_START)
    with terminal.start("run", str(spec), "--master", "local[2]", *SMALL) as running:
        assert running.process.wait(WAIT_SECONDS) == 0, running.output
        running.wait_for_the_last_process()
    assert counts_in(graph) == [{"orders": 500, "rows": 500}]
    # All but the output of the command is beside the file.
    assert list((tmp_path / "elsewhere").glob("[!o]*")) == []
    assert (graph / "derby.log").is_file()
