"""Kafka's tools for groups, and its consumers in groups, work against Snakka as they do against Kafka."""

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_snakka
from tests.kafka.tool_box import ToolBox

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka")]

GROUPS = "kafka-consumer-groups"
PROTOCOLS = ("classic", "consumer")
PARTITIONS = 2
# In each partition.
RECORDS = 10
DEADLINE_SECONDS = 30
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def broker(tools: KafkaTools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolBox]:
    node = Node(tmp_path_factory.mktemp("snakka"))
    with running_snakka(node):
        yield ToolBox(node, tools)


@pytest.fixture
def topic(broker: ToolBox) -> str:
    """With a few records in each partition."""
    name = f"topic-{next(NUMBERS)}"
    broker.run("kafka-topics", "--create", "--topic", name, "--partitions", str(PARTITIONS))
    producer = Producer({"bootstrap.servers": broker.node.bootstrap})
    for partition, number in itertools.product(range(PARTITIONS), range(RECORDS)):
        producer.produce(name, b"%d" % number, partition=partition)
    assert producer.flush(DEADLINE_SECONDS) == 0
    return name


@contextmanager
def member(broker: ToolBox, topic: str, protocol: str, **settings: object) -> Iterator[str]:
    """A group, named after its topic, with one member that has read all and committed 4 and 10."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker.node.bootstrap,
            "group.id": f"group-of-{topic}",
            "group.protocol": protocol,
            "client.id": "reader",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **settings,
        }
    )
    consumer.subscribe([topic])
    read = 0
    deadline = time.monotonic() + DEADLINE_SECONDS
    while read < PARTITIONS * RECORDS:
        assert time.monotonic() < deadline
        read += len(consumer.consume(100, 0.2))
    rows = consumer.position(consumer.assignment())
    for row in rows:
        row.offset = 4 if row.partition == 0 else RECORDS
    consumer.commit(offsets=rows, asynchronous=False)
    yield f"group-of-{topic}"
    consumer.close()


@pytest.fixture(params=PROTOCOLS)
def left(request: pytest.FixtureRequest, broker: ToolBox, topic: str) -> str:
    """A group whose member has left."""
    with member(broker, topic, request.param) as group:
        return group


def offsets(broker: ToolBox, group: str) -> dict[int, int]:
    rows = broker.table(GROUPS, "--describe", "--group", group)
    return {int(row[2]): int(row[3]) for row in rows}


# -- consumers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_console_consumer_goes_on_where_its_group_was(broker: ToolBox, topic: str, protocol: str) -> None:
    def read(count: int) -> list[str]:
        printed = broker.run(
            "kafka-console-consumer",
            *("--topic", topic, "--group", f"console-{topic}", "--from-beginning"),
            *("--max-messages", str(count), "--timeout-ms", "20000"),
            *("--command-property", f"group.protocol={protocol}"),
        )
        return printed.splitlines()

    everything = read(7) + read(PARTITIONS * RECORDS - 7)
    assert sorted(everything) == sorted([str(number) for number in range(RECORDS)] * PARTITIONS)
    assert offsets(broker, f"console-{topic}") == dict.fromkeys(range(PARTITIONS), RECORDS)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_consumer_perf_test(broker: ToolBox, topic: str, protocol: str) -> None:
    (row,) = broker.table(
        "kafka-consumer-perf-test",
        *("--topic", topic, "--group", f"perf-{topic}", "--num-records", str(PARTITIONS * RECORDS)),
        *("--timeout", "20000", "--command-property", f"group.protocol={protocol}"),
    )
    assert f"{PARTITIONS * RECORDS}," in row


# -- groups -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_groups_are_listed(broker: ToolBox, topic: str, protocol: str) -> None:
    kind = protocol.capitalize()
    other = "classic" if protocol == "consumer" else "consumer"
    with member(broker, topic, protocol) as group:
        assert group in broker.run(GROUPS, "--list").splitlines()
        assert [group, "Stable"] in broker.table(GROUPS, "--list", "--state")
        assert [group, kind] in broker.table(GROUPS, "--list", "--type")
        assert broker.table(GROUPS, "--list", "--state", "Stable", "--type", protocol) == [
            [group, kind, "Stable"]
        ]
        assert [group, "Stable"] not in broker.table(GROUPS, "--list", "--state", "Empty")
        assert [group, kind, "consumer"] in broker.table("kafka-groups", "--list")
        assert [group, kind, "consumer"] in broker.table("kafka-groups", "--list", "--consumer")
        assert [group, kind, "consumer"] in broker.table("kafka-groups", "--list", "--group-type", protocol)
        assert group not in broker.run("kafka-groups", "--list", "--group-type", other)
    assert [group, "Empty"] in broker.table(GROUPS, "--list", "--state", "Empty")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_groups_are_described(broker: ToolBox, topic: str, protocol: str) -> None:
    def described(*what: str) -> list[list[str]]:
        return broker.table(GROUPS, "--describe", "--group", group, *what)

    with member(broker, topic, protocol, **{"group.instance.id": "desk"}) as group:
        rows = described("--offsets")
        assert [row[1:6] for row in rows] == [[topic, "0", "4", "10", "6"], [topic, "1", "10", "10", "0"]]
        member_id = rows[0][6]
        assert all(row[6:] == [member_id, "/127.0.0.1", "reader"] for row in rows)
        # With the epoch of the leader who wrote the last record that was read.
        assert [row[3] for row in described("--offsets", "--verbose")] == ["0", "0"]
        assert described("--members") == [[group, member_id, "desk", "/127.0.0.1", "reader", "2"]]
        (detailed,) = described("--members", "--verbose")
        state = described("--state", "--verbose")
        if protocol == "classic":
            assert detailed[6:] == ["-", f"{topic}:0,1", "-", "-"]
            assert state == [[group, broker.node.bootstrap, "(1)", "range", "Stable", "-", "-", "1"]]
        else:
            epoch = detailed[6]
            assert detailed[6:] == [epoch, f"{topic}:0,1", epoch, f"{topic}:0,1"]
            assert state == [[group, broker.node.bootstrap, "(1)", "uniform", "Stable", epoch, epoch, "1"]]
    assert "not found" in broker.run(GROUPS, "--describe", "--group", "nobody")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_members_need_is_not_taken_from_them(broker: ToolBox, topic: str, protocol: str) -> None:
    with member(broker, topic, protocol) as group:
        assert "GroupNotEmptyException" in broker.run(GROUPS, "--delete", "--group", group)
        about = ("--group", group, "--topic", topic)
        assert "GroupSubscribedToTopicException" in broker.run(GROUPS, "--delete-offsets", *about)
        refused = broker.run(GROUPS, "--reset-offsets", *about, "--to-earliest", "--execute")
        assert "can only be reset if the group" in refused
        assert offsets(broker, group) == {0: 4, 1: 10}


def test_all_groups_at_once(broker: ToolBox, topic: str, left: str) -> None:
    rows = broker.table(GROUPS, "--describe", "--all-groups")
    assert [[*row[1:6], row[6]] for row in rows if row[0] == left] == [
        [topic, "0", "4", "10", "6", "-"],
        [topic, "1", "10", "10", "0", "-"],
    ]
    states = broker.table(GROUPS, "--describe", "--all-groups", "--state")
    assert [left, broker.node.bootstrap, "(1)", "Empty", "0"] in [
        [word for word in row if word not in ("-", "uniform")] for row in states
    ]


# -- offsets ------------------------------------------------------------------------------------------------------

LONG_AGO = "2001-01-01T00:00:00.000"
IN_A_WHILE = "2101-01-01T00:00:00.000"


def test_offsets_are_reset(broker: ToolBox, topic: str, left: str) -> None:
    def reset(*how: str, of: str = topic) -> dict[int, int]:
        mode = () if "--execute" in how else ("--dry-run",)
        rows = broker.table(GROUPS, "--reset-offsets", "--group", left, "--topic", of, *how, *mode)
        # There may be warnings among them.
        return {int(row[2]): int(row[3]) for row in rows if row[0] == left}

    both = dict.fromkeys
    assert reset("--to-earliest") == both((0, 1), 0)
    assert reset("--to-latest") == both((0, 1), 10)
    assert reset("--to-current") == {0: 4, 1: 10}
    assert reset("--to-datetime", LONG_AGO) == both((0, 1), 0)
    assert reset("--to-datetime", IN_A_WHILE) == both((0, 1), 10)
    assert reset("--by-duration", "PT1H") == both((0, 1), 0)
    assert reset("--shift-by", "-6") == {0: 0, 1: 4}
    assert offsets(broker, left) == {0: 4, 1: 10}, "nothing was to be done yet"
    assert reset("--shift-by", "3", "--execute", of=f"{topic}:0") == {0: 7}
    assert offsets(broker, left) == {0: 7, 1: 10}
    assert reset("--to-offset", "2", "--execute") == both((0, 1), 2)
    assert reset("--by-duration", "PT0S", "--execute") == both((0, 1), 10)
    assert reset("--to-earliest", "--execute", of=f"{topic}:1") == {1: 0}
    assert offsets(broker, left) == {0: 10, 1: 0}


def test_offsets_are_kept_in_a_file(broker: ToolBox, topic: str, left: str, tmp_path: Path) -> None:
    about = ("--reset-offsets", "--group", left)
    file = tmp_path / "offsets.csv"
    file.write_text(broker.run(GROUPS, *about, "--topic", topic, "--to-current", "--export"))
    broker.run(GROUPS, *about, "--topic", topic, "--to-earliest", "--execute")
    broker.run(GROUPS, *about, "--from-file", str(file), "--execute")
    assert offsets(broker, left) == {0: 4, 1: 10}


def test_offsets_and_groups_are_deleted(broker: ToolBox, topic: str, left: str) -> None:
    about = ("--delete-offsets", "--group", left, "--topic")
    assert f"{topic} 1 Successful".split() in broker.table(GROUPS, *about, f"{topic}:1")
    assert offsets(broker, left) == {0: 4}
    assert "UnknownTopicOrPartitionException" in broker.run(GROUPS, *about, "no-such-topic")
    said = broker.run(GROUPS, "--delete", "--group", left, "--group", "nobody")
    assert f"were deleted successfully: '{left}'" in said
    assert "Group 'nobody' could not be deleted due to" in said
    assert left not in broker.run(GROUPS, "--list").splitlines()


def test_a_streams_application_is_reset(broker: ToolBox, topic: str) -> None:
    with member(broker, topic, "classic") as group:
        pass
    internal = f"{group}-store-changelog"
    broker.run("kafka-topics", "--create", "--topic", internal)
    broker.run(
        "kafka-streams-application-reset",
        *("--application-id", group, "--input-topics", topic, "--to-earliest", "--force"),
    )
    assert offsets(broker, group) == {0: 0, 1: 0}
    assert internal not in broker.run("kafka-topics", "--list").splitlines()
