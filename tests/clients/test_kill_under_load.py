"""kill -9 while idempotent producers write: nothing that was acknowledged is lost, doubled or reordered."""

import threading

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from tests.cli.broker_process import start_broker
from tests.clients.exchange import Confluent, create_topic

ROUNDS = 4
TOPIC = "survivor"


class Load:
    """Writes numbered records until told to stop, and remembers which were acknowledged, in order."""

    def __init__(self, bootstrap: str, first: int) -> None:
        self.acknowledged: list[int] = []
        self.next = first
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 1,
                "message.timeout.ms": 3000,
                "reconnect.backoff.max.ms": 200,
            }
        )
        self._stop = threading.Event()
        self._enough = threading.Event()
        self._wanted = 1 << 60
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait_for(self, count: int) -> None:
        self._wanted = count
        assert self._enough.wait(30), "the producer made no progress"

    def _run(self) -> None:
        while not self._stop.is_set():
            number = self.next
            self.next += 1
            try:
                self._producer.produce(
                    TOPIC,
                    b"%d" % number,
                    partition=0,
                    on_delivery=lambda error, _, number=number: self._delivered(number, error),
                )
            except BufferError:
                self._producer.poll(0.05)
            self._producer.poll(0)

    def _delivered(self, number: int, error: object) -> None:
        if error is None:
            self.acknowledged.append(number)
            if len(self.acknowledged) >= self._wanted:
                self._enough.set()

    def finish(self) -> None:
        self._stop.set()
        self._thread.join()
        self._producer.flush(10)


@pytest.mark.parametrize(
    "options", [(), ("--set", "log.flush.interval.messages=1")], ids=["page cache", "synced"]
)
def test_what_was_acknowledged_survives_kill_9(tmp_path, options) -> None:
    broker = start_broker(tmp_path, *options)
    create_topic(broker.bootstrap, TOPIC)
    acknowledged: list[int] = []
    first = 0
    for _ in range(ROUNDS):
        load = Load(broker.bootstrap, first)
        load.wait_for(2000)
        broker.kill()
        load.finish()
        acknowledged += load.acknowledged
        first = load.next
        broker = start_broker(tmp_path, *options)
        found = _read_all(broker.bootstrap)
        # Records that were written but not acknowledged in time may be there too, in their place.
        assert len(found) == len(set(found)), "doubled"
        assert found == sorted(found), "reordered"
        missing = set(acknowledged) - set(found)
        assert not missing, f"lost: {sorted(missing)[:10]}"
    broker.stop()


def _read_all(bootstrap: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "x", "enable.auto.commit": False})
    partition = TopicPartition(TOPIC, 0)
    _, high = consumer.get_watermark_offsets(partition, timeout=10)
    return [int(value) for _, value in Confluent.read(bootstrap, TOPIC, high)]
