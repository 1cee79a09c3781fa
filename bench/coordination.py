"""Groups and transactions: how soon a new group reads, how fast many members settle, commits, transactions, memory."""

import selectors
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from confluent_kafka import Consumer, Producer

from bench.group_members import Crowd
from bench.raw_client import RawClient, request_frame
from bench.report import KAFKA, Row, median_ratio_row
from bench.scale import Scale
from bench.servers import Server, start_snakka
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

# Both servers alike: a group begins when its first member comes.
SETTINGS = {"group.initial.rebalance.delay.ms": "0", "group.consumer.assignment.interval.ms": "0"}
MEMBERS = 100
COMMITTING_CONNECTIONS = 8
COMMIT_VERSION = 8
COMMIT_SECONDS = 2.0
IDLE_GROUPS = 1000
RECORDS_A_TRANSACTION = 10
DEADLINE_SECONDS = 60.0
MEGABYTE = 1e6


def measure(
    directory: Path, scale: Scale, start_kafka: Callable[[Path, dict[str, str]], Server] | None
) -> Iterator[Row]:
    with start_snakka(directory / "groups", SETTINGS) as snakka:
        _prepare(snakka)
        if start_kafka is None:
            yield from _own_rows(snakka, scale)
            return
        with start_kafka(directory / "groups-kafka", SETTINGS) as kafka:
            _prepare(kafka)
            yield from _rows_beside_kafka(snakka, kafka, scale)
        yield from _own_rows(snakka, scale)


