"""An idempotent producer that never gives up: it lives through every death of the broker and retries what was under way."""

import itertools
import threading
import time
from collections.abc import Mapping

from confluent_kafka import KafkaError, Message, Producer

from tests.faults.ledger import Ledger, TopicPartition, key_of

PATIENCE_SECONDS = 60.0
PADDING = b" " * 150


class SteadyLoad:
    """Writes numbers to every partition of `ledgers` in turn, in a thread, until `close`."""

    def __init__(self, bootstrap: str, ledgers: Mapping[TopicPartition, Ledger]) -> None:
        self.acknowledged = 0
        self.problems: list[str] = []
        self._ledgers = ledgers
        self._turns = itertools.cycle(ledgers)
        self._may_send = threading.Event()
        self._wanted = (0, threading.Event())
        self._closed = False
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 1,
                # Small batches: the more there are, the more can be lost, doubled or exchanged.
                "batch.num.messages": 20,
                "queue.buffering.max.messages": 1000,
                "message.timeout.ms": int(PATIENCE_SECONDS * 1000),
                "reconnect.backoff.ms": 10,
                "reconnect.backoff.max.ms": 100,
                "retry.backoff.ms": 20,
                "log_level": 0,
                "error_cb": self._on_error,
            }
        )
        self._thread = threading.Thread(target=self._run, name="steady load")
        self._thread.start()

    def resume(self) -> None:
        self._may_send.set()

    def pause(self) -> None:
        """Send nothing new; what was handed over is still delivered."""
        self._may_send.clear()

    def wait_for(self, more: int) -> float:
        """Until `more` records than now are acknowledged; how many seconds that took."""
        start = time.monotonic()
        reached = threading.Event()
        self._wanted = (self.acknowledged + more, reached)
        assert reached.wait(PATIENCE_SECONDS), f"no progress: {self.problems or 'and no error either'}"
        return time.monotonic() - start

    def settle(self) -> None:
        """Until all that was sent is acknowledged."""
        assert self._producer.flush(PATIENCE_SECONDS) == 0, "some records were never acknowledged"
        assert not self.problems, self.problems[:5]

    def close(self) -> None:
        self._closed = True
        self._may_send.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed:
            if not self._may_send.is_set():
                self._producer.poll(0.01)
                continue
            self._send(next(self._turns))
            self._producer.poll(0)

    def _send(self, place: TopicPartition) -> None:
        ledger = self._ledgers[place]
        number = ledger.sent
        topic, partition = place

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                self.problems.append(f"{topic}-{partition} {number}: {error}")
                return
            offset = message.offset()
            assert offset is not None
            ledger.acknowledged[number] = offset
            self._count()

        while not self._closed:
            try:
                self._producer.produce(
                    topic, b"%d" % number + PADDING, key_of(number), partition, on_delivery=delivered
                )
            except BufferError:
                self._producer.poll(0.05)
            else:
                ledger.sent = number + 1
                return

    def _count(self) -> None:
        self.acknowledged += 1
        target, reached = self._wanted
        if self.acknowledged >= target:
            reached.set()

    def _on_error(self, error: KafkaError) -> None:
        if error.fatal():
            self.problems.append(f"fatal: {error}")
