"""What a stream does waits for brokers that are away; whoever else begins hears at once that nobody answers."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.free_ports import free_port
from tests.spark.topic_sink_reading import values

from snakka.client.blocking import Admin
from snakka.client.errors import NoBrokerError
from snakka.spark import worker_clients
from snakka.spark.worker_clients import WorkerClients, for_a_stream, started
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAIT_SECONDS = 60.0


@contextmanager
def turned_away(port: int) -> Iterator[Callable[[int], None]]:
    """Where a broker will be: those who come before it are turned away. What it gives waits until so many have come."""
    came = threading.Semaphore(0)

    def turn_away() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connection.close()
            came.release()

    def await_attempts(count: int) -> None:
        for _ in range(count):
            assert came.acquire(timeout=WAIT_SECONDS)

    listening = socket.create_server(("127.0.0.1", port))
    thread = threading.Thread(target=turn_away)
    thread.start()
    try:
        yield await_attempts
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


@contextmanager
def broker_at(port: int) -> Iterator[BlockingLocalBroker]:
    with BlockingLocalBroker({"listeners": f"PLAINTEXT://127.0.0.1:{port}"}) as broker:
        yield broker


def test_only_a_stream_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    settings = {"bootstrap.servers": f"127.0.0.1:{port}"}
    clients = WorkerClients()
    with pytest.raises(NoBrokerError):
        clients.admin(settings)

    def of_a_stream() -> str:
        with for_a_stream():
            return clients.admin(settings).describe_cluster().cluster_id

    with ThreadPoolExecutor() as pool:
        with turned_away(port) as await_attempts:
            cluster_id = pool.submit(of_a_stream)
            await_attempts(2)
        with broker_at(port):
            assert cluster_id.result(WAIT_SECONDS)
            clients.close()
    monkeypatch.setattr(worker_clients, "AWAY_SECONDS", 0.1)
    with for_a_stream(), pytest.raises(NoBrokerError):
        started(lambda: Admin(settings))


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
def test_a_batch_that_begins_while_the_broker_is_away_is_written(
    spark: "SparkSession", tmp_path: Path, guarantee: str
) -> None:
    """At least once it is a task that comes first; exactly once, the process that makes the sink."""
    port = free_port()
    bootstrap = f"127.0.0.1:{port}"
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "7").load()
    writer = (
        rows.selectExpr("CAST(value AS STRING) AS value")
        .writeStream.format("snakka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("topic", "numbers")
        .option("deliveryGuarantee", guarantee)
        .option("checkpointLocation", str(tmp_path))
        .trigger(processingTime="1 second")
    )
    with turned_away(port) as await_attempts:
        query = writer.start()
        await_attempts(2)
    try:
        with broker_at(port):
            deadline = time.monotonic() + WAIT_SECONDS
            while query.lastProgress is None and query.isActive and time.monotonic() < deadline:
                time.sleep(0.05)
            assert query.exception() is None
            query.stop()
            written = values(bootstrap, "numbers")
    finally:
        query.stop()
    assert {str(number) for number in range(7)} <= set(written)
