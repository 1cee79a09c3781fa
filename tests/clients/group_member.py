"""A member of a consumer group in a process of its own, with a client that nobody here wrote.

python -m tests.clients.group_member CLIENT BOOTSTRAP GROUP TOPIC OPTIONS

It polls all the time, as a consumer should, and tells on standard output, a JSON array a line, what happens:
["assigned" | "revoked" | "lost", partitions], ["records", [[partition, offset, value], ...]], ["failed", text]. It obeys
what it reads on standard input, a word a line: commit, commit_async, close; and tells when that is done:
["committed", {partition: offset}], ["closed", seconds]. OPTIONS is JSON: strategy, instance, auto_commit,
session_ms, protocol.
"""

import asyncio
import json
import queue
import sys
import threading
import time
from typing import Any

POLL_SECONDS = 0.05
SESSION_MS = 6_000
HEARTBEAT_MS = 200


def tell(what: str, detail: object) -> None:
    print(json.dumps([what, detail]), flush=True)


def commands() -> "queue.Queue[str]":
    """What is read on standard input; its end is the word for closing."""
    told: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            told.put(line.strip())
        told.put("close")

    threading.Thread(target=read, daemon=True).start()
    return told


# -- confluent-kafka ----------------------------------------------------------------------------------------------


class Confluent:
    def __init__(self, bootstrap: str, group: str, topic: str, options: dict[str, Any]) -> None:
        from confluent_kafka import Consumer

        self._is_cooperative = options.get("strategy") == "cooperative-sticky"
        self._is_static = "instance" in options
        settings = {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": options.get("auto_commit", False),
            "auto.commit.interval.ms": 100,
            "topic.metadata.refresh.interval.ms": 500,
        }
        if options.get("protocol", "classic") == "consumer":
            settings |= {"group.protocol": "consumer"}
        else:
            settings |= {
                "session.timeout.ms": options.get("session_ms", SESSION_MS),
                "heartbeat.interval.ms": HEARTBEAT_MS,
            }
        if "strategy" in options:
            settings["partition.assignment.strategy"] = options["strategy"]
        if "instance" in options:
            settings["group.instance.id"] = options["instance"]
        self._consumer = Consumer(settings | {"on_commit": self._on_commit})
        self._consumer.subscribe(
            [topic],
            on_assign=lambda _, rows: tell("assigned", [row.partition for row in rows]),
            on_revoke=lambda _, rows: tell("revoked", [row.partition for row in rows]),
            on_lost=lambda _, rows: tell("lost", [row.partition for row in rows]),
        )
        self._is_waiting = False

    def poll(self) -> list[tuple[int, int, str]]:
        messages = self._consumer.consume(1000, POLL_SECONDS)
        for message in messages:
            if message.error() is not None:
                tell("failed", message.error().name())
        return [
            (message.partition(), message.offset(), message.value().decode())
            for message in messages
            if message.error() is None
        ]

    def commit(self) -> None:
        tell("committed", self._offsets(self._consumer.commit(asynchronous=False)))

    def commit_async(self) -> None:
        self._is_waiting = True
        self._consumer.commit(asynchronous=True)

    def _on_commit(self, error: Any, rows: Any) -> None:
        if self._is_waiting:
            self._is_waiting = False
            tell("failed", error.name()) if error else tell("committed", self._offsets(rows))

    @staticmethod
    def _offsets(rows: Any) -> dict[int, int]:
        return {row.partition: row.offset for row in rows if row.offset >= 0}

    def close(self) -> None:
        from tests.clients.librdkafka_closing import close_member

        if self._is_static:
            self._consumer.close()  # it must stay a member
        else:
            close_member(self._consumer)


# -- kafka-python -------------------------------------------------------------------------------------------------


