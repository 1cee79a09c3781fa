"""The decisions about batches: one record for each query in a compacted topic, the last one counts.

Rule: a batch counts from the moment that its decision is acknowledged by all replicas. Queries and their batches come one
after the other, so whoever knows the last decision of a query knows all: it stands for the batches before it too.

A driver that was taken for dead may go on when another one has its checkpoint, and decide late: of two decisions about a
batch the first one in the topic counts, and none that comes after one about a later batch. So whoever has decided reads
what counts. Compaction leaves the last one of a query: that is the one that counts again as soon as its batch is finished.

All decisions are in partition 0, whatever the topic has: a key must not move when somebody adds partitions. A process
reads the partition once, and afterwards what was added since; compaction keeps that short.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from os import getpid

from snakka.client.admin import ConfigResource
from snakka.client.blocking import Admin, Consumer
from snakka.client.errors import RequestTimedOutError
from snakka.client.open_transaction import OpenTransaction
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import SystemClock
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.write_options import DECISION_TOPIC, WriteOptions
from snakka.spark.worker_clients import worker_clients

FORMAT_VERSION = 1
_PARTITION = 0
_COMPACT = "compact"
# A decision with ten thousand transactions has less than a megabyte, and compresses well.
_LARGEST_BYTES = 8 * 1024 * 1024
# Small segments, since the newest is never compacted; and a short way from the beginning to the end.
_CONFIGS = {
    "cleanup.policy": _COMPACT,
    "segment.bytes": str(4 * 1024 * 1024),
    "min.cleanable.dirty.ratio": "0.1",
    "max.message.bytes": str(_LARGEST_BYTES),
    # Better no decision for a while than one that is gone, whatever the cluster does elsewhere.
    "unclean.leader.election.enable": "false",
}
# As the topic of a transaction coordinator has it, where there are brokers enough. Two keep two copies, but need not both be
# there: what one of them has acknowledged alone is waited for, since no other may lead, and neither holds up all queries.
_MOST_REPLICAS = 3
_LEAST_IN_SYNC = 2
_READ_SECONDS = 60.0
_POLL_MS = 200
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Decision:
    """A batch counts, with these transactions. It is finished when all of them are known to be committed."""

    query_id: str
    batch_id: int
    transactions: tuple[OpenTransaction, ...]
    is_finished: bool = False
    topic: str | None = None  # where the rows are, if an option said it for all of them

    def covers(self, batch_id: int) -> bool:
        return self.batch_id >= batch_id

    @property
    def open_transactions(self) -> tuple[OpenTransaction, ...]:
        """Those that may still have to be committed."""
        return () if self.is_finished else self.transactions

    def finished(self) -> "Decision":
        return replace(self, is_finished=True)

    def to_bytes(self) -> bytes:
        fields = {
            "version": FORMAT_VERSION,
            "query": self.query_id,
            "batch": self.batch_id,
            "finished": self.is_finished,
            "transactions": [list(each) for each in self.transactions],
            "topic": self.topic,
        }
        return json.dumps(fields, separators=(",", ":")).encode()

    def yields_to(self, later: "Decision") -> bool:
        """Whether one that was written later counts in its place: for a later batch, or to say that this one is finished."""
        if later.batch_id != self.batch_id:
            return later.batch_id > self.batch_id
        return later.is_finished and later.transactions == self.transactions

    @classmethod
    def from_bytes(cls, data: bytes) -> "Decision":
        """ValueError if it is none, or has a format that is not known here."""
        try:
            fields = json.loads(data)
            version = fields["version"]
            if version == FORMAT_VERSION:
                transactions = tuple(
                    OpenTransaction(name, int(producer_id), int(epoch))
                    for name, producer_id, epoch in fields["transactions"]
                )
                batch_id, is_finished = int(fields["batch"]), bool(fields["finished"])
                return cls(fields["query"], batch_id, transactions, is_finished, fields.get("topic"))
        except (ValueError, TypeError, KeyError):
            raise ValueError(
                f"{data[:_MOST_SHOWN]!r} is no decision, something else writes there. Without the key the query would go"
                " on; see first whether its next batch is written already, since it would be written again"
            ) from None
        raise ValueError(
            f"the decision about query {fields.get('query')} has format {version}, and this release"
            f" knows {FORMAT_VERSION}: use one that is at least as new as the one that wrote it"
        )


class DecisionTopic:
    """The topic as this process knows it."""

    def __init__(self, options: WriteOptions) -> None:
        self._name = options.decision_topic
        self._partition = TopicPartition(self._name, _PARTITION)
        self._reading: dict[str, object] = {
            **options.connection,
            "auto.offset.reset": "earliest",
            "allow.auto.create.topics": False,
            "max.partition.fetch.bytes": _LARGEST_BYTES,
        }
        self._writing: dict[str, object] = {
            **options.connection,
            "acks": "all",
            "linger.ms": 0,
            "compression.type": "zstd",
            "max.request.size": _LARGEST_BYTES,
        }
        self._next = 0
        # Of each query the one that counts, or why it can't be told.
        self._last: dict[bytes, Decision | ValueError] = {}
        self._unbroken: set[bytes] = set()  # queries of which compaction has removed nothing since

    def last_of(self, query_id: str) -> Decision | None:
        """The last decision about a query; everything that was acknowledged before this call is seen."""
        self._catch_up()
        last = self._last.get(query_id.encode())
        if isinstance(last, ValueError):
            raise SparkOptionError(
                f"topic {self._name} ({DECISION_TOPIC}) does not tell what is decided about query {query_id}: {last}"
            )
        return last

    def write(self, decision: Decision) -> None:
        """When it returns, the decision stands, unless another one about its batch was there before."""
        self._append(decision.query_id, decision.to_bytes())

    def forget(self, query_id: str) -> None:
        """Nobody will ask about this query any more."""
        self._append(query_id, None)

    def _append(self, query_id: str, value: bytes | None) -> None:
        clients = worker_clients()
        producer = clients.producer(self._writing)
        try:
            producer.send_and_wait(self._name, value, query_id.encode(), partition=_PARTITION)
        except BaseException:
            clients.drop(producer)
            raise

    def _catch_up(self) -> None:
        """Read up to where the log ends now."""
        clients = worker_clients()
        consumer = clients.consumer(self._reading)
        try:
            end = consumer.end_offsets([self._partition])[self._partition]
            if self._next > end:  # the topic was made anew
                self._next = 0
                self._last.clear()
                self._unbroken.clear()
            if self._next < end:
                self._read_up_to(end, consumer)
        except BaseException:
            clients.drop(consumer)
            raise

    def _read_up_to(self, end: int, consumer: Consumer) -> None:
        clock = SystemClock()
        deadline = clock.monotonic() + _READ_SECONDS
        if consumer.assignment() != {self._partition}:  # it is a new one, or was used for another topic
            consumer.assign([self._partition])
        consumer.seek(self._partition, self._next, up_to=end)
        expected = self._next
        while consumer.position(self._partition) < end:
            if clock.monotonic() > deadline:
                raise RequestTimedOutError(
                    f"the end of {self._name} was not reached within {_READ_SECONDS:g} s"
                )
            for messages in consumer.getmany(self._partition, timeout_ms=_POLL_MS).values():
                for message in messages:
                    if message.offset != expected:
                        self._unbroken.clear()
                    expected = message.offset + 1
                    if message.key is not None:
                        self._take(message.key, message.value)
        if expected != end:
            self._unbroken.clear()
        self._next = end

    def _take(self, query: bytes, value: bytes | None) -> None:
        if value is None:
            self._last.pop(query, None)
            return
        last = self._last.get(query)
        try:
            told = Decision.from_bytes(value)
        except ValueError as error:
            self._last[query] = error
            return
        if isinstance(last, Decision) and query in self._unbroken and not last.yields_to(told):
            return
        self._last[query] = told
        self._unbroken.add(query)


def decision_topic(options: WriteOptions) -> DecisionTopic:
    """The one of this process, for these brokers and this name."""
    connection = json.dumps(options.connection, sort_keys=True)
    known = _known_topics(getpid())
    return known.setdefault((connection, options.decision_topic), DecisionTopic(options))


@cache
def _known_topics(process_id: int) -> dict[tuple[str, str], DecisionTopic]:
    return {}


def ensure_decision_topic(admin: Admin, name: str) -> None:
    """Create it, if it is not there; SparkOptionError if it would lose decisions."""
    configs = _topic_configs(admin, name)
    if configs is None:
        replicas = min(len(admin.describe_cluster().brokers), _MOST_REPLICAS)
        in_sync = {"min.insync.replicas": str(min(_LEAST_IN_SYNC, max(replicas - 1, 1)))}
        try:
            admin.create_topic(
                name, partitions=1, replication_factor=replicas, configs={**_CONFIGS, **in_sync}
            )
        except ApiError as error:
            if error.code is not ErrorCode.TOPIC_ALREADY_EXISTS:
                raise
    elif configs["cleanup.policy"] != _COMPACT:
        raise SparkOptionError(
            f"topic {name} has cleanup.policy={configs['cleanup.policy']} and would lose decisions: set it to"
            f" {_COMPACT}, or choose another topic with the option {DECISION_TOPIC}"
        )


def _topic_configs(admin: Admin, name: str) -> Mapping[str, str | None] | None:
    resource = ConfigResource.topic(name)
    outcomes = admin.describe_configs([resource], names=["cleanup.policy"])
    error = outcomes.errors.get(resource)
    if isinstance(error, ApiError) and error.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        return None
    return {entry.name: entry.value for entry in outcomes[resource].values()}
