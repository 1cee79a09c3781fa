"""A query that writes exactly once, played step by step: no Spark is needed to write a task's rows and to decide."""

import itertools
import time

from tests.spark.topic_sink_reading import values

from snakka.client.blocking import Admin, Producer
from snakka.client.open_transaction import OpenTransaction
from snakka.spark.topic_sink.decisions import DecisionTopic, ensure_decision_topic
from snakka.spark.topic_sink.task_writer import BatchName, TaskMessage, is_of_query, transactional_id
from snakka.spark.topic_sink.transaction_ends import BatchEnd
from snakka.spark.topic_sink.write_options import WriteOptions, write_options

_numbers = itertools.count()


def deciding_options(bootstrap_servers: str, admin: Admin) -> WriteOptions:
    """With a decision topic of the test's own."""
    name = f"decisions-{next(_numbers)}"
    ensure_decision_topic(admin, name)
    return write_options(
        {
            "kafka.bootstrap.servers": bootstrap_servers,
            "deliveryGuarantee": "exactly-once",
            "decisionTopic": name,
        }
    )


class Job:
    """A query as the sink sees it: tasks write, the driver ends batches."""

    def __init__(self, options: WriteOptions, topic: str, timeout_ms: int = 60_000) -> None:
        self.options = options
        self.topic = topic
        self.query_id = f"query-{next(_numbers)}"
        self.timeout_ms = timeout_ms
        self.end = BatchEnd(options, timeout_ms, is_asked_again=True)
        self.decisions = DecisionTopic(options)

    def task(self, batch_id: int, partition: int, *values: bytes, run_id: str = "first") -> TaskMessage:
        message = TaskMessage(BatchName(self.query_id, batch_id), run_id=run_id)
        if values:
            message.transaction = self.written(partition, *values)
        return message

    def written(self, partition: int, *values: bytes) -> OpenTransaction:
        with Producer(
            self.options.settings,
            transactional_id=transactional_id(self.query_id, partition),
            transaction_timeout_ms=self.timeout_ms,
        ) as producer:
            producer.begin_transaction()
            for value in values:
                producer.send(self.topic, value)
            return producer.detach_transaction()

    def seen(self) -> list[str]:
        """What read_committed consumers get, up to the first open transaction."""
        return sorted(values(self.options.settings["bootstrap.servers"], self.topic))

    def is_settled(self, admin: Admin) -> bool:
        """Whether nothing of the query is open."""
        return not [
            each
            for each in admin.list_transactions(states=["Ongoing"])
            if is_of_query(each.transactional_id, self.query_id)
        ]

    def await_timeout(self, admin: Admin) -> None:
        """Until what was open is aborted, and all partitions know of it."""
        deadline = time.monotonic() + 60
        while any(
            is_of_query(each.transactional_id, self.query_id)
            for each in admin.list_transactions(states=["Ongoing", "PrepareAbort"])
        ):
            assert time.monotonic() < deadline
            time.sleep(0.01)
