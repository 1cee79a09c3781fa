"""How a member of a group that is librdkafka's is closed without hanging for ever, which it may do at any broker."""

import time

from confluent_kafka import Consumer

SECONDS = 10.0
_POLL_SECONDS = 0.02


def close_member(consumer: Consumer) -> None:
    """Let it give up its partitions first, and close it then.

    A change of partitions that comes while it closes calls back to confluent-kafka, which asks librdkafka for the group's
    protocol; but the thread that would answer has ended, and so it waits for ever (librdkafka 2.16, issue 4041), and with
    the interpreter's lock, so that no timeout in Python ends it. Closing in the middle of a rebalance it was seen once in
    some fifty times, at Apache Kafka as well as at Snakka.
    """
    consumer.unsubscribe()
    deadline = time.monotonic() + SECONDS
    while consumer.assignment() and time.monotonic() < deadline:
        consumer.poll(_POLL_SECONDS)
    consumer.poll(0)
    consumer.close()