def _own_rows(snakka: Server, scale: Scale) -> Iterator[Row]:
    for protocol in ("classic", "consumer"):
        seconds = sorted(first_poll(snakka, protocol, number) for number in range(scale.starts))
        name = f"first poll of a new group, {protocol} protocol"
        yield Row(name, seconds[len(seconds) // 2], 0.3, False, unit=" s")
    rates = sorted(commits_a_second(snakka) for _ in range(scale.starts))
    yield Row(
        f"offset commits a second, {COMMITTING_CONNECTIONS} connections", rates[len(rates) // 2], 5000, True
    )
    added = idle_groups_bytes(snakka) / MEGABYTE
    yield Row(f"memory (RSS) that {IDLE_GROUPS:,} idle groups add", added, 50, False, unit=" MB")


def _rows_beside_kafka(snakka: Server, kafka: Server, scale: Scale) -> Iterator[Row]:
    for server in (snakka, kafka):
        settle_seconds(server, f"warm-{server.name}")
    settled = [
        (settle_seconds(snakka, f"m{number}"), settle_seconds(kafka, f"m{number}"))
        for number in range(scale.starts)
    ]
    yield median_ratio_row(
        f"{MEMBERS} members join, rebalance and settle",
        settled,
        against=KAFKA,
        bound=1.0,
        at_least=False,
        unit="s",
    )
    # The first round warms both up.
    pairs = [
        (transactions_a_second(snakka, scale), transactions_a_second(kafka, scale))
        for _ in range(scale.starts + 1)
    ]
    yield median_ratio_row(
        "consume-transform-produce transactions a second",
        pairs[1:],
        against=KAFKA,
        bound=1.0,
        at_least=True,
        unit="a second",
    )


def _prepare(server: Server) -> None:
    """Topics with records, and both coordinators awake."""
    server.seconds_to_first_ack()
    client = server.connect()
    for topic, partitions in (("source", 1), ("sink", 1), ("wide", MEMBERS)):
        client.creates_topic(topic, partitions)
        client.wait_for_leaders(topic, partitions)
    deadline = time.monotonic() + DEADLINE_SECONDS
    for kind in (0, 1):
        while not _has_coordinator(client, kind):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{server.name} has no coordinator")
            time.sleep(0.05)
    client.close()
    producer = Producer({"bootstrap.servers": server.bootstrap_servers})
    for number in range(20_000):
        producer.produce("source", b"%d" % number)
    producer.flush(DEADLINE_SECONDS)


def _has_coordinator(client: RawClient, kind: int) -> bool:
    answer = client.ask(FindCoordinatorRequest(key_type=kind, coordinator_keys=["bench"]), 4)
    return answer.coordinators[0].error_code == ErrorCode.NONE  # type: ignore[attr-defined]


def first_poll(server: Server, protocol: str, number: int) -> float:
    """From the making of a consumer to its first record."""
    started = time.perf_counter()
    consumer = Consumer(
        {
            "bootstrap.servers": server.bootstrap_servers,
            "group.id": f"first-{protocol}-{number}-{started}",
            "group.protocol": protocol,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe(["source"])
    try:
        while consumer.poll(0.01) is None:
            if time.perf_counter() - started > DEADLINE_SECONDS:
                raise RuntimeError(f"{server.name}: a new group reads nothing")
        return time.perf_counter() - started
    finally:
        consumer.close()


def settle_seconds(server: Server, group: str) -> float:
    """All members come at once; when they have settled, a tenth leaves, and as many new ones come."""
    crowd = Crowd()
    try:
        members = [crowd.add(server.port, group) for _ in range(MEMBERS)]
        started = time.perf_counter()
        for member in members:
            member.join()
        crowd.settle()
        for member in members[: MEMBERS // 10]:
            member.leave()
            crowd.drop(member)
        for _ in range(MEMBERS // 10):
            crowd.add(server.port, group).join()
        crowd.settle()
        return time.perf_counter() - started
    finally:
        crowd.close()


def commits_a_second(server: Server) -> float:
    """Each connection commits one offset of a group of its own, one request at a time."""
    selector = selectors.DefaultSelector()
    connections = []
    for number in range(COMMITTING_CONNECTIONS):
        partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=number)
        topic = OffsetCommitRequestTopic(name="source", partitions=[partition])
        frame = request_frame(
            OffsetCommitRequest(
                group_id=f"commits-{number}", generation_id_or_member_epoch=-1, topics=[topic]
            ),
            COMMIT_VERSION,
        )
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(connection, selectors.EVENT_READ, frame)
        connections.append((connection, frame))
    started = time.perf_counter()
    for connection, frame in connections:
        connection.sendall(frame)
    count = 0
    while time.perf_counter() - started < COMMIT_SECONDS:
        for key, _ in selector.select(1.0):
            answer = key.fileobj.recv(4096)  # type: ignore[union-attr]
            if answer[-3:-1] != b"\0\0":
                raise RuntimeError(f"a commit failed: {answer.hex()}")
            count += 1
            key.fileobj.sendall(key.data)  # type: ignore[union-attr]
    seconds = time.perf_counter() - started
    for connection, _ in connections:
        connection.close()
    return count / seconds


def transactions_a_second(server: Server, scale: Scale) -> float:
    """Read some records, write as many, commit their offsets in the same transaction; one after the other."""
    group = f"transform-{time.time_ns()}"
    consumer = Consumer(
        {
            "bootstrap.servers": server.bootstrap_servers,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
        }
    )
    producer = Producer({"bootstrap.servers": server.bootstrap_servers, "transactional.id": group})
    try:
        producer.init_transactions(DEADLINE_SECONDS)
        consumer.subscribe(["source"])
        consumer.consume(RECORDS_A_TRANSACTION, DEADLINE_SECONDS)
        started = time.perf_counter()
        for _ in range(scale.transactions):
            records = consumer.consume(RECORDS_A_TRANSACTION, DEADLINE_SECONDS)
            producer.begin_transaction()
            for record in records:
                producer.produce("sink", record.value())
            producer.send_offsets_to_transaction(
                consumer.position(consumer.assignment()), consumer.consumer_group_metadata()
            )
            producer.commit_transaction(DEADLINE_SECONDS)
        return scale.transactions / (time.perf_counter() - started)
    finally:
        consumer.close()


def idle_groups_bytes(server: Server) -> float:
    """Groups of one member each, with a committed offset, that then do nothing."""
    before = server.resident_bytes
    crowd = Crowd()
    client = server.connect()
    try:
        for number in range(IDLE_GROUPS):
            crowd.add(server.port, f"idle-{number}").join()
        crowd.settle()
        for member in crowd.members:
            partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
            topic = OffsetCommitRequestTopic(name="source", partitions=[partition])
            client.ask(
                OffsetCommitRequest(
                    group_id=member.group,
                    generation_id_or_member_epoch=member.generation,
                    member_id=member.member_id,
                    topics=[topic],
                ),
                COMMIT_VERSION,
            )
        return server.resident_bytes - before
    finally:
        client.close()
        crowd.close()
