"""Declared pipelines from the command line: real brokers, real Sparks, and what is left when they are killed."""

import contextlib
import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow.dataset
import pytest
from pipeline_commands import RunningCommand, Terminal, warm_cache
from tests.listening_sockets import beyond_loopback

from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.consumer import Message
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.record_engine import engine_line
from snakka.testing import BlockingLocalBroker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17"),
]

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "pipelines.md"
SECRETS = {"BROKER_SECRET": "spoken-friend", "STORE_SECRET": "and-enter"}
SMALL = ("--master", "local[2]", "--conf", "spark.driver.memory=512m")


@pytest.fixture
def terminal(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    return Terminal(tmp_path, XDG_CACHE_HOME=str(warm_cache(tmp_path_factory)), TERM="xterm", **SECRETS)


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
    assert engine_line() in ran.stdout
    assert re.search(r"alerts +302 rows in, 199 rows out, 1 batch, .* lag 0, 2 bad rows", ran.stdout)
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
    ends = {
        TopicPartition("orders", int(each)): end
        for each, end in terminal.status("orders.toml")["sinks"]["alerts"]["offsets"]["orders"].items()
    }
    assert committed_by(admin, "orders-alerts") == ends

    _reset_and_run_again(broker, admin, terminal, ends)


def _reset_and_run_again(
    broker: BlockingLocalBroker, admin: Admin, terminal: Terminal, ends: dict[TopicPartition, int]
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

    _watch_on_a_screen(terminal, lambda: committed_by(admin, "orders-alerts") == ends)
    read_again = [message for message in consume(broker, "orders") if message.partition == 0][-40:]
    expected = [
        json.loads(each.value or b"")["id"] for each in read_again if (each.value or b"").startswith(b'{"id"')
    ]
    alerts = [json.loads(alert.value or b"")["id"] for alert in consume(broker, "big-orders")]
    assert sorted(alerts) == sorted([*range(101, 300), *(each for each in expected if each > 100)])


def committed_by(admin: Admin, group: str) -> dict[TopicPartition, int]:
    return {each: offset.offset for each, offset in admin.list_group_offsets(group).results.items()}


def _watch_on_a_screen(terminal: Terminal, is_committed: Callable[[], bool]) -> None:
    """A run that goes on, as one sees it; Ctrl-C ends it in order.

    The next batch is an hour away, but the group knows of the first when that is done.
    """
    with terminal.show("run", "orders.toml", "--trigger", "every 1h", *SMALL, columns=90) as running:
        line = r"\n  alerts +batch \d+ \| 40 rows \| [\d.]+ rows/s \| batch time .*\n? +.*lag orders 0"

        def is_shown() -> bool:
            """When all sinks run: the first may be done with its rows before the last has started."""
            before, last = ["", *running.frames()][-2:]
            return before.startswith("orders: running for ") and re.search(line, last) is not None

        running.until(is_shown)
        running.until(is_committed)
        running.resize(45)
        drawn = len(running.frames())
        running.until(lambda: len(running.frames()) >= drawn + 3)
        narrow = running.frames()[-2].rsplit("\x1b[", 1)[0].splitlines()
        assert max(map(len, narrow)) < 45
        assert re.sub(r"\s+", " ", " ".join(narrow)).count("lag orders 0") >= 1
        running.press(b"\x03")
        assert running.process.wait(100) == 130, running.output
        running.wait_for_the_last_process()
    assert "batches under way are finished first" in " ".join(running.output.split())
    assert "Traceback" not in running.output
    summary = running.output.replace("\r", "").rsplit("orders interrupted after", 1)[1]
    assert re.search(r"alerts +40 rows in, \d+ rows out, \d+ batch(?:es)?, .* lag 0", summary)
    assert re.search(r"dead-letters +0 rows in", summary)


STREAM = """
name: stream
trigger: every 200ms
kafka:
  bootstrap.servers: "{bootstrap}"
  sasl.password: "${{BROKER_SECRET}}"
  sasl.jaas.config: PlainLoginModule required username="u" password="${{BROKER_SECRET}}";
spark: {{spark.hadoop.fs.store.secret: "${{STORE_SECRET}}"}}
sources:
  events:
    topics: events
    options: {{maxOffsetsPerTrigger: 300}}
steps:
  marked: {{function: marking:marked}}
sinks:
  out: {{format: topic, topic: copies, guarantee: exactly-once}}
"""

MODULE = """
from pyspark.sql.functions import udf

def marked(events):
    # Executors run `mark`, so they must find this module, too.
    return events.select(udf(mark, "BINARY")("value").alias("value"))

def mark(value):
    return b"marked " + bytes(value)
"""


def test_a_killed_run_is_continued_by_a_cluster_and_nothing_is_lost_or_doubled(
    broker: BlockingLocalBroker, admin: Admin, terminal: Terminal
) -> None:
    for topic in ("events", "copies"):
        admin.create_topic(topic, partitions=2)
    (terminal.directory / "stream.yaml").write_text(STREAM.format(bootstrap=broker.bootstrap_servers))
    (terminal.directory / "marking.py").write_text(MODULE)
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
            _look_at_the_jvm(running)
        assert "stream: running for" in terminal.run("status", "stream.yaml").stdout
        for refused in (
            terminal.run("reset", "stream.yaml", "--to", "latest"),
            terminal.run("run", "stream.yaml"),
        ):
            assert refused.returncode == 1
            assert f"stream runs already (process {running.process.pid})" in refused.stderr
        running.process.kill()
        running.process.wait()
        running.wait_for_the_last_process()
    died = terminal.run("status", "stream.yaml")
    assert died.returncode == 1
    assert "stream: died: it was killed" in died.stdout

    produce(broker, "events", (b"%d" % number for number in range(2000, 2500)))
    _continue_on_a_cluster(broker, terminal)
    left_out = {
        event.value for event in consume(broker, "events") if event.partition == 0 and event.offset < 10
    }
    expected = {b"marked %d" % number for number in range(2500) if b"%d" % number not in left_out}
    copies = [copy.value for copy in consume(broker, "copies")]
    assert (len(copies), set(copies)) == (len(expected), expected)
    interrupted = terminal.run("status", "stream.yaml")
    assert (interrupted.returncode, interrupted.stdout.split(" after")[0]) == (0, "stream: interrupted")
    for file in (terminal.directory / "checkpoints").rglob("*"):
        assert not file.is_file() or not any(
            secret.encode() in file.read_bytes() for secret in SECRETS.values()
        )


def _look_at_the_jvm(running: RunningCommand) -> None:
    """It has the archive of classes in its memory, no secret on its command line, and no port for other machines."""
    pid = running.process.pid
    assert beyond_loopback([pid]) == []
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert any(re.search(r"/spark-\S+\.jsa", Path(f"/proc/{child}/maps").read_text()) for child in children)
    for child in children:
        assert SECRETS["STORE_SECRET"].encode() not in Path(f"/proc/{child}/cmdline").read_bytes()


def _continue_on_a_cluster(broker: BlockingLocalBroker, terminal: Terminal) -> None:
    """Two workers, until SIGTERM. The driver has an archive that is none: it starts without."""
    (archive,) = Path(terminal.environment["XDG_CACHE_HOME"]).glob("snakka/*.jsa")
    other = terminal.directory / "cache" / "snakka"
    other.mkdir(parents=True)
    (other / archive.name).write_bytes(b"no archive")
    terminal.environment["XDG_CACHE_HOME"] = str(other.parent)
    where = ("--directory", str(terminal.directory / "spark"))
    up = terminal.run("cluster", "up", "--workers", "2", "--memory", "1g", "--port", "0", *where)
    try:
        assert up.returncode == 0, up.stderr
        (master,) = re.findall(r"ready: (spark://127\.0\.0\.1:\d+) \(2 workers, 2 cores\)", up.stdout)
        assert "runs already" in terminal.run("cluster", "up", *where).stderr
        confs = ("--conf", "spark.executor.memory=512m", "--conf", "spark.driver.memory=512m")
        with terminal.start("run", "stream.yaml", "--master", master, *confs) as running:
            running.until(lambda: len(consume(broker, "copies")) >= 2490)
            members = json.loads((terminal.directory / "spark" / "cluster.json").read_text())[
                "members"
            ].values()
            assert beyond_loopback([running.process.pid, *members]) == []
            shown = terminal.run("cluster", "status", *where)
            assert "2 of 2 cores in use" in shown.stdout
            assert "running: stream" in shown.stdout
            running.process.send_signal(signal.SIGTERM)
            assert running.process.wait(300) == 130, running.output
        assert "out: batch" in running.output
        assert "stream interrupted after" in running.output
    finally:
        down = terminal.run("cluster", "down", *where)
    assert down.stdout.split() == ["ended", "worker-2,", "worker-1,", "master"]
    assert terminal.run("cluster", "status", *where).returncode == 1


BUSY = """
trigger: every 50ms
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  work: {{topics: work, options: {{maxOffsetsPerTrigger: {batch}}}}}
steps:
  done: {{function: working:done}}
sinks:
  out: {{format: topic, topic: worked, guarantee: exactly-once}}
"""

SLOW_MODULE = """
import time
from pyspark.sql.functions import udf

def done(work):
    return work.select(udf(slowly, "BINARY")("value").alias("value"))

def slowly(value):
    time.sleep(0.02)
    return bytes(value)
"""


def test_ctrl_c_ends_a_query_that_always_has_more_to_do(
    broker: BlockingLocalBroker, admin: Admin, terminal: Terminal
) -> None:
    """First between two batches; then while its source's process does not move any more."""
    for topic in ("work", "worked"):
        admin.create_topic(topic, partitions=1)
    batch = 20
    text = BUSY.format(bootstrap=broker.bootstrap_servers, batch=batch)
    (terminal.directory / "busy.yaml").write_text(text)
    (terminal.directory / "working.py").write_text(SLOW_MODULE)
    produce(broker, "work", (b"%d" % number for number in range(20_000)))
    with terminal.start("run", "busy.yaml", *SMALL, "--grace", "300") as running:
        running.until(lambda: re.search(r"\nout: batch [1-9]", running.output) is not None)
        _interrupt(running)
        running.wait_for_the_last_process()
    rows, written, batches = _summary(running)
    assert rows == written == batches * batch
    # The batch that began behind the last one may have been decided before it was cut: then it is there, whole.
    first = [int(each.value or b"") for each in consume(broker, "worked")]
    assert first == list(range(len(first)))
    assert len(first) in (rows, rows + batch)

    limits = ("--grace", "1", "--conf", "spark.sql.streaming.stopTimeout=20s")
    with terminal.start("run", "busy.yaml", *SMALL, *limits) as running:
        running.until(lambda: re.search(r"\nout: batch \d", running.output) is not None)
        stuck = running.find("python_streaming_source_runner")
        os.kill(stuck, signal.SIGSTOP)
        try:
            _interrupt(running)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(stuck, signal.SIGKILL)
        running.wait_for_the_last_process()
    rows, _, batches = _summary(running)
    assert rows == batches * batch > 0
    both = [int(each.value or b"") for each in consume(broker, "worked")]
    assert both == list(range(len(both)))
    assert len(both) % batch == 0
    assert len(both) > len(first)


def _interrupt(running: RunningCommand) -> None:
    """Ctrl-C: it must not wait for the grace of five minutes."""
    begun = time.monotonic()
    assert running.signal(signal.SIGINT) == 130, running.output
    assert time.monotonic() - begun < 100
    assert "Traceback" not in running.output


def _summary(running: RunningCommand) -> tuple[int, ...]:
    """Rows in, rows out and batches, of the lines at the end."""
    summary = running.output.rsplit("busy interrupted after", 1)[1]
    found = re.search(r"\n  out  ([\d,]+) rows in, ([\d,]+) rows out, ([\d,]+) batch(?:es)?", summary)
    assert found is not None, running.output
    return tuple(int(each.replace(",", "")) for each in found.groups())


def test_one_sink_that_fails_ends_the_run_and_says_why(
    broker: BlockingLocalBroker, terminal: Terminal
) -> None:
    (terminal.directory / "broken.yaml").write_text(
        f"""
trigger: every 200ms
kafka: {{bootstrap.servers: "{broker.bootstrap_servers}"}}
sources:
  records: {{topics: broken}}
  orders: {{topics: broken, decode: json, schema: id BIGINT}}
sinks:
  all: {{format: noop, from: records}}
  good: {{format: noop, from: orders}}
"""
    )
    produce(broker, "broken", (b'{"id": 1}', b"{"))
    nowhere = terminal.run("run", "broken.yaml", "--master", "spark://127.0.0.1:1")
    assert nowhere.returncode == 1
    assert nowhere.stderr == "snakka: no Spark master answers at spark://127.0.0.1:1: Connection refused\n"
    ran = terminal.run("run", "broken.yaml", *SMALL)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    (error,) = ran.stderr.splitlines()
    assert re.match(r"snakka: sink good: can't decode broken \d offset \d: .*; .*skip or dead-letter", error)
    assert "spark.log has more" in error
    assert re.search(r"\n  good +\d rows in", ran.stdout)
    status = terminal.status("broken.yaml")
    assert (status["state"], status["sinks"]["good"]["state"]) == ("failed", "failed")
    assert (status["sinks"]["all"]["state"], status["sinks"]["all"]["error"]) == ("stopped", "")
    assert terminal.run("status", "broken.yaml").returncode == 1

    # The batch that failed is repeated. Spark does not say then how far the topic goes; the run says what is left anyway.
    with (terminal.directory / "broken.yaml").open("a") as file:
        file.write("errors: {policy: skip}\n")
    repeated = terminal.run("run", "broken.yaml", "--trigger", "available-now", *SMALL)
    assert repeated.returncode == 0, repeated.stdout + repeated.stderr
    assert re.search(r"\n  good +2 rows in, .*, 1 batch, .*, lag 0, 1 bad row", repeated.stdout)


TAKEN = """
trigger: every 200ms
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources: {{taken: {{topics: taken, options: {{maxOffsetsPerTrigger: 20}}}}}}
steps: {{slow: {{function: working:done}}}}
sinks: {{out: {{format: noop}}}}
"""


def test_a_spark_that_is_taken_away_is_no_screen_of_traces(
    broker: BlockingLocalBroker, admin: Admin, terminal: Terminal
) -> None:
    """By the terminal that is closed, which says so to Spark too, it is an end in order; killed alone, a failure."""
    admin.create_topic("taken", partitions=1)
    (terminal.directory / "taken.yaml").write_text(TAKEN.format(bootstrap=broker.bootstrap_servers))
    (terminal.directory / "working.py").write_text(SLOW_MODULE)
    produce(broker, "taken", (b"%d" % number for number in range(20_000)))
    for is_closed in (True, False):
        with terminal.start("run", "taken.yaml", *SMALL, "--grace", "300") as running:
            running.until(lambda running=running: re.search(r"\nout: batch \d", running.output) is not None)
            if is_closed:
                assert running.signal(signal.SIGHUP) == 130, running.output
            else:
                os.kill(running.find("org.apache.spark.deploy.SparkSubmit"), signal.SIGKILL)
                assert running.process.wait(100) == 1, running.output
            running.wait_for_the_last_process()
        lines = running.output.splitlines()
        status = terminal.status("taken.yaml")
        assert status["state"] == ("interrupted" if is_closed else "failed")
        assert status["error"].startswith("" if is_closed else "Spark's process has ended")
        assert bool(status["error"]) != is_closed
        assert [line for line in lines if line.startswith("snakka: ")] == ([] if is_closed else lines[-1:])
        assert not re.search(
            r"Traceback|^ERROR|Exception (happened|occurred|while)", running.output, re.MULTILINE
        )


def test_a_wrong_file_is_not_run(broker: BlockingLocalBroker, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    (tmp_path / "wrong.yaml").write_text(
        f"""
kafka: {{bootstrap.servers: "{broker.bootstrap_servers}"}}
sources: {{events: {{topics: nobodys}}}}
sinks:
  out: {{format: topic, topic: nobodys}}
"""
    )
    ran = terminal.run("run", "wrong.yaml")
    assert (ran.returncode, ran.stdout) == (2, "")
    command = f"snakka topic create nobodys --bootstrap-server {broker.bootstrap_servers}"
    assert ran.stderr.splitlines() == [
        f"wrong.yaml:3: there is no topic nobodys; `{command}` creates it",
        f"wrong.yaml:5: there is no topic nobodys; `{command}` creates it",
    ]
    checked = terminal.run("check", "wrong.yaml", "--no-spark")
    assert (checked.returncode, checked.stdout) == (2, ran.stderr)
    assert terminal.run("check", "wrong.yaml", "--no-spark", "--no-cluster").returncode == 0
    assert terminal.status("wrong.yaml")["state"] == "failed"
