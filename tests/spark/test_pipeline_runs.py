"""Declared pipelines from the command line: real brokers, real Sparks, and what is left when they are killed."""

import json
import re
import shutil
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow.dataset
import pytest
from pipeline_commands import Terminal

from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.consumer import Message
from snakka.client.topic_partition import TopicPartition
from snakka.testing import BlockingLocalBroker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17"),
]

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "pipelines.md"
SMALL = ("--master", "local[2]", "--conf", "spark.driver.memory=512m")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the archive of classes, which then makes all the starts below faster."""
    cache = tmp_path_factory.mktemp("cache")
    warmed = Terminal(cache, XDG_CACHE_HOME=str(cache)).run("warmup")
    assert warmed.returncode == 0, warmed.stderr
    (archive,) = (cache / "snakka").glob("spark-*.jsa")
    assert str(archive) in warmed.stdout
    assert archive.stat().st_size > 1_000_000
    assert not list((cache / "snakka").glob("snakka-warmup-*"))
    return cache


@pytest.fixture
def terminal(tmp_path: Path, cache: Path) -> Terminal:
    return Terminal(tmp_path, XDG_CACHE_HOME=str(cache))


def produce(broker: BlockingLocalBroker, topic: str, values: Iterable[bytes]) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number, value in enumerate(values):
            producer.send(topic, value, key=b"%d" % number)
        producer.flush()


def consume(broker: BlockingLocalBroker, topic: str) -> list[Message]:
    """All that is committed."""
    messages = []
    with Consumer(
        bootstrap_servers=broker.bootstrap_servers,
        isolation_level="read_committed",
        auto_offset_reset="earliest",
    ) as consumer:
        partitions = [TopicPartition(topic, index) for index in consumer.partitions_for_topic(topic)]
        consumer.assign(partitions)
        ends = consumer.end_offsets(partitions)
        while any(consumer.position(each) < ends[each] for each in partitions):
            for some in consumer.getmany(timeout_ms=500).values():
                messages += some
    return messages


def test_the_documented_pipeline_runs_and_is_reset(
    broker: BlockingLocalBroker, admin: Admin, terminal: Terminal
) -> None:
    for topic in ("orders", "big-orders", "orders-dead"):
        admin.create_topic(topic, partitions=2)
    (example,) = re.findall(r"```toml\n(.*?)```", DOCUMENTATION.read_text(), re.DOTALL)
    (terminal.directory / "orders.toml").write_text(
        example.replace("127.0.0.1:9092", broker.bootstrap_servers)
    )
    orders = [
        {
            "id": number,
            "customer": f"c{number % 5}",
            "at": f"2026-01-01T{number // 60:02d}:{number % 60:02d}:00Z",
            "total": number,
        }
        for number in range(300)
    ]
    produce(broker, "orders", [*(json.dumps(order).encode() for order in orders), b"{broken", b"7"])
    assert terminal.status("orders.toml")["state"] == "never"
    checked = terminal.run("check", "orders.toml")
    assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout
    assert "revenue: hour timestamp, customer string, revenue double" in checked.stdout
    assert not (terminal.directory / "checkpoints").exists()

    ran = terminal.run("run", "orders.toml", "--trigger", "available-now", *SMALL)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "orders finished after" in ran.stdout
    assert re.search(r"alerts +302 rows in, 199 rows out, 1 batches, .* lag 0, 2 bad rows", ran.stdout)
    assert re.search(r"dead-letters +302 rows in, 2 rows out", ran.stdout)
    assert ran.stderr == ""

    alerts = consume(broker, "big-orders")
    assert sorted(json.loads(alert.value or b"")["id"] for alert in alerts) == list(range(101, 300))
    assert {alert.key for alert in alerts} == {b"c0", b"c1", b"c2", b"c3", b"c4"}
    dead = consume(broker, "orders-dead")
    assert sorted(letter.value or b"" for letter in dead) == [b"7", b"{broken"]
    assert {dict(letter.headers)["snakka.dead-letter.topic"] for letter in dead} == {b"orders"}
    # Hours that the watermark has passed (the last order is at 04:59) are finished, by five customers each.
    hours = pyarrow.dataset.dataset(terminal.directory / "revenue").to_table().to_pylist()
    assert len(hours) == 4 * 5
    assert sum(hour["revenue"] for hour in hours) == sum(range(240))

    shown = terminal.run("status", "orders.toml")
    assert (shown.returncode, shown.stdout.splitlines()[0].split(" after")[0]) == (0, "orders: finished")
    # Any tool that shows the lag of consumer groups sees the queries.
    committed = admin.list_group_offsets("orders-alerts")
    ends = {
        TopicPartition("orders", int(each)): end
        for each, end in terminal.status("orders.toml")["sinks"]["alerts"]["offsets"]["orders"].items()
    }
    assert {each: offset.offset for each, offset in committed.results.items()} == ends

    _reset_and_run_again(broker, terminal, ends)


def _reset_and_run_again(
    broker: BlockingLocalBroker, terminal: Terminal, ends: dict[TopicPartition, int]
) -> None:
    refused = terminal.run("reset", "orders.toml", "--to", "earliest")
    assert refused.returncode == 1
    assert "sink hours has state and writes Parquet" in refused.stderr
    place = json.dumps({"orders": {"0": ends[TopicPartition("orders", 0)] - 40}})
    dry = terminal.run("reset", "orders.toml", "--to", place, "--sink", "alerts", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "40 records are read again" in dry.stdout
    assert "nothing was changed" in dry.stdout
    done = terminal.run("reset", "orders.toml", "--to", place, "--sink", "alerts")
    assert done.stdout.splitlines()[:-1] == dry.stdout.splitlines()[:-1]

    again = terminal.run("run", "orders.toml", "--trigger", "available-now", *SMALL)
    assert again.returncode == 0, again.stdout + again.stderr
    assert re.search(r"alerts +40 rows in", again.stdout)
    assert re.search(r"dead-letters +0 rows in", again.stdout)
    read_again = [message for message in consume(broker, "orders") if message.partition == 0][-40:]
    expected = [
        json.loads(each.value or b"")["id"] for each in read_again if (each.value or b"").startswith(b'{"id"')
    ]
    alerts = [json.loads(alert.value or b"")["id"] for alert in consume(broker, "big-orders")]
    assert sorted(alerts) == sorted([*range(101, 300), *(each for each in expected if each > 100)])


STREAM = """
name: stream
trigger: every 200ms
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  events:
    topics: {source}
    options: {{maxOffsetsPerTrigger: 300}}
