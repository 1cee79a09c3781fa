"""All records of a topic, as a consumer sees them who reads only what is committed."""

import time

from snakka.client.blocking import Admin, Consumer
from snakka.client.consumer.messages import Message
from snakka.client.topic_partition import TopicPartition


def read_topic(bootstrap: str, topic: str, isolation: str = "read_committed") -> list[Message]:
    """Up to where the partitions end now: with read_committed that is the first open transaction."""
    _await_ends(bootstrap)
    with Consumer(bootstrap_servers=bootstrap, isolation_level=isolation) as consumer:
        partitions = [TopicPartition(topic, index) for index in consumer.partitions_for_topic(topic)]
        ends = consumer.end_offsets(partitions)
        consumer.assign(partitions)
        for partition, end in ends.items():
            consumer.seek(partition, 0, up_to=end)
        found: list[Message] = []
        while any(consumer.position(partition) < end for partition, end in ends.items()):
            for messages in consumer.getmany(timeout_ms=200).values():
                found += messages
    return found


def _await_ends(bootstrap: str) -> None:
    """A coordinator answers when an end is decided, a moment before all partitions know of it."""
    with Admin(bootstrap_servers=bootstrap) as admin:
        deadline = time.monotonic() + 30
        while admin.list_transactions(states=["PrepareCommit", "PrepareAbort"]):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def values(bootstrap: str, topic: str) -> list[str]:
    return [(message.value or b"").decode() for message in read_topic(bootstrap, topic)]
