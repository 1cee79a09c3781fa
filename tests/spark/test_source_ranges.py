"""What an executor reads of a range, without Spark: ends that have no record, losses, time-outs, clients that are kept."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import at, fill, transactions

from snakka.client.blocking import Admin, Producer
from snakka.client.consumer import Consumer
from snakka.client.consumer.positions import EARLIEST, LATEST
from snakka.spark.client_settings import consumer_settings
from snakka.spark.columns import MOST_ROWS, ChosenColumns, source_schema
from snakka.spark.source.offset_ranges import OffsetRange
from snakka.spark.source.partition_reader import PartitionReader, RangeToRead
from snakka.spark.source.topic_offsets import DataLossError
from snakka.spark.worker_clients import WorkerClients, worker_clients
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    import pyarrow

LONG_MS = 30_000


def reader(
    bootstrap: str, *, timeout_ms: int = LONG_MS, fails: bool = True, **settings: str
) -> PartitionReader:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    columns = ChosenColumns(source_schema(True))
    return PartitionReader({"bootstrap.servers": bootstrap, **named}, columns, timeout_ms, fails)


def read(chosen: PartitionReader, topic: str, start: int, end: int) -> "list[pyarrow.RecordBatch]":
    began = time.monotonic()
    batches = list(chosen.read(RangeToRead(OffsetRange(at(topic, 0), start, end))))
    assert time.monotonic() - began < LONG_MS / 1000  # nobody waited for what does not come
    return batches


def offsets(batches: "list[pyarrow.RecordBatch]") -> list[int]:
    return [offset for batch in batches for offset in batch.column("offset").to_pylist()]


@pytest.fixture(scope="module")
def compacting() -> Iterator[BlockingLocalBroker]:
    options = {
        "log.initial.task.delay.ms": 0,
        "log.cleaner.backoff.ms": 50,
        "log.flush.offset.checkpoint.interval.ms": 50,
    }
    with BlockingLocalBroker(options) as running:
        yield running


def test_what_compaction_has_left_of_a_range(compacting: BlockingLocalBroker) -> None:
    bootstrap = compacting.bootstrap_servers
    configs = {"cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.01"}
    with Admin(bootstrap_servers=bootstrap) as admin:
        admin.create_topic("c", configs={**configs, "segment.ms": "1", "max.compaction.lag.ms": "1"})
    with Producer(bootstrap_servers=bootstrap) as producer:
        for number in range(20):
            producer.send_and_wait("c", b"%d" % number, key=b"kept" if number in (0, 12) else b"k")
        deadline = time.monotonic() + 30
        chosen = reader(bootstrap)
        while offsets(read(chosen, "c", 0, 18)) not in ([0, 12], [12]):
            assert time.monotonic() < deadline
            time.sleep(0.1)
            producer.send_and_wait("c", b"on", key=b"k")  # a segment is closed by what comes after it
    # Ranges that begin, end or lie wholly in what is gone.
    assert offsets(read(chosen, "c", 3, 10)) == []
    assert offsets(read(chosen, "c", 3, 13)) == [12]
    assert offsets(read(chosen, "c", 12, 18)) == [12]


def test_ranges_that_end_with_markers_and_aborted_transactions(
    broker: BlockingLocalBroker, new_topic: NewTopic
) -> None:
    topic = new_topic()
    transactions(broker.bootstrap_servers, topic, "commit", "abort", "abort", "commit", "abort").stop()
    committed = reader(broker.bootstrap_servers, isolation_level="read_committed")
    assert offsets(read(committed, topic, 0, 20)) == [0, 1, 2, 12, 13, 14]
    assert offsets(read(committed, topic, 3, 12)) == []
    assert offsets(read(committed, topic, 7, 13)) == [12]
    assert offsets(read(committed, topic, 15, 20)) == []
    uncommitted = reader(broker.bootstrap_servers)
    assert offsets(read(uncommitted, topic, 3, 9)) == [4, 5, 6, 8]


def test_rows_come_in_batches_of_spark_s_own_schema(broker: BlockingLocalBroker, new_topic: NewTopic) -> None:
    topic = new_topic()
    fill(broker.bootstrap_servers, topic, range(25_000))
    chosen = reader(broker.bootstrap_servers)
    batches = read(chosen, topic, 10, 24_990)
    assert offsets(batches) == list(range(10, 24_990))
    assert max(batch.num_rows for batch in batches) <= MOST_ROWS
    assert all(batch.schema.equals(chosen.columns.arrow_schema) for batch in batches)
    assert str(chosen.columns.arrow_schema.field("timestamp").type) == "timestamp[us, tz=UTC]"
    assert chosen.columns.names == (
        *("key", "value", "topic", "partition", "offset", "timestamp", "timestamp_type", "headers"),
    )


def test_who_has_the_last_record_of_a_range_asks_for_no_more(
    broker: BlockingLocalBroker, new_topic: NewTopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, asked = new_topic(), []
    fill(broker.bootstrap_servers, topic, range(10))
    fetch_arrow = Consumer.fetch_arrow

    def counted(consumer: Consumer, *partitions: Any, **options: Any) -> Any:
        asked.append(partitions)
        return fetch_arrow(consumer, *partitions, **options)

    monkeypatch.setattr(Consumer, "fetch_arrow", counted)
    assert offsets(read(reader(broker.bootstrap_servers), topic, 2, 7)) == [2, 3, 4, 5, 6]
    assert len(asked) == 1


def test_a_large_record_is_read_whole(broker: BlockingLocalBroker, new_topic: NewTopic) -> None:
    topic = new_topic(max_message_bytes="9000000")
    with Producer(bootstrap_servers=broker.bootstrap_servers, max_request_size=9_000_000) as producer:
        for letter in (b"a", b"b"):
            producer.send_and_wait(topic, letter * 6_000_000)
    values = [
        len(value)
        for batch in read(reader(broker.bootstrap_servers), topic, 0, 2)
        for value in batch["value"].to_pylist()
    ]
    assert values == [6_000_000, 6_000_000]


def test_what_is_gone(broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic) -> None:
    topic, bootstrap = new_topic(), broker.bootstrap_servers
    fill(bootstrap, topic, range(10))
    admin.delete_records({at(topic, 0): 4}).raise_for_errors()
    with pytest.raises(DataLossError, match="offset 1 of the range up to 8 is gone, there are 4 to 10"):
        read(reader(bootstrap), topic, 1, 8)
    lenient = reader(bootstrap, fails=False, timeout_ms=3_000)
    assert offsets(read(lenient, topic, 1, 8)) == [4, 5, 6, 7]
    assert offsets(read(lenient, topic, 1, 3)) == []
    assert offsets(read(lenient, topic, 20, 30)) == []
    assert offsets(read(lenient, topic, 8, 30)) == [8, 9]
    # Whoever asked for the earliest has lost nothing.
    assert offsets(read(reader(bootstrap), topic, EARLIEST, LATEST)) == [4, 5, 6, 7, 8, 9]
    assert offsets(read(reader(bootstrap), topic, EARLIEST, 6)) == [4, 5]
    assert offsets(read(reader(bootstrap), topic, EARLIEST, 3)) == []
    with pytest.raises(
        DataLossError, match="offset 10 of the range up to 30 is not there, the log ends at 10;"
    ):
        read(reader(bootstrap, timeout_ms=3_000), topic, 8, 30)


def test_a_topic_that_is_made_anew_while_it_is_read(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic
) -> None:
    """Its new records have other offsets, and are none of this range."""
    for fails in (True, False):
        topic, bootstrap = new_topic(), broker.bootstrap_servers
        fill(bootstrap, topic, ["x" * 500_000] * 60)  # more than is fetched ahead
        rows = reader(bootstrap, fails=fails).read(RangeToRead(OffsetRange(at(topic, 0), 0, 60)))
        count = next(rows).num_rows
        admin.delete_topic(topic)
        admin.create_topic(topic)
        fill(bootstrap, topic, ["new"] * 100)
        if fails:
            with pytest.raises(DataLossError, match=f"{topic}-0"):
                list(rows)
        else:
            batches = list(rows)
            assert count + sum(batch.num_rows for batch in batches) < 60
            assert b"new" not in [value for batch in batches for value in batch["value"].to_pylist()]


def test_a_kept_client_that_knows_an_older_topic_reads_the_one_that_was_planned(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic
) -> None:
    topic, bootstrap = new_topic(), broker.bootstrap_servers
    fill(bootstrap, topic, range(9))
    chosen = reader(bootstrap, client_id="knows-the-older")
    assert len(offsets(read(chosen, topic, 0, 9))) == 9
    admin.delete_topic(topic)
    admin.create_topic(topic)
    fill(bootstrap, topic, range(20))
    planned = admin.describe_topics([topic])[topic].topic_id
    for start, end in ((3, 20), (EARLIEST, LATEST)):
        batches = list(chosen.read(RangeToRead(OffsetRange(at(topic, 0), start, end), planned)))
        assert offsets(batches) == list(range(max(start, 0), 20))


def test_another_topic_is_never_read_for_the_one_that_was_planned(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic
) -> None:
    """Whether the client has heard of the old one, of the new one, or of none."""
    topic, bootstrap = new_topic(), broker.bootstrap_servers
    fill(bootstrap, topic, range(20))
    planned = RangeToRead(OffsetRange(at(topic, 0), 3, 15), admin.describe_topics([topic])[topic].topic_id)
    old, new, none, lenient = (
        reader(bootstrap, timeout_ms=400, client_id=f"{topic}-{number}", fails=number < 3)
        for number in range(4)
    )
    assert offsets(list(old.read(planned))) == list(range(3, 15))
    admin.delete_topic(topic)
    with pytest.raises(DataLossError, match=f"{topic}-0 is not what .* planned for any more: .* deleted"):
        list(none.read(planned))
    admin.create_topic(topic)
    fill(bootstrap, topic, range(20))
    assert offsets(read(new, topic, 0, 20)) == list(range(20))
    for each in (old, new, none):
        with pytest.raises(DataLossError, match=f"{topic}-0 .* made anew"):
            list(each.read(planned))
    assert list(lenient.read(planned)) == []


def test_waiting_has_an_end(broker: BlockingLocalBroker, new_topic: NewTopic) -> None:
    """An open transaction in the range: only endingOffsets in numbers can say so, and it may not end."""
    topic = new_topic()
    producer = transactions(broker.bootstrap_servers, topic, "open")
    try:
        fill(broker.bootstrap_servers, topic, range(2))
        chosen = reader(broker.bootstrap_servers, timeout_ms=1500, isolation_level="read_committed")
        told = "an open transaction holds back everything from offset 0 on, .* did not end in 1500 ms.* endingOffsets be 0"
        with pytest.raises(DataLossError, match=told):
            read(chosen, topic, 0, 5)
        lenient = reader(
            broker.bootstrap_servers, timeout_ms=1500, isolation_level="read_committed", fails=False
        )
        assert read(lenient, topic, 0, 5) == []
    finally:
        producer.abort_transaction()
        producer.stop()


def test_who_skips_records_does_not_wait_for_them(broker: BlockingLocalBroker, new_topic: NewTopic) -> None:
    """What was aborted may take longer to fetch than pollTimeoutMs, and gives no row meanwhile."""
    topic, count = new_topic(), 2000
    producer = Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id=topic, batch_size=64)
    with producer:
        producer.begin_transaction()
        for _ in range(count):
            producer.send(topic, bytes(64), partition=0)
        producer.flush()
        producer.abort_transaction()
        producer.begin_transaction()
        producer.send_and_wait(topic, b"kept", partition=0)
        producer.commit_transaction()
    patient = reader(broker.bootstrap_servers, isolation_level="read_committed")
    assert offsets(read(patient, topic, 0, count + 3)) == [count + 1]  # the marker is there now
    hasty = reader(
        broker.bootstrap_servers,
        timeout_ms=50,
        isolation_level="read_committed",
        max_partition_fetch_bytes="1",  # a batch for each fetch
    )
    began = time.monotonic()
    assert offsets(read(hasty, topic, 0, count + 3)) == [count + 1]
    assert time.monotonic() - began > 0.05, "else nothing is shown here"


def test_a_task_that_ends_in_the_middle_of_a_fetch_leaves_a_client_that_reads_on(
    broker: BlockingLocalBroker, new_topic: NewTopic
) -> None:
    topic, other = new_topic(), new_topic()
    fill(broker.bootstrap_servers, topic, range(3))
    fill(broker.bootstrap_servers, other, range(2))
    chosen = reader(broker.bootstrap_servers, client_id="interrupted")
    kept = worker_clients().consumer(consumer_settings(chosen.settings))
    for _ in range(3):
        unfinished = chosen.read(RangeToRead(OffsetRange(at(topic, 0), 0, 5)))
        assert next(unfinished).num_rows == 3  # and now it waits for the other two
        began = time.monotonic()
        unfinished.close()
        assert time.monotonic() - began < LONG_MS / 2000
        assert worker_clients().consumer(consumer_settings(chosen.settings)) is kept
        assert offsets(read(chosen, other, 0, 2)) == [0, 1]
    assert offsets(read(chosen, topic, 0, 3)) == [0, 1, 2]


def test_a_worker_keeps_its_clients(broker: BlockingLocalBroker, new_topic: NewTopic) -> None:
    topic, other = new_topic(), new_topic()
    fill(broker.bootstrap_servers, topic, range(20_000))
    fill(broker.bootstrap_servers, other, range(3))
    chosen = reader(broker.bootstrap_servers, client_id="kept")
    unfinished = chosen.read(RangeToRead(OffsetRange(at(topic, 0), 0, 20_000)))
    assert next(unfinished).num_rows
    unfinished.close()  # Spark needs no more rows
    assert offsets(read(chosen, other, 0, 3)) == [0, 1, 2]
    clients = worker_clients()
    assert clients is worker_clients()
    small = WorkerClients(most=2)
    settings = [
        {"bootstrap.servers": broker.bootstrap_servers, "client.id": f"c{number}"} for number in range(3)
    ]
    first = small.admin(settings[0])
    small.admin(settings[1])
    assert small.admin(settings[0]) is first
    small.admin(settings[2])  # the one that was not used for the longest time goes
    assert small.admin(settings[0]) is first
    small.drop(first)
    assert small.admin(settings[0]) is not first
    small.close()