steps:
  values: {{sql: "SELECT value FROM events"}}
sinks:
  out: {{format: topic, topic: {sink}, guarantee: exactly-once}}
"""


def test_a_killed_run_is_continued_and_nothing_is_lost_or_doubled(
    broker: BlockingLocalBroker, admin: Admin, terminal: Terminal
) -> None:
    for topic in ("events", "copies"):
        admin.create_topic(topic, partitions=2)
    text = STREAM.format(bootstrap=broker.bootstrap_servers, source="events", sink="copies")
    (terminal.directory / "stream.yaml").write_text(text)
    produce(broker, "events", (b"%d" % number for number in range(2000)))
    begun = terminal.run("reset", "stream.yaml", "--to", '{"events":{"0":10}}')
    assert "sink out has not begun; it will begin there" in begun.stdout, begun.stderr
    with terminal.start("run", "stream.yaml", *SMALL) as running:
        running.until(
            lambda: terminal.status("stream.yaml").get("sinks", {}).get("out", {}).get("batches", 0) >= 2
        )
        status = terminal.status("stream.yaml")
        assert (status["state"], status["pid"]) == ("running", running.process.pid)
        assert "events" in status["sinks"]["out"]["lag"]
        if sys.platform == "linux":
            assert _maps_an_archive(running.process.pid), "the archive is not used"
        assert "stream: running for" in terminal.run("status", "stream.yaml").stdout
        for refused in (
            terminal.run("reset", "stream.yaml", "--to", "latest"),
            terminal.run("run", "stream.yaml"),
        ):
            assert refused.returncode == 1
            assert f"stream runs already (process {running.process.pid})" in refused.stderr
        running.signal(signal.SIGKILL)
    died = terminal.run("status", "stream.yaml")
    assert died.returncode == 1
    assert "stream: died: it was killed" in died.stdout

    # The next one has an archive that is none: it starts without.
    produce(broker, "events", (b"%d" % number for number in range(2000, 2500)))
    (archive,) = Path(terminal.environment["XDG_CACHE_HOME"]).glob("snakka/*.jsa")
    other = terminal.directory / "cache" / "snakka"
    other.mkdir(parents=True)
    (other / archive.name).write_bytes(b"no archive")
    terminal.environment["XDG_CACHE_HOME"] = str(other.parent)
    with terminal.start("run", "stream.yaml", *SMALL) as running:
        running.until(lambda: len(consume(broker, "copies")) >= 2490)
        assert running.signal(signal.SIGINT) == 130, running.output
        assert "out: batch" in running.output
        assert "stream interrupted after" in running.output
    left_out = {
        event.value for event in consume(broker, "events") if event.partition == 0 and event.offset < 10
    }
    expected = [number for number in range(2500) if b"%d" % number not in left_out]
    assert sorted(int(copy.value or b"") for copy in consume(broker, "copies")) == expected
    interrupted = terminal.run("status", "stream.yaml")
    assert (interrupted.returncode, interrupted.stdout.split(" after")[0]) == (0, "stream: interrupted")


def _maps_an_archive(pid: int) -> bool:
    """Whether the JVM of a run has the archive of classes in its memory."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return any(re.search(r"/spark-\S+\.jsa", Path(f"/proc/{child}/maps").read_text()) for child in children)