class KafkaPython:
    def __init__(self, bootstrap: str, group: str, topic: str, options: dict[str, Any]) -> None:
        from kafka.consumer.subscription_state import ConsumerRebalanceListener
        from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
        from kafka.coordinator.assignors.range import RangePartitionAssignor

        from kafka import KafkaConsumer

        class Listener(ConsumerRebalanceListener):
            def on_partitions_assigned(self, assigned: Any) -> None:
                tell("assigned", [row.partition for row in assigned])

            def on_partitions_revoked(self, revoked: Any) -> None:
                tell("revoked", [row.partition for row in revoked])

        strategies = {"range": RangePartitionAssignor, "cooperative-sticky": CooperativeStickyAssignor}
        self._consumer = KafkaConsumer(
            bootstrap_servers=bootstrap,
            group_id=group,
            group_instance_id=options.get("instance"),
            auto_offset_reset="earliest",
            enable_auto_commit=options.get("auto_commit", False),
            auto_commit_interval_ms=100,
            session_timeout_ms=options.get("session_ms", SESSION_MS),
            heartbeat_interval_ms=HEARTBEAT_MS,
            partition_assignment_strategy=[strategies[options.get("strategy", "range")]],
        )
        self._consumer.subscribe([topic], listener=Listener())

    def poll(self) -> list[tuple[int, int, str]]:
        found = self._consumer.poll(timeout_ms=POLL_SECONDS * 1000)
        coordinator = self._consumer._coordinator
        joining = coordinator._join_task
        if coordinator.rejoining and joining is not None and joining.is_done:
            # It has joined after the time of a poll was over, and would forget its assignment: a defect of this client.
            coordinator.request_rejoin()
        return [(row.partition, row.offset, row.value.decode()) for rows in found.values() for row in rows]

    def commit(self) -> None:
        self._consumer.commit()
        tell("committed", self._positions())

    def commit_async(self) -> None:
        def done(_: Any, outcome: Any) -> None:
            if isinstance(outcome, Exception):
                tell("failed", str(outcome))
            else:
                tell("committed", self._positions())

        self._consumer.commit_async(callback=done)

    def _positions(self) -> dict[int, int]:
        return {row.partition: self._consumer.position(row) for row in self._consumer.assignment()}

    def close(self) -> None:
        self._consumer.close()


def obey(member: Confluent | KafkaPython) -> None:
    told = commands()
    while True:
        try:
            command = told.get_nowait()
        except queue.Empty:
            records = member.poll()
            if records:
                tell("records", records)
            continue
        if command == "close":
            began = time.monotonic()
            member.close()
            tell("closed", time.monotonic() - began)
            return
        getattr(member, command)()


# -- aiokafka -----------------------------------------------------------------------------------------------------


async def obey_with_aiokafka(bootstrap: str, group: str, topic: str, options: dict[str, Any]) -> None:
    from aiokafka import AIOKafkaConsumer
    from aiokafka.abc import ConsumerRebalanceListener
    from aiokafka.coordinator.assignors.range import RangePartitionAssignor

    class Listener(ConsumerRebalanceListener):
        def on_partitions_assigned(self, assigned: Any) -> None:
            tell("assigned", [row.partition for row in assigned])

        def on_partitions_revoked(self, revoked: Any) -> None:
            tell("revoked", [row.partition for row in revoked])

    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        group_instance_id=options.get("instance"),
        auto_offset_reset="earliest",
        enable_auto_commit=options.get("auto_commit", False),
        auto_commit_interval_ms=100,
        session_timeout_ms=options.get("session_ms", SESSION_MS),
        heartbeat_interval_ms=HEARTBEAT_MS,
        partition_assignment_strategy=[RangePartitionAssignor],
    )
    consumer.subscribe([topic], listener=Listener())
    await consumer.start()
    told = commands()
    while True:
        try:
            command = told.get_nowait()
        except queue.Empty:
            found = await consumer.getmany(timeout_ms=int(POLL_SECONDS * 1000))
            records = [
                (row.partition, row.offset, row.value.decode()) for rows in found.values() for row in rows
            ]
            if records:
                tell("records", records)
            continue
        if command == "close":
            began = time.monotonic()
            await consumer.stop()
            tell("closed", time.monotonic() - began)
            return
        await consumer.commit()
        tell("committed", {row.partition: await consumer.position(row) for row in consumer.assignment()})


def main() -> None:
    client, bootstrap, group, topic, text = sys.argv[1:]
    options = json.loads(text)
    if client == "aiokafka":
        asyncio.run(obey_with_aiokafka(bootstrap, group, topic, options))
    else:
        kind = {"confluent-kafka": Confluent, "kafka-python": KafkaPython}[client]
        obey(kind(bootstrap, group, topic, options))


if __name__ == "__main__":
    main()
