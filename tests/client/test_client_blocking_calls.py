"""The blocking clients at a broker: transactions, columns, commits and listeners, as a program without asyncio has them."""

import threading
from collections.abc import Iterator

import pyarrow
import pytest

from snakka.client import Producer as AsyncioProducer
from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.consumer import TopicPartition
from snakka.client.consumer.groups.listener import RebalanceListener
from snakka.client.errors import ClientClosedError, ClientConfigError, ProducerFencedError
from snakka.testing import BlockingLocalBroker


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with BlockingLocalBroker() as broker:
        yield broker.bootstrap_servers


def read_all(servers: str, topic: str, count: int, **settings: object) -> list[bytes]:
    with Consumer(topic, bootstrap_servers=servers, auto_offset_reset="earliest", **settings) as consumer:
        found: list[bytes] = []
        while len(found) < count:
            batches = consumer.getmany(timeout_ms=20_000)
            assert batches, f"only {len(found)} of {count} came"
            found += [message.value for messages in batches.values() for message in messages]
        assert not consumer.getmany(timeout_ms=100)
        return found


def divide_after(receipt: object) -> None:
    assert receipt is not None
    raise ZeroDivisionError


def test_a_transaction_is_kept_or_taken_back(servers: str) -> None:
    with Producer(bootstrap_servers=servers, transactional_id="blocking") as producer:
        with producer.transaction():
            producer.send("kept", b"1")
            producer.send("kept", b"2")
        with pytest.raises(ZeroDivisionError), producer.transaction():
            divide_after(producer.send_and_wait("kept", b"never"))
        producer.begin_transaction()
        producer.send("kept", b"3")
        producer.commit_transaction()
    assert sorted(read_all(servers, "kept", 3, isolation_level="read_committed")) == [b"1", b"2", b"3"]


def test_many_calls_are_made_in_the_client_s_own_loop(servers: str) -> None:
    async def send(producer: AsyncioProducer) -> list[int]:
        return [(await producer.send_and_wait("beside", b"%d" % number)).offset for number in range(5)]

    with Producer(bootstrap_servers=servers) as producer:
        beside = producer.begin(send)
        assert producer.send_and_wait("other", b"meanwhile").offset == 0
        assert beside.result(20) == [0, 1, 2, 3, 4]
    assert read_all(servers, "beside", 5) == [b"0", b"1", b"2", b"3", b"4"]
    with pytest.raises(ClientClosedError, match="the producer is stopped"):
        producer.begin(send)


def test_who_comes_later_with_the_same_id_fences(servers: str) -> None:
    with Producer(bootstrap_servers=servers, transactional_id="twice") as old:
        with old.transaction():
            old.send("fenced", b"1")
        with Producer(bootstrap_servers=servers, transactional_id="twice") as new:
            with pytest.raises(ProducerFencedError), old.transaction():
                old.send_and_wait("fenced", b"2")
            with new.transaction():
                new.send("fenced", b"3")
    assert read_all(servers, "fenced", 2, isolation_level="read_committed") == [b"1", b"3"]


def test_offsets_are_part_of_a_transaction(servers: str) -> None:
    with Producer(bootstrap_servers=servers) as producer:
        for number in range(4):
            producer.send_and_wait("in", b"%d" % number, partition=0)
    first = TopicPartition("in", 0)
    settings = {"bootstrap_servers": servers, "group_id": "transformers", "enable_auto_commit": False}
    with (
        Consumer("in", auto_offset_reset="earliest", **settings) as consumer,
        Producer(bootstrap_servers=servers, transactional_id="transform") as producer,
    ):
        messages = consumer.getmany(timeout_ms=20_000, max_records=3)[first]
        with producer.transaction():
            for message in messages:
                producer.send("out", message.value + b"!")
            producer.send_offsets_to_transaction({first: messages[-1].offset + 1}, consumer.group_metadata())
        assert consumer.committed(first) == 3
    assert sorted(read_all(servers, "out", 3, isolation_level="read_committed")) == [b"0!", b"1!", b"2!"]


def test_columns_and_commits(servers: str) -> None:
    with Producer(bootstrap_servers=servers) as producer:
        table = pyarrow.table({"value": [b"a", b"b", b"c"], "key": [b"k", None, b"k"]})
        written = producer.send_arrow("columns", table, key="key", partition=0).result(timeout=20)
        assert written == [("columns", 0, 0, 3)]
    first = TopicPartition("columns", 0)
    with Consumer(
        "columns",
        bootstrap_servers=servers,
        group_id="readers",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    ) as consumer:
        (batch,) = consumer.fetch_arrow(timeout_ms=20_000, columns=("key", "value", "offset"))
        assert batch.to_pydict() == {
            "key": [b"k", None, b"k"],
            "value": [b"a", b"b", b"c"],
            "offset": [0, 1, 2],
        }
        assert consumer.commit_async().result(timeout=20) is None
        assert consumer.committed(first) == 3
        consumer.commit({first: 1})
        assert consumer.committed(first) == 1
    with Admin(bootstrap_servers=servers) as admin:
        assert admin.list_group_offsets("readers")[first].offset == 1


def test_a_listener_hears_of_partitions_in_the_client_s_thread(servers: str) -> None:
    heard: list[tuple[str, str]] = []

    class Listener(RebalanceListener):
        def on_partitions_assigned(self, partitions: frozenset[TopicPartition]) -> None:
            heard.append(("assigned", threading.current_thread().name))

        def on_partitions_revoked(self, partitions: frozenset[TopicPartition]) -> None:
            heard.append(("revoked", threading.current_thread().name))

    with Producer(bootstrap_servers=servers) as producer:
        producer.send_and_wait("heard", b"1")
    with Consumer(bootstrap_servers=servers, group_id="hearers", auto_offset_reset="earliest") as consumer:
        consumer.subscribe(["heard"], listener=Listener())
        assert next(consumer).value == b"1"
    assert heard == [("assigned", "snakka consumer"), ("revoked", "snakka consumer")]


def test_who_could_not_even_begin_says_why() -> None:
    with pytest.raises(ClientConfigError, match="nowhere"), Admin(bootstrap_servers="nowhere"):
        pytest.fail("it has started without a port to go to")