MODULE = """
from pyspark.sql.functions import udf

def marked(events):
    # Executors run `mark`, so they must find this module, too.
    return events.select(udf(mark, "BINARY")("value").alias("value"))

def mark(value):
    return b"marked " + bytes(value)
"""


def test_a_standalone_cluster_runs_it_until_sigterm(
    broker: BlockingLocalBroker, admin: Admin, terminal: Terminal
) -> None:
    for topic in ("clicks", "marked"):
        admin.create_topic(topic, partitions=2)
    text = STREAM.format(bootstrap=broker.bootstrap_servers, source="clicks", sink="marked")
    text = text.replace('values: {sql: "SELECT value FROM events"}', "values: {function: marking:marked}")
    (terminal.directory / "clicks.yaml").write_text(
        text.replace("guarantee: exactly-once", "guarantee: at-least-once")
    )
    (terminal.directory / "marking.py").write_text(MODULE)
    produce(broker, "clicks", (b"%d" % number for number in range(500)))
    where = ("--directory", str(terminal.directory / "spark"))
    up = terminal.run("cluster", "up", "--workers", "2", "--memory", "1g", "--port", "0", *where)
    try:
        assert up.returncode == 0, up.stderr
        (master,) = re.findall(r"ready: (spark://127\.0\.0\.1:\d+) \(2 workers, 2 cores\)", up.stdout)
        assert "runs already" in terminal.run("cluster", "up", *where).stderr
        confs = ("--conf", "spark.executor.memory=512m", "--conf", "spark.driver.memory=512m")
        with terminal.start("run", "clicks.yaml", "--master", master, *confs) as running:
            running.until(lambda: len(consume(broker, "marked")) >= 500)
            shown = terminal.run("cluster", "status", *where)
            assert "2 of 2 cores in use" in shown.stdout
            assert "running: stream" in shown.stdout
            running.process.send_signal(signal.SIGTERM)
            assert running.process.wait(300) == 130, running.output
        assert {message.value for message in consume(broker, "marked")} == {
            b"marked %d" % number for number in range(500)
        }
    finally:
        down = terminal.run("cluster", "down", *where)
    assert down.stdout.split() == ["ended", "worker-2,", "worker-1,", "master"]
    assert terminal.run("cluster", "status", *where).returncode == 1


def test_a_wrong_file_is_not_run(broker: BlockingLocalBroker, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    text = STREAM.format(bootstrap=broker.bootstrap_servers, source="nobodys", sink="nobodys")
    (tmp_path / "wrong.yaml").write_text(text)
    ran = terminal.run("run", "wrong.yaml")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.splitlines() == [
        "wrong.yaml:7: there is no topic nobodys; `snakka topic create nobodys` creates it",
        "wrong.yaml:12: there is no topic nobodys; `snakka topic create nobodys` creates it",
    ]
    checked = terminal.run("check", "wrong.yaml", "--no-spark")
    assert (checked.returncode, checked.stdout) == (2, ran.stderr)
    assert terminal.run("check", "wrong.yaml", "--no-spark", "--no-cluster").returncode == 0
    assert terminal.status("wrong.yaml")["state"] == "failed"
